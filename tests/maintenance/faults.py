"""Everything that can be wrong with a database, each to be planted in one that is sound, with what is to be found then."""

from __future__ import annotations

from typing import Final

from livecore.api.requests.answer_mentions import ANSWER_MENTIONS, AnswerMention
from livecore.api.requests.idempotency import ANSWERS, SEVERAL, SWEEP, IdempotentAnswer
from livecore.economy.grants import EXPIRE, GRANTS, Grant
from livecore.economy.ledger import ENTRIES, HOLDINGS, Entry, Holding
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.players.identity import SEARCH_ENTRIES, SearchEntry
from livecore.players.player import PLAYERS, Player
from livecore.social.codes import USED_CODES
from livecore.social.gifts import GIFT_DAYS, GIFTS, Gift, GiftDay
from livecore.social.relations import RELATIONS, Relation, pair
from livecore.webhooks.mentions import EVENT_MENTIONS, EventMention
from livecore.webhooks.outbox import DELIVERIES, ENDPOINTS, EVENTS, Delivery, StoredEvent
from tests.maintenance.faults_of_sums import FAULTS_OF_SUMS
from tests.maintenance.planting import GONE, NOBODY, Plant, add, both, change, player, remove, rows


def paid_gift(tx: Transaction) -> Gift:
    """The gift that waits, and that its sender paid for."""
    (gift,) = [row for row in rows(tx, GIFTS) if row.sender_id == player(tx, "giver").player_id]
    assert isinstance(gift, Gift)
    return gift


def friendship(tx: Transaction) -> Relation:
    """The relation of the two players."""
    found = tx.get(RELATIONS, *pair(player(tx, "giver").player_id, player(tx, "taker").player_id))
    assert found is not None
    return found


def gold(tx: Transaction) -> Holding:
    """What the giver holds: 50, less 10, less the 5 of the gift."""
    found = tx.get(HOLDINGS, player(tx, "giver").player_id, "currency", "gold")
    assert found is not None
    assert found.amount == 35
    return found


def entries(tx: Transaction) -> dict[int, Entry]:
    """The giver's entries, by their delta."""
    return {row.delta: row for row in rows(tx, ENTRIES) if row.player_id == player(tx, "giver").player_id}


def merged_away(into: PlayerId) -> Player:
    """The empty row of somebody who was merged into another player."""
    return Player(
        player_id=GONE, external_id="__merged_x__", pool_name="", first_seen_at=0, last_seen_at=0, merged_into=into
    )


def reversed_pair(tx: Transaction) -> Relation:
    """The two players once more, in the other order."""
    row = friendship(tx)
    return Relation(low_id=row.high_id, high_id=row.low_id)


def overdue(tx: Transaction) -> None:
    """An answer that ended before the last sweep ran."""
    tx.put(DUE, DueWork(kind=SWEEP.kind, ref="", due_at=100 * HOUR))
    all_mentions(tx)
    for row in rows(tx, ANSWERS):
        tx.delete(ANSWERS, row.owner, row.idempotency_key)
    for key, expires_at in (("late", 99 * HOUR), ("young", 99 * HOUR + 1)):
        tx.insert(
            ANSWERS,
            IdempotentAnswer(
                owner="server", idempotency_key=key, player_id=None, fingerprint="", status=200, body="{}",
                expires_at=expires_at,
            ),
        )  # fmt: skip


def settled(tx: Transaction) -> StoredEvent:
    """The event that names ten players, eight of them beyond its row."""
    finalized = [row for row in rows(tx, EVENTS) if row.kind == "leaderboard.finalized"]
    (found,) = [row for row in finalized if '"lbd_1"' in str(row.data)]
    assert isinstance(found, StoredEvent)
    assert len(rows(tx, EVENT_MENTIONS)) == 8
    return found


def several(tx: Transaction) -> IdempotentAnswer:
    """The kept answer that names three players."""
    (found,) = [row for row in rows(tx, ANSWERS) if row.shows == SEVERAL]
    assert isinstance(found, IdempotentAnswer)
    assert len(rows(tx, ANSWER_MENTIONS)) == 3
    return found


def mention_of(tx: Transaction, place: int) -> tuple[str, str, int]:
    """The key of one of its mentions."""
    return several(tx).owner, several(tx).idempotency_key, place


def all_mentions(tx: Transaction) -> None:
    """Every mention of an answer goes."""
    for row in rows(tx, ANSWER_MENTIONS):
        tx.delete(ANSWER_MENTIONS, row.owner, row.idempotency_key, row.place)


def grant_of_gift(tx: Transaction) -> Grant:
    """The grant that delivers the gift."""
    found = tx.get(GRANTS, paid_gift(tx).grant_id)
    assert found is not None
    return found


def pending(tx: Transaction) -> Delivery:
    """A delivery that waits to be sent."""
    found = next(row for row in rows(tx, DELIVERIES) if row.status == "pending")
    assert isinstance(found, Delivery)
    return found


def gold_entry(tx: Transaction, name: str, **fields: object) -> None:
    """Post 5 gold properly, so that ledgers agree, for a reason of the service's own."""
    owner = player(tx, name)
    holding = tx.get(HOLDINGS, owner.player_id, "currency", "gold") or Holding(
        player_id=owner.player_id, asset_kind="currency", asset_key="gold", amount=0, changed_at=0
    )
    tx.put(HOLDINGS, evolve(holding, amount=holding.amount + 5))
    known = sum(row.player_id == owner.player_id for row in rows(tx, ENTRIES))
    entry = Entry(
        entry_id=f"ent_{name}_{known}", player_id=owner.player_id, asset_kind="currency", asset_key="gold",
        delta=5, balance=holding.amount + 5, reason=None, source_ref_id=None, at=0,
    )  # fmt: skip
    tx.insert(ENTRIES, evolve(entry, **fields))


def used_up_with_attributes(tx: Transaction) -> Holding:
    """A stack that is used up, and still has the attributes that it had."""
    return Holding(
        player_id=player(tx, "giver").player_id, asset_kind="item", asset_key="sword", amount=0,
        parameters=JsonText('{"level":9}'), changed_at=0,
    )  # fmt: skip


def paid_before_the_claim(tx: Transaction) -> None:
    """The gift that still waits has been credited to its recipient."""
    gold_entry(tx, "taker", reason="gift_claimed", source_ref_id=paid_gift(tx).grant_id, at=7)


def given_back_too_early(tx: Transaction) -> None:
    """The gift that still waits has been given back."""
    gift = paid_gift(tx)
    gold_entry(tx, "giver", reason="gift_refunded", source_ref_id=gift.gift_id, at=gift.sent_at + 1)


def given_back_twice(tx: Transaction) -> None:
    """The gift has expired properly, but for two refunds."""
    gift = paid_gift(tx)
    tx.put(GIFTS, evolve(gift, status="expired"))
    tx.put(GRANTS, evolve(grant_of_gift(tx), status="expired"))
    tx.delete(DUE, EXPIRE, gift.grant_id)
    assert gift.expires_at is not None
    for at in (gift.expires_at, gift.expires_at + 100):
        gold_entry(tx, "giver", reason="gift_refunded", source_ref_id=gift.gift_id, at=at)


def adjusted_by_the_studio(tx: Transaction) -> None:
    """What is no fault: the studio's own adjustments, under names like ours."""
    for at in (1, 2):
        gold_entry(tx, "giver", reason="grant_claimed", source_ref_id="season-3", at=at)
        gold_entry(tx, "giver", reason="gift_refunded", source_ref_id="season-3", at=at)


FAULTS: Final[dict[str, tuple[Plant, set[tuple[str, str]]]]] = {
    "a holding of another amount": (
        change(HOLDINGS, gold, amount=36),
        {("holdings", "holds 36, and its entries sum up to 35")},
    ),
    "a holding below zero": (
        change(HOLDINGS, gold, amount=-1),
        {
            ("holdings", "holds -1, and its entries sum up to 35"),
            ("holdings", f"holds -1, which is not between 0 and {MAX_AMOUNT}"),
        },
    ),
    "attributes of a stack of nothing": (
        add(HOLDINGS, used_up_with_attributes),
        {("holdings", "holds nothing, and has attributes of its own")},
    ),
    "no holding": (
        remove(HOLDINGS, lambda tx: HOLDINGS.key_of(gold(tx))),
        {("holdings", "is missing, and there are ledger entries for it")},
    ),
    "no entry": (
        remove(ENTRIES, lambda tx: (entries(tx)[-10].entry_id,)),
        {
            ("holdings", "holds 35, and its entries sum up to 45"),
            ("ledger_entries", "the running balance does not follow at 35"),
            ("ledger_entries", "the running balance does not follow at 40"),
            ("ledger_entries", "the running balance does not follow at 50"),
        },
    ),
    "an entry's running balance": (
        change(ENTRIES, lambda tx: entries(tx)[-10], balance=41),
        {
            ("ledger_entries", "the running balance does not follow at 40"),
            ("ledger_entries", "the running balance does not follow at 41"),
            ("ledger_entries", "the running balance does not follow at 50"),
            ("ledger_entries", "the running balance does not follow at 51"),
        },
    ),
    "a gift that nobody paid": (
        change(ENTRIES, lambda tx: entries(tx)[-5], source_ref_id="another"),
        {("gifts", "was paid by its sender, and no ledger entry took the amount")},
    ),
    "a gift and its grant": (
        change(GIFTS, paid_gift, status="expired"),
        {("gifts", "is expired, and does not agree with its grant, which is pending")},
    ),
    "a gift without a grant": (
        remove(GRANTS, lambda tx: (paid_gift(tx).grant_id,)),
        {("gifts", "has no grant that delivers it"), ("due_work", "is about a grant that is not pending")},
    ),
    "a grant paid before it is claimed": (
        paid_before_the_claim,
        {("ledger_entries", "pays out a grant that was not claimed at that time; it is pending")},
    ),
    "a gift given back too early": (
        given_back_too_early,
        {("ledger_entries", "gives back a gift that is pending")},
    ),
    "a gift given back twice": (
        given_back_twice,
        {("ledger_entries", "gives back a gift for a second time")},
    ),
    "a gift taken at another time": (
        change(ENTRIES, lambda tx: entries(tx)[-5], at=5),
        {
            ("ledger_entries", "takes the amount of a gift that was not sent at that time"),
            ("gifts", "was paid by its sender, and no ledger entry took the amount"),
        },
    ),
    "no fault: the studio's own adjustments": (adjusted_by_the_studio, set()),
    "a gift of nothing": (
        change(GIFTS, paid_gift, amount=0),
        {
            ("gifts", f"is of 0, which is not between 1 and {MAX_AMOUNT}"),
            ("gifts", "was paid by its sender, and no ledger entry took the amount"),
        },
    ),
    "a grant without its gift": (
        remove(GIFTS, lambda tx: (paid_gift(tx).gift_id,)),
        {("grants", "delivers a gift that does not exist")},
    ),
    "a grant claimed at no time": (
        change(GRANTS, grant_of_gift, status="claimed"),
        {
            ("grants", "is claimed, which does not go with its time of claiming"),
            ("gifts", "is pending, and does not agree with its grant, which is claimed"),
            ("due_work", "is about a grant that is not pending"),
        },
    ),
    "a grant that will not expire": (
        remove(DUE, lambda tx: (EXPIRE, paid_gift(tx).grant_id)),
        {("grants", "will not expire: the work that would do it is not scheduled")},
    ),
    "no sweep": (remove(DUE, lambda _: (SWEEP.kind, "")), {("due_work", "is recurring work that is not scheduled")}),
    "work for nobody": (
        add(DUE, lambda _: DueWork(kind="tea.make", ref="", due_at=0)),
        {("due_work", "is of a kind without a handler")},
    ),
    "friends under a block": (
        change(RELATIONS, friendship, blocked_by_high_at=1),
        {("relations", "is friends under a block")},
    ),
    "a pair in the wrong order": (
        add(RELATIONS, reversed_pair),
        {("relations", "has its players in the wrong order")},
    ),
    "a friendship without its request": (
        change(RELATIONS, friendship, request_id=None),
        {("relations", "is friends, which does not go with its request")},
    ),
    "a request that was accepted": (
        change(RELATIONS, friendship, friendship="asked_by_low"),
        {("relations", "is asked_by_low, and somebody has accepted")},
    ),
    "a relation with nobody": (
        add(RELATIONS, lambda tx: Relation(low_id=PlayerId("plr_"), high_id=player(tx, "giver").player_id)),
        {("relations", "names plr_, who does not exist")},
    ),
    "somebody who was merged away and still counts gifts": (
        both(
            add(PLAYERS, lambda tx: merged_away(player(tx, "giver").player_id)),
            add(GIFT_DAYS, lambda _: GiftDay(sender_id=GONE, day=1, sent=1)),
        ),
        {("players", "was merged into another player, and gift_days.sender_id still names them")},
    ),
    "somebody who was merged into nobody": (
        add(PLAYERS, lambda _: merged_away(NOBODY)),
        {("players", "was merged into a player who does not exist")},
    ),
    "a code that is free": (
        remove(USED_CODES, lambda tx: (player(tx, "giver").friend_code,)),
        {("players", "has a friend code that is not reserved")},
    ),
    "a name that search does not know": (
        change(PLAYERS, lambda tx: player(tx, "giver"), name="Zed"),
        {
            ("players", "is not found by every word of the shown name"),
            ("players", "is found by words that are not in the shown name"),
        },
    ),
    "a word that finds nobody": (
        add(SEARCH_ENTRIES, lambda _: SearchEntry(player_id=NOBODY, text="zed")),
        {("search_entries", "finds a player who does not exist")},
    ),
    "a delivery of nothing": (
        remove(EVENTS, lambda tx: (pending(tx).event_id,)),
        {("webhook_deliveries", "delivers an event that does not exist")},
    ),
    "a delivery that is never due": (
        change(DELIVERIES, pending, due_at=None),
        {("webhook_deliveries", "is pending, which does not go with the time at which it is due")},
    ),
    "deliveries to nowhere": (
        remove(ENDPOINTS, lambda tx: (rows(tx, ENDPOINTS)[0].endpoint_id,)),
        {("webhook_deliveries", "waits for an endpoint that does not exist")},
    ),
    "an event for nobody": (
        remove(DELIVERIES, lambda tx: (pending(tx).delivery_id,)),
        {("webhook_events", "has no delivery, so that nothing will ever forget it")},
    ),
    "an answer that is overdue": (
        overdue,
        {("idempotent_answers", "is kept although the sweep after its expiry has run")},
    ),
    "an answer that lost whom it mentions last": (
        remove(ANSWER_MENTIONS, lambda tx: mention_of(tx, 2)),
        {("idempotent_answers", "names several players, and would not be forgotten with each of them")},
    ),
    "an answer that lost all whom it mentions": (
        all_mentions,
        {("idempotent_answers", "names several players, and would not be forgotten with each of them")},
    ),
    "mentions without their answer": (
        remove(ANSWERS, lambda tx: mention_of(tx, 0)[:2]),
        {("answer_mentions", "mentions a player in an answer that does not exist")},
    ),
    "a mention of an answer that has none": (
        add(ANSWER_MENTIONS, lambda _: AnswerMention(owner="server", idempotency_key="x", place=0, name="a", total=1)),
        {("answer_mentions", "mentions a player in an answer that does not exist")},
    ),
    "an event that lost a mention": (
        remove(EVENT_MENTIONS, lambda tx: (settled(tx).event_id, "plr_rank_7")),
        {("webhook_events", "names players with whom it would not be emptied")},
    ),
    "a mention of no event": (
        add(EVENT_MENTIONS, lambda _: EventMention(event_id="evt_none", player_id=NOBODY)),
        {("event_mentions", "mentions a player in an event that does not exist")},
    ),
    "mentions of an event without its body": (
        change(EVENTS, settled, data=JsonText("{}"), personal="gone"),
        {("event_mentions", "mentions a player in an event that does not exist")},
    ),
    **FAULTS_OF_SUMS,
}
"""Each kind of fault, and everything that is to be found then: tables and problems."""

"""What must be true of the rows of a scope at any moment between two units of work, as rules that can be run.

The service keeps these by construction. They are for operators who have restored, moved or repaired a database by other
means, and for tests that have been unkind to one. Nothing here depends on the time: work that waits because the server was
stopped is no fault. Ledgers have a file of their own, `livecore.economy.reconciliation`.

    players      a friend code is reserved; search finds the player under every word of the shown name, and nothing else;
                 of who was merged into another or erased nothing is found, and what was the one's is the other's
    grants       the state and its times agree; a pending one has its player and, if it ends, the work that ends it
    gifts        the grant is there and agrees; both players are there; what a pending one holds was taken from the sender
    entries      what pays out a grant or gives back a gift does so when it was claimed, or once it has expired, and once
    relations    one row for a pair, both players there; under a block no friendship; a request has its id
    due work     somebody handles its kind; expiry is about a pending grant; the recurring kinds are scheduled
    answers      none has outlived the sweep that ought to have forgotten it
    webhooks     a delivery has its event and, while it waits, its endpoint and its time; an event has a delivery
    directory    a game has its studio, a key its game
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeVar

from livecore.access.directory import API_KEYS, GAMES, STUDIOS, ApiKey, Game
from livecore.api.areas import AREAS
from livecore.api.idempotency import ANSWERS, SWEEP, IdempotentAnswer
from livecore.commerce.reconciliation import reconcile_spend
from livecore.commerce.totals import PRODUCT_DAYS, PURCHASES, SPEND_DAYS, SPEND_TOTALS
from livecore.economy import grants
from livecore.economy.grants import GRANTS, Grant
from livecore.economy.ledger import ENTRIES, ENTRIES_OF_PLAYER, HOLDINGS, Entry
from livecore.economy.reconciliation import LedgerTotals, reconcile
from livecore.kernel.due import DUE, DueWork
from livecore.kernel.examination import Finding, Noted, Rule, View, examine
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.shapes import MAX_AMOUNT
from livecore.kernel.store import Reader, Wanted
from livecore.kernel.tables import Index, Table, Value
from livecore.kernel.time import HOUR
from livecore.player_tools.walking import still_named
from livecore.players.identity import SEARCH_ENTRIES, SEARCH_OF_PLAYER, SearchEntry, search_texts
from livecore.players.player import PLAYERS, Player
from livecore.social.codes import USED_CODES
from livecore.social.gifts import GIFT_DAYS, GIFTS, Gift, GiftDay
from livecore.social.relations import RELATIONS, Relation, is_blocked
from livecore.webhooks.outbox import DELIVERIES, ENDPOINTS, EVENTS, OF_EVENT, Delivery, StoredEvent
from livecore.webhooks.waiting import DISCARD

__all__ = ["EXAMINED", "RULES", "faults_in"]

R = TypeVar("R")
_WAITING: Final = ("pending", "held")


def _all_under(reader: Reader, index: Index[R], *prefix: Value) -> list[R]:
    return reader.scan(index, prefix, start=None, after=None, stop=None, reverse=False, limit=None)


# -- players --------------------------------------------------------------------------------------------------------------


def _player_needs(player: Player) -> Iterator[Wanted]:
    yield SEARCH_OF_PLAYER, (player.player_id,)
    if player.friend_code is not None:
        yield USED_CODES, (player.friend_code,)


def _judge_player(reader: Reader, player: Player) -> Iterator[str]:
    if player.friend_code is not None and reader.get(USED_CODES, (player.friend_code,)) is None:
        yield "has a friend code that is not reserved"
    if player.merged_into is not None:
        yield from _judge_merged(reader, player, player.merged_into)
    entries = _all_under(reader, SEARCH_OF_PLAYER, player.player_id)
    found = {entry.text for entry in entries}
    wanted = set() if player.gone else set(search_texts(player))
    if wanted - found:
        yield "is not found by every word of the shown name"
    if found - wanted:
        yield "is found by words that are not in the shown name"


def _judge_merged(reader: Reader, player: Player, target_id: str) -> Iterator[str]:
    target = reader.get(PLAYERS, (target_id,))
    if target is None or target.merged_into is not None:
        yield "was merged into a player who is not there"
    for table, column in still_named(reader, player.player_id):
        yield f"was merged into another player, and {table.name}.{column} still names them"


def _judge_search_entry(reader: Reader, entry: SearchEntry) -> Iterator[str]:
    if reader.get(PLAYERS, (entry.player_id,)) is None:
        yield "finds a player who is not there"


# -- grants and gifts -----------------------------------------------------------------------------------------------------


def _grant_needs(grant: Grant) -> Iterator[Wanted]:
    if grant.status == "pending":
        yield PLAYERS, (grant.player_id,)
        if grant.expires_at is not None:
            yield DUE, (grants.EXPIRE, grant.grant_id)
    if grant.gift_id is not None:
        yield GIFTS, (grant.gift_id,)


def _judge_grant(reader: Reader, grant: Grant) -> Iterator[str]:
    if (grant.status == "claimed") != (grant.claimed_at is not None):
        yield f"is {grant.status}, which does not go with its time of claiming"
    if grant.gift_id is not None and reader.get(GIFTS, (grant.gift_id,)) is None:
        yield "delivers a gift that is not there"
    if grant.status != "pending":
        return
    if reader.get(PLAYERS, (grant.player_id,)) is None:
        yield "waits for a player who is not there"
    if grant.expires_at is not None and reader.get(DUE, (grants.EXPIRE, grant.grant_id)) is None:
        yield "will not expire: the work that would do it is not scheduled"


def _gift_needs(gift: Gift) -> Iterator[Wanted]:
    yield GRANTS, (gift.grant_id,)
    yield PLAYERS, (gift.sender_id,)
    yield PLAYERS, (gift.recipient_id,)


def _judge_gift(reader: Reader, gift: Gift) -> Iterator[str]:
    if not 1 <= gift.amount <= MAX_AMOUNT:
        yield f"is of {gift.amount}, which is not between 1 and {MAX_AMOUNT}"
    grant = reader.get(GRANTS, (gift.grant_id,))
    if grant is None or grant.gift_id != gift.gift_id:
        yield "has no grant that delivers it"
    elif (grant.status, grant.player_id, grant.claimed_at) != (gift.status, gift.recipient_id, gift.claimed_at):
        yield f"is {gift.status}, and does not agree with its grant, which is {grant.status}"
    for side, player_id in (("sender", gift.sender_id), ("recipient", gift.recipient_id)):
        if reader.get(PLAYERS, (player_id,)) is None:
            yield f"has a {side} who is not there"
    sender = reader.get(PLAYERS, (gift.sender_id,))
    kept = sender is not None and sender.erased_at is None
    if gift.status == "pending" and gift.paid and kept and not _was_paid(reader, gift):
        yield "was paid by its sender, and no ledger entry took the amount"


def _was_paid(reader: Reader, gift: Gift) -> bool:
    """The entry was made in the same unit, so it has the gift's own time."""
    moment, beyond = (gift.sent_at,), (gift.sent_at + 1,)
    posted = reader.scan(
        ENTRIES_OF_PLAYER, (gift.sender_id,), start=moment, after=None, stop=beyond, reverse=False, limit=None
    )
    wanted = (gift.gift_id, gift.asset_kind, gift.asset_key, -gift.amount)
    return any((entry.source_ref_id, entry.asset_kind, entry.asset_key, entry.delta) == wanted for entry in posted)


# -- ledger entries -------------------------------------------------------------------------------------------------------

_OF_GIFT: Final = ("gift_sent", "gift_refunded")
_OF_GRANT: Final = ("gift_claimed", "grant_claimed")


def _entry_needs(entry: Entry) -> Iterator[Wanted]:
    if entry.source_ref_id is not None and entry.reason in _OF_GIFT:
        yield GIFTS, (entry.source_ref_id,)
    if entry.source_ref_id is not None and entry.reason in _OF_GRANT:
        yield GRANTS, (entry.source_ref_id,)


def _judge_entry(reader: Reader, entry: Entry) -> Iterator[str]:
    """A studio may give its own adjustments these reasons; without a gift or grant of ours to refer to they are its own."""
    if entry.source_ref_id is None:
        return
    if entry.reason in _OF_GRANT:
        grant = reader.get(GRANTS, (entry.source_ref_id,))
        if grant is not None and grant.claimed_at != entry.at:
            yield f"pays out a grant that was not claimed at that time; it is {grant.status}"
    elif entry.reason in _OF_GIFT:
        gift = reader.get(GIFTS, (entry.source_ref_id,))
        if gift is not None:
            yield from _judge_entry_of_gift(reader, entry, gift)


def _judge_entry_of_gift(reader: Reader, entry: Entry, gift: Gift) -> Iterator[str]:
    if entry.reason == "gift_sent":
        if entry.at != gift.sent_at:
            yield "takes the amount of a gift that was not sent at that time"
        return
    if gift.status != "expired":
        yield f"gives back a gift that is {gift.status}"
    if _given_back_before(reader, entry, gift):
        yield "gives back a gift for a second time"


def _given_back_before(reader: Reader, entry: Entry, gift: Gift) -> bool:
    """Nothing is given back before the gift's expiry, and usually soon after it, so there is little to read."""
    began, moment = (gift.expires_at or gift.sent_at,), (entry.at,)
    posted = reader.scan(
        ENTRIES_OF_PLAYER, (entry.player_id,), start=began, after=None, stop=moment, reverse=False, limit=None
    )
    return any((other.reason, other.source_ref_id) == (entry.reason, entry.source_ref_id) for other in posted)


# -- counts ---------------------------------------------------------------------------------------------------------------


def _judge_gift_day(reader: Reader, day: GiftDay) -> Iterator[str]:
    if day.sent < 1:
        yield f"counts {day.sent} gifts"
    if reader.get(PLAYERS, (day.sender_id,)) is None:
        yield "counts the gifts of a player who is not there"


# -- relations ------------------------------------------------------------------------------------------------------------


def _judge_relation(reader: Reader, relation: Relation) -> Iterator[str]:
    if relation.low_id >= relation.high_id:
        yield "has its players in the wrong order"
    for player_id in (relation.low_id, relation.high_id):
        if reader.get(PLAYERS, (player_id,)) is None:
            yield f"names {player_id}, who is not there"
    if is_blocked(relation) and relation.friendship != "none":
        yield f"is {relation.friendship} under a block"
    if (relation.friendship == "none") != (relation.request_id is None):
        yield f"is {relation.friendship}, which does not go with its request"
    if relation.accepted_by is not None and relation.friendship != "friends":
        yield f"is {relation.friendship}, and somebody has accepted"


# -- due work and answers -------------------------------------------------------------------------------------------------


def _due_needs(work: DueWork) -> Iterator[Wanted]:
    if work.kind == grants.EXPIRE:
        yield GRANTS, (work.ref,)


def _judge_due(reader: Reader, work: DueWork) -> Iterator[str]:
    if work.kind not in AREAS.due:
        yield "is of a kind that nobody handles"
    if work.kind == grants.EXPIRE:
        grant = reader.get(GRANTS, (work.ref,))
        if grant is None or grant.status != "pending":
            yield "is about a grant that is not pending"


def _recurring_missing(reader: Reader) -> Iterator[Finding]:
    for kind in AREAS.recurring:
        if reader.get(DUE, (kind, "")) is None:
            yield Finding(DUE.name, (kind, ""), "is recurring work that is not scheduled")


def _judge_answer(reader: Reader, answer: IdempotentAnswer) -> Iterator[str]:
    work = reader.get(DUE, (SWEEP, ""))
    # A finished sweep schedules the next one at a full hour, and has left nothing that had expired when it ran.
    finished = work is not None and work.attempts == 0 and work.due_at % HOUR == 0
    if work is not None and finished and answer.expires_at <= work.due_at - HOUR:
        yield "is kept although the sweep after its end has run"


# -- webhooks -------------------------------------------------------------------------------------------------------------


def _delivery_needs(delivery: Delivery) -> Iterator[Wanted]:
    yield EVENTS, (delivery.event_id,)
    if delivery.status in _WAITING:
        yield ENDPOINTS, (delivery.endpoint_id,)
        yield DUE, (DISCARD, delivery.endpoint_id)


def _judge_delivery(reader: Reader, delivery: Delivery) -> Iterator[str]:
    if reader.get(EVENTS, (delivery.event_id,)) is None:
        yield "delivers an event that is not there"
    gone = delivery.status in _WAITING and reader.get(ENDPOINTS, (delivery.endpoint_id,)) is None
    if gone and reader.get(DUE, (DISCARD, delivery.endpoint_id)) is None:
        yield "waits for an endpoint that is not there"
    if (delivery.status == "pending") != (delivery.due_at is not None):
        yield f"is {delivery.status}, which does not go with the time at which it is due"


def _judge_event(reader: Reader, event: StoredEvent) -> Iterator[str]:
    if not _all_under(reader, OF_EVENT, event.event_id):
        yield "has no delivery, so that nothing will ever forget it"


# -- the directory --------------------------------------------------------------------------------------------------------


def _judge_game(reader: Reader, game: Game) -> Iterator[str]:
    if reader.get(STUDIOS, (game.studio_id,)) is None:
        yield "belongs to a studio that is not there"


def _judge_key(reader: Reader, key: ApiKey) -> Iterator[str]:
    if reader.get(GAMES, (key.game_id,)) is None:
        yield "opens a game that is not there"


# -- all together ---------------------------------------------------------------------------------------------------------

RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=PLAYERS, needs=_player_needs, judge=_judge_player),
    Rule(table=SEARCH_ENTRIES, needs=lambda row: [(PLAYERS, (row.player_id,))], judge=_judge_search_entry),
    Rule(table=GRANTS, needs=_grant_needs, judge=_judge_grant),
    Rule(table=GIFTS, needs=_gift_needs, judge=_judge_gift),
    Rule(table=ENTRIES, needs=_entry_needs, judge=_judge_entry),
    Rule(table=GIFT_DAYS, needs=lambda row: [(PLAYERS, (row.sender_id,))], judge=_judge_gift_day),
    Rule(
        table=RELATIONS,
        needs=lambda row: [(PLAYERS, (row.low_id,)), (PLAYERS, (row.high_id,))],
        judge=_judge_relation,
    ),
    Rule(table=DUE, needs=_due_needs, judge=_judge_due),
    Rule(table=ANSWERS, needs=lambda _: [(DUE, (SWEEP, ""))], judge=_judge_answer),
    Rule(table=DELIVERIES, needs=_delivery_needs, judge=_judge_delivery),
    Rule(table=EVENTS, needs=lambda row: [(OF_EVENT, (row.event_id,))], judge=_judge_event),
    Rule(table=GAMES, needs=lambda row: [(STUDIOS, (row.studio_id,))], judge=_judge_game),
    Rule(table=API_KEYS, needs=lambda row: [(GAMES, (row.game_id,))], judge=_judge_key),
)
"""Every rule about single rows."""

_ADDED_UP: Final = (ENTRIES, HOLDINGS, PURCHASES, SPEND_DAYS, SPEND_TOTALS, PRODUCT_DAYS)
EXAMINED: Final[tuple[Table[Any], ...]] = (*(rule.table for rule in RULES), *_ADDED_UP)
"""The tables that are read from one end to the other, once for each time that they are named."""


def faults_in(scope: Scope, view: View, noted: Noted, totals: LedgerTotals) -> Iterator[Finding]:
    """Everything that is wrong in a scope; adds up its ledgers on the way."""
    yield from examine(view, RULES, noted)
    yield from reconcile(view, noted, totals)
    yield from reconcile_spend(view, noted)
    if scope != DIRECTORY:
        yield from _recurring_missing(view())

"""The invariants of friends and gifts.

friend codes  the code of a player is reserved
gifts         the grant exists and agrees; both players exist; the sender paid what a pending paid gift holds
entries       an entry that gives back a gift exists only after its expiry, and only once
relations     one row for a pair, both players exist; under a block no friendship; a request has its id
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.economy.grants import GRANTS, Grant
from livecore.economy.ledger import ENTRIES, ENTRIES_OF_PLAYER, Entry
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.players.player import PLAYERS, Player
from livecore.social.codes import USED_CODES
from livecore.social.gift_days import GIFT_DAYS_RECEIVED, ReceivedGiftDay
from livecore.social.gifts import GIFT_DAYS, GIFTS, Gift, GiftDay
from livecore.social.relations import RELATIONS, Relation, is_blocked

# -- friend codes ---------------------------------------------------------------------------------------------------------


def _code_needs(player: Player) -> Iterator[AnyRead]:
    if player.friend_code is not None:
        yield Get(USED_CODES, (player.friend_code,))


def _judge_code(reader: Reader, player: Player) -> Iterator[str]:
    if player.friend_code is not None and reader.get(USED_CODES, (player.friend_code,)) is None:
        yield "has a friend code that is not reserved"


# -- gifts ----------------------------------------------------------------------------------------------------------------


def _judge_delivery(reader: Reader, grant: Grant) -> Iterator[str]:
    if grant.gift_id is not None and reader.get(GIFTS, (grant.gift_id,)) is None:
        yield "delivers a gift that does not exist"


def _gift_needs(gift: Gift) -> Iterator[AnyRead]:
    yield Get(GRANTS, (gift.grant_id,))
    yield Get(PLAYERS, (gift.sender_id,))
    yield Get(PLAYERS, (gift.recipient_id,))


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
            yield f"has a {side} who does not exist"
    sender = reader.get(PLAYERS, (gift.sender_id,))
    kept = sender is not None and sender.erased_at is None
    if gift.status == "pending" and gift.paid and kept and not _was_paid(reader, gift):
        yield "was paid by its sender, and no ledger entry took the amount"


def _was_paid(reader: Reader, gift: Gift) -> bool:
    """The entry was made in the same unit, so it has the same time as the gift."""
    moment, beyond = (gift.sent_at,), (gift.sent_at + 1,)
    posted = reader.scan(Scan(ENTRIES_OF_PLAYER, (gift.sender_id,), start=moment, stop=beyond))
    wanted = (gift.gift_id, gift.asset_kind, gift.asset_key, -gift.amount)
    return any((entry.source_ref_id, entry.asset_kind, entry.asset_key, entry.delta) == wanted for entry in posted)


def _judge_gift_day(reader: Reader, day: GiftDay) -> Iterator[str]:
    if day.sent < 1:
        yield f"counts {day.sent} gifts"
    if reader.get(PLAYERS, (day.sender_id,)) is None:
        yield "counts the gifts of a player who does not exist"


def _judge_received_day(reader: Reader, day: ReceivedGiftDay) -> Iterator[str]:
    if day.received < 1:
        yield f"counts {day.received} gifts"
    if reader.get(PLAYERS, (day.recipient_id,)) is None:
        yield "counts the gifts of a player who does not exist"


# -- ledger entries -------------------------------------------------------------------------------------------------------

_OF_GIFT: Final = ("gift_sent", "gift_refunded")


def _entry_needs(entry: Entry) -> Iterator[AnyRead]:
    if entry.source_ref_id is not None and entry.reason in _OF_GIFT:
        yield Get(GIFTS, (entry.source_ref_id,))


def _judge_entry(reader: Reader, entry: Entry) -> Iterator[str]:
    """A studio may use these reasons for its own adjustments; an entry that refers to no gift is one of those."""
    if entry.source_ref_id is None or entry.reason not in _OF_GIFT:
        return
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
    """A gift is given back after its expiry, usually soon after it, so there are few rows to read."""
    began, moment = (gift.expires_at or gift.sent_at,), (entry.at,)
    posted = reader.scan(Scan(ENTRIES_OF_PLAYER, (entry.player_id,), start=began, stop=moment))
    return any((other.reason, other.source_ref_id) == (entry.reason, entry.source_ref_id) for other in posted)


# -- relations ------------------------------------------------------------------------------------------------------------


def _judge_relation(reader: Reader, relation: Relation) -> Iterator[str]:
    if relation.low_id >= relation.high_id:
        yield "has its players in the wrong order"
    for player_id in (relation.low_id, relation.high_id):
        if reader.get(PLAYERS, (player_id,)) is None:
            yield f"names {player_id}, who does not exist"
    if is_blocked(relation) and relation.friendship != "none":
        yield f"is {relation.friendship} under a block"
    if (relation.friendship == "none") != (relation.request_id is None):
        yield f"is {relation.friendship}, which does not go with its request"
    if relation.accepted_by is not None and relation.friendship != "friends":
        yield f"is {relation.friendship}, and somebody has accepted"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=PLAYERS, needs=_code_needs, judge=_judge_code),
    Rule(
        table=GRANTS,
        needs=lambda row: () if row.gift_id is None else [Get(GIFTS, (row.gift_id,))],
        judge=_judge_delivery,
    ),
    Rule(table=GIFTS, needs=_gift_needs, judge=_judge_gift),
    Rule(table=ENTRIES, needs=_entry_needs, judge=_judge_entry),
    Rule(table=GIFT_DAYS, needs=lambda row: [Get(PLAYERS, (row.sender_id,))], judge=_judge_gift_day),
    Rule(table=GIFT_DAYS_RECEIVED, needs=lambda row: [Get(PLAYERS, (row.recipient_id,))], judge=_judge_received_day),
    Rule(
        table=RELATIONS,
        needs=lambda row: [Get(PLAYERS, (row.low_id,)), Get(PLAYERS, (row.high_id,))],
        judge=_judge_relation,
    ),
)

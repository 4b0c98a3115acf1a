"""How many gifts a player received on a day, where the game limits that.

The limit (`gifting.dailyReceiveLimit`) bounds what any number of accounts can give to one. Gifts are counted when they are
sent and only while there is a limit, so that in other games two senders never wait for one another because of their
recipient. A gift that is refused does not count, and one that expires does.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.day_counts import counted_today, unite_day_counts
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Timestamp, day_number, next_midnight
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import Player
from livecore.social.config import social_config
from livecore.social.refusals import GiftReceiveLimitReached


@record
class ReceivedGiftDay:
    """How many gifts a player received on the last UTC day on which any were counted."""

    recipient_id: PlayerId
    day: int
    received: int


GIFT_DAYS_RECEIVED: Final = Table(
    "gift_days_received",
    ReceivedGiftDay,
    key=("recipient_id",),
    players={"recipient_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="player",
)


def check_receive_limit(unit: Unit, recipient: Player) -> None:
    """Raises `GiftReceiveLimitReached` if the recipient has received all gifts of this UTC day, from whomever.

    It does not say how many those are, because that would tell a friend what others give.
    """
    limit = social_config(unit).gifting.daily_receive_limit
    if limit is not None and _received_today(unit, recipient) >= limit:
        raise GiftReceiveLimitReached(daily_receive_limit=limit, resets_at=Timestamp(next_midnight(unit.now)).wire)


def note_received(unit: Unit, recipient: Player) -> None:
    """Count one more gift, where there is a limit."""
    if social_config(unit).gifting.daily_receive_limit is not None:
        received = _received_today(unit, recipient) + 1
        row = ReceivedGiftDay(recipient_id=recipient.player_id, day=day_number(unit.now), received=received)
        unit.tx.put(GIFT_DAYS_RECEIVED, row)


def _received_today(unit: Unit, recipient: Player) -> int:
    return counted_today(unit, GIFT_DAYS_RECEIVED, "received", recipient.player_id)


def unite_received_days(unit: Unit, merging: Merging) -> None:
    """Add what both received on the later day, because one player has one limit."""
    unite_day_counts(unit, merging, GIFT_DAYS_RECEIVED, "received")

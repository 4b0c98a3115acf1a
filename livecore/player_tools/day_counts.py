"""The counts of a day that tables hold of a player, as the player's export shows them."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from livecore.commerce.report_days import REPORT_DAYS
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Table
from livecore.kernel.units.unit import Unit
from livecore.player_tools.history_rows import DayCount
from livecore.players.stored_bytes import STORED_BYTES
from livecore.social.gift_days import GIFT_DAYS_RECEIVED
from livecore.social.gifts import GIFT_DAYS

_COUNTS: Final[tuple[tuple[Any, Table[Any], str], ...]] = (
    ("gifts_sent", GIFT_DAYS, "sent"),
    ("gifts_received", GIFT_DAYS_RECEIVED, "received"),
    ("purchases_reported", REPORT_DAYS, "reported"),
    ("bytes_stored", STORED_BYTES, "used"),
)
"""What is counted, the table with the player as its key, and the column with the count."""


def day_counts(unit: Unit, player_id: PlayerId) -> tuple[DayCount, ...]:
    """What was counted of the player, each on its last day."""
    rows = unit.tx.read_all(Get(table, (player_id,)) for _, table, _ in _COUNTS)
    return tuple(
        DayCount(counted=counted, day=_date(row.day), count=getattr(row, column))
        for (counted, _, column), row in zip(_COUNTS, rows, strict=True)
        if row is not None
    )


def _date(day: int) -> str:
    return (dt.date(1970, 1, 1) + dt.timedelta(days=day)).isoformat()

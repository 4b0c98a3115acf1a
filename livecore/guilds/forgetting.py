"""A disbanded guild keeps its name and its history, and loses its metadata after thirty days.

Any player can found a guild with metadata of 16 KiB, leave it, and found the next. What the studio keeps with a guild has no
purpose once the guild has ended; for thirty days support can still look at it. A daily job in steps removes it, wherever its
time is over; it is found by an index of the few rows that have some.
"""

from __future__ import annotations

from typing import Final

from livecore.guilds.guild import GUILDS, METADATA_UNTIL, Guild
from livecore.kernel.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.records import evolve
from livecore.kernel.time import DAY, Millis, next_midnight
from livecore.kernel.unit import Unit

__all__ = ["FORGET", "metadata_until"]

_KEPT: Final[Millis] = 30 * DAY


def metadata_until(guild: Guild, ended_at: Millis) -> Millis | None:
    """When the metadata of a guild that ends at a moment is removed; `None` where it has none."""
    return None if guild.metadata is None else ended_at + _KEPT


def _forget(unit: Unit, _: str, __: Cursor) -> Cursor | None:
    guilds = unit.tx.scan(METADATA_UNTIL, stop=(unit.now + 1,), limit=MOST_ROWS)
    for guild in guilds:
        unit.tx.put(GUILDS, evolve(guild, metadata=None, metadata_until=None))
    return START if len(guilds) == MOST_ROWS else None


FORGET: Final = Job("guilds.forget_metadata", _forget, recurs=next_midnight)
"""Removes the metadata of guilds that ended thirty days ago."""

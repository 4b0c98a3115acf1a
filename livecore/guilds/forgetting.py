"""What is removed of guilds: metadata after their end, messages of old requests, all texts once the last member is erased.

A disbanded guild keeps its name and its history, and loses its metadata after thirty days. Any player can found a guild with
metadata of 16 KiB, leave it, and found the next. What the studio keeps with a guild has no purpose once the guild has ended;
for thirty days support can still look at it. A daily job in steps removes it, wherever its time is over; it is found by an
index of the few rows that have some. Another one empties the messages of requests to join that nobody has answered for as
long as the deployment keeps such texts; the requests stay open.

The texts of a guild are those of its members. When the last one who was in it is erased, nobody is left whose they could be,
so they are emptied, and with them what the audit trail says of them.
"""

from __future__ import annotations

from typing import Final

from livecore.access.audit import forget_changes
from livecore.guilds.guild import GUILDS, METADATA_UNTIL, Guild, Stint
from livecore.guilds.join_requests import REQUESTS, WITH_MESSAGE
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import DAY, Millis, next_midnight
from livecore.kernel.units.unit import Unit
from livecore.players.policies import DELETED, placeholder

_KEPT: Final[Millis] = 30 * DAY


def metadata_until(guild: Guild, ended_at: Millis) -> Millis | None:
    """When the metadata of a guild that ends at a moment is removed; `None` where it has none."""
    return None if guild.metadata is None else ended_at + _KEPT


def was_last(stint: Stint, guild: Guild) -> bool:
    """Whether a guild ended when this member left it: the last one leads it, and where it is disbanded leaves last."""
    return guild.disbanded_at is not None and stint.left_at == guild.disbanded_at and stint.role == "leader"


def empty_texts(unit: Unit, guild: Guild) -> None:
    """Remove what the members of a guild wrote. Nobody is told, because the event would have the texts."""
    unit.tx.put(
        GUILDS,
        evolve(
            guild,
            name=placeholder(unit, DELETED),
            description=None,
            badge=None,
            metadata=None,
            metadata_until=None,
        ),
    )
    forget_changes(unit.tx, "guild", guild.guild_id)


def _forget(unit: Unit, _: str, __: Cursor) -> Cursor | None:
    guilds = unit.tx.scan(METADATA_UNTIL, stop=(unit.now + 1,), limit=MOST_ROWS)
    for guild in guilds:
        unit.tx.put(GUILDS, evolve(guild, metadata=None, metadata_until=None))
    return START if len(guilds) == MOST_ROWS else None


FORGET: Final = Job("guilds.forget_metadata", _forget, recurs=next_midnight)
"""Removes the metadata of guilds that ended thirty days ago."""


def _forget_messages(unit: Unit, _: str, __: Cursor) -> Cursor | None:
    kept_for = unit.deployment.retention.texts
    rows = [] if kept_for is None else unit.tx.scan(WITH_MESSAGE, stop=(unit.now - kept_for,), limit=MOST_ROWS)
    for request in rows:
        unit.tx.put(REQUESTS, evolve(request, message=None))
    return START if len(rows) == MOST_ROWS else None


FORGET_MESSAGES: Final = Job("guilds.forget_messages", _forget_messages, recurs=next_midnight)
"""Empties each day the messages of requests to join that are old."""

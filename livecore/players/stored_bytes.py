"""The quota of free JSON and long texts that the client of one player may have stored in a day (UTC).

Metadata of purchases and guilds, contexts of players and attempts, descriptions, messages and reasons stay in the database,
and what most of them say is the client's own business. So a deployment bounds their bytes for each player and day. The
count is in a row, which is written in the transaction that stores them: what is refused or repeated is not counted, and a
restart forgets nothing. The studio's backend is not counted.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Timestamp, day_number, next_midnight
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.refusals import StorageLimitReached

FEW: Final = 256
"""A request with fewer bytes of these is not counted: the rest of its row is as large, and counting would cost a write.

So the rate limit alone bounds these requests: 120 a minute may store 44 MB a day."""


@record
class StoredBytes:
    """How many bytes a player's client has had stored on the last day on which it had any stored."""

    player_id: PlayerId
    day: int
    used: int


STORED_BYTES = Table(
    "stored_bytes",
    StoredBytes,
    key=("player_id",),
    players={"player_id": PlayerColumn(Merge.KEEP_TARGET, Erase.DELETE)},
    export="player",
)


def count_stored(unit: Unit, size: int) -> None:
    """Count the bytes of a player's request, once they are stored. Raises `StorageLimitReached`."""
    limit = unit.quotas.stored_bytes_per_day
    if limit is None or size < FEW or unit.player_id is None:
        return
    today = day_number(unit.now)
    row = unit.tx.get(STORED_BYTES, unit.player_id)
    used = row.used if row is not None and row.day == today else 0
    if used + size > limit:
        raise StorageLimitReached(limit_bytes=limit, used_bytes=used, resets_at=Timestamp(next_midnight(unit.now)).wire)
    unit.tx.put(STORED_BYTES, StoredBytes(player_id=PlayerId(unit.player_id), day=today, used=used + size))

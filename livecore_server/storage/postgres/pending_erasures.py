"""The erasures that a restore into PostgreSQL has still to apply: a table beside those that it empties.

The restore deletes the rows that say who was erased, and may be interrupted after that. So it keeps the list in the database
until it is done, with the time and the seed of the erasing, so that the same rows come out when it goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from livecore.kernel.time import Millis
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.sql.text import decoded, encoded
from livecore_server.storage.postgres.store import PostgresStore

_CREATE: Final = """
    CREATE TABLE IF NOT EXISTS livecore_pending_erasures (
      scope TEXT COLLATE "C" NOT NULL,
      ref TEXT COLLATE "C" NOT NULL,
      hash_key TEXT COLLATE "C" NOT NULL,
      at BIGINT NOT NULL,
      PRIMARY KEY (scope, ref)
    )
"""
_THERE: Final = "SELECT 1 WHERE to_regclass('livecore_pending_erasures') IS NOT NULL"
_START: Final = (
    "INSERT INTO livecore_pending_erasures (scope, ref, hash_key, at) VALUES ('', '', $1, $2) "
    "ON CONFLICT (scope, ref) DO UPDATE SET hash_key = excluded.hash_key, at = excluded.at"
)
"""The time and the seed stand in a row of no scope."""
_COLLECT: Final = (
    "INSERT INTO livecore_pending_erasures AS n (scope, ref, hash_key, at) "
    "SELECT scope, ref, hash_key, at FROM (%s) AS found "
    "ON CONFLICT (scope, ref) DO UPDATE SET at = greatest(n.at, excluded.at)"
)
_MOMENT: Final = "SELECT hash_key, at FROM livecore_pending_erasures WHERE scope = ''"
_PAGE_ROWS: Final = 5_000
_PAGE: Final = (
    "SELECT scope, ref, hash_key, at FROM livecore_pending_erasures WHERE (scope, ref) > ($1, $2) AND scope <> '' "
    "ORDER BY scope, ref LIMIT 5000"
)
_DROP: Final = "DROP TABLE IF EXISTS livecore_pending_erasures"


def games_of(store: PostgresStore) -> set[str]:
    """The ids of the database's games."""
    with store.wire() as wire:
        (found,) = wire.ask([Statement(b"SELECT game_id FROM games")])
    return {decoded(found.get_value(row, 0) or b"") for row in range(found.ntuples)}


def start(store: PostgresStore, now: Millis, seed: bytes) -> None:
    """Make the table, if there is none, and note when the players are erased again, and from what is drawn."""
    with store.wire() as wire:
        wire.ask([Statement(_CREATE.encode())])
        wire.ask([Statement(_START.encode(), (seed.hex().encode(), b"%d" % now))])


def collect(store: PostgresStore, selects: Sequence[str]) -> None:
    """Add what these queries find; of the same erasure, the later time stays."""
    with store.wire() as wire:
        wire.ask([Statement((_COLLECT % select).encode()) for select in selects])


def moment(store: PostgresStore) -> tuple[Millis, bytes] | None:
    """The time and the seed; nothing if no restore is under way."""
    with store.wire() as wire:
        (there,) = wire.ask([Statement(_THERE.encode())])
        if not there.ntuples:
            return None
        (found,) = wire.ask([Statement(_MOMENT.encode())])
    if not found.ntuples:
        return None
    return int(found.get_value(0, 1) or 0), bytes.fromhex(decoded(found.get_value(0, 0) or b""))


def pending(store: PostgresStore) -> Iterator[tuple[str, str, str, Millis]]:
    """The list: scope, player's id or hash, key of the hash or nothing, time."""
    scope = ref = ""
    while True:
        with store.wire() as wire:
            (found,) = wire.ask([Statement(_PAGE.encode(), (encoded(scope), encoded(ref)))])
        for row in range(found.ntuples):
            scope, ref, key = (decoded(found.get_value(row, place) or b"") for place in range(3))
            yield scope, ref, key, int(found.get_value(row, 3) or 0)
        if found.ntuples < _PAGE_ROWS:
            return


def drop(store: PostgresStore) -> None:
    """Remove the list, once the restore is done."""
    with store.wire() as wire:
        wire.ask([Statement(_DROP.encode())])

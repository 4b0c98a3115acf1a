"""The erasures that a database knows of: which players, by their ids, and which external ids, by keyed hashes.

They are read before the database is replaced, and kept in a file of their own meanwhile, since there may be many. By the
player's id alone one is found who was erased after a backup was made. The hashes find one whose id the database does not
have: who came into another state of it, and was erased in this one under another id. Who registered anew after the erasure
is a player of a later time, and stays.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from livecore.kernel.ids import moment_of
from livecore.kernel.time import Millis
from livecore.players.former import hash_under
from livecore.players.player import Player
from livecore_server.scratch_folders import scratch_folder

Row: TypeAlias = tuple[str, str, str, Millis]
"""The scope, the player's id or a hash, the key of the hash or nothing, and the time."""

_GONE: Final = "LEFT JOIN players t ON t.scope = p.scope AND t.player_id = p.merged_into"
_PLAYERS: Final = (
    "SELECT p.scope AS scope, p.player_id AS ref, '' AS hash_key, coalesce(p.erased_at, t.erased_at) AS at "  # noqa: S608 - no values
    f"FROM players p {_GONE} WHERE p.erased_at IS NOT NULL OR t.erased_at IS NOT NULL"
)
"""An erasure takes those with it who were merged into the player, and their rows go on saying so."""
_HASHES: Final = (
    "SELECT f.scope AS scope, f.id_hash AS ref, k.key AS hash_key, f.at AS at FROM former_ids f "  # noqa: S608 - no values
    "JOIN scope_keys k ON k.scope = f.scope AND k.name = 'former_ids' "
    f"JOIN players p ON p.scope = f.scope AND p.player_id = f.player_id {_GONE} "
    "WHERE f.ended = 'erased' OR t.erased_at IS NOT NULL"
)
_NOTED: Final = "SELECT scope, ref, coalesce(hash_key, '') AS hash_key, at FROM earlier_erasures"
SELECTS: Final = (_PLAYERS, _HASHES, _NOTED)
"""What a database knows, in the SQL of both kinds; the last is of a table that an older file does not have."""
_LATER: Final = "SELECT 1 FROM sqlite_master WHERE name = 'earlier_erasures'"
_SCHEMA: Final = """
    CREATE TABLE known (
      scope TEXT NOT NULL, ref TEXT NOT NULL, hash_key TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (scope, ref)
    ) WITHOUT ROWID
"""
_PUT: Final = "INSERT INTO known VALUES (?, ?, ?, ?) ON CONFLICT (scope, ref) DO UPDATE SET at = max(at, excluded.at)"


class KnownErasures:
    """A list of erasures, in a file."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add(self, rows: Iterable[Row]) -> None:
        """Add erasures; of the same one, the later time stays. If `rows` raises, those before it are added."""
        try:
            self._database.executemany(_PUT, rows)
        finally:
            self._database.commit()

    def __bool__(self) -> bool:
        return self._database.execute("SELECT 1 FROM known LIMIT 1").fetchone() is not None

    def any_of(self, scope: str) -> bool:
        """Whether there is one of a scope."""
        return self._database.execute("SELECT 1 FROM known WHERE scope = ? LIMIT 1", (scope,)).fetchone() is not None

    def of_scope(self, scope: str) -> Iterator[tuple[str, str, Millis]]:
        """The erasures of a scope, without the scope."""
        yield from self._database.execute("SELECT ref, hash_key, at FROM known WHERE scope = ?", (scope,))

    def keys(self, scope: str) -> list[str]:
        """The keys of the hashes of a scope: one for each database of which there are hashes."""
        found = self._database.execute(
            "SELECT DISTINCT hash_key FROM known WHERE scope = ? AND hash_key <> ''", (scope,)
        )
        return [str(key) for (key,) in found]

    def has(self, scope: str, keys: Iterable[str], player: Player) -> bool:
        """Whether this player was erased. `keys` are those of the scope."""
        if self._at(scope, player.player_id) is not None:
            return True
        # By the id's own time: the first contact of one who was moved in or merged may be earlier than the row.
        moment = moment_of(player.player_id)
        since = player.first_seen_at if moment is None else moment
        times = [self._at(scope, hash_under(key, player.external_id)) for key in keys]
        return any(at is not None and since < at for at in times)

    def _at(self, scope: str, ref: str) -> Millis | None:
        found = self._database.execute("SELECT at FROM known WHERE scope = ? AND ref = ?", (scope, ref)).fetchone()
        return None if found is None else int(found[0])


@contextmanager
def known_erasures() -> Iterator[KnownErasures]:
    """An empty list in a private file, removed at the end."""
    with scratch_folder("erasures") as folder, closing(KnownErasures(folder / "known")) as known:
        yield known


def games_in_file(path: Path) -> set[str]:
    """The ids of the games of a database file. Raises `sqlite3.Error`."""
    with _reading(path) as connection:
        return {str(game_id) for (game_id,) in connection.execute("SELECT game_id FROM games")}


def read_erasures(path: Path, known: KnownErasures) -> bool:
    """Add what a database file knows, which is neither changed nor migrated; returns whether all of it could be read."""
    complete = True
    try:
        with _reading(path) as connection:
            later = connection.execute(_LATER).fetchone() is not None
            for select in SELECTS if later else SELECTS[:-1]:
                try:
                    known.add(connection.execute(select))
                except sqlite3.Error:
                    complete = False
    except sqlite3.Error:
        complete = False
    return complete


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        yield connection

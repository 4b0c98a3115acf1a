"""`livecore check` finds nothing in a database in which a sequence of the laws was played."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from livecore.kernel.time import DAY, HOUR, MINUTE
from livecore_server.operations.check import check
from livecore_server.storage.sqlite import SqliteStore
from tests.laws.arena import Arena
from tests.laws.lawful import seeds
from tests.laws.playing import play
from tests.laws.sequences import seeded


@seeds
def test_every_sequence_leaves_a_sound_database(seed: int, tmp_path: Path) -> None:
    """Right after it, when the first sweeps have run, and when everything has expired and been forgotten."""
    with closing(SqliteStore(tmp_path / "laws.db")) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        arena = Arena(store)
        play(seeded(3_000 + seed, 60), arena=arena)
        for wait in (0, HOUR + MINUTE, 40 * DAY):
            arena.advance(wait)
            report = check(store, store.scopes(), lambda _: None)
            assert (report.findings, report.damage) == ([], [])

"""A player's export is the same on every store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from livecore.kernel.memory import MemoryStore
from livecore.player_tools import export
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.player_tools.exported_life import bundle_of, full_life, listed
from tests.player_tools.marked import MARK
from tests.postgres.server import ready_database


@contextmanager
def _memory(_: Path) -> Iterator[object]:
    yield MemoryStore()


@contextmanager
def _sqlite(folder: Path) -> Iterator[object]:
    with closing(SqliteStore(folder / "exported.db")) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        yield store


@contextmanager
def _postgresql(_: Path) -> Iterator[object]:
    with ready_database() as url, closing(PostgresStore(url)) as store:
        yield store


def test_the_three_stores_answer_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte, for a player with everything, whole and by pages of three."""
    found = []
    for opened in (_memory, _sqlite, _postgresql):
        with opened(tmp_path) as store, monkeypatch.context() as patched:
            patched.setattr("livecore.world.MemoryStore", lambda store=store: store)
            here = full_life()
            whole = bundle_of(here, MARK)
            patched.setattr(export, "MOST_ROWS", 3)
            found.append((whole, {name: listed(here, name, MARK) for name in export.LISTS}))
    assert found[0] == found[1] == found[2]

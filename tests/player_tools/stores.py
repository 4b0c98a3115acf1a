"""A store of each kind, for tests that live one life on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from livecore.kernel.storage.memory import MemoryStore
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.postgres.server import ready_database


@contextmanager
def _memory(_: Path) -> Iterator[object]:
    yield MemoryStore()


@contextmanager
def _sqlite(folder: Path) -> Iterator[object]:
    with closing(SqliteStore(folder / "marked.db")) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        yield store


@contextmanager
def _postgresql(_: Path) -> Iterator[object]:
    with ready_database() as url, closing(PostgresStore(url)) as store:
        yield store


STORES = {"memory": _memory, "sqlite": _sqlite, "postgresql": _postgresql}

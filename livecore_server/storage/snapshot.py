"""Reads of a whole database: every scope, as of one moment, without caching.

Commands over all rows open a store in this way. They see the state at their start, also while a server writes, and rows
that they have read do not stay in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.storage.examination import View
from livecore_server.storage.database import Database, file_at, is_postgres, postgres_explained, store_at
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.reader import Caches, CommittedReader


@attrs.frozen
class Views:
    """Views of every scope of a database, all of one state."""

    scopes: Callable[[], list[Scope]]
    """Every scope that holds rows."""
    _of: Callable[[Scope], View]

    def __call__(self, scope: Scope) -> View:
        """The view of a scope."""
        return self._of(scope)


_CACHE_BYTES: Final = 32 * 1024 * 1024
"""How much the reader of one page may cache: more than its rules read."""


@contextmanager
def snapshot_store(url: str, *, create: bool = False) -> Iterator[Database]:
    """The open store of a URL. Raises `DatabaseProblem`, also for failures while it is open."""
    if is_postgres(url):
        with store_at(url, create=create) as store, postgres_explained():
            yield store
    else:
        with file_at(url, create=create, cache_bytes=0) as file:
            yield file


@contextmanager
def views_of(store: Database) -> Iterator[Views]:
    """Views of every scope that all show the current state.

    Their readers share no cache: a store's cache is kept valid for declared indexes, but not for the order in which a whole
    table is read.
    """
    if isinstance(store, SqliteStore):
        store.refresh()
        connections = store.connections
        yield Views(
            store.scopes, lambda scope: lambda: CommittedReader(scope.id, connections.reading, Caches(_CACHE_BYTES))
        )
        return
    from livecore_server.storage.postgres.connections.pipeline import Statement  # noqa: PLC0415 - an extra
    from livecore_server.storage.postgres.reads.reader import SnapshotReader  # noqa: PLC0415 - an extra
    from livecore_server.storage.postgres.store import scopes_in  # noqa: PLC0415 - an extra
    from livecore_server.storage.postgres.units import Session  # noqa: PLC0415 - an extra

    with store.wire() as wire:
        session = Session(wire, Statement(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        try:
            yield Views(
                partial(scopes_in, session, store.tables), lambda scope: lambda: SnapshotReader(scope.id, session)
            )
        finally:
            session.end()
            if not wire.lost:
                wire.settle()

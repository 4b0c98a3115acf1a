"""Long reads beside the event loop: on a connection of their own, without the caches, which belong to the loop's thread."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import orjson

from livecore.kernel.scope import Scope
from livecore.kernel.storage.reads import Count, Scan, Sums
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key, Table, Unique, Value
from livecore_server.storage.sqlite.connections import connect
from livecore_server.storage.sqlite.reader import Caches, CommittedReader
from livecore_server.storage.sqlite.statements import columns_sql

R = TypeVar("R")
T = TypeVar("T")
_NO_LIMIT = -1
_BUSY_MS = 250
"""How long a read waits where another process is about to change how the file is used."""


class _UncachedReader(CommittedReader):
    """The committed rows of one scope, read from the file each time."""

    __slots__ = ()

    def get(self, table: Table[R], key: Key) -> R | None:
        return self._select(table, key)

    def find(self, unique: Unique[R], values: Key) -> R | None:
        return self._select_unique(unique, values)

    def scan(self, scan: Scan[R]) -> list[R]:
        return self._scan(scan)

    def count(self, count: Count) -> int:
        return self._count(count)

    def columns(self, scan: Scan[R], names: Sequence[str]) -> list[list[Value]]:
        index, prefix, start, after, stop, reverse, limit = scan
        start, after, stop = start or (), after or (), stop or ()
        sql = columns_sql(index, len(start), len(after), len(stop), reverse, tuple(names))
        most = _NO_LIMIT if limit is None else limit
        texts = self._connection.execute(sql, (self._scope, *prefix, *stop, *start, *after, most)).fetchone()
        return list(map(orjson.loads, texts))

    def sums(self, sums: Sums) -> dict[Value, int]:
        return self._add_up(sums)


class ReadingAside:
    """Reads in one thread at a time, which need not be the loop's."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._no_caches = Caches(0)

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on the newest committed state. Raises `sqlite3.Error`; the next read then has a new connection."""
        connection = self._connection
        if connection is None:
            connection = self._connection = connect(self._path, _BUSY_MS)
        try:
            connection.execute("BEGIN")
            try:
                return work(Transaction(scope, _UncachedReader(scope.id, connection, self._no_caches)))
            finally:
                # The snapshot would keep the write-ahead log from starting over.
                connection.execute("COMMIT")
        except sqlite3.Error:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection; no read is under way."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

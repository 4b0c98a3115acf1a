"""The reads of the port on PostgreSQL: from rows that have already been read, or after one more round trip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

from psycopg.pq.abc import PGresult

from livecore.kernel.store import Reader, Wanted
from livecore.kernel.tables import Index, Key, Table, Unique, Value
from livecore_server.storage.cache_keys import MISSING
from livecore_server.storage.postgres.pipeline import Statement
from livecore_server.storage.postgres.snapshot import Snapshot

__all__ = ["Asks", "LoadingReader", "SnapshotReader"]

R = TypeVar("R")


class Asks(Protocol):
    """Sends statements inside the transaction, in one round trip."""

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """One result for each statement."""


class LoadingReader(Reader):
    """Reads a snapshot; missing rows are noted as wanted and then loaded, which a subclass implements."""

    __slots__ = ("_scope", "_snapshot")

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._scope = snapshot.scope

    def load(self) -> None:
        """Return once all wanted rows have been read."""
        raise NotImplementedError

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        place = (self._scope, table, key)
        row: R | None = self._snapshot.rows.get(place, MISSING)
        if row is MISSING:
            self._snapshot.want_row(table, key)
            self.load()
            row = self._snapshot.rows[place]
        return row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        place = (self._scope, unique, values)
        row: R | None = self._snapshot.rows.get(place, MISSING)
        if row is MISSING:
            self._snapshot.want_row(unique, values)
            self.load()
            row = self._snapshot.rows[place]
        return row

    def scan(
        self,
        index: Index[R],
        prefix: Key,
        *,
        start: Key | None,
        after: Key | None,
        stop: Key | None,
        reverse: bool,
        limit: int | None,
    ) -> list[R]:
        """Rows in the index's order within the bounds."""
        walk = (index, prefix, start, after, stop, reverse, limit)
        rows: list[R] | None = self._snapshot.scan(walk)
        if rows is None:
            self._snapshot.want_scan(walk)
            self.load()
            rows = self._snapshot.scan(walk) or []
        return rows[:]

    def count(
        self, index: Index[R], prefix: Key, *, start: Key | None, stop: Key | None, limit: int | None = None
    ) -> int:
        """How many rows lie within the bounds, up to the limit."""
        walk = (index, prefix, start, None, stop, False, limit)
        count = self._snapshot.count(walk)
        if count is None:
            self._snapshot.want_count(walk)
            self.load()
            count = self._snapshot.count(walk) or 0
        return count

    def sums(
        self, index: Index[Any], prefix: Key, *, start: Key | None, stop: Key | None, of: str, by: str
    ) -> dict[Value, int]:
        """Sums over the rows within the bounds, added up by the database."""
        adding = (index, prefix, start, stop, of, by)
        sums = self._snapshot.add_up(adding)
        if sums is None:
            self._snapshot.want_sums(adding)
            self.load()
            sums = self._snapshot.add_up(adding) or {}
        return sums.copy()

    def prefetch(self, wanted: Iterable[Wanted]) -> None:
        """Note the reads; they are loaded together with the next missing rows."""
        self._snapshot.want(wanted)


class SnapshotReader(LoadingReader):
    """The rows of one scope for one unit, which waits for each round trip."""

    __slots__ = ("_asks",)

    def __init__(self, scope: str, asks: Asks) -> None:
        super().__init__(Snapshot(scope))
        self._asks = asks

    def load(self) -> None:
        """One round trip."""
        questions = self._snapshot.questions()
        results = self._asks.ask([question.statement for question in questions])
        for question, result in zip(questions, results, strict=True):
            question.take(result)

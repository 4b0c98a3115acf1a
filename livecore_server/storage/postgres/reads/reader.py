"""The reads of the port on PostgreSQL: from rows that have already been read, or after one more round trip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from psycopg.pq.abc import PGresult

from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Count, Scan, Sums
from livecore.kernel.storage.tables import Key, Table, Unique, Value
from livecore_server.storage.cache_keys import MISSING
from livecore_server.storage.known import Known
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.reads.expectation import Expectation
from livecore_server.storage.postgres.reads.expected_reads import expected_reads
from livecore_server.storage.postgres.reads.read_set import ReadSet

R = TypeVar("R")


class Asks(Protocol):
    """Sends statements inside the transaction, in one round trip."""

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """One result for each statement."""


class LoadingReader(Reader):
    """Reads a snapshot; missing rows are noted as wanted and then loaded, which a subclass implements."""

    __slots__ = ("_expectation", "_read_set", "_scope")

    def __init__(self, read_set: ReadSet) -> None:
        self._read_set = read_set
        self._scope = read_set.scope
        self._expectation: Expectation | None = None

    def expect(self, known: Known) -> None:
        """Its unit begins, and this is known of it."""
        expected = expected_reads().of(known.operation)
        if expected is not None:
            self._expectation = Expectation(expected, known, self._read_set)

    def send(self) -> None:
        """Return once all wanted rows have been read."""
        raise NotImplementedError

    def _wait_for(self, source: object) -> None:
        """Read what is wanted, together with what is expected to be read besides."""
        if self._expectation is not None:
            self._expectation.waits_for(source)
        self.send()

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        cache_key = (self._scope, table, key)
        row: R | None = self._read_set.rows.get(cache_key, MISSING)
        if row is MISSING:
            self._read_set.want_row(table, key)
            self._wait_for(table)
            row = self._read_set.rows[cache_key]
        return row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        cache_key = (self._scope, unique, values)
        row: R | None = self._read_set.rows.get(cache_key, MISSING)
        if row is MISSING:
            self._read_set.want_row(unique, values)
            self._wait_for(unique)
            row = self._read_set.rows[cache_key]
        return row

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        rows: list[R] | None = self._read_set.scan(scan)
        if rows is None:
            self._read_set.want_scan(scan)
            self._wait_for(scan.index)
            rows = self._read_set.scan(scan) or []
        return rows[:]

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit."""
        total = self._read_set.count(count)
        if total is None:
            self._read_set.want_count(count)
            self._wait_for(count.index)
            total = self._read_set.count(count) or 0
        return total

    def sums(self, sums: Sums) -> dict[Value, int]:
        """Sums over the rows within the bounds, added up by the database."""
        found = self._read_set.add_up(sums)
        if found is None:
            self._read_set.want_sums(sums)
            self._wait_for(sums.index)
            found = self._read_set.add_up(sums) or {}
        return found.copy()

    def load(self, reads: Iterable[AnyRead]) -> None:
        """Read these in one round, unless all of them have been read."""
        asked = list(reads)
        self._read_set.want(asked)
        if asked and self._read_set.asking:
            self._wait_for(asked[0][0])


class SnapshotReader(LoadingReader):
    """The rows of one scope for one unit, which waits for each round trip."""

    __slots__ = ("_asks",)

    def __init__(self, scope: str, asks: Asks) -> None:
        super().__init__(ReadSet(scope))
        self._asks = asks

    def send(self) -> None:
        """One round trip."""
        questions = self._read_set.questions()
        results = self._asks.ask([question.statement for question in questions])
        for question, result in zip(questions, results, strict=True):
            question.take(result)

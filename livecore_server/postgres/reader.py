"""The five reads of the port on PostgreSQL: each one round trip, unless it was announced or has been read before.

What a unit has read, it has: scans, and rows by key and by unique values, are remembered for the length of the
transaction, so a row that was found by one is not asked for again by the other. What was announced with `prefetch` is read
along with whatever must be asked for next. All of it is one snapshot, so remembering cannot tell anything but what asking
again would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import attrs
from psycopg.pq.abc import PGresult

from livecore.kernel.store import Count, Reader, Source, Wanted
from livecore.kernel.tables import Index, Key, Table, Unique
from livecore_server.postgres.statements import count_sql, find_sql, plan_of, scan_sql
from livecore_server.postgres.text import array, encoded, parameter
from livecore_server.postgres.wire import Statement

__all__ = ["Asks", "SnapshotReader", "find_statement", "get_statement", "scan_statement"]

R = TypeVar("R")
_MISSING: Final[Any] = object()


class Asks(Protocol):
    """Sends statements inside the transaction, in one round trip."""

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """One result for each statement."""


@attrs.frozen(eq=False)
class _Ask:
    """A statement, and what takes in its result."""

    statement: Statement
    take: Callable[[PGresult], None]


class SnapshotReader(Reader):
    """The rows of one scope as of one transaction's snapshot."""

    __slots__ = ("_asks", "_counts", "_found", "_rows", "_scans", "_scope", "_wanted")

    def __init__(self, scope: str, asks: Asks) -> None:
        self._scope = encoded(scope)
        self._asks = asks
        self._rows: dict[tuple[Table[Any], Key], Any] = {}
        self._found: dict[tuple[Unique[Any], Key], Any] = {}
        self._scans: dict[Statement, list[Any]] = {}
        self._counts: dict[Statement, int] = {}
        self._wanted: list[Wanted] = []

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        row: R | None = self._rows.get((table, key), _MISSING)
        if row is _MISSING:
            self._fetch((table, key))
            row = self._rows[table, key]
        return row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        row: R | None = self._found.get((unique, values), _MISSING)
        if row is _MISSING:
            self._fetch((unique, values))
            row = self._found[unique, values]
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
        statement = scan_statement(self._scope, index, prefix, start, after, stop, reverse=reverse, limit=limit)
        rows: list[R] | None = self._scans.get(statement)
        if rows is None:
            self._fetch(_Ask(statement, partial(self._take_scan, statement, index.table)))
            rows = self._scans[statement]
        return rows[:]

    def count(self, index: Index[R], prefix: Key, *, start: Key | None, stop: Key | None) -> int:
        """How many rows lie within the bounds."""
        statement = _count_statement(self._scope, index, prefix, start, stop)
        if statement not in self._counts:
            self._fetch(_Ask(statement, partial(self._take_count, statement)))
        return self._counts[statement]

    def prefetch(self, wanted: Iterable[Wanted]) -> None:
        """Take note: what is wanted comes along with the next thing that is asked for and not there."""
        self._wanted += wanted

    # -- asking

    def _fetch(self, needed: Wanted | _Ask) -> None:
        """Read what is needed and everything that has been announced, in one round trip."""
        wanted, self._wanted = self._wanted, []
        asks = [needed] if isinstance(needed, _Ask) else []
        if not isinstance(needed, _Ask):
            wanted.append(needed)
        for source, keys in _by_source(wanted).items():
            asks += self._asks_for(source, keys)
        for ask, result in zip(asks, self._asks.ask([ask.statement for ask in asks]), strict=True):
            ask.take(result)

    def _asks_for(self, source: Source, keys: list[Key]) -> list[_Ask]:
        if isinstance(source, Table):
            return self._asks_for_rows(source, [key for key in keys if (source, key) not in self._rows])
        if isinstance(source, Unique):
            unread = [values for values in keys if (source, values) not in self._found]
            return [
                _Ask(find_statement(self._scope, source, values), partial(self._take_found, source, values))
                for values in unread
            ]
        if isinstance(source, Count):
            counts = [_count_statement(self._scope, source.index, prefix, None, None) for prefix in keys]
            return [_Ask(asked, partial(self._take_count, asked)) for asked in counts if asked not in self._counts]
        scans = [_whole_scan(self._scope, source, prefix) for prefix in keys]
        return [
            _Ask(asked, partial(self._take_scan, asked, source.table)) for asked in scans if asked not in self._scans
        ]

    def _asks_for_rows(self, table: Table[Any], keys: list[Key]) -> list[_Ask]:
        if len(keys) > 1 and len(table.key) == 1:
            texts = array(str(key[0]) for key in keys)
            some = Statement(plan_of(table).select_some, (self._scope, texts))
            return [_Ask(some, partial(self._take_rows, table, keys))]
        return [_Ask(get_statement(self._scope, table, key), partial(self._take_rows, table, [key])) for key in keys]

    # -- remembering

    def _take_rows(self, table: Table[Any], keys: list[Key], result: PGresult) -> None:
        for key in keys:
            self._rows[table, key] = None
        for row in plan_of(table).codec.decode(result):
            self._remember(table, row)

    def _take_found(self, unique: Unique[Any], values: Key, result: PGresult) -> None:
        rows = plan_of(unique.table).codec.decode(result)
        self._found[unique, values] = rows[0] if rows else None
        if rows:
            self._remember(unique.table, rows[0])

    def _take_scan(self, statement: Statement, table: Table[Any], result: PGresult) -> None:
        rows = self._scans[statement] = plan_of(table).codec.decode(result)
        for row in rows:
            self._remember(table, row)

    def _take_count(self, statement: Statement, result: PGresult) -> None:
        self._counts[statement] = int(result.get_value(0, 0) or 0)

    def _remember(self, table: Table[Any], row: object) -> None:
        self._rows[table, table.key_of(row)] = row
        for unique in table.uniques:
            values = unique.values(row)
            if None not in values:
                self._found[unique, values] = row


def _by_source(wanted: Iterable[Wanted]) -> dict[Source, list[Key]]:
    sources: dict[Source, dict[Key, None]] = {}
    for source, key in wanted:
        sources.setdefault(source, {})[key] = None
    return {source: list(keys) for source, keys in sources.items()}


def _count_statement(scope: bytes, index: Index[Any], prefix: Key, start: Key | None, stop: Key | None) -> Statement:
    start, stop = start or (), stop or ()
    return Statement(count_sql(index, len(start), len(stop)), (scope, *map(parameter, (*prefix, *stop, *start))))


def _whole_scan(scope: bytes, index: Index[Any], prefix: Key) -> Statement:
    return scan_statement(scope, index, prefix, None, None, None, reverse=False, limit=None)


def get_statement(scope: bytes, table: Table[Any], key: Key) -> Statement:
    """The look-up by key."""
    return Statement(plan_of(table).select, (scope, *map(parameter, key)))


def find_statement(scope: bytes, unique: Unique[Any], values: Key) -> Statement:
    """The look-up by unique values."""
    return Statement(find_sql(unique), (scope, *map(parameter, values)))


def scan_statement(
    scope: bytes,
    index: Index[Any],
    prefix: Key,
    start: Key | None,
    after: Key | None,
    stop: Key | None,
    *,
    reverse: bool,
    limit: int | None,
) -> Statement:
    """The scan of an index."""
    start, after, stop = start or (), after or (), stop or ()
    sql = scan_sql(index, len(start), len(after), len(stop), reverse)
    return Statement(sql, (scope, *map(parameter, (*prefix, *stop, *start, *after, limit))))

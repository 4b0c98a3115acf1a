"""The five reads of the port on PostgreSQL: each one round trip, unless it was announced or has been read before.

What a unit has read, it has: scans, and rows by key and by unique values, are remembered for the length of the
transaction, so a row that was found by one is not asked for again by the other. `prefetch` reads any number of rows in one
round trip. All of it is one snapshot, so remembering cannot tell anything but what asking again would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, TypeVar

from psycopg.pq.abc import PGresult

from livecore.kernel.store import Reader, Wanted
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


class SnapshotReader(Reader):
    """The rows of one scope as of one transaction's snapshot."""

    __slots__ = ("_asks", "_found", "_rows", "_scans", "_scope")

    def __init__(self, scope: str, asks: Asks) -> None:
        self._scope = encoded(scope)
        self._asks = asks
        self._rows: dict[tuple[Table[Any], Key], Any] = {}
        self._found: dict[tuple[Unique[Any], Key], Any] = {}
        self._scans: dict[Statement, list[Any]] = {}

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        row: R | None = self._rows.get((table, key), _MISSING)
        if row is _MISSING:
            (result,) = self._asks.ask([get_statement(self._scope, table, key)])
            row = self._keep_row(table, key, result)
        return row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        row: R | None = self._found.get((unique, values), _MISSING)
        if row is _MISSING:
            (result,) = self._asks.ask([find_statement(self._scope, unique, values)])
            row = self._keep_found(unique, values, result)
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
            (result,) = self._asks.ask([statement])
            rows = self._scans[statement] = plan_of(index.table).codec.decode(result)
            for row in rows:
                self._remember(index.table, row)
        return rows[:]

    def count(self, index: Index[R], prefix: Key, *, start: Key | None, stop: Key | None) -> int:
        """How many rows lie within the bounds."""
        start, stop = start or (), stop or ()
        values = map(parameter, (*prefix, *stop, *start))
        (result,) = self._asks.ask([Statement(count_sql(index, len(start), len(stop)), (self._scope, *values))])
        return int(result.get_value(0, 0) or 0)

    # -- reading ahead

    def prefetch(self, wanted: Iterable[Wanted]) -> None:
        """Read rows that the unit is going to ask for, in one round trip."""
        statements: list[Statement] = []
        takers: list[tuple[Table[Any] | Unique[Any], list[Key]]] = []
        for source, keys in self._unread(wanted).items():
            if isinstance(source, Table) and len(keys) > 1 and len(source.key) == 1:
                texts = array(str(key[0]) for key in keys)
                statements.append(Statement(plan_of(source).select_some, (self._scope, texts)))
                takers.append((source, keys))
                continue
            for key in keys:
                statements.append(_statement(self._scope, source, key))
                takers.append((source, [key]))
        if statements:
            for (source, keys), result in zip(takers, self._asks.ask(statements), strict=True):
                self._take(source, keys, result)

    def _unread(self, wanted: Iterable[Wanted]) -> dict[Table[Any] | Unique[Any], list[Key]]:
        unread: dict[Table[Any] | Unique[Any], dict[Key, None]] = {}
        for source, key in wanted:
            known = (source, key) in self._rows if isinstance(source, Table) else (source, key) in self._found
            if not known:
                unread.setdefault(source, {})[key] = None
        return {source: list(keys) for source, keys in unread.items()}

    def _take(self, source: Table[Any] | Unique[Any], keys: list[Key], result: PGresult) -> None:
        if isinstance(source, Unique):
            self._keep_found(source, keys[0], result)
            return
        for key in keys:
            self._rows[source, key] = None
        for row in plan_of(source).codec.decode(result):
            self._remember(source, row)

    # -- remembering

    def _keep_row(self, table: Table[R], key: Key, result: PGresult) -> R | None:
        rows: list[R] = plan_of(table).codec.decode(result)
        if not rows:
            self._rows[table, key] = None
            return None
        self._remember(table, rows[0])
        return rows[0]

    def _keep_found(self, unique: Unique[R], values: Key, result: PGresult) -> R | None:
        rows: list[R] = plan_of(unique.table).codec.decode(result)
        row = rows[0] if rows else None
        self._found[unique, values] = row
        if row is not None:
            self._remember(unique.table, row)
        return row

    def _remember(self, table: Table[Any], row: object) -> None:
        self._rows[table, table.key_of(row)] = row
        for unique in table.uniques:
            values = unique.values(row)
            if None not in values:
                self._found[unique, values] = row


def _statement(scope: bytes, source: Table[Any] | Unique[Any], key: Key) -> Statement:
    return get_statement(scope, source, key) if isinstance(source, Table) else find_statement(scope, source, key)


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

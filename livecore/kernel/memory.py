"""The store in memory, for tests and simulations: dictionaries for keys, sorted runs for ordered indexes.

It is no lesser store: the same reads, the same atomic application of writes, the same violations. Only the rows die with
the process.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

from livecore.kernel.scope import Scope
from livecore.kernel.store import StoreConflict, Transaction, UniqueViolation, Write, indexed
from livecore.kernel.tables import Index, Key, Table, Unique

__all__ = ["MemoryStore", "SortedRun"]

R = TypeVar("R")
T = TypeVar("T")
_CHUNK = 512
_ATTEMPTS = 8


class SortedRun:
    """Sorted places in chunks of at most 1,024, so that adding and removing stay cheap in a list of a million."""

    __slots__ = ("_chunks", "_lasts")

    def __init__(self) -> None:
        self._chunks: list[list[Any]] = []
        self._lasts: list[Any] = []

    def add(self, place: Key) -> None:
        """Put a place where it belongs."""
        if not self._chunks:
            self._chunks.append([place])
            self._lasts.append(place)
            return
        at = min(bisect_left(self._lasts, place), len(self._chunks) - 1)
        chunk = self._chunks[at]
        insort(chunk, cast(Any, place))
        if len(chunk) > 2 * _CHUNK:
            self._chunks[at : at + 1] = [chunk[:_CHUNK], chunk[_CHUNK:]]
            self._lasts[at : at + 1] = [chunk[_CHUNK - 1], chunk[-1]]
        else:
            self._lasts[at] = chunk[-1]

    def remove(self, place: Key) -> None:
        """Take out a place that is there."""
        at = bisect_left(self._lasts, place)
        chunk = self._chunks[at]
        del chunk[bisect_left(chunk, place)]
        if chunk:
            self._lasts[at] = chunk[-1]
        else:
            del self._chunks[at], self._lasts[at]

    def _position(self, bound: Key, *, right: bool) -> tuple[int, int]:
        side = bisect_right if right else bisect_left
        at = side(self._lasts, cast(Any, bound))
        if at == len(self._chunks):
            return at, 0
        return at, side(self._chunks[at], cast(Any, bound))

    def _bounds(
        self, start: Key | None, after: Key | None, stop: Key | None
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        low = (0, 0)
        if start is not None:
            low = self._position(start, right=False)
        if after is not None:
            low = max(low, self._position(after, right=True))
        high = (len(self._chunks), 0) if stop is None else self._position(stop, right=False)
        return low, high

    def between(self, start: Key | None, after: Key | None, stop: Key | None, *, reverse: bool) -> Iterator[Key]:
        """The places within the bounds, in order or reversed."""
        low, high = self._bounds(start, after, stop)
        chunks: Iterable[int] = range(low[0], min(high[0] + 1, len(self._chunks)))
        for at in reversed(list(chunks)) if reverse else chunks:
            chunk = self._chunks[at]
            first = low[1] if at == low[0] else 0
            last = high[1] if at == high[0] else len(chunk)
            piece = chunk[first:last]
            yield from reversed(piece) if reverse else piece

    def count(self, start: Key | None, stop: Key | None) -> int:
        """How many places lie within the bounds."""
        low, high = self._bounds(start, None, stop)
        if low >= high:
            return 0
        return sum(len(chunk) for chunk in self._chunks[low[0] : high[0]]) - low[1] + high[1]


class _Rows:
    """One table of one scope."""

    __slots__ = ("ordered", "rows", "table", "uniques")

    def __init__(self, table: Table[Any]) -> None:
        self.table = table
        self.rows: dict[Key, Any] = {}
        self.uniques: dict[str, dict[Key, Key]] = {unique.name: {} for unique in table.uniques}
        self.ordered: dict[str, dict[Key, SortedRun]] = {index.name: {} for index in table.indexes}

    def remove(self, key: Key) -> None:
        row = self.rows.pop(key)
        for unique in self.table.uniques:
            self.uniques[unique.name].pop(unique.values(row), None)
        for index in self.table.indexes:
            if indexed(index, row):
                runs = self.ordered[index.name]
                prefix = index.prefix_of(row)
                runs[prefix].remove(index.place_of(row) + key)
                if not runs[prefix].count(None, None):
                    del runs[prefix]

    def add(self, key: Key, row: object) -> None:
        self.rows[key] = row
        for unique in self.table.uniques:
            values = unique.values(row)
            if None not in values:
                self.uniques[unique.name][values] = key
        for index in self.table.indexes:
            if indexed(index, row):
                run = self.ordered[index.name].setdefault(index.prefix_of(row), SortedRun())
                run.add(index.place_of(row) + key)

    def conflict(self, row: object, key: Key, moving: set[Key]) -> Unique[Any] | None:
        for unique in self.table.uniques:
            holder = self.uniques[unique.name].get(unique.values(row))
            if holder is not None and holder != key and holder not in moving:
                return unique
        return None


class MemoryReader:
    """The reads of one scope in memory."""

    __slots__ = ("_tables",)

    def __init__(self, tables: dict[Table[Any], _Rows]) -> None:
        self._tables = tables

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        rows = self._tables.get(table)
        return None if rows is None else rows.rows.get(key)

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        rows = self._tables.get(unique.table)
        if rows is None:
            return None
        key = rows.uniques[unique.name].get(values)
        return None if key is None else cast(R, rows.rows[key])

    def _run(self, index: Index[Any], prefix: Key) -> tuple[dict[Key, Any], SortedRun] | None:
        rows = self._tables.get(index.table)
        run = None if rows is None else rows.ordered[index.name].get(prefix)
        return None if rows is None or run is None else (rows.rows, run)

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
        found = self._run(index, prefix)
        if found is None:
            return []
        rows, run = found
        width = len(index.order)
        # A place in the run is the order columns and then the key; an exclusive lower bound must clear both.
        beyond = None if after is None else (*after, *_LAST)
        answer: list[R] = []
        for place in run.between(start, cast("Key | None", beyond), stop, reverse=reverse):
            if limit is not None and len(answer) >= limit:
                break
            answer.append(rows[place[width:]])
        return answer

    def count(self, index: Index[R], prefix: Key, *, start: Key | None, stop: Key | None) -> int:
        """How many rows lie within the bounds."""
        found = self._run(index, prefix)
        return 0 if found is None else found[1].count(start, stop)


class _Last:
    """Greater than any column value."""

    def __lt__(self, _: object) -> bool:
        return False

    def __gt__(self, _: object) -> bool:
        return True


_LAST = (_Last(),)


class MemoryStore:
    """A whole database in memory: `read` and `write` run one unit of work at a time."""

    def __init__(self) -> None:
        self._scopes: dict[Scope, dict[Table[Any], _Rows]] = {}

    def reader(self, scope: Scope) -> MemoryReader:
        """The committed rows of a scope."""
        return MemoryReader(self._scopes.setdefault(scope, {}))

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work`; its writes, if any, are dropped."""
        return work(Transaction(scope, self.reader(scope)))

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and apply what it wrote; nothing is applied when it raises."""
        for attempt in range(_ATTEMPTS):
            transaction = Transaction(scope, self.reader(scope))
            result = work(transaction)
            try:
                self.apply(scope, transaction.writes())
            except StoreConflict:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return result
        raise AssertionError("unreachable")

    def apply(self, scope: Scope, writes: list[Write]) -> None:
        """Apply writes as one step. Raises `UniqueViolation` before anything is changed."""
        tables = self._scopes.setdefault(scope, {})
        self._check(tables, writes)
        for write in writes:
            if write.before is not None:
                tables[write.table].remove(write.key)
        for write in writes:
            if write.after is not None:
                rows = tables.get(write.table)
                if rows is None:
                    rows = tables[write.table] = _Rows(write.table)
                rows.add(write.key, write.after)

    @staticmethod
    def _check(tables: dict[Table[Any], _Rows], writes: list[Write]) -> None:
        moving: dict[Table[Any], set[Key]] = {}
        fresh: set[tuple[Any, ...]] = set()
        for write in writes:
            moving.setdefault(write.table, set()).add(write.key)
        for write in writes:
            rows = tables.get(write.table)
            if write.after is None:
                continue
            if rows is not None:
                if write.before is None and write.key in rows.rows:
                    raise UniqueViolation(write.table.name, write.table.key)
                clash = rows.conflict(write.after, write.key, moving[write.table])
                if clash is not None:
                    raise UniqueViolation(write.table.name, clash.columns)
            for unique in write.table.uniques:
                values = unique.values(write.after)
                if None not in values:
                    mark = (write.table, unique.name, values)
                    if mark in fresh:
                        raise UniqueViolation(write.table.name, unique.columns)
                    fresh.add(mark)

    def scopes(self) -> list[Scope]:
        """Every scope that holds rows."""
        return [scope for scope, tables in self._scopes.items() if any(rows.rows for rows in tables.values())]

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """Every row of every scope, by scope id and table name, in key order: for comparing two states."""
        return {
            scope.id: {
                table.name: [rows.rows[key] for key in sorted(rows.rows, key=repr)]
                for table, rows in sorted(tables.items(), key=lambda item: item[0].name)
                if rows.rows
            }
            for scope, tables in sorted(self._scopes.items(), key=lambda item: item[0].id)
        }

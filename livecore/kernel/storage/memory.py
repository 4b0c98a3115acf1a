"""The store in memory, for tests and simulations: dictionaries for keys, sorted runs for ordered indexes.

It behaves like the other stores: the same reads, the same atomic application of writes, the same violations. But its rows
are lost when the process ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notices
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Count, Scan
from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.sorted_run import SortedRun
from livecore.kernel.storage.store import StoreConflict, StoreWrite, Transaction, UniqueViolation, Write, in_bounds
from livecore.kernel.storage.tables import Key, Table, Unique, values_of

R = TypeVar("R")
T = TypeVar("T")
_ATTEMPTS = 8


_Runs: TypeAlias = "dict[Key, SortedRun | Key]"
"""The positions under each prefix of an index: the position itself where there is one, as is so in most."""


def _add_position(runs: _Runs, prefix: Key, position: Key) -> None:
    held = runs.get(prefix)
    if held is None:
        runs[prefix] = position
    elif type(held) is SortedRun:
        held.add(position)
    else:
        run = runs[prefix] = SortedRun()
        run.add(cast(Key, held))
        run.add(position)


def _remove_position(runs: _Runs, prefix: Key, position: Key) -> None:
    held = runs[prefix]
    if type(held) is SortedRun:
        held.remove(position)
        if held:
            return
    del runs[prefix]


class _Rows:
    """One table of one scope."""

    __slots__ = ("_adding", "_indexed", "ordered", "rows", "table", "uniques")

    def __init__(self, table: Table[Any]) -> None:
        self.table = table
        self.rows: dict[Key, Any] = {}
        self.uniques: dict[str, dict[Key, Key]] = {unique.name: {} for unique in table.uniques}
        self.ordered: dict[str, _Runs] = {index.name: {} for index in table.indexes}
        self._indexed = table.indexed_of()
        self._adding = tuple(
            (
                index.nullable_of if index.nullable else None,
                index.prefix_of,
                values_of((*index.order, *table.key)),
                self.ordered[index.name],
            )
            for index in table.indexes
        )
        """For each index: what tells that a row is not in it, its run, its position there, and the runs."""

    def copy(self) -> _Rows:
        """The same rows, which never change, in a table of its own."""
        copied = _Rows(self.table)
        copied.rows.update(self.rows)
        for name, keys in self.uniques.items():
            copied.uniques[name].update(keys)
        for name, runs in self.ordered.items():
            copied.ordered[name].update(
                (prefix, held.copy() if isinstance(held, SortedRun) else held) for prefix, held in runs.items()
            )
        return copied

    def change(self, key: Key, before: object, after: object) -> None:
        """Apply one row's change. Indexes in which its position stays the same are not touched."""
        if before is None and after is not None:
            self._add(key, after)
            return
        if after is None:
            del self.rows[key]
        else:
            self.rows[key] = after
            # Most changes are to columns by which no row is found.
            if before is not None and self._indexed(before) == self._indexed(after):
                return
        for unique in self.table.uniques:
            old = None if before is None else unique.values(before)
            new = None if after is None else unique.values(after)
            if old != new:
                self._move_unique(self.uniques[unique.name], key, old, new)
        self._move_ordered(before, after)

    def _move_ordered(self, before: object, after: object) -> None:
        for index, (nullable_of, prefix_of, position_of, runs) in zip(self.table.indexes, self._adding, strict=True):
            if before is not None and after is not None and index.columns_of(before) == index.columns_of(after):
                continue
            if before is not None and (nullable_of is None or None not in nullable_of(before)):
                _remove_position(runs, prefix_of(before), position_of(before))
            if after is not None and (nullable_of is None or None not in nullable_of(after)):
                _add_position(runs, prefix_of(after), position_of(after))

    def _add(self, key: Key, row: object) -> None:
        """Apply a new row, as most changes are."""
        self.rows[key] = row
        for unique in self.table.uniques:
            values = unique.values(row)
            if None not in values:
                self.uniques[unique.name][values] = key
        for nullable_of, prefix_of, position_of, runs in self._adding:
            if nullable_of is None or None not in nullable_of(row):
                _add_position(runs, prefix_of(row), position_of(row))

    @staticmethod
    def _move_unique(keys: dict[Key, Key], key: Key, old: Key | None, new: Key | None) -> None:
        # Another row of the same batch may have taken the old values already.
        if old is not None and keys.get(old) == key:
            del keys[old]
        if new is not None and None not in new:
            keys[new] = key

    def taken(self, unique: Unique[Any], values: Key, writes: list[Write]) -> bool:
        """Whether a stored row holds these values and keeps them in this batch."""
        holder = self.uniques[unique.name].get(values)
        if holder is None:
            return False
        moved = next((write for write in writes if write.table is self.table and write.key == holder), None)
        return moved is None or (moved.after is not None and unique.values(moved.after) == values)


class MemoryReader(Reader):
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

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        index, prefix, start, after, stop, reverse, limit = scan
        held = self._tables.get(index.table)
        run = None if held is None else held.ordered[index.name].get(prefix)
        if held is None or run is None:
            return []
        # A position in the run is the order columns and then the key; an exclusive lower bound must clear both.
        beyond = None if after is None else cast(Key, (*after, *_LAST))
        rows, width = held.rows, len(index.order)
        if type(run) is not SortedRun:
            only = cast(Key, run)
            within = limit != 0 and in_bounds(only, start, beyond, stop)
            return [rows[only[width:]]] if within else []
        positions = run.between(start, beyond, stop, reverse=reverse, limit=limit)
        return [rows[position[width:]] for position in positions]

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit."""
        index, prefix, start, stop, limit = count
        rows = self._tables.get(index.table)
        run = None if rows is None else rows.ordered[index.name].get(prefix)
        if run is None:
            return 0
        total = run.count(start, stop) if isinstance(run, SortedRun) else int(in_bounds(run, start, None, stop))
        return total if limit is None else min(total, limit)

    def load(self, reads: Iterable[AnyRead]) -> None:
        """Nothing to do: all rows are in memory."""


class _Last:
    """Greater than any column value."""

    def __lt__(self, _: object) -> bool:
        return False

    def __gt__(self, _: object) -> bool:
        return True

    def __ge__(self, _: object) -> bool:
        return True


_LAST = (_Last(),)


class MemoryStore:
    """A whole database in memory: `read` and `write` run one unit of work at a time."""

    def __init__(self) -> None:
        self._scopes: dict[Scope, dict[Table[Any], _Rows]] = {}
        self.versions: dict[Scope, int] = {}
        """How often something was written in each scope: while the number is the same, so are the rows."""
        self.notices = Notices()
        """Publishes the notices of committed units."""

    def reader(self, scope: Scope) -> MemoryReader:
        """The committed rows of a scope."""
        tables = self._scopes.get(scope)
        return MemoryReader(self._scopes.setdefault(scope, {}) if tables is None else tables)

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
                self.notices.publish(transaction.notices)
                return result
        raise AssertionError("unreachable")

    def apply(self, scope: Scope, steps: Sequence[StoreWrite]) -> None:
        """Apply writes as one step. Raises `UniqueViolation`, and then changes nothing."""
        if not steps:
            return
        tables = self._scopes.setdefault(scope, {})
        self.versions[scope] = self.versions.get(scope, 0) + 1
        rewritten: list[Write] = []
        writes: list[Write] = []
        for step in steps:
            if isinstance(step, Write):
                writes.append(step)
            else:
                rewritten += self._rewritten(tables, step)
        try:
            self._check(tables, writes)
        except UniqueViolation:
            for write in reversed(rewritten):
                tables[write.table].change(write.key, write.after, write.before)
            raise
        for write in writes:
            rows = tables.get(write.table)
            if rows is None:
                rows = tables[write.table] = _Rows(write.table)
            rows.change(write.key, write.before, write.after)

    @staticmethod
    def _rewritten(tables: dict[Table[Any], _Rows], rewrite: Rewrite) -> list[Write]:
        """Carry out a rewrite; returns each row's change, so that it can be undone."""
        found = MemoryReader(tables).scan(Scan(rewrite.index, rewrite.prefix))
        changes = [Write(rewrite.table, rewrite.table.key_of(row), row, rewrite.of(row)) for row in found]
        for write in changes:
            tables[write.table].change(write.key, write.before, write.after)
        return changes

    @staticmethod
    def _check(tables: dict[Table[Any], _Rows], writes: list[Write]) -> None:
        """Raises `UniqueViolation` where a stored row, or another row of the batch, has the same key or unique values."""
        fresh: set[tuple[str, str, Key]] = set()
        for write in writes:
            rows = tables.get(write.table)
            if write.after is None:
                continue
            if write.before is None and rows is not None and write.key in rows.rows:
                raise UniqueViolation(write.table.name, write.table.key)
            for unique in write.table.uniques:
                values = unique.values(write.after)
                if None in values or (write.before is not None and unique.values(write.before) == values):
                    continue
                mark = (write.table.name, unique.name, values)
                if mark in fresh or (rows is not None and rows.taken(unique, values, writes)):
                    raise UniqueViolation(write.table.name, unique.columns)
                fresh.add(mark)

    def scopes(self) -> list[Scope]:
        """Every scope that holds rows."""
        return [scope for scope, tables in self._scopes.items() if any(rows.rows for rows in tables.values())]

    def copy(self) -> MemoryStore:
        """A store of its own with the same rows, and without those who listen to notices."""
        copied = MemoryStore()
        copied._scopes = {
            scope: {table: rows.copy() for table, rows in tables.items()} for scope, tables in self._scopes.items()
        }
        return copied

    def held(self) -> Iterator[tuple[Scope, Table[Any], list[Any]]]:
        """The rows of each table of each scope."""
        for scope, tables in self._scopes.items():
            for table, rows in tables.items():
                yield scope, table, list(rows.rows.values())

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

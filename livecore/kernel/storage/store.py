"""The storage port: a store reads one scope and applies a finished batch of writes. The core itself implements transactions.

A `Transaction` buffers its writes until the unit of work has succeeded, and its own reads see them. So a refused request
has written nothing, a rollback just drops the buffer, and an unfinished unit sees the same in all three stores. A store has
little to implement: the four reads of a `Reader`, and applying a list of writes as one atomic step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Protocol, TypeAlias, TypeVar, cast, overload

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import MOST_OF_A_UNIT, Notice
from livecore.kernel.storage.reader import ColumnReader, Reader, SummingReader
from livecore.kernel.storage.reads import AnyRead, Count, Get, Read, Scan, Sums
from livecore.kernel.storage.rewriting import Rewrite, RewrittenReader
from livecore.kernel.storage.tables import Index, Key, Table, Unique, Value
from livecore.kernel.values import value

R = TypeVar("R")
T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class StoreConflict(Exception):
    """The store could not serialise this transaction with another; running the unit again may succeed."""


class UniqueViolation(StoreConflict):
    """Another row already has these unique values, because another unit committed first."""

    def __init__(self, table: str, columns: Sequence[str]) -> None:
        super().__init__(f"{table} already has a row with this {', '.join(columns)}")
        self.table = table
        self.columns = tuple(columns)


@value
class Write:
    """One row's change: `before` is the committed row (`None`: there was none), `after` the new one (`None`: deleted)."""

    table: Table[Any]
    key: Key
    before: Any
    after: Any


StoreWrite: TypeAlias = "Rewrite | Write"
"""One part of what a unit has changed. Rewrites come first, in their order; changes of rows apply to the state after
them."""


def sums_of(rows: Iterable[object], of: str, by: str) -> dict[Value, int]:
    """The sums of a column of some rows, by the value of another column."""
    sums: dict[Value, int] = {}
    for row in rows:
        group: Value = getattr(row, by)
        sums[group] = sums.get(group, 0) + getattr(row, of)
    return sums


class Store(Protocol):
    """A store that runs one unit of work at a time, synchronously: memory, and each real store in its simplest use."""

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on a consistent view of the scope; its writes, if any, are dropped."""

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and apply what it wrote, all or nothing; runs it again on a conflict."""


@attrs.define(slots=True)
class _Change:
    before: Any
    after: Any


class Transaction:
    """One unit's view of a scope: committed rows, overlaid with the unit's own writes."""

    __slots__ = ("_base", "_changes", "_reader", "_rewrites", "_written", "kept", "notices", "scope", "writer")

    def __init__(self, scope: Scope, reader: Reader, writer: int | None = None) -> None:
        self.scope = scope
        self.writer = writer
        """A number of this process, while transactions of several processes conflict in this scope; otherwise `None`.

        A unit that may choose among rows which serve it equally well chooses by this number, so that it conflicts less.
        """
        self._base = reader
        self._reader = reader
        self._changes: dict[Table[Any], dict[Key, _Change]] = {}
        self._rewrites: list[Rewrite] = []
        self._written: dict[Table[Any], list[Any]] = {}
        self.kept: dict[object, Any] = {}
        """What the unit has derived from rows and may use again, by whoever has derived it."""
        self.notices: tuple[Notice, ...] = ()
        """What is published once the unit is committed."""

    # -- reads

    def get(self, table: Table[R], *key: Value) -> R | None:
        """The row with this key, or `None`."""
        changes = self._changes.get(table)
        if changes is not None:
            change = changes.get(key)
            if change is not None:
                row: R | None = change.after
                return row
        return self._reader.get(table, key)

    def find(self, unique: Unique[R], *values: Value) -> R | None:
        """The row with these unique values, or `None`."""
        changes = self._changes.get(unique.table)
        if changes is None:
            return self._reader.find(unique, values)
        for change in changes.values():
            if change.after is not None and unique.values(change.after) == values:
                found: R = change.after
                return found
        row = self._reader.find(unique, values)
        return None if row is None or unique.table.key_of(row) in changes else row

    def scan(
        self,
        index: Index[R],
        *prefix: Value,
        start: Key | None = None,
        after: Key | None = None,
        stop: Key | None = None,
        reverse: bool = False,
        limit: int | None = None,
    ) -> list[R]:
        """Rows under a prefix of an index within the bounds, as `Scan` describes them."""
        return self.scanned(Scan(index, prefix, start, after, stop, reverse, limit))

    def scanned(self, scan: Scan[R]) -> list[R]:
        """The rows that a scan finds."""
        changes = self._changes.get(scan.index.table)
        if changes is None:
            return self._reader.scan(scan)
        index, prefix, start, after, stop, reverse, limit = scan
        wider = None if limit is None else limit + len(changes)
        rows = self._reader.scan(Scan(index, prefix, start, after, stop, reverse, wider))
        key_of = index.table.key_of
        merged = [row for row in rows if key_of(row) not in changes]
        merged += [
            change.after
            for change in changes.values()
            if change.after is not None and _within(index, change.after, prefix, start, after, stop)
        ]
        merged.sort(key=cast(Any, index.position_of), reverse=reverse)
        return merged if limit is None else merged[:limit]

    def count(
        self,
        index: Index[R],
        *prefix: Value,
        start: Key | None = None,
        stop: Key | None = None,
        limit: int | None = None,
    ) -> int:
        """How many rows `scan` would give. A count of very many rows takes long, so `limit` bounds it."""
        return self.counted(Count(index, prefix, start, stop, limit))

    def counted(self, count: Count) -> int:
        """The number that a count gives."""
        index, prefix, start, stop, limit = count
        changes = self._changes.get(index.table)
        if not changes:
            return self._reader.count(count)
        wider = None if limit is None else limit + len(changes)
        total = self._reader.count(Count(index, prefix, start, stop, wider))
        for change in changes.values():
            if change.before is not None and _within(index, change.before, prefix, start, None, stop):
                total -= 1
            if change.after is not None and _within(index, change.after, prefix, start, None, stop):
                total += 1
        return total if limit is None else min(total, limit)

    def sums(
        self, index: Index[Any], *prefix: Value, start: Key | None = None, stop: Key | None = None, of: str, by: str
    ) -> dict[Value, int]:
        """For each value of the column `by` the sum of the column `of`, over the rows that `scan` would give."""
        return self.summed(Sums(index, prefix, of, by, start, stop))

    def summed(self, sums: Sums) -> dict[Value, int]:
        """The sums that such a read gives."""
        reader = self._reader
        if sums.index.table not in self._changes and isinstance(reader, SummingReader):
            return reader.sums(sums)
        rows = self.scanned(Scan(sums.index, sums.prefix, start=sums.start, stop=sums.stop))
        return sums_of(rows, sums.of, sums.by)

    def columns(self, scan: Scan[Any], names: Sequence[str]) -> Sequence[Sequence[Value]]:
        """For each of these columns, of numbers and texts, the values of the rows that a scan finds: for very many rows."""
        reader = self._reader
        if scan.index.table not in self._changes and isinstance(reader, ColumnReader):
            return reader.columns(scan, names)
        rows = self.scanned(scan)
        return [[getattr(row, name) for row in rows] for name in names]

    def existing(self, table: Table[R], keys: Iterable[Value]) -> list[R]:
        """The rows with these keys of one column, which other rows name. Raises `LookupError` if one is not there."""
        asked = list(keys)
        found = self.read_all(Get(table, (key,)) for key in asked)
        rows = [row for row in found if row is not None]
        if len(rows) < len(asked):
            raise LookupError(f"{table.name} has no row {asked[found.index(None)]}")
        return rows

    def scan_all(self, scans: Iterable[Scan[R]]) -> list[R]:
        """The rows of several scans, one scan after another, read as in `read_all`."""
        return [row for rows in self.read_all(scans) for row in rows]

    def read_all(self, reads: Iterable[Read[T]]) -> list[T]:
        """What these reads give, in their order; a store that is far away is asked for all of them at once."""
        asked = list(reads)
        self._ask(cast("list[AnyRead]", asked))
        return [read.made_by(self) for read in asked]

    @overload
    def read_together(self, one: Read[A], two: Read[B], /) -> tuple[A, B]: ...

    @overload
    def read_together(self, one: Read[A], two: Read[B], three: Read[C], /) -> tuple[A, B, C]: ...

    @overload
    def read_together(self, one: Read[A], two: Read[B], three: Read[C], four: Read[D], /) -> tuple[A, B, C, D]: ...

    def read_together(self, *reads: Read[Any]) -> tuple[Any, ...]:
        """What a few reads of several kinds give, asked for as in `read_all`."""
        return tuple(self.read_all(reads))

    @overload
    def read_lists(self, one: Iterable[Read[A]], two: Iterable[Read[B]], /) -> tuple[list[A], list[B]]: ...

    @overload
    def read_lists(
        self, one: Iterable[Read[A]], two: Iterable[Read[B]], three: Iterable[Read[C]], /
    ) -> tuple[list[A], list[B], list[C]]: ...

    @overload
    def read_lists(
        self, one: Iterable[Read[A]], two: Iterable[Read[B]], three: Iterable[Read[C]], four: Iterable[Read[D]], /
    ) -> tuple[list[A], list[B], list[C], list[D]]: ...

    def read_lists(self, *lists: Iterable[Read[Any]]) -> tuple[list[Any], ...]:
        """What several lists of reads give, each in its order; all of them are asked for together, as in `read_all`."""
        asked = [list(reads) for reads in lists]
        found = iter(self.read_all(chain.from_iterable(asked)))
        return tuple(list(islice(found, len(reads))) for reads in asked)

    def _ask(self, reads: Sequence[AnyRead]) -> None:
        """Have the store read these together; limits are widened as they will be when the reads are made."""
        if len(reads) > 1:
            self._reader.load(reads if not self._changes else map(self._widened, self._elsewhere(reads)))

    def _elsewhere(self, reads: Iterable[AnyRead]) -> Iterator[AnyRead]:
        """The reads that need the store: the unit has the rows at hand that it has written itself."""
        for read in reads:
            if not isinstance(read, Get) or read.key not in self._changes.get(read.table, ()):
                yield read

    def _widened(self, read: AnyRead) -> AnyRead:
        if not isinstance(read, Scan | Count) or read.limit is None:
            return read
        changes = self._changes.get(read.index.table)
        return read if changes is None else read._replace(limit=read.limit + len(changes))

    @property
    def reader(self) -> Reader:
        """What reads the committed rows, for the host whose store it is."""
        return self._base

    def written(self, table: Table[R]) -> Sequence[R]:
        """The rows of a ranked table that this unit has written so far, in their order; the list grows at its end."""
        return self._written.setdefault(table, [])

    def uncommitted(self, table: Table[R]) -> Sequence[Sequence[R]]:
        """The rows of a ranked table that earlier units of the batch have written, as `Reader.uncommitted` gives them."""
        return self._base.uncommitted(table)

    # -- writes

    def insert(self, table: Table[R], row: R) -> R:
        """Add a new row; the caller makes sure that its key is new."""
        key = table.key_of(row)
        changes = self._changes.setdefault(table, {})
        change = changes.get(key)
        if change is None:
            changes[key] = _Change(None, row)
        elif change.after is None:
            change.after = row
        else:
            raise UniqueViolation(table.name, table.key)
        if table.ranked:
            self._written.setdefault(table, []).append(row)
        return row

    def put(self, table: Table[R], row: R) -> R:
        """Store a row under its key, whether there was one or not."""
        self._change(table, table.key_of(row)).after = row
        if table.ranked:
            self._written.setdefault(table, []).append(row)
        return row

    def delete(self, table: Table[R], *key: Value) -> None:
        """Remove the row with this key, if there is one."""
        self._change(table, key).after = None

    def rewrite(self, index: Index[Any], prefix: Key, values: Mapping[str, Value]) -> None:
        """Write the same values into every row under a prefix of an index, however many they are.

        Raises `ValueError` for columns for which that cannot be done; see `livecore.kernel.storage.rewriting`.
        """
        self._rewrite(Rewrite(index, prefix, values))

    def clear(self, index: Index[Any], *prefix: Value) -> None:
        """Remove every row under a prefix of an index, however many they are."""
        self._rewrite(Rewrite(index, prefix, None))

    def notify(self, notice: Notice) -> None:
        """Publish a notice once the unit is committed. Raises `ValueError` if there are too many."""
        if len(self.notices) == MOST_OF_A_UNIT:
            raise ValueError(f"a unit of work publishes no more than {MOST_OF_A_UNIT} notices")
        self.notices += (notice,)

    def _rewrite(self, rewrite: Rewrite) -> None:
        """The store applies rewrites before the changes of rows, so earlier changes are converted to that order."""
        self._reader = RewrittenReader(self._reader, rewrite)
        self._rewrites.append(rewrite)
        for change in self._changes.get(rewrite.table, {}).values():
            unchanged = change.after is change.before
            change.before = rewrite.of(change.before)
            change.after = change.before if unchanged else rewrite.of(change.after)

    def _change(self, table: Table[Any], key: Key) -> _Change:
        changes = self._changes.setdefault(table, {})
        change = changes.get(key)
        if change is None:
            before = self._reader.get(table, key)
            change = changes[key] = _Change(before, before)
        return change

    def writes(self) -> list[StoreWrite]:
        """What the unit changed: its rewrites, then its rows in the order of their first change."""
        rows = [
            Write(table, key, change.before, change.after)
            for table, changes in self._changes.items()
            for key, change in changes.items()
            if change.before is not change.after
        ]
        return [*self._rewrites, *rows]


def in_bounds(position: Key, start: Key | None, after: Key | None, stop: Key | None) -> bool:
    """Whether a place in an index lies within the bounds of a scan."""
    order = cast(Any, position)
    if start is not None and order < start:
        return False
    if after is not None and order <= after:
        return False
    return stop is None or order < stop


def _within(
    index: Index[Any], row: object, prefix: Iterable[Value], start: Key | None, after: Key | None, stop: Key | None
) -> bool:
    return index.holds(row) and index.prefix_of(row) == prefix and in_bounds(index.position_of(row), start, after, stop)

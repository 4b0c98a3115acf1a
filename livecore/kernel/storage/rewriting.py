"""Bulk writes: every row under a prefix of an index gets the same values in some columns, or is deleted.

A player may have a hundred thousand ledger entries, and merging or erasing that player changes all of them in the same way.
As single rows they would fill the memory. A `Rewrite` describes the whole change, and a database carries it out as one
statement.

A rewrite is limited. It changes no key. It may set a unique column to null but to no other value, so it cannot violate
uniqueness. In a column that an index uses it may write null, so that the rows leave that index. It may also write another
prefix value, if its own prefix fixes the old value of that column. Because of these limits, what a unit reads after a
rewrite can be computed from the stored rows: see `RewrittenReader`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Count, Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.tables import Index, Key, Table, Unique, Value

R = TypeVar("R")


@attrs.frozen(eq=False)
class Rewrite:
    """Rows under `prefix` of `index` get `values`; where that is `None`, the rows are deleted."""

    index: Index[Any]
    prefix: Key
    values: Mapping[str, Value] | None

    def __attrs_post_init__(self) -> None:
        for name, value in (self.values or {}).items():
            self._check(name, value)

    @property
    def table(self) -> Table[Any]:
        """The table whose rows are rewritten."""
        return self.index.table

    def _check(self, name: str, value: Value) -> None:
        """Raises `ValueError` if this value cannot be written in bulk to this column."""
        column = next((column for column in self.table.columns if column.name == name), None)
        if column is None or name in self.table.key or (value is None and not column.nullable):
            raise ValueError(f"{self.table.name}.{name} cannot be rewritten")
        if value is None:
            return
        if any(name in unique.columns for unique in self.table.uniques):
            raise ValueError(f"{self.table.name}.{name} is unique, and can only be emptied for many rows at once")
        moved = [index for index in self.table.indexes if name in (*index.prefix, *index.order)]
        if any(name in index.order or name not in self.index.prefix for index in moved):
            raise ValueError(f"{self.table.name}.{name} moves rows within an index")

    def concerns(self, row: object) -> bool:
        """Whether a row lies under the prefix."""
        return self.index.holds(row) and self.index.prefix_of(row) == self.prefix

    def of(self, row: R | None) -> R | None:
        """The row after the rewrite."""
        if row is None or not self.concerns(row):
            return row
        return None if self.values is None else evolve(row, **self.values)

    def touches(self, index: Index[Any]) -> bool:
        """Whether rows may enter or leave an index of the table."""
        return self.values is None or not {*index.prefix, *index.order}.isdisjoint(self.values)

    def agrees(self, index: Index[Any], prefix: Key) -> bool | None:
        """Whether the rows under a prefix of an index are concerned: all, none, or `None` where that depends on the row."""
        known = dict(zip(index.prefix, prefix, strict=True))
        mine = dict(zip(self.index.prefix, self.prefix, strict=True))
        if any(known[name] != value for name, value in mine.items() if name in known):
            return False
        certain = mine.keys() <= known.keys() and set(self.index.nullable) <= mine.keys()
        return True if certain else None

    def leaves(self, index: Index[Any], prefix: Key) -> bool:
        """Whether concerned rows leave this prefix."""
        if self.values is None or any(self.values.get(name, "") is None for name in (*index.prefix, *index.order)):
            return True
        return any(self.values.get(name, old) != old for name, old in zip(index.prefix, prefix, strict=True))

    def origin(self, index: Index[Any], prefix: Key) -> Key | None:
        """The prefix from which rows have moved to this one, if there is one."""
        if self.values is None or None in prefix:
            # Rows that get null in a prefix leave the index.
            return None
        before = dict(zip(self.index.prefix, self.prefix, strict=True))
        origin = tuple(
            before[name] if name in self.values and self.values[name] == value else value
            for name, value in zip(index.prefix, prefix, strict=True)
        )
        return None if origin == prefix or self.agrees(index, origin) is False else origin


def is_rewritable(index: Index[Any], values: Mapping[str, Value]) -> bool:
    """Whether these values can be written for many rows at once."""
    try:
        Rewrite(index, ("",) * len(index.prefix), values)
    except ValueError:
        return False
    return True


class RewrittenReader:
    """The rows of another reader as they are after a rewrite."""

    __slots__ = ("_reader", "_rewrite")

    def __init__(self, reader: Reader, rewrite: Rewrite) -> None:
        self._reader = reader
        self._rewrite = rewrite

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        row = self._reader.get(table, key)
        return self._rewrite.of(row) if table is self._rewrite.table else row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        row = self._reader.find(unique, values)
        if unique.table is not self._rewrite.table:
            return row
        row = self._rewrite.of(row)
        return row if row is not None and unique.values(row) == values else None

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds: those that stayed under the prefix, and those that moved to it."""
        index, prefix = scan.index, scan.prefix
        if index.table is not self._rewrite.table:
            return self._reader.scan(scan)
        found: list[R] = []
        if not (self._rewrite.agrees(index, prefix) and self._rewrite.leaves(index, prefix)):
            found = self._under(scan, prefix)
        origin = self._rewrite.origin(index, prefix)
        if origin is None:
            return found
        found += self._under(scan._replace(prefix=origin), prefix)
        position_of: Any = index.position_of
        return sorted(found, key=position_of, reverse=scan.reverse)[: scan.limit]

    def _under(self, scan: Scan[R], now: Key) -> list[R]:
        """Rows that the scan finds and that are under another prefix now; read in pages, because some may not qualify."""
        index, limit = scan.index, scan.limit
        found: list[R] = []
        while True:
            rows = self._reader.scan(scan)
            rewritten = (self._rewrite.of(row) for row in rows)
            found += (row for row in rewritten if row is not None and index.holds(row) and index.prefix_of(row) == now)
            if limit is None or len(rows) < limit or len(found) >= limit:
                return found[:limit]
            end = index.position_of(rows[-1])
            scan = scan._replace(stop=end) if scan.reverse else scan._replace(after=end)

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit."""
        index, prefix, start, stop, limit = count
        rewrite = self._rewrite
        if index.table is not rewrite.table or not rewrite.touches(index):
            return self._reader.count(count)
        origin = rewrite.origin(index, prefix)
        concerned = rewrite.agrees(index, prefix)
        came = True if origin is None else rewrite.agrees(index, origin)
        if concerned is None or came is None:
            return len(self.scan(Scan(index, prefix, start, None, stop, limit=limit)))
        total = 0
        if not (concerned and rewrite.leaves(index, prefix)):
            total = self._reader.count(count)
        if origin is not None:
            total += self._reader.count(count._replace(prefix=origin))
        return total if limit is None else min(total, limit)

    def load(self, reads: Iterable[AnyRead]) -> None:
        """Have the underlying reader read these together."""
        self._reader.load(reads)

    def uncommitted(self, table: Table[R]) -> Sequence[Sequence[R]]:
        """The underlying reader's, as they were written."""
        return self._reader.uncommitted(table)

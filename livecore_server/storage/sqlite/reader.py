"""The five reads of the port on SQLite: first from the caches, then by a prepared statement, one for many keys.

`CommittedReader` shows the snapshot of the newest committed state. `BatchReader` shows the same overlaid with the
uncommitted rows of the running batch, and notes if a unit has read one of those: such a unit's answer depends on the
commit.
"""

from __future__ import annotations

import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, TypeVar

from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Count, Find, Get, Scan, Sums
from livecore.kernel.storage.store import Write, sums_of
from livecore.kernel.storage.tables import Key, Table, Unique, Value
from livecore_server.storage.cache_keys import MISSING, CacheKey
from livecore_server.storage.changed_rows import ChangedRows
from livecore_server.storage.sqlite.cache import RowCache, ScanCache
from livecore_server.storage.sqlite.statements import (
    count_sql,
    find_sql,
    groups_sql,
    pairs_sql,
    plan_of,
    rows_sql,
    scan_sql,
)
from livecore_server.storage.sqlite.weights import weigh_all

R = TypeVar("R")
_NO_LIMIT = -1
_GROUP_BYTES = 100
"""What one group of sums needs besides its name: a number, and its place in a dictionary."""
_MOST_GROUPS = 50_000
"""How many groups of one answer are cached at most."""
_BY_KEY = (Get, Find)
_FEW = 8
"""Fewer rows are selected one by one, which takes no longer."""
_MOST_TOGETHER = 256
"""How many rows one statement selects at most."""


class Caches:
    """The caches of the committed state, `limit_bytes` together. The cache of sums is empty until sums are requested."""

    __slots__ = ("rows", "scans", "sums")

    def __init__(self, limit_bytes: int) -> None:
        self.rows = RowCache(limit_bytes // 2)
        self.scans = ScanCache[list[Any]](limit_bytes // 4)
        self.sums = ScanCache[dict[Value, int]](limit_bytes // 4, most=_MOST_GROUPS, share=1.0)

    def drop(self, cache_keys: Iterable[CacheKey]) -> None:
        """Drop the answers under the prefixes with changed rows."""
        for cache_key in cache_keys:
            self.scans.drop(cache_key)
        if self.sums:
            for cache_key in cache_keys:
                self.sums.drop(cache_key)

    def clear(self) -> None:
        """Forget everything."""
        self.rows.clear()
        self.scans.clear()
        self.sums.clear()


class Uncommitted(ChangedRows):
    """The changes of the running batch so far, and whether the running unit has read any of them."""

    __slots__ = ("rewritten", "seen", "written")

    def __init__(self) -> None:
        super().__init__()
        self.rewritten: set[tuple[str, Table[Any]]] = set()
        """Tables of scopes in which any row may have changed, so that their cached rows must not be used."""
        self.written: defaultdict[tuple[str, Table[Any]], list[Any]] = defaultdict(list)
        """The rows of a scope's ranked table in the order in which they were written."""
        self.seen = False

    def enter(self, scope: str, write: Write) -> None:
        """Add a row as it will be; one of a ranked table also to `written`."""
        super().enter(scope, write)
        if write.table.ranked and write.after is not None:
            self.written[scope, write.table].append(write.after)


class CommittedReader(Reader):
    """The committed rows of one scope."""

    __slots__ = ("_connection", "_rows", "_scans", "_scope", "_sums")

    def __init__(self, scope: str, connection: sqlite3.Connection, caches: Caches) -> None:
        self._scope = scope
        self._connection = connection
        self._rows = caches.rows
        self._scans = caches.scans
        self._sums = caches.sums

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        cache_key = (self._scope, table, key)
        row: R | None = self._rows.young.get(cache_key, MISSING)
        return self._get(cache_key, table, key) if row is MISSING else row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        cache_key = (self._scope, unique, values)
        row: R | None = self._rows.young.get(cache_key, MISSING)
        return self._find(cache_key, unique, values) if row is MISSING else row

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        cache_key, shape = (self._scope, *scan[:2]), scan[2:]
        rows: list[R] | None = self._scans.get(cache_key, shape)
        if rows is None:
            rows = self._scan(scan)
            if self._scans.takes(rows):
                self._scans.put(cache_key, shape, rows, weigh_all(rows))
        return rows[:]

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit."""
        cache_key, shape = (self._scope, *count[:2]), count[2:]
        remembered = self._scans.get(cache_key, shape)
        if remembered is None:
            remembered = [self._count(count)]
            self._scans.put(cache_key, shape, remembered, 0)
        total: int = remembered[0]
        return total

    def sums(self, sums: Sums) -> dict[Value, int]:
        """Sums over the rows within the bounds.

        Those of a whole prefix are cached, and those that were loaded together; other bounds are rarely the same.
        """
        found = self._sums.get((self._scope, *sums[:2]), sums[2:])
        if found is None:
            found = self._add_up(sums)
            if sums.start or sums.stop:
                return found
            self._keep(sums, found)
        return found.copy()

    def load(self, reads: Iterable[AnyRead]) -> None:
        """Ask few statements for rows of many keys or unique values, and for sums over the same rows.

        The caches have them then.
        """
        asked = reads if isinstance(reads, list) else list(reads)
        sums = [read for read in asked if type(read) is Sums]
        if len(sums) > 1:
            self._load_sums(sums)
        if len(asked) < _FEW:
            return
        unknown: defaultdict[Table[Any] | Unique[Any], dict[Key, None]] = defaultdict(dict)
        scope, young = self._scope, self._rows.young
        for read in asked:
            if not isinstance(read, _BY_KEY):
                continue
            found_by, key = read
            # Most rows are there, so this look-up comes before all else.
            if (scope, found_by, key) not in young and not self._is_at_hand(found_by, key):
                unknown[found_by][key] = None
        for found_by, keys in unknown.items():
            if len(keys) >= _FEW:
                self._rows.put_all(self._select_many(found_by, list(keys)))

    def _is_at_hand(self, found_by: Table[Any] | Unique[Any], key: Key) -> bool:
        """Whether reading this row, which is not in the young generation, needs no statement."""
        return self._rows.recall((self._scope, found_by, key)) is not MISSING

    def _select_many(self, found_by: Table[Any] | Unique[Any], keys: Sequence[Key]) -> dict[CacheKey, Any]:
        """The rows with these keys or unique values, and `None` for each that has none."""
        table, key_of = (
            (found_by, found_by.key_of) if isinstance(found_by, Table) else (found_by.table, found_by.values)
        )
        decode = plan_of(table).codec.decode
        rows: dict[CacheKey, Any] = {(self._scope, found_by, key): None for key in keys}
        for begin in range(0, len(keys), _MOST_TOGETHER):
            some = keys[begin : begin + _MOST_TOGETHER]
            # Nulls, which find nothing, make a power of two of them, so that there are few statements to prepare.
            size = 1 << (len(some) - 1).bit_length()
            nulls = (None,) * ((size - len(some)) * len(some[0]))
            values = (*chain.from_iterable(some), *nulls, self._scope)
            for row in map(decode, self._connection.execute(rows_sql(found_by, size), values)):
                rows[self._scope, found_by, key_of(row)] = row
        return rows

    def _load_sums(self, reads: Sequence[Sums]) -> None:
        """Add up with one statement what is asked over the same rows, where the index has their groups one after another."""
        alike: defaultdict[Sums, list[Sums]] = defaultdict(list)
        for read in reads:
            if self._sums.get((self._scope, *read[:2]), read[2:]) is None:
                alike[read._replace(of="", by="")].append(read)
        for same, wanted in alike.items():
            by = same.index.order[: len({read.by for read in wanted})]
            if len(wanted) > 1 and {read.by for read in wanted} == set(by):
                self._add_up_groups(same, by, wanted)

    def _add_up_groups(self, same: Sums, by: tuple[str, ...], wanted: Sequence[Sums]) -> None:
        index, prefix, _, _, start, stop = same
        start, stop = start or (), stop or ()
        of = tuple(dict.fromkeys(read.of for read in wanted))
        statement = groups_sql(index, len(start), len(stop), by, of)
        try:
            groups = self._connection.execute(statement, (self._scope, *prefix, *stop, *start)).fetchall()
        except sqlite3.OperationalError:
            return  # a sum of more than 64 bits, which adding up here can do
        # Those within other bounds are hardly asked for again, and there is room for few.
        self._sums.drop((self._scope, index, prefix))
        for read in wanted:
            at, number = by.index(read.by), len(by) + of.index(read.of)
            found: dict[Value, int] = {}
            for group in groups:
                found[group[at]] = found.get(group[at], 0) + group[number]
            self._keep(read, found)

    def _keep(self, sums: Sums, found: dict[Value, int]) -> None:
        weight = _GROUP_BYTES * len(found) + sum(map(sys.getsizeof, found))
        self._sums.put((self._scope, *sums[:2]), sums[2:], found, weight)

    # -- beyond the young generation

    def _get(self, cache_key: CacheKey, table: Table[R], key: Key) -> R | None:
        row: R | None = self._rows.recall(cache_key)
        if row is not MISSING:
            return row
        row = self._select(table, key)
        self._rows.put(cache_key, row)
        return row

    def _select(self, table: Table[R], key: Key) -> R | None:
        plan = plan_of(table)
        values = self._connection.execute(plan.select, (self._scope, *key)).fetchone()
        if values is None:
            return None
        row: R = plan.codec.decode(values)
        return row

    def _find(self, cache_key: CacheKey, unique: Unique[R], values: Key) -> R | None:
        row: R | None = self._rows.recall(cache_key)
        if row is not MISSING:
            return row
        row = self._select_unique(unique, values)
        self._rows.put(cache_key, row)
        return row

    def _select_unique(self, unique: Unique[R], values: Key) -> R | None:
        found = self._connection.execute(find_sql(unique), (self._scope, *values)).fetchone()
        if found is None:
            return None
        row: R = plan_of(unique.table).codec.decode(found)
        return row

    def _scan(self, scan: Scan[R]) -> list[R]:
        index, prefix, start, after, stop, reverse, limit = scan
        start, after, stop = start or (), after or (), stop or ()
        sql = scan_sql(index, len(start), len(after), len(stop), reverse)
        most = _NO_LIMIT if limit is None else limit
        found = self._connection.execute(sql, (self._scope, *prefix, *stop, *start, *after, most)).fetchall()
        return list(map(plan_of(index.table).codec.decode, found))

    def _count(self, count: Count) -> int:
        index, prefix, start, stop, limit = count
        start, stop = start or (), stop or ()
        last = () if limit is None else (limit,)
        sql = count_sql(index, len(start), len(stop), limit is not None)
        (total,) = self._connection.execute(sql, (self._scope, *prefix, *stop, *start, *last)).fetchone()
        return int(total)

    def _add_up(self, wanted: Sums) -> dict[Value, int]:
        """If the index holds both columns, SQLite does not read the rows."""
        index, prefix, of, by, start, stop = wanted
        start, stop = start or (), stop or ()
        sql = pairs_sql(index, len(start), len(stop), by, of)
        sums: dict[Value, int] = {}
        # Adding up here is faster than GROUP BY, which sorts.
        for group, number in self._connection.execute(sql, (self._scope, *prefix, *stop, *start)):
            sums[group] = sums.get(group, 0) + number
        return sums


class BatchReader(CommittedReader):
    """The rows of one scope as the running batch has left them so far.

    Cache keys that the batch has not touched are read from, and added to, the caches of the committed state.
    """

    __slots__ = ("_uncommitted",)

    def __init__(self, scope: str, connection: sqlite3.Connection, caches: Caches, uncommitted: Uncommitted) -> None:
        super().__init__(scope, connection, caches)
        self._uncommitted = uncommitted

    def get(self, table: Table[R], key: Key) -> R | None:
        """The row with this key."""
        if self._uncommitted.rewritten and self._is_rewritten(table):
            return self._select(table, key)
        cache_key = (self._scope, table, key)
        row: R | None = self._uncommitted.rows.get(cache_key, MISSING)
        if row is not MISSING:
            self._uncommitted.seen = True
            return row
        row = self._rows.young.get(cache_key, MISSING)
        return self._get(cache_key, table, key) if row is MISSING else row

    def find(self, unique: Unique[R], values: Key) -> R | None:
        """The row with these unique values."""
        if self._uncommitted.rewritten and self._is_rewritten(unique.table):
            return self._select_unique(unique, values)
        cache_key = (self._scope, unique, values)
        row: R | None = self._uncommitted.rows.get(cache_key, MISSING)
        if row is not MISSING:
            self._uncommitted.seen = True
            return row
        row = self._rows.young.get(cache_key, MISSING)
        return self._find(cache_key, unique, values) if row is MISSING else row

    def scan(self, scan: Scan[R]) -> list[R]:
        """Rows in the index's order within the bounds."""
        if (self._scope, *scan[:2]) in self._uncommitted.scans or self._is_rewritten(scan.index.table):
            self._uncommitted.seen = True
            return self._scan(scan)
        return super().scan(scan)

    def count(self, count: Count) -> int:
        """How many rows lie within the bounds, up to the limit."""
        if (self._scope, *count[:2]) in self._uncommitted.scans or self._is_rewritten(count.index.table):
            self._uncommitted.seen = True
            return self._count(count)
        return super().count(count)

    def sums(self, sums: Sums) -> dict[Value, int]:
        """Sums over the rows within the bounds."""
        rows = self.scan(Scan(sums.index, sums.prefix, start=sums.start, stop=sums.stop))
        return sums_of(rows, sums.of, sums.by)

    def _load_sums(self, reads: Sequence[Sums]) -> None:
        """Nothing: they are added up from the rows of scans."""

    def _is_at_hand(self, found_by: Table[Any] | Unique[Any], key: Key) -> bool:
        """Whether reading this row needs no statement, or has to use one of its own."""
        uncommitted, table = self._uncommitted, found_by if isinstance(found_by, Table) else found_by.table
        if (self._scope, table) in uncommitted.rewritten or (self._scope, found_by, key) in uncommitted.rows:
            return True
        return super()._is_at_hand(found_by, key)

    def uncommitted(self, table: Table[R]) -> tuple[list[R]]:
        """The rows of a ranked table that earlier units of the batch have written."""
        rows: list[R] = self._uncommitted.written[self._scope, table]
        self._uncommitted.seen = self._uncommitted.seen or bool(rows)
        return (rows,)

    def _is_rewritten(self, table: Table[Any]) -> bool:
        if (self._scope, table) not in self._uncommitted.rewritten:
            return False
        self._uncommitted.seen = True
        return True

"""The rows of a scope that were read in one transaction, and the wanted reads, for one or many units of work.

Reading has two steps. Units note the reads that they need or are expected to need. `questions` turns them into as few
statements as possible, which are sent in one round trip, and `take` stores the results. All of it is of one snapshot, so no
read is repeated, and all units share it: rows by key and by unique values, results of scans and counts, and bounded scans
and counts that follow from a scan with a higher limit or without bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

import attrs
from psycopg.pq.abc import PGresult

from livecore.kernel.storage.reads import AnyRead, Count, Find, Get, Scan, Sums
from livecore.kernel.storage.store import in_bounds, sums_of
from livecore.kernel.storage.tables import Index, Key, Table, Unique, Value
from livecore_server.storage.cache_keys import CacheKey, cache_keys_of
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.sql.batch_sql import Bounds, counts_sql, finds_sql, gets_sql, kinds_of, scans_sql
from livecore_server.storage.postgres.sql.codec import cells_of
from livecore_server.storage.postgres.sql.statements import count_sql, find_sql, plan_of, scan_sql, sums_sql
from livecore_server.storage.postgres.sql.text import array, encoded, parameter, unescaped

HintKey: TypeAlias = "tuple[str, AnyRead, str]"
"""A scope's id, the read that finds the row, and the field."""
_Shape: TypeAlias = "tuple[Index[Any], Bounds, bool, int | None]"


@attrs.frozen(eq=False)
class Question:
    """A statement, and the function that stores its result."""

    statement: Statement
    take: Callable[[PGresult], None]


class Hints:
    """The last known ids in rows that were found before: guesses, for all scopes of a process.

    What they were found by is not kept, only its hash: one of these values is a player's external id, and a process would
    know it long after the player was erased. Two of the same hash cost a wrong guess.
    """

    __slots__ = ("_most", "_old", "_young")

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._young: dict[int, Value] = {}
        self._old: dict[int, Value] = {}

    def get(self, hint_key: HintKey) -> Value:
        """The id, or `None` if none is known."""
        hashed = hash(hint_key)
        found = self._young.get(hashed)
        return self._old.get(hashed) if found is None else found

    def put(self, hint_key: HintKey, value: Value) -> None:
        """Remember an id; if there are too many, the older half is dropped."""
        self._young[hash(hint_key)] = value
        if len(self._young) > self._most:
            self._old, self._young = self._young, {}


class ReadSet:
    """The rows of one scope that one transaction has read."""

    __slots__ = (
        "_counts", "_keys", "_scans", "_scope", "_sums", "_widest", "counts", "hints", "rows", "scans", "scope", "sums",
    )  # fmt: skip

    def __init__(self, scope: str, hints: Hints | None = None) -> None:
        self.scope = scope
        self.hints = hints or Hints()
        self._scope = encoded(scope)
        self.rows: dict[CacheKey, Any] = {}
        """By key and by unique values; `None`: there is no such row."""
        self.scans: dict[Scan[Any], list[Any]] = {}
        self._widest: dict[tuple[Any, ...], tuple[int, list[Any]]] = {}
        """Of limited scans, without their limit, the highest limit and what was found."""
        self.counts: dict[Count, int] = {}
        self.sums: dict[Sums, dict[Value, int]] = {}
        self._keys: dict[Table[Any] | Unique[Any], dict[Key, None]] = {}
        self._scans: dict[_Shape, dict[Scan[Any], None]] = {}
        self._counts: dict[_Shape, dict[Count, None]] = {}
        self._sums: dict[Sums, None] = {}

    # -- results

    def scan(self, walk: Scan[Any]) -> list[Any] | None:
        """The result of a scan, if it is known."""
        if not self.scans:
            return None
        rows = self.scans.get(walk)
        return self._of_wider(walk) if rows is None else rows

    def count(self, count: Count) -> int | None:
        """The result of a count, if it is known."""
        total = self.counts.get(count)
        if total is None and self.scans:
            rows = self.scan(Scan(count.index, count.prefix, count.start, None, count.stop, limit=count.limit))
            total = None if rows is None else len(rows)
        return total

    def add_up(self, adding: Sums) -> dict[Value, int] | None:
        """Sums, if they are known."""
        sums = self.sums.get(adding)
        if sums is None:
            index, prefix, of, by, start, stop = adding
            rows = self.scan(Scan(index, prefix, start, None, stop))
            sums = None if rows is None else sums_of(rows, of, by)
        return sums

    def _of_wider(self, walk: Scan[Any]) -> list[Any] | None:
        """The result of a scan from that of the same scan with a higher limit, or from that of the whole prefix."""
        index, prefix, start, after, stop, reverse, limit = walk
        held = self._widest.get(walk[:-1])
        if held is not None:
            asked, rows = held
            if len(rows) < asked or (limit is not None and limit <= asked):
                return rows if limit is None else rows[:limit]
        all_rows = self.scans.get(Scan(index, prefix))
        if all_rows is None:
            return None
        rows = [row for row in all_rows if in_bounds(index.position_of(row), start, after, stop)]
        if reverse:
            rows.reverse()
        return rows if limit is None else rows[:limit]

    def put_scan(self, walk: Scan[Any], rows: list[Any]) -> None:
        """Store the result of a scan."""
        self.scans[walk] = rows
        limit = walk.limit
        if limit is not None and self._widest.get(walk[:-1], (0, rows))[0] < limit:
            self._widest[walk[:-1]] = limit, rows

    # -- wanted reads

    def want(self, reads: Iterable[AnyRead]) -> None:
        """Note reads of any kind."""
        for item in reads:
            if isinstance(item, Get | Find):
                self.want_row(item[0], item[1])
            elif isinstance(item, Scan):
                self.want_scan(item)
            elif isinstance(item, Count):
                self.want_count(item)
            else:
                self.want_sums(item)

    def want_row(self, source: Table[Any] | Unique[Any], key: Key) -> None:
        """Note a key or unique values."""
        if (self.scope, source, key) not in self.rows:
            self._keys.setdefault(source, {})[key] = None

    def want_scan(self, walk: Scan[Any]) -> None:
        """Note a scan."""
        if self.scan(walk) is None:
            self._scans.setdefault(_shape(walk), {})[walk] = None

    def want_count(self, count: Count) -> None:
        """Note a count."""
        if self.count(count) is None:
            index, _, start, stop, limit = count
            self._counts.setdefault((index, (len(start or ()), 0, len(stop or ())), False, limit), {})[count] = None

    def want_sums(self, adding: Sums) -> None:
        """Note sums."""
        if self.add_up(adding) is None:
            self._sums[adding] = None

    @property
    def asking(self) -> bool:
        """Whether any reads are wanted."""
        return bool(self._keys or self._scans or self._counts or self._sums)

    def questions(self) -> list[Question]:
        """The statements for all wanted reads, which then count as sent."""
        asked = [self._rows_question(source, list(keys)) for source, keys in self._keys.items()]
        asked += [self._scan_question(shape, list(walks)) for shape, walks in self._scans.items()]
        asked += [self._count_question(shape, list(walks)) for shape, walks in self._counts.items()]
        asked += map(self._sums_question, self._sums)
        self._keys, self._scans, self._counts, self._sums = {}, {}, {}, {}
        return asked

    # -- rows by key and unique values

    def _rows_question(self, source: Table[Any] | Unique[Any], keys: list[Key]) -> Question:
        table = source if isinstance(source, Table) else source.table

        def take(result: PGresult) -> None:
            scope, rows = self.scope, self.rows
            for key in keys:
                rows[scope, source, key] = None
            self._remember(table, plan_of(table).codec.decode(result))

        if len(keys) == 1:
            return Question(_row_statement(self._scope, source, keys[0]), take)
        names = source.key if isinstance(source, Table) else source.columns
        sql = gets_sql(source) if isinstance(source, Table) else finds_sql(source)
        return Question(Statement(sql, (self._scope, *_arrays(table, names, keys))), take)

    def _remember(self, table: Table[Any], records: Iterable[Any]) -> None:
        remember, scope, rows = cache_keys_of(table).remember, self.scope, self.rows
        for record in records:
            remember(scope, record, rows)

    # -- scans and counts

    def _scan_question(self, shape: _Shape, walks: list[Scan[Any]]) -> Question:
        index, bounds, reverse, limit = shape
        records = plan_of(index.table).codec.records

        def take_one(result: PGresult) -> None:
            rows = records(cells_of(result))
            self.put_scan(walks[0], rows)
            self._remember(index.table, rows)

        def take(result: PGresult) -> None:
            found: list[list[Any]] = [[] for _ in walks]
            cells = cells_of(result)
            for cell, row in zip(cells, records(cells), strict=True):
                found[cell[-1] - 1].append(row)
            for walk, rows in zip(walks, found, strict=True):
                # Usually already in order, but the join does not guarantee it.
                rows.sort(key=cast(Any, index.position_of), reverse=reverse)
                self.put_scan(walk, rows)
                self._remember(index.table, rows)

        if len(walks) == 1:
            return Question(scan_statement(self._scope, walks[0]), take_one)
        sql = scans_sql(index, bounds, reverse)
        return Question(Statement(sql, (self._scope, *_arrays_of(walks, bounds), parameter(limit))), take)

    def _count_question(self, shape: _Shape, counts: list[Count]) -> Question:
        index, bounds, _, limit = shape
        last = () if limit is None else (parameter(limit),)

        def take_one(result: PGresult) -> None:
            self.counts[counts[0]] = int(result.get_value(0, 0) or 0)

        def take(result: PGresult) -> None:
            for total, number in cells_of(result):
                self.counts[counts[number - 1]] = total

        if len(counts) == 1:
            return Question(_count_statement(self._scope, counts[0]), take_one)
        sql = counts_sql(index, bounds, limit is not None)
        walks = [Scan(count.index, count.prefix, count.start, None, count.stop) for count in counts]
        return Question(Statement(sql, (self._scope, *_arrays_of(walks, bounds), *last)), take)

    def _sums_question(self, adding: Sums) -> Question:
        index, prefix, of, by, start, stop = adding
        textual = kinds_of(index.table)[by] in {"text", "json"}

        def take(result: PGresult) -> None:
            self.sums[adding] = {
                unescaped(group) if textual and group is not None else group: int(total)
                for group, total in cells_of(result)
            }

        start, stop = start or (), stop or ()
        sql = sums_sql(index, len(start), len(stop), of, by)
        return Question(Statement(sql, (self._scope, *map(parameter, (*prefix, *stop, *start)))), take)


def _shape(walk: Scan[Any]) -> _Shape:
    index, _, start, after, stop, reverse, limit = walk
    return index, (len(start or ()), len(after or ()), len(stop or ())), reverse, limit


def _arrays(table: Table[Any], names: Sequence[str], keys: list[Key]) -> list[bytes]:
    kinds = kinds_of(table)
    return [array(kinds[name], values) for name, values in zip(names, zip(*keys, strict=True), strict=True)]


def _arrays_of(walks: list[Scan[Any]], bounds: Bounds) -> list[bytes]:
    index = walks[0][0]
    start, after, stop = bounds
    names = (*index.prefix, *index.order[:stop], *index.order[:start], *index.order[:after])
    positions = [
        (*prefix, *(stop or ()), *(start or ()), *(after or ())) for _, prefix, start, after, stop, _, _ in walks
    ]
    return _arrays(index.table, names, positions)


# -- statements for one


def _row_statement(scope: bytes, source: Table[Any] | Unique[Any], key: Key) -> Statement:
    return get_statement(scope, source, key) if isinstance(source, Table) else find_statement(scope, source, key)


def get_statement(scope: bytes, table: Table[Any], key: Key) -> Statement:
    """The look-up by key."""
    return Statement(plan_of(table).select, (scope, *map(parameter, key)))


def find_statement(scope: bytes, unique: Unique[Any], values: Key) -> Statement:
    """The look-up by unique values."""
    return Statement(find_sql(unique), (scope, *map(parameter, values)))


def scan_statement(scope: bytes, scan: Scan[Any]) -> Statement:
    """The scan of an index."""
    index, prefix, start, after, stop, reverse, limit = scan
    start, after, stop = start or (), after or (), stop or ()
    sql = scan_sql(index, len(start), len(after), len(stop), reverse)
    return Statement(sql, (scope, *map(parameter, (*prefix, *stop, *start, *after, limit))))


def _count_statement(scope: bytes, count: Count) -> Statement:
    index, prefix, start, stop, limit = count
    start, stop = start or (), stop or ()
    values = (*prefix, *stop, *start, *(() if limit is None else (limit,)))
    sql = count_sql(index, len(start), len(stop), limit is not None)
    return Statement(sql, (scope, *map(parameter, values)))

"""The SQL of each table, written once. A text holds declared names only; every value is a parameter.

Every statement names its scope first, and none names two: that is what lets the tables be distributed by scope. No text
holds a function whose answer could change between two runs; times, ids and chance come in as parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any

from livecore.kernel.tables import Index, Table, Unique
from livecore_server.layout import quoted
from livecore_server.places import Places, places_of
from livecore_server.postgres.codec import Codec, codec_of

__all__ = ["Plan", "count_sql", "find_sql", "plan_of", "scan_sql", "sums_sql"]


class Plan:
    """How one table is read and written: its generated functions and its statements by key."""

    __slots__ = ("_updates", "codec", "delete", "insert", "places", "select", "select_all", "table", "unique_mask")

    def __init__(self, table: Table[Any]) -> None:
        self.table = table
        self.codec: Codec = codec_of(table)
        self.places: Places = places_of(table)
        name, columns = quoted(table.name), _listed(table)
        by_key = _equal(("scope", *table.key), count(1))
        self.select = _sql(f"SELECT {columns} FROM {name} WHERE {by_key}")  # noqa: S608 - declared names
        self.select_all = _sql(f"SELECT {columns} FROM {name} WHERE scope = $1")  # noqa: S608 - declared names
        marks = ", ".join(f"${number}" for number in range(1, len(table.columns) + 2))
        self.insert = _sql(f"INSERT INTO {name} (scope, {columns}) VALUES ({marks})")  # noqa: S608 - declared names
        self.delete = _sql(f"DELETE FROM {name} WHERE {by_key}")  # noqa: S608 - declared names
        unique = {column for held in table.uniques for column in held.columns}
        self.unique_mask = sum(1 << at for at, column in enumerate(table.columns) if column.name in unique)
        self._updates: dict[int, bytes] = {}

    def update(self, mask: int) -> bytes:
        """The update by key of the columns in the mask: their new values, then scope and key."""
        sql = self._updates.get(mask)
        if sql is None:
            numbers = count(1)
            changed = [column.name for at, column in enumerate(self.table.columns) if mask >> at & 1]
            assignments = ", ".join(f"{quoted(name)} = ${next(numbers)}" for name in changed)
            by_key = _equal(("scope", *self.table.key), numbers)
            text = f"UPDATE {quoted(self.table.name)} SET {assignments} WHERE {by_key}"  # noqa: S608 - declared names
            sql = self._updates[mask] = _sql(text)
        return sql


@cache
def plan_of(table: Table[Any]) -> Plan:
    """The plan of a table; tables are declared once and live as long as the process."""
    return Plan(table)


@cache
def find_sql(unique: Unique[Any]) -> bytes:
    """The look-up by unique values; a null among them finds nothing."""
    by_values = _equal(("scope", *unique.columns), count(1))
    return _sql(f"SELECT {_listed(unique.table)} FROM {quoted(unique.table.name)} WHERE {by_values}")  # noqa: S608 - names


@cache
def scan_sql(index: Index[Any], start: int, after: int, stop: int, reverse: bool) -> bytes:  # noqa: FBT001 - a cache key
    """The scan with bounds of so many values each (0: none); the parameters end in the limit, null for none."""
    numbers = count(1)
    matching = _matching(index, start, after, stop, numbers)
    direction = " DESC" if reverse else ""
    order = ", ".join(f"{quoted(name)}{direction}" for name in index.order or index.table.key)
    return _sql(f"SELECT {_listed(index.table)} {matching} ORDER BY {order} LIMIT ${next(numbers)}")


@cache
def count_sql(index: Index[Any], start: int, stop: int) -> bytes:
    """How many rows the scan with these bounds would give."""
    return _sql(f"SELECT count(*) {_matching(index, start, 0, stop, count(1))}")


@cache
def sums_sql(index: Index[Any], start: int, stop: int, of: str, by: str) -> bytes:
    """The sums of a column by another one over the rows that the scan with these bounds would give."""
    matching = _matching(index, start, 0, stop, count(1))
    return _sql(f"SELECT {quoted(by)}, sum({quoted(of)}) {matching} GROUP BY {quoted(by)}")


def _matching(index: Index[Any], start: int, after: int, stop: int, numbers: Iterator[int]) -> str:
    conditions = [_equal(("scope", *index.prefix), numbers)]
    conditions += [f"{quoted(name)} IS NOT NULL" for name in index.nullable]
    bounds = (("<", stop), (">=", start), (">", after))
    conditions += [_bound(index.order[:width], sign, numbers) for sign, width in bounds if width]
    return f"FROM {quoted(index.table.name)} WHERE {' AND '.join(conditions)}"


def _bound(columns: Sequence[str], sign: str, numbers: Iterator[int]) -> str:
    marks = [f"${next(numbers)}" for _ in columns]
    if len(columns) == 1:
        return f"{quoted(columns[0])} {sign} {marks[0]}"
    return f"({', '.join(map(quoted, columns))}) {sign} ({', '.join(marks)})"


def _equal(columns: Iterable[str], numbers: Iterator[int]) -> str:
    return " AND ".join(f"{quoted(name)} = ${next(numbers)}" for name in columns)


def _listed(table: Table[Any]) -> str:
    return ", ".join(quoted(column.name) for column in table.columns)


def _sql(text: str) -> bytes:
    return text.encode()

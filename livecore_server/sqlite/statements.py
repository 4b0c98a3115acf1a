"""The SQL of each table, written once: a text is made the first time it is needed, and `sqlite3` keeps it prepared.

A scan's text depends only on how many values each bound has and on the direction, never on the values. Bounds are row-value
comparisons, which the index answers directly: `("at", "id") > (?, ?)`. A text holds declared names only; every value is a
parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from livecore.kernel.tables import Index, Table, Unique
from livecore_server.sqlite.codec import Codec, codec_of
from livecore_server.sqlite.schema import quoted

__all__ = ["Plan", "clear_sql", "count_sql", "find_sql", "pairs_sql", "plan_of", "rewrite_sql", "scan_sql"]


class Plan:
    """How one table is read and written: its generated functions and its statements by key."""

    __slots__ = ("_updates", "codec", "delete", "insert", "select", "select_all", "table", "unique_mask")

    def __init__(self, table: Table[Any]) -> None:
        self.table = table
        self.codec: Codec = codec_of(table)
        name, columns = quoted(table.name), _listed(table)
        by_key = _equal(("scope", *table.key))
        self.select = f"SELECT {columns} FROM {name} WHERE {by_key}"  # noqa: S608 - declared names
        self.select_all = f"SELECT {columns} FROM {name} WHERE scope = ?"  # noqa: S608 - declared names
        marks = ", ".join("?" * (len(table.columns) + 1))
        self.insert = f"INSERT INTO {name} (scope, {columns}) VALUES ({marks})"  # noqa: S608 - declared names
        self.delete = f"DELETE FROM {name} WHERE {by_key}"  # noqa: S608 - declared names
        unique = {column for held in table.uniques for column in held.columns}
        self.unique_mask = sum(1 << at for at, column in enumerate(table.columns) if column.name in unique)
        self._updates: dict[int, str] = {}

    def update(self, mask: int) -> str:
        """The update by key of the columns in the mask; SQLite leaves indexes of other columns alone."""
        sql = self._updates.get(mask)
        if sql is None:
            changed = [column.name for at, column in enumerate(self.table.columns) if mask >> at & 1]
            assignments = ", ".join(f"{quoted(name)} = ?" for name in changed)
            by_key = _equal(("scope", *self.table.key))
            sql = self._updates[mask] = f"UPDATE {quoted(self.table.name)} SET {assignments} WHERE {by_key}"  # noqa: S608 - declared names
        return sql


@cache
def plan_of(table: Table[Any]) -> Plan:
    """The plan of a table; tables are declared once and live as long as the process."""
    return Plan(table)


@cache
def find_sql(unique: Unique[Any]) -> str:
    """The look-up by unique values; a null among them finds nothing."""
    return f"SELECT {_listed(unique.table)} FROM {quoted(unique.table.name)} WHERE {_equal(('scope', *unique.columns))}"  # noqa: S608 - declared names


@cache
def scan_sql(index: Index[Any], start: int, after: int, stop: int, reverse: bool) -> str:  # noqa: FBT001 - a cache key
    """The scan with bounds of so many values each (0: none); the parameters end in the limit, -1 for none."""
    direction = " DESC" if reverse else ""
    order = ", ".join(f"{quoted(name)}{direction}" for name in index.order or index.table.key)
    columns = _listed(index.table)
    return f"SELECT {columns} {_matching(index, start, after, stop)} ORDER BY {order} LIMIT ?"


@cache
def pairs_sql(index: Index[Any], start: int, stop: int, first: str, second: str) -> str:
    """Two columns of each row that the scan with these bounds would give, in any order."""
    return f"SELECT {quoted(first)}, {quoted(second)} {_matching(index, start, 0, stop)}"  # noqa: S608 - declared names


@cache
def count_sql(index: Index[Any], start: int, stop: int) -> str:
    """How many rows the scan with these bounds would give."""
    return f"SELECT count(*) {_matching(index, start, 0, stop)}"


@cache
def rewrite_sql(index: Index[Any], columns: tuple[str, ...]) -> str:
    """The update of some columns of every row under a prefix: their values, then scope and prefix."""
    assignments = ", ".join(f"{quoted(name)} = ?" for name in columns)
    return f"UPDATE {quoted(index.table.name)} SET {assignments} WHERE {_conditions(index, 0, 0, 0)}"  # noqa: S608 - declared names


@cache
def clear_sql(index: Index[Any]) -> str:
    """The removal of every row under a prefix."""
    return f"DELETE {_matching(index, 0, 0, 0)}"


def _matching(index: Index[Any], start: int, after: int, stop: int) -> str:
    return f"FROM {quoted(index.table.name)} WHERE {_conditions(index, start, after, stop)}"


def _conditions(index: Index[Any], start: int, after: int, stop: int) -> str:
    conditions = [_equal(("scope", *index.prefix))]
    conditions += [f"{quoted(name)} IS NOT NULL" for name in index.nullable]
    bounds = (("<", stop), (">=", start), (">", after))
    conditions += [_bound(index.order[:width], sign) for sign, width in bounds if width]
    return " AND ".join(conditions)


def _bound(columns: Sequence[str], sign: str) -> str:
    if len(columns) == 1:
        return f"{quoted(columns[0])} {sign} ?"
    return f"({', '.join(map(quoted, columns))}) {sign} ({', '.join('?' * len(columns))})"


def _equal(columns: Iterable[str]) -> str:
    return " AND ".join(f"{quoted(name)} = ?" for name in columns)


def _listed(table: Table[Any]) -> str:
    return ", ".join(quoted(column.name) for column in table.columns)

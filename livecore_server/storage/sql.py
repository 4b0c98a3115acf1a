"""The SQL texts that are the same for every database.

Only the parameter marks differ: `?`, or `$1`, `$2` and so on. So the caller passes the marks; a text takes one for each
parameter, in the order of the values. A text holds declared names only. It depends on how many values each bound has, never
on the values; bounds are row-value comparisons, which an index answers directly: `("at", "id") > (?, ?)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

from livecore.kernel.storage.tables import Index, Table, Unique
from livecore_server.storage.layout import quoted

Marks: TypeAlias = "Iterator[str]"
"""The parameter marks, one after another."""


# -- by key


def select_text(table: Table[Any], marks: Marks) -> str:
    """The look-up by scope and key."""
    return f"SELECT {_listed(table)} FROM {quoted(table.name)} WHERE {_by_key(table, marks)}"  # noqa: S608 - declared names


def select_all_text(table: Table[Any], marks: Marks) -> str:
    """Every row of a scope."""
    return f"SELECT {_listed(table)} FROM {quoted(table.name)} WHERE {_equal(('scope',), marks)}"  # noqa: S608 - declared names


def insert_text(table: Table[Any], marks: Marks) -> str:
    """A new row: the scope, then every column."""
    given = ", ".join(next(marks) for _ in ("scope", *table.columns))
    return f"INSERT INTO {quoted(table.name)} (scope, {_listed(table)}) VALUES ({given})"  # noqa: S608 - declared names


def update_text(table: Table[Any], mask: int, marks: Marks) -> str:
    """The update by key of the columns in the mask: their new values, then scope and key."""
    assignments = _equal(changed_columns(table, mask), marks, ", ")
    return f"UPDATE {quoted(table.name)} SET {assignments} WHERE {_by_key(table, marks)}"  # noqa: S608 - declared names


def delete_text(table: Table[Any], marks: Marks) -> str:
    """The removal by scope and key."""
    return f"DELETE FROM {quoted(table.name)} WHERE {_by_key(table, marks)}"  # noqa: S608 - declared names


def changed_columns(table: Table[Any], mask: int) -> list[str]:
    """The names of the columns in a mask: the lowest bit is the first column."""
    return [column.name for at, column in enumerate(table.columns) if mask >> at & 1]


@cache
def unique_mask(table: Table[Any]) -> int:
    """The mask of the columns that are part of a unique value."""
    unique = {column for held in table.uniques for column in held.columns}
    return sum(1 << at for at, column in enumerate(table.columns) if column.name in unique)


# -- by unique values and prefixes


def find_text(unique: Unique[Any], marks: Marks) -> str:
    """The look-up by scope and unique values; a null among them finds nothing."""
    by_values = _equal(("scope", *unique.columns), marks)
    return f"SELECT {_listed(unique.table)} FROM {quoted(unique.table.name)} WHERE {by_values}"  # noqa: S608 - declared names


def scan_text(index: Index[Any], start: int, after: int, stop: int, *, reverse: bool, marks: Marks) -> str:
    """The scan with bounds of so many values each (0: none); the parameters are those of `matching`, then the limit."""
    names = [column.name for column in index.table.columns]
    return columns_text(index, names, (start, after, stop), reverse=reverse, marks=marks)


def columns_text(
    index: Index[Any], names: Iterable[str], bounds: tuple[int, int, int], *, reverse: bool, marks: Marks
) -> str:
    """Some columns of the rows that a scan gives; `bounds` are the widths of its `start`, `after` and `stop`."""
    found = matching(index, *bounds, marks)
    direction = " DESC" if reverse else ""
    order = ", ".join(f"{quoted(name)}{direction}" for name in index.order or index.table.key)
    return f"SELECT {', '.join(map(quoted, names))} {found} ORDER BY {order} LIMIT {next(marks)}"


def count_text(index: Index[Any], start: int, stop: int, *, limited: bool, marks: Marks) -> str:
    """How many rows the scan with these bounds would give; where it is limited, the limit is the last parameter."""
    found = matching(index, start, 0, stop, marks)
    if not limited:
        return f"SELECT count(*) {found}"
    return f"SELECT count(*) FROM (SELECT 1 {found} LIMIT {next(marks)}) AS counted"  # noqa: S608 - declared names


def rewrite_text(index: Index[Any], columns: Iterable[str], marks: Marks) -> str:
    """The update of some columns of every row under a prefix: their values, then scope and prefix."""
    assignments = _equal(columns, marks, ", ")
    return f"UPDATE {quoted(index.table.name)} SET {assignments} WHERE {_conditions(index, 0, 0, 0, marks)}"  # noqa: S608 - declared names


def clear_text(index: Index[Any], marks: Marks) -> str:
    """The removal of every row under a prefix."""
    return f"DELETE {matching(index, 0, 0, 0, marks)}"


def matching(index: Index[Any], start: int, after: int, stop: int, marks: Marks) -> str:
    """The rows under a prefix, within bounds of so many values each: scope and prefix, then `stop`, `start` and `after`."""
    return f"FROM {quoted(index.table.name)} WHERE {_conditions(index, start, after, stop, marks)}"


# -- parts


def _conditions(index: Index[Any], start: int, after: int, stop: int, marks: Marks) -> str:
    conditions = [_equal(("scope", *index.prefix), marks)]
    # An index over columns that may be null is used only where the statement says that they are not.
    conditions += [f"{quoted(name)} IS NOT NULL" for name in index.nullable]
    bounds = (("<", stop), (">=", start), (">", after))
    conditions += [_bound(index.order[:width], sign, marks) for sign, width in bounds if width]
    return " AND ".join(conditions)


def _bound(columns: Sequence[str], sign: str, marks: Marks) -> str:
    given = [next(marks) for _ in columns]
    if len(columns) == 1:
        return f"{quoted(columns[0])} {sign} {given[0]}"
    return f"({', '.join(map(quoted, columns))}) {sign} ({', '.join(given)})"


def _by_key(table: Table[Any], marks: Marks) -> str:
    return _equal(("scope", *table.key), marks)


def _equal(columns: Iterable[str], marks: Marks, between: str = " AND ") -> str:
    return between.join(f"{quoted(name)} = {next(marks)}" for name in columns)


def _listed(table: Table[Any]) -> str:
    return ", ".join(quoted(column.name) for column in table.columns)

"""The SQL of each table, written once: a text is made the first time it is needed, and `sqlite3` keeps it prepared."""

from __future__ import annotations

from functools import cache
from itertools import repeat
from typing import Any

from livecore.kernel.storage.tables import Index, Table, Unique
from livecore_server.storage import sql
from livecore_server.storage.layout import quoted
from livecore_server.storage.sqlite.codec import Codec, codec_of
from livecore_server.storage.sqlite.weights import learn_weight

_MARKS = repeat("?")


class Plan:
    """How one table is read and written: its generated functions and its statements by key."""

    __slots__ = ("_updates", "codec", "delete", "insert", "select", "select_all", "table")

    def __init__(self, table: Table[Any]) -> None:
        learn_weight(table)
        self.table = table
        self.codec: Codec = codec_of(table)
        self.select = sql.select_text(table, _MARKS)
        self.select_all = sql.select_all_text(table, _MARKS)
        self.insert = sql.insert_text(table, _MARKS)
        self.delete = sql.delete_text(table, _MARKS)
        self._updates: dict[int, str] = {}

    def update(self, mask: int) -> str:
        """The update by key of the columns in the mask; SQLite leaves indexes of other columns alone."""
        text = self._updates.get(mask)
        if text is None:
            text = self._updates[mask] = sql.update_text(self.table, mask, _MARKS)
        return text


@cache
def plan_of(table: Table[Any]) -> Plan:
    """The plan of a table; tables are declared once and live as long as the process."""
    return Plan(table)


@cache
def find_sql(unique: Unique[Any]) -> str:
    """The look-up by unique values."""
    return sql.find_text(unique, _MARKS)


@cache
def rows_sql(found_by: Table[Any] | Unique[Any], count: int) -> str:
    """The rows with any of so many keys or unique values, in any order; the parameters are these, then the scope.

    What is asked for comes first, so that SQLite looks up each of them and never reads the rest of the scope.
    """
    table, columns = (found_by, found_by.key) if isinstance(found_by, Table) else (found_by.table, found_by.columns)
    asked = ", ".join([f"({', '.join('?' for _ in columns)})"] * count)
    listed = ", ".join(f"held.{quoted(column.name)}" for column in table.columns)
    same = " AND ".join(f"held.{quoted(name)} = asked.column{at}" for at, name in enumerate(columns, 1))
    return (
        f"SELECT {listed} FROM (VALUES {asked}) AS asked CROSS JOIN {quoted(table.name)} AS held "  # noqa: S608 - declared names
        f"WHERE held.scope = ? AND {same}"
    )


@cache
def scan_sql(index: Index[Any], start: int, after: int, stop: int, reverse: bool) -> str:  # noqa: FBT001 - a cache key
    """The scan with bounds of so many values each; a limit of -1 is none."""
    return sql.scan_text(index, start, after, stop, reverse=reverse, marks=_MARKS)


@cache
def pairs_sql(index: Index[Any], start: int, stop: int, first: str, second: str) -> str:
    """Two columns of each row that the scan with these bounds would give, in any order."""
    return f"SELECT {quoted(first)}, {quoted(second)} {sql.matching(index, start, 0, stop, _MARKS)}"


@cache
def groups_sql(index: Index[Any], start: int, stop: int, by: tuple[str, ...], of: tuple[str, ...]) -> str:
    """The rows that the scan with these bounds would give, grouped by some columns: these, then the sums of others.

    Where the groups follow one another in the index, nothing is sorted.
    """
    groups = ", ".join(map(quoted, by))
    sums = ", ".join(f"SUM({quoted(name)})" for name in of)
    return f"SELECT {groups}, {sums} {sql.matching(index, start, 0, stop, _MARKS)} GROUP BY {groups}"


@cache
def columns_sql(index: Index[Any], start: int, after: int, stop: int, reverse: bool, names: tuple[str, ...]) -> str:  # noqa: FBT001 - a cache key
    """Some columns of the rows that the scan with these bounds would give, each as one JSON text.

    A result of one row is read in one step, during which other threads run. A result of many rows would wait for the other
    threads at each of them.
    """
    rows = sql.columns_text(index, names, (start, after, stop), reverse=reverse, marks=_MARKS)
    columns = ", ".join(f"json_group_array({quoted(name)})" for name in names)
    return f"SELECT {columns} FROM ({rows})"  # noqa: S608 - declared names


@cache
def count_sql(index: Index[Any], start: int, stop: int, limited: bool) -> str:  # noqa: FBT001 - a cache key
    """How many rows the scan with these bounds would give."""
    return sql.count_text(index, start, stop, limited=limited, marks=_MARKS)


@cache
def rewrite_sql(index: Index[Any], columns: tuple[str, ...]) -> str:
    """The update of some columns of every row under a prefix."""
    return sql.rewrite_text(index, columns, _MARKS)


@cache
def clear_sql(index: Index[Any]) -> str:
    """The removal of every row under a prefix."""
    return sql.clear_text(index, _MARKS)

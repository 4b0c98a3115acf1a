"""The SQL of each table, written once.

Every statement has its scope first, and none has two scopes, so that the tables can be distributed by scope. No text holds
a function with varying results; times, ids and random values are parameters.
"""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

from livecore.kernel.storage.tables import Index, Table, Unique
from livecore_server.storage import sql
from livecore_server.storage.layout import quoted
from livecore_server.storage.postgres.sql.codec import Codec, codec_of


class Plan:
    """How one table is read and written: its generated functions and its statements by key."""

    __slots__ = ("_updates", "codec", "delete", "insert", "select", "select_all", "table")

    def __init__(self, table: Table[Any]) -> None:
        self.table = table
        self.codec: Codec = codec_of(table)
        self.select = sql.select_text(table, _marks()).encode()
        self.select_all = sql.select_all_text(table, _marks()).encode()
        self.insert = sql.insert_text(table, _marks()).encode()
        self.delete = sql.delete_text(table, _marks()).encode()
        self._updates: dict[int, bytes] = {}

    def update(self, mask: int) -> bytes:
        """The update by key of the columns in the mask: their new values, then scope and key."""
        text = self._updates.get(mask)
        if text is None:
            text = self._updates[mask] = sql.update_text(self.table, mask, _marks()).encode()
        return text


@cache
def plan_of(table: Table[Any]) -> Plan:
    """The plan of a table; tables are declared once and live as long as the process."""
    return Plan(table)


@cache
def find_sql(unique: Unique[Any]) -> bytes:
    """The look-up by unique values."""
    return sql.find_text(unique, _marks()).encode()


@cache
def scan_sql(index: Index[Any], start: int, after: int, stop: int, reverse: bool) -> bytes:  # noqa: FBT001 - a cache key
    """The scan with bounds of so many values each; a limit of null is none."""
    return sql.scan_text(index, start, after, stop, reverse=reverse, marks=_marks()).encode()


@cache
def count_sql(index: Index[Any], start: int, stop: int, limited: bool) -> bytes:  # noqa: FBT001 - a cache key
    """How many rows the scan with these bounds would give."""
    return sql.count_text(index, start, stop, limited=limited, marks=_marks()).encode()


@cache
def sums_sql(index: Index[Any], start: int, stop: int, of: str, by: str) -> bytes:
    """The sums of a column by another one over the rows that the scan with these bounds would give."""
    matching = sql.matching(index, start, 0, stop, _marks())
    return f"SELECT {quoted(by)}, sum({quoted(of)}) {matching} GROUP BY {quoted(by)}".encode()


@cache
def rewrite_sql(index: Index[Any], columns: tuple[str, ...]) -> bytes:
    """The update of some columns of every row under a prefix."""
    return sql.rewrite_text(index, columns, _marks()).encode()


@cache
def clear_sql(index: Index[Any]) -> bytes:
    """The removal of every row under a prefix."""
    return sql.clear_text(index, _marks()).encode()


def _marks() -> sql.Marks:
    return (f"${number}" for number in count(1))

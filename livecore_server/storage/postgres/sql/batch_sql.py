"""The SQL that handles many keys or prefixes in one statement: the values are arrays.

    SELECT ... WHERE scope = $1 AND id = ANY ($2)                           rows by a key or unique value of one column
    SELECT ... FROM unnest($2, $3) AS w (a, b) JOIN t ON ...                the same of several columns
    SELECT t.*, w.n FROM unnest($2) ... AS w CROSS JOIN LATERAL (...) AS t  scans and counts, with the number of each
    INSERT INTO t SELECT $1, w.* FROM unnest(...) AS w                      and so for updates and deletes

The units of a batch make similar reads at the same time. Sending, planning and running a statement costs much more than
finding one more row with it, on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any, Final

from livecore.kernel.storage.tables import Index, Table, Unique
from livecore_server.storage.layout import quoted
from livecore_server.storage.sql import changed_columns

_ARRAYS: Final = {"text": "text[]", "json": "text[]", "integer": "bigint[]", "boolean": "boolean[]"}
Bounds = tuple[int, int, int]
"""How many values there are for `start`, `after` and `stop`."""


@cache
def kinds_of(table: Table[Any]) -> dict[str, str]:
    """The kind of each column, by its name."""
    return {column.name: column.kind for column in table.columns}


@cache
def gets_sql(table: Table[Any]) -> bytes:
    """Rows by their keys."""
    return _rows_sql(table, table.key)


@cache
def finds_sql(unique: Unique[Any]) -> bytes:
    """Rows by their unique values."""
    return _rows_sql(unique.table, unique.columns)


def _rows_sql(table: Table[Any], columns: Sequence[str]) -> bytes:
    # An index over columns that may be null is used only where the statement says that they are not.
    present = "".join(f" AND t.{quoted(c.name)} IS NOT NULL" for c in table.columns if c.nullable and c.name in columns)
    listed, name = _listed(table, "t"), quoted(table.name)
    if len(columns) == 1:
        (column,) = columns
        given = f"$2::{_ARRAYS[kinds_of(table)[column]]}"
        text = f"SELECT {listed} FROM {name} AS t WHERE t.scope = $1 AND t.{quoted(column)} = ANY ({given}){present}"  # noqa: S608 - declared names
    else:
        given = _given(table, columns)
        text = f"SELECT {listed} FROM {given} JOIN {name} AS t ON {_same(columns)}{present}"  # noqa: S608 - declared names
    return text.encode()


@cache
def scans_sql(index: Index[Any], bounds: Bounds, reverse: bool) -> bytes:  # noqa: FBT001 - a cache key
    """Scans that have bounds of the same widths, one limit and one direction: rows, and behind each the number of its scan.

    The parameters are the scope, the columns of prefix, stop, start and after as arrays, and the limit, null for none.
    """
    given, columns = _given_positions(index, bounds)
    direction = " DESC" if reverse else ""
    order = ", ".join(f"{quoted(name)}{direction}" for name in index.order or index.table.key)
    limit = f"LIMIT ${columns + 2}::bigint"
    inner = f"SELECT {_listed(index.table, 's')} {_matching(index, bounds)} ORDER BY {order} {limit}"
    text = f"SELECT {_listed(index.table, 't')}, w.n FROM {given} CROSS JOIN LATERAL ({inner}) AS t"  # noqa: S608 - declared names
    return text.encode()


@cache
def counts_sql(index: Index[Any], bounds: Bounds, limited: bool) -> bytes:  # noqa: FBT001 - a cache key
    """How many rows scans with bounds of the same widths would give, and behind each the number of its scan.

    The parameters are those of the scans, with the limit at the end where there is one.
    """
    given, columns = _given_positions(index, bounds)
    inner = f"SELECT count(*) AS counted {_matching(index, bounds)}"
    if limited:
        limit = f"LIMIT ${columns + 2}::bigint"
        inner = f"SELECT count(*) AS counted FROM (SELECT 1 {_matching(index, bounds)} {limit}) AS s"  # noqa: S608 - declared names
    return f"SELECT t.counted, w.n FROM {given} CROSS JOIN LATERAL ({inner}) AS t".encode()  # noqa: S608 - declared names


@cache
def inserts_sql(table: Table[Any]) -> bytes:
    """New rows: the scope, then the columns as arrays."""
    columns = [column.name for column in table.columns]
    listed, values = ", ".join(map(quoted, columns)), ", ".join(f"w.c{at}" for at in range(len(columns)))
    given = _given(table, columns)
    return f"INSERT INTO {quoted(table.name)} (scope, {listed}) SELECT $1, {values} FROM {given}".encode()  # noqa: S608 - declared names


@cache
def deletes_sql(table: Table[Any]) -> bytes:
    """Rows by their keys: the scope, then the columns of the key as arrays."""
    return f"DELETE FROM {quoted(table.name)} AS t USING {_given(table, table.key)} WHERE {_same(table.key)}".encode()  # noqa: S608 - declared names


@cache
def updates_sql(table: Table[Any], mask: int) -> bytes:
    """New values for the columns of the mask: the scope, the columns of the key as arrays, then those of the mask."""
    changed = changed_columns(table, mask)
    set_ = ", ".join(f"{quoted(name)} = w.c{at}" for at, name in enumerate(changed, len(table.key)))
    given = _given(table, [*table.key, *changed])
    return f"UPDATE {quoted(table.name)} AS t SET {set_} FROM {given} WHERE {_same(table.key)}".encode()  # noqa: S608 - declared names


# -- parts


def _given(table: Table[Any], columns: Sequence[str], *, numbered: bool = False) -> str:
    """Rows `w` of the arrays from the second parameter on, their columns called `c0`, `c1` and so on, and `n`."""
    kinds = kinds_of(table)
    arrays = ", ".join(f"${at}::{_ARRAYS[kinds[column]]}" for at, column in enumerate(columns, 2))
    names = [f"c{at}" for at in range(len(columns))]
    if numbered:
        return f"unnest({arrays}) WITH ORDINALITY AS w ({', '.join((*names, 'n'))})"
    return f"unnest({arrays}) AS w ({', '.join(names)})"


def _given_positions(index: Index[Any], bounds: Bounds) -> tuple[str, int]:
    start, after, stop = bounds
    columns = [*index.prefix, *index.order[:stop], *index.order[:start], *index.order[:after]]
    return _given(index.table, columns, numbered=True), len(columns)


def _matching(index: Index[Any], bounds: Bounds) -> str:
    start, after, stop = bounds
    numbers = count()
    conditions = ["s.scope = $1", *(f"s.{quoted(name)} = w.c{next(numbers)}" for name in index.prefix)]
    conditions += [f"s.{quoted(name)} IS NOT NULL" for name in index.nullable]
    for sign, width in (("<", stop), (">=", start), (">", after)):
        if width:
            conditions.append(_bound(index.order[:width], sign, numbers))
    return f"FROM {quoted(index.table.name)} AS s WHERE {' AND '.join(conditions)}"


def _bound(columns: Sequence[str], sign: str, numbers: Iterator[int]) -> str:
    marks = [f"w.c{next(numbers)}" for _ in columns]
    return f"({', '.join(f's.{quoted(column)}' for column in columns)}) {sign} ({', '.join(marks)})"


def _same(columns: Sequence[str]) -> str:
    """That the row `t` of the scope has the key of `w`."""
    return " AND ".join(("t.scope = $1", *(f"t.{quoted(name)} = w.c{at}" for at, name in enumerate(columns))))


def _listed(table: Table[Any], name: str) -> str:
    return ", ".join(f"{name}.{quoted(column.name)}" for column in table.columns)

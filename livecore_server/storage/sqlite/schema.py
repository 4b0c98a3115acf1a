"""The schema in SQLite: creates a layout, and grows a file from one layout to the next.

Every table, key and index begins with the column `scope`, so that no statement can leave its scope. Only the indexes by
time begin otherwise, in which hosts search for scopes (`livecore_server.storage.due_scopes`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from livecore_server.storage.layout import (
    ColumnLayout,
    Layout,
    TableLayout,
    period_sql,
    quoted,
    text_literal,
    time_index_name,
)

if TYPE_CHECKING:
    from sqlite_utils import Database


def grow(connection: sqlite3.Connection, before: Layout, after: Layout) -> None:
    """Grow a file from one layout to another, inside the caller's transaction."""
    for name, table in after.items():
        if name not in before:
            _create(connection, name, table)
        elif before[name] != table:
            _change(connection, name, before[name], table)


def drop_indexes(connection: sqlite3.Connection, before: Layout, after: Layout) -> None:
    """Drop the indexes that a layout has no more, inside the caller's transaction."""
    database = _database(connection)
    for name, table in before.items():
        for index in _index_names(name, table).keys() - _index_names(name, after[name]).keys():
            database.table(name).drop_index(index, ignore=True)


def has_column(connection: sqlite3.Connection, table: str, column: str) -> bool:
    """Whether the file has the table, and the table the column."""
    return column in _database(connection).table(table).columns_dict


def _create(connection: sqlite3.Connection, name: str, table: TableLayout) -> None:
    connection.execute(_create_table_sql(connection, name, table))
    _create_indexes(connection, name, table, have={})
    _create_time_indexes(connection, name, table.times)


def _change(connection: sqlite3.Connection, name: str, before: TableLayout, after: TableLayout) -> None:
    if any(after.columns[column] != held for column, held in before.columns.items()):
        _rebuild(connection, name, before, after)
        return
    for column, wanted in after.columns.items():
        if column not in before.columns:
            connection.execute(f"ALTER TABLE {quoted(name)} ADD COLUMN {_column_sql(column, wanted)}")
    _create_indexes(connection, name, after, have=_index_names(name, before))
    _create_time_indexes(connection, name, [column for column in after.times if column not in before.times])


def _rebuild(connection: sqlite3.Connection, name: str, before: TableLayout, after: TableLayout) -> None:
    """Copy the rows into a new table, because SQLite cannot relax a check or a null constraint in place."""
    old = f"{name}__before"
    columns = ", ".join(quoted(column) for column in ("scope", *before.columns))
    connection.execute(f"ALTER TABLE {quoted(name)} RENAME TO {quoted(old)}")
    connection.execute(_create_table_sql(connection, name, after))
    connection.execute(f"INSERT INTO {quoted(name)} ({columns}) SELECT {columns} FROM {quoted(old)}")  # noqa: S608 - names
    connection.execute(f"DROP TABLE {quoted(old)}")
    _create_indexes(connection, name, after, have={})
    _create_time_indexes(connection, name, after.times)


# -- as SQL


def _database(connection: sqlite3.Connection) -> Database:
    from sqlite_utils import Database  # noqa: PLC0415 - a file that is up to date needs none of it

    return Database(connection, recursive_triggers=False, execute_plugins=False)


_TYPES: dict[str, type] = {"text": str, "integer": int, "boolean": int, "json": str}


def _create_table_sql(connection: sqlite3.Connection, name: str, table: TableLayout) -> str:
    sql = _database(connection).create_table_sql(
        name,
        {"scope": str, **{column: _TYPES[held.kind] for column, held in table.columns.items()}},
        pk=("scope", *table.key),
        not_null={"scope", *(column for column, held in table.columns.items() if not held.nullable)},
        defaults={column: _default(held.default) for column, held in table.columns.items() if held.default is not None},
        strict=True,
    )
    body, _, _ = sql.rpartition("\n) STRICT")
    checks = [f",\n   CHECK ({check})" for column, held in table.columns.items() if (check := _check(column, held))]
    # Without row ids, each look-up through a second index also searches by the text key. So only tables without other
    # indexes do without them.
    options = " STRICT" if table.uniques or table.indexes or table.times else " STRICT, WITHOUT ROWID"
    return body + "".join(checks) + "\n)" + options


def _default(literal: str) -> str | int:
    """As sqlite-utils takes it: quoted text stays as it is, a number must be one."""
    return literal if literal.startswith("'") else int(literal)


def _column_sql(name: str, column: ColumnLayout) -> str:
    kind = "INTEGER" if _TYPES[column.kind] is int else "TEXT"
    null = "" if column.nullable else " NOT NULL"
    default = "" if column.default is None else f" DEFAULT {column.default}"
    check = _check(name, column)
    return f"{quoted(name)} {kind}{null}{default}" + (f" CHECK ({check})" if check else "")


def _check(name: str, column: ColumnLayout) -> str:
    if column.kind == "boolean":
        return f"{quoted(name)} IN (0, 1)"
    if column.kind == "json":
        # Older versions of SQLite hold that null is no JSON.
        return f"{quoted(name)} IS NULL OR json_valid({quoted(name)})"
    if column.values:
        return f"{quoted(name)} IN ({', '.join(text_literal(value) for value in column.values)})"
    return ""


def _index_names(name: str, table: TableLayout) -> dict[str, tuple[str, ...]]:
    uniques = {f"uq_{name}__{unique}": columns for unique, columns in table.uniques.items()}
    return uniques | {f"ix_{name}__{index}": columns for index, columns in table.indexes.items()}


def _create_indexes(
    connection: sqlite3.Connection, name: str, table: TableLayout, *, have: Mapping[str, tuple[str, ...]]
) -> None:
    for index, columns in _index_names(name, table).items():
        if have.get(index) != columns:
            connection.execute(f"DROP INDEX IF EXISTS {quoted(index)}")
            _create_index(connection, name, index, columns, table)


def _create_index(
    connection: sqlite3.Connection, name: str, index: str, columns: tuple[str, ...], table: TableLayout
) -> None:
    unique = index.startswith("uq_")
    nullable = [column for column in columns if table.columns[column].nullable]
    if not nullable:
        _database(connection).table(name).create_index(("scope", *columns), index_name=index, unique=unique)
        return
    # Rows with a null are in no declared index; sqlite-utils has no partial indexes.
    kind = "UNIQUE INDEX" if unique else "INDEX"
    listed = ", ".join(quoted(column) for column in ("scope", *columns))
    present = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in nullable)
    connection.execute(f"CREATE {kind} {quoted(index)} ON {quoted(name)} ({listed}) WHERE {present}")


def _create_time_indexes(connection: sqlite3.Connection, name: str, columns: Iterable[str]) -> None:
    for column in columns:
        index, instant = quoted(time_index_name(name, column)), quoted(column)
        # A release that does not know the index records a layout without it, and leaves it where it is.
        connection.execute(
            f"CREATE INDEX IF NOT EXISTS {index} ON {quoted(name)} ({period_sql(column)}, scope, {instant}) "
            f"WHERE {instant} IS NOT NULL"
        )

"""The schema follows the declarations: a `Layout` says which tables, columns and indexes a file has, and how to make them.

A layout is taken from the table declarations, stored with each migration, and compared at the next start. Growing is
automatic: a new table, a new column that may be empty or has a default, a new index, one more allowed value. Everything
else (another type, another key, a column that went away) needs a numbered migration, because it needs a decision.

Every table begins with the column `scope`, and so does every key and index, so that no statement can leave its scope.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, cast

import attrs
import cattrs
from sqlite_utils import Database

from livecore.kernel.records import Column
from livecore.kernel.tables import Table

__all__ = [
    "ColumnLayout",
    "Layout",
    "SchemaDrift",
    "TableLayout",
    "declared_layout",
    "grow",
    "grown",
    "layout_from_json",
    "layout_to_json",
    "quoted",
]


class SchemaDrift(Exception):
    """The declarations changed in a way that only a numbered migration can carry out."""

    def __init__(self, table: str, change: str) -> None:
        super().__init__(f"table {table}: {change}; write a numbered migration for it")
        self.table = table
        self.change = change


@attrs.frozen
class ColumnLayout:
    """One column: what it holds, whether it may be null, and its values where they are few."""

    kind: Literal["text", "integer", "boolean", "json"]
    nullable: bool = False
    values: tuple[str, ...] = ()
    default: str | None = None
    """The default as an SQL literal; `None` where there is none."""


@attrs.frozen
class TableLayout:
    """One table; the columns of keys and indexes are named without the leading `scope`."""

    columns: dict[str, ColumnLayout]
    key: tuple[str, ...]
    uniques: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    indexes: dict[str, tuple[str, ...]] = attrs.field(factory=dict)


Layout: TypeAlias = "dict[str, TableLayout]"
"""All tables of a file, by name."""


# -- from the declarations


def declared_layout(tables: Iterable[Table[Any]]) -> Layout:
    """The layout that the declared tables ask for. Raises `ValueError` for a table that no file could hold."""
    return {table.name: _declared_table(table) for table in tables}


def _declared_table(table: Table[Any]) -> TableLayout:
    defaults = {field.name: field.default for field in attrs.fields(cast(Any, table.record))}
    columns = {column.name: _declared_column(column, defaults[column.name]) for column in table.columns}
    if "scope" in columns:
        raise ValueError(f"table {table.name}: a column cannot be called scope")
    if any(columns[name].nullable for name in table.key):
        raise ValueError(f"table {table.name}: a key column cannot be null")
    return TableLayout(
        columns=columns,
        key=table.key,
        uniques={unique.name: unique.columns for unique in table.uniques},
        indexes={index.name: index.prefix + index.order for index in table.indexes},
    )


def _declared_column(column: Column, default: object) -> ColumnLayout:
    return ColumnLayout(column.kind, column.nullable, column.values, _literal(default))


def _literal(value: object) -> str | None:
    if isinstance(value, str):
        return _text_literal(value)
    return str(int(value)) if isinstance(value, int) else None


def _text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# -- as text, beside each migration


def layout_to_json(layout: Layout) -> str:
    """The layout as canonical JSON: equal layouts give equal text."""
    return json.dumps(cattrs.unstructure(layout), sort_keys=True, separators=(",", ":"))


def layout_from_json(text: str) -> Layout:
    """The layout that `layout_to_json` wrote."""
    return cattrs.structure(json.loads(text), dict[str, TableLayout])


# -- growing


def grown(stored: Layout, declared: Layout) -> Layout:
    """The stored layout with everything added that the declarations ask for; nothing is ever taken away.

    What only the file knows stays: it may belong to newer code that has run on it. Raises `SchemaDrift`.
    """
    merged = {name: _grown_table(name, stored[name], table) for name, table in declared.items() if name in stored}
    return {**stored, **declared, **merged}


def _grown_table(name: str, stored: TableLayout, declared: TableLayout) -> TableLayout:
    if stored.key != declared.key:
        raise SchemaDrift(name, f"its key was {stored.key} and is {declared.key}")
    columns = dict(stored.columns)
    for column, wanted in declared.columns.items():
        columns[column] = _grown_column(f"{name}.{column}", stored.columns.get(column), wanted)
    for column, held in stored.columns.items():
        if column not in declared.columns and not held.nullable and held.default is None:
            raise SchemaDrift(name, f"column {column} is no longer declared, and must not be empty")
    return TableLayout(
        columns, stored.key, {**stored.uniques, **declared.uniques}, {**stored.indexes, **declared.indexes}
    )


def _grown_column(name: str, stored: ColumnLayout | None, declared: ColumnLayout) -> ColumnLayout:
    table = name.partition(".")[0]
    if stored is None:
        if not declared.nullable and declared.default is None:
            raise SchemaDrift(table, f"new column {name} has no default and cannot be null")
        return declared
    if stored.kind != declared.kind:
        raise SchemaDrift(table, f"column {name} was {stored.kind} and is {declared.kind}")
    values = tuple(dict.fromkeys(stored.values + declared.values)) if stored.values and declared.values else ()
    return attrs.evolve(stored, nullable=stored.nullable or declared.nullable, values=values)


def grow(connection: sqlite3.Connection, before: Layout, after: Layout) -> None:
    """Bring a file from one layout to a grown one, inside the caller's transaction."""
    for name, table in after.items():
        if name not in before:
            _create(connection, name, table)
        elif before[name] != table:
            _change(connection, name, before[name], table)


def _create(connection: sqlite3.Connection, name: str, table: TableLayout) -> None:
    connection.execute(_create_table_sql(connection, name, table))
    _create_indexes(connection, name, table, have={})


def _change(connection: sqlite3.Connection, name: str, before: TableLayout, after: TableLayout) -> None:
    if any(after.columns[column] != held for column, held in before.columns.items()):
        _rebuild(connection, name, before, after)
        return
    for column, wanted in after.columns.items():
        if column not in before.columns:
            connection.execute(f"ALTER TABLE {quoted(name)} ADD COLUMN {_column_sql(column, wanted)}")
    _create_indexes(connection, name, after, have=_index_names(name, before))


def _rebuild(connection: sqlite3.Connection, name: str, before: TableLayout, after: TableLayout) -> None:
    """A looser check or null cannot be altered in place: copy the rows into a new table."""
    old = f"{name}__before"
    columns = ", ".join(quoted(column) for column in ("scope", *before.columns))
    connection.execute(f"ALTER TABLE {quoted(name)} RENAME TO {quoted(old)}")
    connection.execute(_create_table_sql(connection, name, after))
    connection.execute(f"INSERT INTO {quoted(name)} ({columns}) SELECT {columns} FROM {quoted(old)}")  # noqa: S608 - names
    connection.execute(f"DROP TABLE {quoted(old)}")
    _create_indexes(connection, name, after, have={})


# -- as SQL


def quoted(name: str) -> str:
    """An identifier as SQL."""
    return '"' + name.replace('"', '""') + '"'


_TYPES: dict[str, type] = {"text": str, "integer": int, "boolean": int, "json": str}


def _create_table_sql(connection: sqlite3.Connection, name: str, table: TableLayout) -> str:
    sql = Database(connection, recursive_triggers=False, execute_plugins=False).create_table_sql(
        name,
        {"scope": str, **{column: _TYPES[held.kind] for column, held in table.columns.items()}},
        pk=("scope", *table.key),
        not_null={"scope", *(column for column, held in table.columns.items() if not held.nullable)},
        defaults={column: _default(held.default) for column, held in table.columns.items() if held.default is not None},
        strict=True,
    )
    body, _, _ = sql.rpartition("\n) STRICT")
    checks = [f",\n   CHECK ({check})" for column, held in table.columns.items() if (check := _check(column, held))]
    # A second index makes every look-up through it pay for a search by text key, so only lone keys do without row ids.
    options = " STRICT" if table.uniques or table.indexes else " STRICT, WITHOUT ROWID"
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
        return f"{quoted(name)} IN ({', '.join(_text_literal(value) for value in column.values)})"
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
        database = Database(connection, recursive_triggers=False, execute_plugins=False)
        database.table(name).create_index(("scope", *columns), index_name=index, unique=unique)
        return
    # Rows with a null are in no declared index; sqlite-utils has no partial indexes.
    kind = "UNIQUE INDEX" if unique else "INDEX"
    listed = ", ".join(quoted(column) for column in ("scope", *columns))
    present = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in nullable)
    connection.execute(f"CREATE {kind} {quoted(index)} ON {quoted(name)} ({listed}) WHERE {present}")

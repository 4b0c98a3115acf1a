"""Layouts: the tables, columns and indexes of a database, independent of its kind.

A layout is taken from the table declarations, stored with each migration, and compared at the next start. Growing is
automatic: a new table, a new column that may be empty or has a default, a new index, one more allowed value. Everything
else (another type, another key, a removed column) needs a numbered migration, because it needs a decision. Each store turns
a layout into SQL.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias, cast

import attrs
import cattrs

from livecore.kernel.storage.records import Column
from livecore.kernel.storage.tables import Table

PERIOD_BITS: Final = 16
"""An index over all scopes has periods of so many bits of milliseconds."""


class CodeTooOld(Exception):
    """The database was migrated by newer code, in a way that this code would not understand."""

    def __init__(self, needed: int, have: int) -> None:
        super().__init__(
            f"this database needs code of schema version {needed} or later, and this is version {have}: "
            "run the newer release, or restore a backup from before its migration"
        )
        self.needed = needed
        self.have = have


class SchemaDrift(Exception):
    """The declarations have a change that needs a numbered migration."""

    def __init__(self, table: str, change: str) -> None:
        super().__init__(f"table {table}: {change}; write a numbered migration for it")
        self.table = table
        self.change = change


@attrs.frozen
class ColumnLayout:
    """One column: its type, whether it may be null, and its values if it is an enumeration."""

    kind: Literal["text", "integer", "boolean", "json"]
    nullable: bool = False
    values: tuple[str, ...] = ()
    default: str | None = None
    """The default as an SQL literal; `None` where there is none."""


@attrs.frozen
class TableLayout:
    """One table; the columns of keys and indexes are named without the leading `scope`.

    `times` names the columns that have an index over all scopes.
    """

    columns: dict[str, ColumnLayout]
    key: tuple[str, ...]
    uniques: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    indexes: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    times: tuple[str, ...] = ()


Layout: TypeAlias = "dict[str, TableLayout]"
"""All tables of a file, by name."""


# -- from the declarations


def declared_layout(tables: Iterable[Table[Any]]) -> Layout:
    """The layout of the declared tables. Raises `ValueError` for an impossible table."""
    return without_key_indexes({table.name: _declared_table(table) for table in tables})


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
        times=tuple(index.column for index in table.time_indexes),
    )


def _declared_column(column: Column, default: object) -> ColumnLayout:
    return ColumnLayout(column.kind, column.nullable, column.values, _literal(default))


def _literal(value: object) -> str | None:
    if isinstance(value, str):
        return text_literal(value)
    return str(int(value)) if isinstance(value, int) else None


# -- as text, beside each migration


def layout_to_json(layout: Layout) -> str:
    """The layout as canonical JSON: equal layouts give equal text."""
    return json.dumps(cattrs.unstructure(layout), sort_keys=True, separators=(",", ":"))


def layout_from_json(text: str) -> Layout:
    """The layout that `layout_to_json` wrote."""
    return cattrs.structure(json.loads(text), dict[str, TableLayout])


# -- growing


def grown(stored: Layout, declared: Layout) -> Layout:
    """The stored layout with everything added that the declarations need; nothing is ever removed.

    Parts that are only in the file stay, because they may belong to newer code. Raises `SchemaDrift`.
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
        columns,
        stored.key,
        {**stored.uniques, **declared.uniques},
        {**stored.indexes, **declared.indexes},
        tuple(dict.fromkeys(stored.times + declared.times)),
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


def renamed_column(layout: Layout, table: str, before: str, after: str) -> Layout:
    """The layout with another name of a column that is in no key or index; unchanged if there is no such column."""
    if table not in layout or before not in layout[table].columns:
        return layout
    columns = {after if name == before else name: column for name, column in layout[table].columns.items()}
    return {**layout, table: attrs.evolve(layout[table], columns=columns)}


def with_column(layout: Layout, table: str, name: str, column: ColumnLayout) -> Layout:
    """The layout with one more column of a table; unchanged if there is no such table, or if it has the column."""
    if table not in layout or name in layout[table].columns:
        return layout
    return {**layout, table: attrs.evolve(layout[table], columns={**layout[table].columns, name: column})}


def without_key_indexes(layout: Layout) -> Layout:
    """The layout without indexes of the same columns as a table's key, which has an index of its own."""
    return {name: _without_key_indexes(table) for name, table in layout.items()}


def _without_key_indexes(table: TableLayout) -> TableLayout:
    indexes = {name: columns for name, columns in table.indexes.items() if columns != table.key}
    return attrs.evolve(table, indexes=indexes)


# -- in SQL


def quoted(name: str) -> str:
    """An identifier as SQL."""
    return '"' + name.replace('"', '""') + '"'


def time_index_name(table: str, column: str) -> str:
    """The name of the index over all scopes by this column."""
    return f"ix_{table}__{column}_in_any_scope"


def period_sql(column: str, table: str = "") -> str:
    """The period in which an instant lies, each of 65.536 seconds: the first part of an index over all scopes.

    `table` is a prefix of the column's name.

    Within a period the index is ordered by scope, so that a search takes one step for each scope of a period, however
    many rows the scope has there. And because it is an expression, no planner takes this index for a read of one scope.
    """
    return f"({table}{quoted(column)} >> {PERIOD_BITS})"


def text_literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"

"""The schema in PostgreSQL: creates a layout, and grows a database from one layout to the next.

Every table begins with the column `scope`, and so does every key, unique index and index, so that tables can be distributed
by scope and no statement can leave its own. Only the indexes by time begin otherwise, in which hosts search for scopes
(`livecore_server.storage.due_scopes`). Texts compare by code point (`COLLATE "C"`), as they do everywhere else. Each
statement can be repeated, because an engine that commits them one by one can be interrupted between two.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

from livecore_server.storage.layout import (
    ColumnLayout,
    Layout,
    TableLayout,
    period_sql,
    quoted,
    text_literal,
    time_index_name,
)
from livecore_server.storage.postgres.sql.text import literal_text

_TYPES: Final = {"text": 'TEXT COLLATE "C"', "json": 'TEXT COLLATE "C"', "integer": "BIGINT", "boolean": "BOOLEAN"}
_LONGEST_NAME: Final = 63
_EXAMPLES: Final = 300


def growth(before: Layout, after: Layout) -> Iterator[str]:
    """The statements that grow a database from one layout to another."""
    for name, table in after.items():
        if name not in before:
            yield _create_table(name, table)
            yield from _indexes(name, table, TableLayout({}, ()))
        elif before[name] != table:
            yield from _changes(name, before[name], table)
            yield from _indexes(name, table, before[name])


def dropped_indexes(before: Layout, after: Layout) -> Iterator[str]:
    """The statements that drop the indexes that a layout has no more."""
    for name, table in before.items():
        for index in table.indexes.keys() - after[name].indexes.keys():
            yield f"DROP INDEX IF EXISTS {_index_name(name, index)}"


def lessons(name: str, table: TableLayout) -> Iterator[str]:
    """Give the planner statistics for a new table, before other sessions can see it.

    Every index begins with the scope. For an empty table the planner assumes about one row in a scope, so all indexes seem
    equally good to it, and it keeps that plan. It would then scan whole scopes, and because units are serialised, each
    would conflict with every other. So a new table is filled with rows of one scope that differ in all other columns,
    analysed, and emptied. The statistics stay, and once there are real rows, the server's own analysis replaces them.

    It is emptied within a savepoint: then the table gets new storage, for which the planner assumes that it will not stay
    empty.
    """
    columns = ", ".join(quoted(column) for column in ("scope", *table.columns))
    values = ", ".join(_example(column) for column in table.columns.values())
    yield f"INSERT INTO {quoted(name)} ({columns}) SELECT '', {values} FROM generate_series(1, {_EXAMPLES}) AS n"  # noqa: S608 - declared names
    yield f"ANALYZE {quoted(name)}"
    yield "SAVEPOINT emptying"
    yield f"TRUNCATE {quoted(name)}"
    yield "RELEASE SAVEPOINT emptying"


def _example(column: ColumnLayout) -> str:
    if column.values:
        listed = ", ".join(text_literal(value) for value in column.values)
        return f"(ARRAY[{listed}])[1 + n % {len(column.values)}]"
    return {"boolean": "n % 2 = 0", "integer": "n"}.get(column.kind, "'example' || n")


def columns_of_constraint(
    table: str, key: tuple[str, ...], uniques: dict[str, tuple[str, ...]], name: str
) -> tuple[str, ...]:
    """The columns that a broken constraint is about, by its name."""
    for unique, columns in uniques.items():
        if name == _shortened(f"uq_{table}__{unique}"):
            return columns
    return key


def _create_table(name: str, table: TableLayout) -> str:
    parts = [f"scope {_TYPES['text']} NOT NULL"]
    parts += [_column(name, column, held) for column, held in table.columns.items()]
    key = ", ".join(quoted(column) for column in ("scope", *table.key))
    parts.append(f"CONSTRAINT {quoted(_shortened(f'pk_{name}'))} PRIMARY KEY ({key})")
    return f"CREATE TABLE IF NOT EXISTS {quoted(name)} (\n  " + ",\n  ".join(parts) + "\n)"


def _column(table: str, name: str, column: ColumnLayout) -> str:
    null = "" if column.nullable else " NOT NULL"
    default = "" if column.default is None else f" DEFAULT {_default(column)}"
    check = _check(name, column)
    named = f" CONSTRAINT {quoted(_check_name(table, name))} CHECK ({check})" if check else ""
    return f"{quoted(name)} {_TYPES[column.kind]}{null}{default}{named}"


def _default(column: ColumnLayout) -> str:
    literal = column.default or ""
    if column.kind == "boolean":
        return "FALSE" if literal == "0" else "TRUE"
    return literal_text(literal)


def _check(name: str, column: ColumnLayout) -> str:
    return f"{quoted(name)} IN ({', '.join(text_literal(value) for value in column.values)})" if column.values else ""


def _check_name(table: str, column: str) -> str:
    return _shortened(f"ck_{table}__{column}")


def _changes(name: str, before: TableLayout, after: TableLayout) -> Iterator[str]:
    alter = f"ALTER TABLE {quoted(name)}"
    for column, wanted in after.columns.items():
        held = before.columns.get(column)
        if held is None:
            yield f"{alter} ADD COLUMN IF NOT EXISTS {_column(name, column, wanted)}"
            continue
        if wanted.nullable and not held.nullable:
            yield f"{alter} ALTER COLUMN {quoted(column)} DROP NOT NULL"
        if wanted.values != held.values:
            constraint = quoted(_check_name(name, column))
            yield f"{alter} DROP CONSTRAINT IF EXISTS {constraint}"
            if wanted.values:
                yield f"{alter} ADD CONSTRAINT {constraint} CHECK ({_check(column, wanted)})"


def _indexes(name: str, table: TableLayout, before: TableLayout) -> Iterator[str]:
    for unique, columns in table.uniques.items():
        yield from _index(name, f"uq_{name}__{unique}", columns, before.uniques.get(unique), table)
    for index, columns in table.indexes.items():
        yield from _index(name, f"ix_{name}__{index}", columns, before.indexes.get(index), table)
    for column in table.times:
        if column not in before.times:
            yield _time_index(name, column)


def _index_name(table: str, index: str) -> str:
    return quoted(_shortened(f"ix_{table}__{index}"))


def _index(
    name: str, index: str, columns: tuple[str, ...], before: tuple[str, ...] | None, table: TableLayout
) -> Iterator[str]:
    if columns == before:
        return
    shown = quoted(_shortened(index))
    if before is not None:
        yield f"DROP INDEX IF EXISTS {shown}"
    kind = "UNIQUE INDEX" if index.startswith("uq_") else "INDEX"
    listed = ", ".join(quoted(column) for column in ("scope", *columns))
    nullable = [column for column in columns if table.columns[column].nullable]
    # Rows with a null are in no declared index.
    present = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in nullable)
    where = f" WHERE {present}" if present else ""
    yield f"CREATE {kind} IF NOT EXISTS {shown} ON {quoted(name)} ({listed}){where}"


def _time_index(name: str, column: str) -> str:
    shown, instant = quoted(_shortened(time_index_name(name, column))), quoted(column)
    listed = f"{period_sql(column)}, scope, {instant}"
    return f"CREATE INDEX IF NOT EXISTS {shown} ON {quoted(name)} ({listed}) WHERE {instant} IS NOT NULL"


def _shortened(name: str) -> str:
    """Shorten a long name uniquely: the server truncates long names, so two could become the same."""
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 9]}_{blake2b(name.encode(), digest_size=4).hexdigest()}"

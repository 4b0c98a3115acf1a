"""The migrations of `livecore_server.storage.migrations` on SQLite: in one transaction, with the file locked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore_server.storage import migrations as shared
from livecore_server.storage.layout import Layout, declared_layout
from livecore_server.storage.migrations import MIGRATIONS, Migration
from livecore_server.storage.sqlite.schema import drop_indexes, grow, has_column

_TABLE = """
CREATE TABLE IF NOT EXISTS livecore_migrations (
   id INTEGER PRIMARY KEY,
   number INTEGER UNIQUE,
   name TEXT NOT NULL,
   oldest_code INTEGER NOT NULL,
   layout TEXT NOT NULL CHECK (json_valid(layout)),
   applied_at INTEGER NOT NULL
) STRICT
"""


class _File:
    """A file as `livecore_server.storage.migration_steps.MigratedDatabase`."""

    code_point = "unicode"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: str | int | None) -> list[tuple[str | None, ...]]:
        found = self._connection.execute(sql.replace("$", "?"), values)
        return [tuple(None if value is None else str(value) for value in row) for row in found]

    def insert_texts(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        marks = ", ".join("?" for _ in columns)
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - names of a migration
        self._connection.executemany(sql, rows)

    def has_column(self, table: str, column: str) -> bool:
        return has_column(self._connection, table, column)

    def grow(self, before: Layout, after: Layout) -> None:
        grow(self._connection, before, after)

    def drop_indexes(self, before: Layout, after: Layout) -> None:
        drop_indexes(self._connection, before, after)


def migrate(
    connection: sqlite3.Connection,
    tables: Iterable[Table[Any]],
    now: Millis,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> list[str]:
    """Migrate the file to this code; returns the names of the applied migrations.

    Raises `CodeTooOld` and `SchemaDrift`, and then changes nothing.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_TABLE)
        applied = shared.bring_up(_File(connection), declared_layout(tables), now, migrations)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return applied


def applied_names(connection: sqlite3.Connection) -> list[str]:
    """The names of the recorded migrations, oldest first."""
    return shared.applied_names(_File(connection))

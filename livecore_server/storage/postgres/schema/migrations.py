"""The migrations of `livecore_server.storage.migrations` on PostgreSQL.

The processes of one release may continue while those of the next start and migrate, if the change is compatible with the
older code. If several processes start at once, one migrates: it locks a row, and the others wait for it and find the work
done. The lock is a row because every engine that speaks PostgreSQL's protocol supports that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore_server.storage import migrations as shared
from livecore_server.storage.layout import Layout, declared_layout
from livecore_server.storage.migrations import MIGRATIONS, Migration
from livecore_server.storage.postgres.connections.engines import VERSION, engine_of
from livecore_server.storage.postgres.connections.pipeline import Fault, Statement, Wire
from livecore_server.storage.postgres.schema.growing import dropped_indexes, growth, lessons
from livecore_server.storage.postgres.shared.ephemeral_tables import EPHEMERAL_TABLES, NEWEST
from livecore_server.storage.postgres.shared.leases import LEASES_TABLE
from livecore_server.storage.postgres.sql.text import array, decoded, parameter

_GROUND: Final = (
    """
    CREATE TABLE IF NOT EXISTS livecore_migration_lock (name TEXT PRIMARY KEY)
    """,
    "INSERT INTO livecore_migration_lock (name) VALUES ('migrations') ON CONFLICT (name) DO NOTHING",
    """
    CREATE TABLE IF NOT EXISTS livecore_migrations (
      id BIGINT PRIMARY KEY,
      number BIGINT UNIQUE,
      name TEXT NOT NULL,
      oldest_code BIGINT NOT NULL,
      layout TEXT NOT NULL,
      applied_at BIGINT NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS livecore_versions (
      scope TEXT COLLATE "C" NOT NULL,
      name TEXT COLLATE "C" NOT NULL,
      version BIGINT NOT NULL,
      PRIMARY KEY (scope, name)
    )
    """,
    "CREATE TABLE IF NOT EXISTS livecore_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
)
_LOCK: Final = "SELECT name FROM livecore_migration_lock WHERE name = 'migrations' FOR UPDATE"
_RACES: Final = frozenset({"23505", "40001", "40P01", "42P07", "42710", "55P03", "XX000"})
_COLUMN: Final = (
    "SELECT 1 FROM information_schema.columns "
    "WHERE table_schema = current_schema() AND table_name = $1 AND column_name = $2"
)
_UNKNOWN: Final = frozenset({"0A000", "42601"})
"""Codes for a feature or a keyword that the engine does not have."""
_PATIENCE_SECONDS: Final = 3600.0
"""How long a statement of a migration may take: an index on many millions of rows takes minutes, and so does the lock while
another process builds it."""
_TRIES: Final = len(_GROUND) + len(EPHEMERAL_TABLES) + 10
"""More than the tables that are created outside of a transaction: a process may lose the race for each of them once."""


class _Database:
    """A database as `livecore_server.storage.migration_steps.MigratedDatabase`."""

    code_point = "ascii"

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        ((version,),) = self.rows(VERSION)
        self.engine = engine_of(version or "")

    def rows(self, sql: str, *values: str | int | None) -> list[tuple[str | None, ...]]:
        (result,) = self._wire.ask([Statement(sql.encode(), tuple(map(parameter, values)))])
        columns = range(result.nfields)
        cells = ([result.get_value(row, at) for at in columns] for row in range(result.ntuples))
        return [tuple(None if cell is None else decoded(cell) for cell in row) for row in cells]

    def insert_texts(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        if rows:
            arrays = ", ".join(f"${at}::text[]" for at in range(1, len(columns) + 1))
            sql = f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM unnest({arrays})"  # noqa: S608 - of a migration
            values = tuple(array("text", column) for column in zip(*rows, strict=True))
            self._wire.ask([Statement(sql.encode(), values)])

    def has_column(self, table: str, column: str) -> bool:
        return bool(self.rows(_COLUMN, table, column))

    def grow(self, before: Layout, after: Layout) -> None:
        for text in growth(before, after):
            self.rows(self.engine.schema(text))
        if self.engine.learns:
            for name, table in after.items():
                for text in () if name in before else lessons(name, table):
                    self.rows(text)

    def drop_indexes(self, before: Layout, after: Layout) -> None:
        for text in dropped_indexes(before, after):
            self.rows(text)


def migrate(
    wire: Wire, tables: Iterable[Table[Any]], now: Millis, migrations: Sequence[Migration] = MIGRATIONS
) -> list[str]:
    """Migrate the database to this code; returns the names of the applied migrations.

    Raises `CodeTooOld` and `SchemaDrift`, and then changes nothing; and `Fault`.
    """
    declared = declared_layout(tables)
    for tried in range(_TRIES):
        try:
            with wire.patience(_PATIENCE_SECONDS):
                return _migrate(wire, declared, now, migrations)
        except Fault as fault:
            # If two processes create the same table at the same moment, one is refused, and finds the table the next time.
            if fault.code not in _RACES or tried == _TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _migrate(wire: Wire, declared: Layout, now: Millis, migrations: Sequence[Migration]) -> list[str]:
    database = _Database(wire)
    if not _is_there(database):
        for text in _GROUND:
            database.rows(database.engine.schema(text))
        for text in (LEASES_TABLE, *EPHEMERAL_TABLES):
            _create_plain(database, database.engine.schema(text))
    database.rows("BEGIN ISOLATION LEVEL READ COMMITTED")
    try:
        database.rows(_LOCK)
        applied = shared.bring_up(database, declared, now, migrations)
    except BaseException:
        if not wire.lost:
            database.rows("ROLLBACK")
        raise
    database.rows("COMMIT")
    return applied


def _is_there(database: _Database) -> bool:
    """Whether the base tables of this release already exist."""
    try:
        database.rows(NEWEST)
    except Fault:
        return False
    return True


def _create_plain(database: _Database, text: str) -> None:
    """Create a table that may be empty after a crash: unlogged, if the engine supports that."""
    try:
        database.rows(text)
    except Fault as fault:
        if fault.code not in _UNKNOWN:
            raise
        database.rows(text.replace("UNLOGGED ", ""))


def applied_names(wire: Wire) -> list[str]:
    """The names of the recorded migrations, oldest first."""
    return shared.applied_names(_Database(wire))

"""Migrations run at start and leave a record: numbered ones, written by hand, and growth, which happens by itself.

They work as on SQLite (`livecore_server.storage.sqlite.migrations`): each record holds the resulting layout and the oldest
code that may run on it, and only older code is refused. So the processes of one release may continue while those of the
next start and migrate, if the change is compatible with the older code.

If several processes start at once, one migrates: it locks a row, and the others wait for it and find the work done. The
lock is a row because every engine that speaks PostgreSQL's protocol supports that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore_server.storage.layout import (
    CodeTooOld,
    ColumnLayout,
    Layout,
    declared_layout,
    grown,
    layout_from_json,
    layout_to_json,
    renamed_column,
    with_column,
    without_key_indexes,
)
from livecore_server.storage.postgres.engines import VERSION, Engine, engine_of
from livecore_server.storage.postgres.leases import LEASES_TABLE
from livecore_server.storage.postgres.pipeline import Fault, Parameters, Statement, Wire
from livecore_server.storage.postgres.schema import dropped_indexes, growth, lessons
from livecore_server.storage.postgres.search_words import renew_search_words
from livecore_server.storage.postgres.short_memory_tables import MEMORY_TABLES, NEWEST
from livecore_server.storage.postgres.text import decoded, parameter
from livecore_server.storage.postgres.verified_sums import VERIFIED_SUMS

__all__ = ["MIGRATIONS", "Migration", "applied_names", "migrate"]

_OLD_EPOCH: Final = (
    "SELECT 1 FROM information_schema.columns "
    "WHERE table_schema = current_schema() AND table_name = 'players' AND column_name = 'upheavals'"
)

_DATE_METADATA: Final = """
UPDATE guilds SET metadata_until = disbanded_at + 2592000000 WHERE disbanded_at IS NOT NULL AND metadata IS NOT NULL
"""
"""Guilds that ended before there was such a time lose their metadata thirty days after their end as well."""

Step: TypeAlias = "Callable[[Wire, Layout], Layout]"
"""Changes the database inside the running transaction (never committing) and returns the layout that it leaves."""


def _nothing(_: Wire, layout: Layout) -> Layout:
    return layout


def _rename_epoch(wire: Wire, layout: Layout) -> Layout:
    # An engine that commits statements one by one may have been interrupted after the first.
    if _run(wire, _OLD_EPOCH):
        _run(wire, "ALTER TABLE players RENAME COLUMN upheavals TO epoch")
    for name in ("livecore_counters", "livecore_facts", "livecore_news_head"):  # the short memory of older code
        _run(wire, f"DROP TABLE IF EXISTS {name}")
    return renamed_column(layout, "players", "upheavals", "epoch")


def _drop_key_indexes(wire: Wire, layout: Layout) -> Layout:
    slim = without_key_indexes(layout)
    for text in dropped_indexes(layout, slim):
        _run(wire, text)
    return slim


def _add_verified_sums(wire: Wire, layout: Layout) -> Layout:
    after = layout
    for table in ("spend_totals", "spend_days", "product_days"):
        after = with_column(after, table, "verified_cents", ColumnLayout("integer", default="0"))
    _grow(wire, layout, after)
    if after != layout:
        for text in VERIFIED_SUMS:
            _run(wire, text)
    return after


def _date_disbanded_metadata(wire: Wire, layout: Layout) -> Layout:
    after = with_column(layout, "guilds", "metadata_until", ColumnLayout("integer", nullable=True))
    _grow(wire, layout, after)
    if after != layout:
        _run(wire, _DATE_METADATA)
    return after


@attrs.frozen(kw_only=True)
class Migration:
    """A numbered change; `oldest_code` is the lowest schema version of code that may run on its result."""

    number: int
    name: str
    oldest_code: int
    step: Step = _nothing


MIGRATIONS: tuple[Migration, ...] = (
    Migration(number=1, name="initial", oldest_code=1),
    # Older code would search for other words, and write entries that are never found.
    Migration(number=2, name="search-words", oldest_code=2, step=renew_search_words),
    # Older code would not remove an erased player's name from a text that names several players.
    Migration(number=3, name="mentions", oldest_code=3),
    # Older code does not know the column, and writes the old one.
    Migration(number=4, name="epoch", oldest_code=4, step=_rename_epoch),
    # Older code would create them again, and nothing would drop them a second time.
    Migration(number=5, name="key-indexes", oldest_code=5, step=_drop_key_indexes),
    # Older code would verify purchases without counting them in the new sums.
    Migration(number=6, name="verified-sums", oldest_code=6, step=_add_verified_sums),
    # Older code would disband guilds without noting when their metadata is removed.
    Migration(number=7, name="disbanded-metadata", oldest_code=7, step=_date_disbanded_metadata),
    # Older code would leave an erased player's former names and first context.
    Migration(number=8, name="former-names", oldest_code=8),
)
"""Every numbered migration, in order; the last number is the schema version of this code."""

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
_UNKNOWN: Final = frozenset({"0A000", "42601"})
"""Codes for a feature or a keyword that the engine does not have."""
_PATIENCE_SECONDS: Final = 3600.0
"""How long a statement of a migration may take: an index on many millions of rows takes minutes, and so does the lock while
another process builds it."""
_TRIES: Final = len(_GROUND) + len(MEMORY_TABLES) + 10
"""More than the tables that are created outside of a transaction: a process may lose the race for each of them once."""


def migrate(
    wire: Wire, tables: Iterable[Table[Any]], now: Millis, migrations: Sequence[Migration] = MIGRATIONS
) -> list[str]:
    """Migrate the database to this code; returns the names of the applied migrations.

    A new database gets the declared layout at once, with every number recorded. Raises `CodeTooOld` and `SchemaDrift`, and
    then changes nothing; and `Fault`.
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
    if not _is_there(wire):
        engine = _engine(wire)
        for text in _GROUND:
            _run(wire, engine.schema(text))
        for text in (LEASES_TABLE, *MEMORY_TABLES):
            _run_plain(wire, engine.schema(text))
    _run(wire, "BEGIN ISOLATION LEVEL READ COMMITTED")
    try:
        _run(wire, _LOCK)
        before = applied_names(wire)
        _refuse_old_code(wire, migrations[-1].number)
        _bring_up(wire, declared, now, migrations)
        after = applied_names(wire)
    except BaseException:
        if not wire.lost:
            _run(wire, "ROLLBACK")
        raise
    _run(wire, "COMMIT")
    return after[len(before) :]


def _is_there(wire: Wire) -> bool:
    """Whether the base tables of this release already exist."""
    try:
        _run(wire, NEWEST)
    except Fault:
        return False
    return True


def _run_plain(wire: Wire, text: str) -> None:
    """Create a table that may be empty after a crash: unlogged, if the engine supports that."""
    try:
        _run(wire, text)
    except Fault as fault:
        if fault.code not in _UNKNOWN:
            raise
        _run(wire, text.replace("UNLOGGED ", ""))


def applied_names(wire: Wire) -> list[str]:
    """The names of the recorded migrations, oldest first."""
    return [decoded(name or b"") for (name,) in _run(wire, "SELECT name FROM livecore_migrations ORDER BY id")]


def _refuse_old_code(wire: Wire, version: int) -> None:
    needed = _number(wire, "SELECT coalesce(max(oldest_code), 0) FROM livecore_migrations")
    if version < needed:
        raise CodeTooOld(needed, version)


def _bring_up(wire: Wire, declared: Layout, now: Millis, migrations: Sequence[Migration]) -> None:
    stored = _recorded_layout(wire)
    if stored is None:
        _grow(wire, {}, declared)
        for migration in migrations:
            _record(wire, migration.number, migration.name, migration.oldest_code, declared, now)
        return
    done = {number for (number,) in _run(wire, "SELECT number FROM livecore_migrations")}
    for migration in migrations:
        if parameter(migration.number) not in done:
            stored = migration.step(wire, stored)
            _record(wire, migration.number, migration.name, migration.oldest_code, stored, now)
    target = grown(stored, declared)
    if target != stored:
        _grow(wire, stored, target)
        changed = ",".join(name for name, table in target.items() if stored.get(name) != table)
        oldest = _number(wire, "SELECT max(oldest_code) FROM livecore_migrations")
        # Growth does not change the oldest code, because the additions may stay empty.
        _record(wire, None, f"grow:{changed}", oldest, target, now)


def _grow(wire: Wire, before: Layout, after: Layout) -> None:
    engine = _engine(wire)
    for text in growth(before, after):
        _run(wire, engine.schema(text))
    if engine.learns:
        for name, table in after.items():
            if name not in before:
                for text in lessons(name, table):
                    _run(wire, text)


def _engine(wire: Wire) -> Engine:
    ((version,),) = _run(wire, VERSION)
    return engine_of(decoded(version or b""))


def _recorded_layout(wire: Wire) -> Layout | None:
    rows = _run(wire, "SELECT layout FROM livecore_migrations ORDER BY id DESC LIMIT 1")
    return layout_from_json(decoded(rows[0][0] or b"")) if rows else None


def _record(wire: Wire, number: int | None, name: str, oldest_code: int, layout: Layout, now: Millis) -> None:
    place = _number(wire, "SELECT coalesce(max(id), 0) + 1 FROM livecore_migrations")
    sql = (
        "INSERT INTO livecore_migrations (id, number, name, oldest_code, layout, applied_at) "
        "VALUES ($1, $2, $3, $4, $5, $6)"
    )
    values = (place, number, name, oldest_code, layout_to_json(layout), now)
    _run(wire, sql, tuple(parameter(value) for value in values))


def _number(wire: Wire, sql: str) -> int:
    ((value,),) = _run(wire, sql)
    return int(value or 0)


def _run(wire: Wire, sql: str, parameters: Parameters = ()) -> list[tuple[bytes | None, ...]]:
    (result,) = wire.ask([Statement(sql.encode(), parameters)])
    return [tuple(result.get_value(row, at) for at in range(result.nfields)) for row in range(result.ntuples)]

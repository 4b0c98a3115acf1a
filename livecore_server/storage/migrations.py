"""Migrations run at start and are recorded in the same transaction, so a database is never partly migrated.

Two kinds share one table, `livecore_migrations`. Numbered ones are written by hand and run once, in order. Growth happens
automatically: everything that the declarations have added since the last start is created and recorded as well. Each record
holds the resulting layout and the oldest code that may run on it. Only older code is refused, so that going back by one
release usually works.

Both stores have the same migrations. What differs between them is behind `MigratedDatabase`, and around the transaction:
each store's own `migrate` makes the table of records, begins, locks, and commits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs

from livecore.kernel.time import Millis
from livecore_server.storage.layout import CodeTooOld, Layout, grown, layout_from_json, layout_to_json
from livecore_server.storage.migration_steps import (
    MigratedDatabase,
    add_verified_sums,
    date_disbanded_metadata,
    drop_key_indexes,
    rename_epoch,
    renew_search_words,
)

MigrationStep: TypeAlias = "Callable[[MigratedDatabase, Layout], Layout]"
"""Changes the database inside the running transaction (never committing) and returns the layout that it leaves."""


def _nothing(_: MigratedDatabase, layout: Layout) -> Layout:
    return layout


@attrs.frozen(kw_only=True)
class Migration:
    """A numbered change; `oldest_code` is the lowest schema version of code that may run on its result."""

    number: int
    name: str
    oldest_code: int
    step: MigrationStep = _nothing


MIGRATIONS: tuple[Migration, ...] = (
    Migration(number=1, name="initial", oldest_code=1),
    # Older code would search for other words, and write entries that are never found.
    Migration(number=2, name="search-words", oldest_code=2, step=renew_search_words),
    # Older code would not remove an erased player's name from a text that names several players.
    Migration(number=3, name="mentions", oldest_code=3),
    # Older code does not know the column, and writes the old one.
    Migration(number=4, name="epoch", oldest_code=4, step=rename_epoch),
    # Older code would create them again, and nothing would drop them a second time.
    Migration(number=5, name="key-indexes", oldest_code=5, step=drop_key_indexes),
    # Older code would verify purchases without counting them in the new sums.
    Migration(number=6, name="verified-sums", oldest_code=6, step=add_verified_sums),
    # Older code would disband guilds without noting when their metadata is removed.
    Migration(number=7, name="disbanded-metadata", oldest_code=7, step=date_disbanded_metadata),
    # Older code would leave an erased player's former names and first context.
    Migration(number=8, name="former-names", oldest_code=8),
)
"""Every numbered migration, in order; the last number is the schema version of this code."""


def bring_up(
    database: MigratedDatabase, declared: Layout, now: Millis, migrations: Sequence[Migration] = MIGRATIONS
) -> list[str]:
    """Migrate a database to this code, inside the caller's transaction; returns the names of the applied migrations.

    A new database gets the declared layout at once, with every number recorded. Raises `CodeTooOld` and `SchemaDrift`.
    """
    before = applied_names(database)
    _refuse_old_code(database, migrations[-1].number)
    stored = _recorded_layout(database)
    if stored is None:
        database.grow({}, declared)
        for migration in migrations:
            _record(database, migration.number, migration.name, migration.oldest_code, declared, now)
    else:
        _grow(database, _numbered(database, stored, now, migrations), declared, now)
    return applied_names(database)[len(before) :]


def applied_names(database: MigratedDatabase) -> list[str]:
    """The names of the recorded migrations, oldest first."""
    return [name or "" for (name,) in database.rows("SELECT name FROM livecore_migrations ORDER BY id")]


def _refuse_old_code(database: MigratedDatabase, version: int) -> None:
    needed = _number(database, "SELECT coalesce(max(oldest_code), 0) FROM livecore_migrations")
    if version < needed:
        raise CodeTooOld(needed, version)


def _recorded_layout(database: MigratedDatabase) -> Layout | None:
    rows = database.rows("SELECT layout FROM livecore_migrations ORDER BY id DESC LIMIT 1")
    return layout_from_json(rows[0][0] or "") if rows else None


def _numbered(database: MigratedDatabase, stored: Layout, now: Millis, migrations: Sequence[Migration]) -> Layout:
    done = {number for (number,) in database.rows("SELECT number FROM livecore_migrations")}
    for migration in migrations:
        if str(migration.number) not in done:
            stored = migration.step(database, stored)
            _record(database, migration.number, migration.name, migration.oldest_code, stored, now)
    return stored


def _grow(database: MigratedDatabase, stored: Layout, declared: Layout, now: Millis) -> None:
    target = grown(stored, declared)
    if target == stored:
        return
    database.grow(stored, target)
    changed = ",".join(name for name, table in target.items() if stored.get(name) != table)
    # Growth does not change the oldest code, because the additions may stay empty.
    oldest = _number(database, "SELECT max(oldest_code) FROM livecore_migrations")
    _record(database, None, f"grow:{changed}", oldest, target, now)


def _record(
    database: MigratedDatabase, number: int | None, name: str, oldest_code: int, layout: Layout, now: Millis
) -> None:
    last = _number(database, "SELECT coalesce(max(id), 0) FROM livecore_migrations")
    sql = (
        "INSERT INTO livecore_migrations (id, number, name, oldest_code, layout, applied_at) "
        "VALUES ($1, $2, $3, $4, $5, $6)"
    )
    database.rows(sql, last + 1, number, name, oldest_code, layout_to_json(layout), now)


def _number(database: MigratedDatabase, sql: str) -> int:
    ((value,),) = database.rows(sql)
    return int(value or 0)

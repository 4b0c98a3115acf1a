"""Migrations run at start and are recorded in the same transaction, so a file is never partly migrated.

Two kinds share one table, `livecore_migrations`. Numbered ones are written by hand and run once, in order. Growth happens
automatically: everything that the declarations have added since the last start is created and recorded as well. Each record
holds the resulting layout and the oldest code that may run on it. Only older code is refused, so that going back by one
release usually works.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import attrs

from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore_server.storage.layout import (
    CodeTooOld,
    Layout,
    declared_layout,
    grown,
    layout_from_json,
    layout_to_json,
    renamed_column,
    without_key_indexes,
)
from livecore_server.storage.sqlite.disbanded_metadata import date_disbanded_metadata
from livecore_server.storage.sqlite.schema import drop_indexes, grow
from livecore_server.storage.sqlite.search_words import renew_search_words
from livecore_server.storage.sqlite.verified_sums import add_verified_sums

__all__ = ["MIGRATIONS", "CodeTooOld", "Migration", "applied_names", "migrate"]


Step: TypeAlias = "Callable[[sqlite3.Connection, Layout], Layout]"
"""Changes the file inside the running transaction (never committing) and returns the layout that it leaves."""


def _nothing(_: sqlite3.Connection, layout: Layout) -> Layout:
    return layout


def _rename_epoch(connection: sqlite3.Connection, layout: Layout) -> Layout:
    if "players" in layout and "upheavals" in layout["players"].columns:
        connection.execute("ALTER TABLE players RENAME COLUMN upheavals TO epoch")
    return renamed_column(layout, "players", "upheavals", "epoch")


def _drop_key_indexes(connection: sqlite3.Connection, layout: Layout) -> Layout:
    slim = without_key_indexes(layout)
    drop_indexes(connection, layout, slim)
    return slim


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
    Migration(number=6, name="verified-sums", oldest_code=6, step=add_verified_sums),
    # Older code would disband guilds without noting when their metadata is removed.
    Migration(number=7, name="disbanded-metadata", oldest_code=7, step=date_disbanded_metadata),
    # Older code would leave an erased player's former names and first context.
    Migration(number=8, name="former-names", oldest_code=8),
)
"""Every numbered migration, in order; the last number is the schema version of this code."""

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


def migrate(
    connection: sqlite3.Connection,
    tables: Iterable[Table[Any]],
    now: Millis,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> list[str]:
    """Migrate the file to this code, in one transaction; returns the names of the applied migrations.

    A new file gets the declared layout at once, with every number recorded. Raises `CodeTooOld` and `SchemaDrift`, and then
    changes nothing.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_TABLE)
        before = applied_names(connection)
        _refuse_old_code(connection, migrations[-1].number)
        _bring_up(connection, declared_layout(tables), now, migrations)
        after = applied_names(connection)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return after[len(before) :]


def applied_names(connection: sqlite3.Connection) -> list[str]:
    """The names of the recorded migrations, oldest first."""
    return [name for (name,) in connection.execute("SELECT name FROM livecore_migrations ORDER BY id")]


def _refuse_old_code(connection: sqlite3.Connection, version: int) -> None:
    (needed,) = connection.execute("SELECT coalesce(max(oldest_code), 0) FROM livecore_migrations").fetchone()
    if version < needed:
        raise CodeTooOld(needed, version)


def _bring_up(connection: sqlite3.Connection, declared: Layout, now: Millis, migrations: Sequence[Migration]) -> None:
    stored = _recorded_layout(connection)
    if stored is None:
        grow(connection, {}, declared)
        for migration in migrations:
            _record(connection, migration, declared, now)
        return
    done = {number for (number,) in connection.execute("SELECT number FROM livecore_migrations")}
    for migration in migrations:
        if migration.number not in done:
            stored = migration.step(connection, stored)
            _record(connection, migration, stored, now)
    target = grown(stored, declared)
    if target != stored:
        grow(connection, stored, target)
        _record_growth(connection, stored, target, now)


def _recorded_layout(connection: sqlite3.Connection) -> Layout | None:
    row = connection.execute("SELECT layout FROM livecore_migrations ORDER BY id DESC LIMIT 1").fetchone()
    return None if row is None else layout_from_json(row[0])


_RECORD = "INSERT INTO livecore_migrations (number, name, oldest_code, layout, applied_at) VALUES (?, ?, ?, ?, ?)"


def _record(connection: sqlite3.Connection, migration: Migration, layout: Layout, now: Millis) -> None:
    values = (migration.number, migration.name, migration.oldest_code, layout_to_json(layout), now)
    connection.execute(_RECORD, values)


def _record_growth(connection: sqlite3.Connection, before: Layout, after: Layout, now: Millis) -> None:
    """Growth does not change the oldest code, because the additions may stay empty."""
    changed = ",".join(name for name, table in after.items() if before.get(name) != table)
    (oldest,) = connection.execute("SELECT max(oldest_code) FROM livecore_migrations").fetchone()
    connection.execute(_RECORD, (None, f"grow:{changed}", oldest, layout_to_json(after), now))

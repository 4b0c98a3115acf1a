"""A copied database file is the same as a migrated one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from livecore.kernel.storage.tables import all_tables
from livecore_server.storage.sqlite.connections import connect
from livecore_server.storage.sqlite.migrations import migrate
from tests.stores.copied_files import Migrate, migrate_or_copy
from tests.stores.tables import STORE_TABLES

NOW = 1_767_225_600_000


def made(path: Path, how: Migrate) -> tuple[list[str], list[str], list[object]]:
    """The applied migrations, the file as SQL, and its mode and formats."""
    with closing(connect(path, 5_000)) as connection:
        applied = how(connection, all_tables(), NOW)
        asked = ("journal_mode", "encoding", "auto_vacuum", "page_size", "user_version", "application_id")
        facts = [connection.execute(f"PRAGMA {name}").fetchone() for name in asked]
    with closing(sqlite3.connect(path)) as again:
        assert again.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return applied, list(again.iterdump()), facts


def test_a_copied_file_is_a_migrated_one(tmp_path: Path) -> None:
    """In tables, rows and settings, also after it was closed."""
    copied = made(tmp_path / "copied.db", migrate_or_copy)
    assert copied == made(tmp_path / "migrated.db", migrate)
    assert copied[0]


def test_a_file_that_is_up_to_date_stays_as_it_is(tmp_path: Path) -> None:
    """As it would if it were migrated again: nothing is applied, and nothing is written."""
    with closing(connect(tmp_path / "game.db", 5_000)) as connection:
        assert migrate_or_copy(connection, all_tables(), NOW) != []
        before = list(connection.iterdump())
        for how in (migrate, migrate_or_copy):
            assert how(connection, all_tables(), NOW + 1) == []
            assert list(connection.iterdump()) == before


@pytest.mark.parametrize("how", [migrate, migrate_or_copy])
def test_a_file_with_tables_is_migrated(how: Migrate, tmp_path: Path) -> None:
    """It keeps its rows, and gets the tables that it lacks."""
    with closing(connect(tmp_path / "game.db", 5_000)) as connection:
        migrate(connection, STORE_TABLES, NOW)
        connection.execute("INSERT INTO store_test_counters VALUES ('game/test', 'one', 1, '')")
        assert how(connection, [*STORE_TABLES, *all_tables()], NOW) != []
        assert connection.execute('SELECT "order" FROM store_test_counters').fetchall() == [(1,)]

"""A database that is used again is as good as a new one, and one that cannot be made so is used no more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from psycopg import sql

from livecore.api.configuration.game_config import parse_config
from livecore_server.cli.new_games import create_game
from livecore_server.storage.postgres import PostgresStore
from tests.crash.game import CONFIG
from tests.postgres.emptied import Blank
from tests.postgres.server import ready_database


def _dump(url: str) -> object:
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"
        ).fetchall()
        rows = sql.SQL("SELECT * FROM {}")
        return [(name, connection.execute(rows.format(sql.Identifier(name))).fetchall()) for (name,) in tables]


def _run(url: str, text: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(text)


@pytest.fixture
def url() -> Iterator[str]:
    """A database with the service's tables."""
    with ready_database() as found:
        yield found


@pytest.fixture
def blank(url: str) -> Blank:
    """How the database was when it was made."""
    return Blank.of(url)


def test_a_used_database_is_as_it_was(url: str, blank: Blank) -> None:
    """Whatever was written: rows of games, and the few that every database has."""
    before = _dump(url)
    with closing(PostgresStore(url)) as store:
        create_game(store, parse_config(CONFIG), "Studio")
    _run(url, "UPDATE livecore_migrations SET applied_at = 0")
    _run(url, "DELETE FROM livecore_migration_lock")
    assert _dump(url) != before
    assert blank.again(url)
    assert _dump(url) == before


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE further (id int)",
        "DROP TABLE players",
        "ALTER TABLE players ALTER COLUMN name SET DEFAULT 'x'",
        "ALTER TABLE players RENAME COLUMN name TO other",
        "CREATE INDEX further ON players (name)",
        "TRUNCATE players",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = ''5MB''', current_database()); END $$",
    ],
)
def test_a_changed_catalog_is_not_undone(url: str, blank: Blank, change: str) -> None:
    """Such a database may be used no more."""
    _run(url, change)
    assert not blank.again(url)


def test_one_with_somebody_connected_is_left_alone(url: str, blank: Blank) -> None:
    """They might still write to it."""
    with psycopg.connect(url):
        assert not blank.again(url)

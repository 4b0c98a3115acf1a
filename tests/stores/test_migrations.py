"""Databases of both stores move forward by recorded migrations: numbered ones by hand, and growth by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final, Literal

import attrs
import psycopg
import pytest

from livecore.kernel.storage import tables as registry
from livecore.kernel.storage.tables import Table
from livecore.kernel.values import keyword_value as record
from livecore_server.storage import layout
from livecore_server.storage.layout import CodeTooOld, Layout, SchemaDrift
from livecore_server.storage.migration_steps import MigratedDatabase
from livecore_server.storage.migrations import MIGRATIONS, Migration
from livecore_server.storage.postgres.connections.connection_pool import Connections
from livecore_server.storage.postgres.schema import migrations as postgres
from livecore_server.storage.sqlite import migrations as sqlite
from tests.postgres.server import fresh_database

_NAME = "migration_test_things"
_NEXT = len(MIGRATIONS) + 1


@record
class Thing:
    """As the first release declared it."""

    id: str
    state: Literal["new", "old"] = "new"


@record
class GrownThing:
    """One more value, one more nullable column, two columns with defaults."""

    id: str
    state: Literal["new", "old", "broken"] = "new"
    colour: str | None = None
    size: int = 3
    label: str = "it's"


@record
class WiderThing:
    """A new column alone: that needs no copy of the table."""

    id: str
    state: Literal["new", "old"] = "new"
    fresh: bool = False


@record
class DemandingThing:
    """A new column that must not be null and has no default."""

    id: str
    colour: str
    state: Literal["new", "old"] = "new"


@record
class RetypedThing:
    """A column of another type."""

    id: str
    state: int = 0


@record
class RenamedThing:
    """A column with another name."""

    id: str
    condition: Literal["new", "old"] = "new"


def declared(cls: type[Any], *, key: tuple[str, ...] = ("id",), indexed: bool = False) -> Table[Any]:
    """The table as some release declares it, kept out of the register of tables."""
    table = Table(_NAME, cls, key=key)
    del registry._TABLES[_NAME]
    if indexed:
        table.index("by_state", prefix=("state",), order=("id",))
    return table


@attrs.frozen(kw_only=True)
class Database:
    """An empty database of a store, and its store's migration."""

    migrate: Callable[..., list[str]]
    """Takes tables, the time, and the migrations if they are not the code's own."""
    run: Callable[[str], list[tuple[Any, ...]]]
    """Runs a statement; returns its rows."""
    contents: Callable[[], object]
    """All that a failed migration must leave as it was."""
    indexes: Callable[[], set[str]]
    """The names of the declared indexes."""

    def rows(self) -> list[tuple[Any, ...]]:
        """Every row of the table."""
        return self.run(f"SELECT * FROM {_NAME} ORDER BY id")  # noqa: S608 - a constant


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database without tables, of each store."""
    yield from _in_sqlite() if request.param == "sqlite" else _in_postgres()


def _in_sqlite() -> Iterator[Database]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:

        def run(text: str) -> list[tuple[Any, ...]]:
            return connection.execute(text).fetchall()

        def migrate(tables: list[Table[Any]], now: int, migrations: Sequence[Migration] = MIGRATIONS) -> list[str]:
            return sqlite.migrate(connection, tables, now, migrations)

        yield Database(
            migrate=migrate,
            run=run,
            contents=lambda: list(connection.iterdump()),
            indexes=lambda: {name for (name,) in run(_OF_SQLITE)},
        )


_OF_SQLITE: Final = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> ''"
_OF_POSTGRES: Final = f"SELECT indexname FROM pg_indexes WHERE tablename = '{_NAME}' AND indexname NOT LIKE 'pk_%'"  # noqa: S608 - a constant
_COLUMNS: Final = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"


def _in_postgres() -> Iterator[Database]:
    with (
        fresh_database() as url,
        closing(Connections(url, most=1)) as connections,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        wire = connections.first()

        def run(text: str) -> list[tuple[Any, ...]]:
            done = connection.execute(text.encode())
            return done.fetchall() if done.description else []

        def migrate(tables: list[Table[Any]], now: int, migrations: Sequence[Migration] = MIGRATIONS) -> list[str]:
            return postgres.migrate(wire, tables, now, migrations)

        yield Database(
            migrate=migrate,
            run=run,
            contents=lambda: [sorted(run(_COLUMNS)), run("SELECT * FROM livecore_migrations"), run(f"TABLE {_NAME}")],
            indexes=lambda: {name for (name,) in run(_OF_POSTGRES)},
        )
        connections.drop(wire)


@pytest.fixture
def database(empty: Database) -> Database:
    """A database with one row, made by the first release."""
    empty.migrate([declared(Thing)], 1)
    empty.run(f"INSERT INTO {_NAME} VALUES ('g/test', 'a', 'old')")  # noqa: S608 - a constant
    return empty


def test_a_new_database_records_every_numbered_migration(database: Database) -> None:
    """It is made in the newest layout at once, and the numbers up to now never run on it."""
    recorded = database.run("SELECT number, name, oldest_code, applied_at FROM livecore_migrations ORDER BY id")
    assert recorded == [(one.number, one.name, one.oldest_code, 1) for one in MIGRATIONS]


def test_numbers_rise_by_one_and_none_forgets_an_older_bound() -> None:
    """The last number is the code's schema version."""
    assert [migration.number for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    assert all(1 <= migration.oldest_code <= migration.number for migration in MIGRATIONS)


def test_a_second_start_changes_nothing(database: Database) -> None:
    """What is there is not recorded again."""
    assert database.migrate([declared(Thing)], 2) == []


def test_a_declaration_that_grew_is_made_and_recorded(database: Database) -> None:
    """Values, columns and indexes come in place; the rows stay and get the defaults."""
    assert database.migrate([declared(GrownThing, indexed=True)], 2) == [f"grow:{_NAME}"]
    assert database.rows() == [("g/test", "a", "old", None, 3, "it's")]
    database.run(f"UPDATE {_NAME} SET state = 'broken'")  # noqa: S608 - a constant
    assert database.indexes() == {f"ix_{_NAME}__by_state"}
    assert database.migrate([declared(GrownThing, indexed=True)], 3) == []


def test_a_new_column_alone_is_added_in_place(database: Database) -> None:
    """With its default and its type, which on SQLite is a check."""
    assert database.migrate([declared(WiderThing)], 2) == [f"grow:{_NAME}"]
    assert database.rows() == [("g/test", "a", "old", False)]
    with pytest.raises((sqlite3.IntegrityError, psycopg.Error)):
        database.run(f"UPDATE {_NAME} SET fresh = 2")  # noqa: S608 - a constant


def test_code_from_before_the_growth_still_runs(database: Database) -> None:
    """A release can be rolled back: the older declarations find all they know, and take nothing away."""
    database.migrate([declared(GrownThing, indexed=True)], 2)
    assert database.migrate([declared(Thing)], 3) == []
    database.run(f"INSERT INTO {_NAME} (scope, id, state) VALUES ('g/test', 'b', 'new')")  # noqa: S608 - a constant
    assert database.rows()[1] == ("g/test", "b", "new", None, 3, "it's")


@pytest.mark.parametrize(
    "table",
    [declared(DemandingThing), declared(RetypedThing), declared(Thing, key=("id", "state"))],
    ids=["a column without a default", "another type", "another key"],
)
def test_what_cannot_grow_is_refused(database: Database, table: Table[Any]) -> None:
    """The error names the table, and the database is as it was; the older release still starts."""
    before = database.contents()
    with pytest.raises(SchemaDrift) as caught:
        database.migrate([table], 2)
    assert caught.value.table == _NAME
    assert database.contents() == before
    assert database.migrate([declared(Thing)], 3) == []


def _rename(database: MigratedDatabase, before: Layout) -> Layout:
    database.rows(f"ALTER TABLE {_NAME} RENAME COLUMN state TO condition")
    return layout.renamed_column(before, _NAME, "state", "condition")


_RENAME = Migration(number=_NEXT, name="call the state a condition", oldest_code=_NEXT, step=_rename)
_LATER = (*MIGRATIONS, _RENAME)


def test_a_numbered_migration_runs_once_and_is_recorded(database: Database) -> None:
    """Its layout is what the declarations are compared with afterwards."""
    assert database.migrate([declared(RenamedThing)], 2, _LATER) == [_RENAME.name]
    assert database.migrate([declared(RenamedThing)], 3, _LATER) == []
    assert database.rows() == [("g/test", "a", "old")]


def test_only_older_code_is_refused(database: Database) -> None:
    """The error says which version is needed; a database that allows older code takes it."""
    lenient = Migration(number=_NEXT + 1, name="harmless", oldest_code=_NEXT)
    database.migrate([declared(RenamedThing)], 2, (*_LATER, lenient))
    assert database.migrate([declared(RenamedThing)], 3, _LATER) == []
    with pytest.raises(CodeTooOld) as caught:
        database.migrate([declared(Thing)], 4)
    assert (caught.value.needed, caught.value.have) == (_NEXT, _NEXT - 1)


def test_a_migration_that_fails_leaves_the_database_as_it_was(database: Database) -> None:
    """Its changes and its record stand or fall together."""

    def fail(database: MigratedDatabase, before: Layout) -> Layout:
        _rename(database, before)
        raise RuntimeError("half way")

    before = database.contents()
    with pytest.raises(RuntimeError, match="half way"):
        database.migrate([declared(RenamedThing)], 2, (*MIGRATIONS, attrs.evolve(_RENAME, step=fail)))
    assert database.contents() == before


def test_a_column_called_scope_is_refused() -> None:
    """The name is taken, in every table."""

    @record
    class Scoped:
        """A record with a clash."""

        id: str
        scope: str

    with pytest.raises(ValueError, match="scope"):
        layout.declared_layout([declared(Scoped)])


@record
class OldPlayer:
    """The part of a player that schema version 3 called by another name."""

    id: str
    upheavals: int = 0


@record
class NewPlayer:
    """The same since schema version 4."""

    id: str
    epoch: int = 0


def _players(cls: type[Any], monkeypatch: pytest.MonkeyPatch) -> Table[Any]:
    monkeypatch.delitem(registry._TABLES, "players", raising=False)
    return Table("players", cls, key=("id",))


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_players_epoch_keeps_its_value_under_its_new_name(
    empty: Database, monkeypatch: pytest.MonkeyPatch, *, interrupted: bool
) -> None:
    """Migration 4 renames the column of a database of version 3, and older code is refused afterwards.

    An engine that commits each statement may have renamed the column before it was interrupted. The tables of the older
    ephemeral state are gone.
    """
    old, new = (_players(cls, monkeypatch) for cls in (OldPlayer, NewPlayer))
    empty.migrate([old], 1, MIGRATIONS[:3])
    empty.run("INSERT INTO players VALUES ('g/test', 'a', 2)")
    empty.run("CREATE TABLE livecore_facts (scope TEXT PRIMARY KEY)")
    if interrupted:
        empty.run("ALTER TABLE players RENAME COLUMN upheavals TO epoch")
    assert empty.migrate([new], 2, MIGRATIONS[:4]) == ["epoch"]
    assert empty.migrate([new], 3, MIGRATIONS[:4]) == []
    assert empty.run("SELECT id, epoch FROM players") == [("a", 2)]
    empty.run("CREATE TABLE livecore_facts (scope TEXT PRIMARY KEY)")
    with pytest.raises(CodeTooOld):
        empty.migrate([old], 3, MIGRATIONS[:3])


@record
class Pair:
    """A row of which a whole prefix of the key is read in the order of the rest."""

    left: str
    right: str


def test_an_index_that_repeats_the_key_is_dropped(empty: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Migration 5 leaves the rows and the other indexes, and a new database has no such index."""
    table = Table(_NAME, Pair, key=("left", "right"))
    del registry._TABLES[_NAME]
    table.index("of_left", prefix=("left",), order=("right",))
    table.index("of_right", prefix=("right",), order=("left",))
    with monkeypatch.context() as patch:
        patch.setattr(layout, "without_key_indexes", lambda before: before)
        empty.migrate([table], 1, MIGRATIONS[:4])
    empty.run(f"INSERT INTO {_NAME} VALUES ('g/test', 'a', 'b')")  # noqa: S608 - a constant
    assert empty.indexes() == {f"ix_{_NAME}__of_left", f"ix_{_NAME}__of_right"}
    assert empty.migrate([table], 2, MIGRATIONS[:5]) == ["key-indexes"]
    assert empty.indexes() == {f"ix_{_NAME}__of_right"}
    assert len(empty.run(f"SELECT * FROM {_NAME}")) == 1  # noqa: S608 - a constant
    with pytest.raises(CodeTooOld):  # it would create the index again
        empty.migrate([table], 3, MIGRATIONS[:4])


def test_a_new_database_has_no_index_that_repeats_the_key(empty: Database) -> None:
    """The key's own index serves the reads of a prefix of it."""
    table = Table(_NAME, Pair, key=("left", "right"))
    del registry._TABLES[_NAME]
    table.index("of_left", prefix=("left",), order=("right",))
    table.index("of_right", prefix=("right",), order=("left",))
    empty.migrate([table], 1)
    assert empty.indexes() == {f"ix_{_NAME}__of_right"}

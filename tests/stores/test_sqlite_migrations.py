"""Files move forward by recorded migrations: numbered ones by hand, and growth by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Literal

import attrs
import pytest

from livecore.kernel.storage import tables as registry
from livecore.kernel.storage.records import record
from livecore.kernel.storage.tables import Table
from livecore_server.storage import layout
from livecore_server.storage.sqlite.migrations import MIGRATIONS, CodeTooOld, Migration, applied_names, migrate
from livecore_server.storage.sqlite.schema import Layout, SchemaDrift

_NAME = "migration_test_things"


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


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """A database with one row, made by the first release."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, [declared(Thing)], now=1)
        connection.execute(f"INSERT INTO {_NAME} VALUES ('g/test', 'a', 'old')")  # noqa: S608 - a constant
        yield connection


def rows(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Every row of the table."""
    return connection.execute(f"SELECT * FROM {_NAME}").fetchall()  # noqa: S608 - a constant


def test_a_new_file_records_every_numbered_migration(connection: sqlite3.Connection) -> None:
    """It is made in the newest layout at once, and the numbers up to now never run on it."""
    assert applied_names(connection) == [migration.name for migration in MIGRATIONS]
    record_of = "SELECT number, oldest_code, applied_at FROM livecore_migrations WHERE id = 1"
    assert connection.execute(record_of).fetchone() == (1, 1, 1)


def test_numbers_rise_by_one_and_none_forgets_an_older_bound() -> None:
    """The last number is the code's schema version."""
    assert [migration.number for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    assert all(1 <= migration.oldest_code <= migration.number for migration in MIGRATIONS)


def test_a_second_start_changes_nothing(connection: sqlite3.Connection) -> None:
    """What is there is not recorded again."""
    assert migrate(connection, [declared(Thing)], now=2) == []


def test_a_declaration_that_grew_is_made_and_recorded(connection: sqlite3.Connection) -> None:
    """Values, columns and indexes come in place; the rows stay and get the defaults."""
    assert migrate(connection, [declared(GrownThing, indexed=True)], now=2) == [f"grow:{_NAME}"]
    assert rows(connection) == [("g/test", "a", "old", None, 3, "it's")]
    connection.execute(f"UPDATE {_NAME} SET state = 'broken'")  # noqa: S608 - a constant
    indexes = "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'ix_%'"
    assert connection.execute(indexes).fetchall() == [(f"ix_{_NAME}__by_state",)]
    assert migrate(connection, [declared(GrownThing, indexed=True)], now=3) == []


def test_a_new_column_alone_is_added_in_place(connection: sqlite3.Connection) -> None:
    """With its default and its check."""
    assert migrate(connection, [declared(WiderThing)], now=2) == [f"grow:{_NAME}"]
    assert rows(connection) == [("g/test", "a", "old", 0)]
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(f"UPDATE {_NAME} SET fresh = 2")  # noqa: S608 - a constant


def test_code_from_before_the_growth_still_runs(connection: sqlite3.Connection) -> None:
    """A release can be rolled back: the older declarations find all they know, and take nothing away."""
    migrate(connection, [declared(GrownThing, indexed=True)], now=2)
    assert migrate(connection, [declared(Thing)], now=3) == []
    connection.execute(f"INSERT INTO {_NAME} (scope, id, state) VALUES ('g/test', 'b', 'new')")  # noqa: S608 - a constant
    assert rows(connection)[1] == ("g/test", "b", "new", None, 3, "it's")


@pytest.mark.parametrize(
    "table",
    [declared(DemandingThing), declared(RetypedThing), declared(Thing, key=("id", "state"))],
    ids=["a column without a default", "another type", "another key"],
)
def test_what_cannot_grow_is_refused(connection: sqlite3.Connection, table: Table[Any]) -> None:
    """The error names the table, and the file is as it was."""
    before = list(connection.iterdump())
    with pytest.raises(SchemaDrift) as caught:
        migrate(connection, [table], now=2)
    assert caught.value.table == _NAME
    assert list(connection.iterdump()) == before


def _rename(connection: sqlite3.Connection, layout: Layout) -> Layout:
    connection.execute(f"ALTER TABLE {_NAME} RENAME COLUMN state TO condition")
    table = layout[_NAME]
    columns = {{"state": "condition"}.get(name, name): column for name, column in table.columns.items()}
    return {**layout, _NAME: attrs.evolve(table, columns=columns)}


_NEXT = len(MIGRATIONS) + 1
_RENAME = Migration(number=_NEXT, name="call the state a condition", oldest_code=_NEXT, step=_rename)
_LATER = (*MIGRATIONS, _RENAME)


def test_a_numbered_migration_runs_once_and_is_recorded(connection: sqlite3.Connection) -> None:
    """Its layout is what the declarations are compared with afterwards."""
    assert migrate(connection, [declared(RenamedThing)], now=2, migrations=_LATER) == [_RENAME.name]
    assert migrate(connection, [declared(RenamedThing)], now=3, migrations=_LATER) == []
    assert rows(connection) == [("g/test", "a", "old")]


def test_only_older_code_is_refused(connection: sqlite3.Connection) -> None:
    """The error says which version is needed; a file that allows older code takes it."""
    lenient = Migration(number=_NEXT + 1, name="harmless", oldest_code=_NEXT)
    migrate(connection, [declared(RenamedThing)], now=2, migrations=(*_LATER, lenient))
    assert migrate(connection, [declared(RenamedThing)], now=3, migrations=_LATER) == []
    with pytest.raises(CodeTooOld) as caught:
        migrate(connection, [declared(Thing)], now=4)
    assert (caught.value.needed, caught.value.have) == (_NEXT, _NEXT - 1)


def test_a_migration_that_fails_leaves_the_file_as_it_was(connection: sqlite3.Connection) -> None:
    """Its changes and its record stand or fall together."""

    def fail(connection: sqlite3.Connection, layout: Layout) -> Layout:
        _rename(connection, layout)
        raise RuntimeError("half way")

    before = list(connection.iterdump())
    with pytest.raises(RuntimeError, match="half way"):
        migrate(
            connection,
            [declared(RenamedThing)],
            now=2,
            migrations=(*MIGRATIONS, attrs.evolve(_RENAME, step=fail)),
        )
    assert list(connection.iterdump()) == before


def test_a_column_called_scope_is_refused() -> None:
    """The name is taken, in every table."""

    @record
    class Scoped:
        """A record with a clash."""

        id: str
        scope: str

    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as connection,
        pytest.raises(ValueError, match="scope"),
    ):
        migrate(connection, [declared(Scoped)], now=1)


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


def test_a_players_epoch_keeps_its_value_under_its_new_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Migration 4 renames the column of a database of version 3, and older code is refused afterwards."""
    old, new = (_players(cls, monkeypatch) for cls in (OldPlayer, NewPlayer))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, [old], now=1, migrations=MIGRATIONS[:3])
        connection.execute("INSERT INTO players VALUES ('g/test', 'a', 2)")
        assert migrate(connection, [new], now=2, migrations=MIGRATIONS[:4]) == ["epoch"]
        assert connection.execute("SELECT id, epoch FROM players").fetchall() == [("a", 2)]
        with pytest.raises(CodeTooOld):
            migrate(connection, [old], now=3, migrations=MIGRATIONS[:3])


@record
class Pair:
    """A row of which a whole prefix of the key is read in the order of the rest."""

    left: str
    right: str


def _pairs() -> Table[Any]:
    table = Table(_NAME, Pair, key=("left", "right"))
    del registry._TABLES[_NAME]
    table.index("of_left", prefix=("left",), order=("right",))
    table.index("of_right", prefix=("right",), order=("left",))
    return table


def test_an_index_that_repeats_the_key_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Migration 5 leaves the rows and the other indexes, and a new file has no such index."""
    table = _pairs()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        with monkeypatch.context() as patch:
            patch.setattr(layout, "without_key_indexes", lambda before: before)
            migrate(connection, [table], now=1, migrations=MIGRATIONS[:4])
        connection.execute(f"INSERT INTO {_NAME} VALUES ('g/test', 'a', 'b')")  # noqa: S608 - a constant
        assert indexes(connection) == {f"ix_{_NAME}__of_left", f"ix_{_NAME}__of_right"}
        assert migrate(connection, [table], now=2, migrations=MIGRATIONS[:5]) == ["key-indexes"]
        assert indexes(connection) == {f"ix_{_NAME}__of_right"}
        assert rows(connection) == [("g/test", "a", "b")]
        with pytest.raises(CodeTooOld):  # it would create the index again
            migrate(connection, [table], now=3, migrations=MIGRATIONS[:4])
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, [table], now=1)
        assert indexes(connection) == {f"ix_{_NAME}__of_right"}


def indexes(connection: sqlite3.Connection) -> set[str]:
    """The names of all indexes that were declared."""
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql <> ''")}

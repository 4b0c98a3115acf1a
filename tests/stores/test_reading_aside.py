"""Long reads of a database file beside the event loop's thread."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from livecore.kernel.storage.reads import Count, Get, Scan
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.reading_aside import ReadingAside
from tests.stores.suite import fresh_scope
from tests.stores.tables import BY_CODE, BY_LEVEL, HEROES, IN_GUILD, STORE_TABLES, Hero

_NAMES = ("id", "level", "guild")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the test's database is."""
    return tmp_path / "a.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """A store on that file."""
    with closing(SqliteStore(path, tables=STORE_TABLES)) as store:
        yield store


@pytest.fixture
def aside(store: SqliteStore) -> Iterator[ReadingAside]:
    """Reads beside that store."""
    with closing(ReadingAside(store.path)) as aside:
        yield aside


@pytest.mark.parametrize(
    "scan",
    [
        Scan(BY_LEVEL, ()),
        Scan(BY_LEVEL, (), limit=3),
        Scan(BY_LEVEL, (), after=(2**53, "h3"), reverse=True),
        Scan(BY_LEVEL, (), start=(-5,), stop=(2,)),
        Scan(IN_GUILD, ('a "guild"\n',)),
        Scan(BY_LEVEL, (), start=(2**60,)),
    ],
)
def test_columns_are_those_of_the_rows(store: SqliteStore, aside: ReadingAside, scan: Scan[Hero]) -> None:
    """In their order, within all bounds: numbers exactly, texts with whatever is in them, and nulls."""
    scope = fresh_scope()
    heroes = [
        Hero(id="h1", name="a", level=-5, guild='a "guild"\n'),
        Hero(id="h2", name="b", level=1, guild="é🐉"),
        Hero(id="h3", name="c", level=2**53),
        Hero(id="h4", name="d", level=-(2**53) + 1, guild='a "guild"\n'),
    ]
    store.write(scope, lambda tx: [tx.insert(HEROES, hero) for hero in heroes])
    rows = store.read(scope, lambda tx: tx.scanned(scan))
    expected = [[getattr(row, name) for row in rows] for name in _NAMES]
    assert aside.read(scope, lambda tx: list(tx.columns(scan, _NAMES))) == expected
    assert store.read(scope, lambda tx: list(tx.columns(scan, _NAMES))) == expected
    assert aside.read(scope, lambda tx: tx.scanned(scan)) == store.read(scope, lambda tx: tx.scanned(scan))


def test_a_unit_s_own_changes_are_among_the_columns(store: SqliteStore) -> None:
    """As among rows."""
    scope = fresh_scope()

    def work(tx: Transaction) -> object:
        tx.insert(HEROES, Hero(id="h1", level=3))
        return tx.columns(Scan(BY_LEVEL, ()), _NAMES)

    assert store.write(scope, work) == [["h1"], [3], [None]]


def _put(tx: Transaction, hero: Hero) -> None:
    tx.put(HEROES, hero)


def test_every_read_is_of_the_newest_committed_state(store: SqliteStore, aside: ReadingAside) -> None:
    """No snapshot stays open, and nothing is kept from one read to the next."""
    scope = fresh_scope()

    def seen(tx: Transaction) -> list[object]:
        one: Hero | None = tx.get(HEROES, "h1")
        found: Hero | None = tx.find(BY_CODE, "x")
        return [
            one,
            found,
            *tx.read_together(Get(HEROES, ("h1",)), Count(BY_LEVEL, ()), Scan(BY_LEVEL, ())),
            tx.sums(BY_LEVEL, of="level", by="realm"),
        ]

    assert aside.read(scope, seen) == [None, None, None, 0, [], {}]
    for level in (1, 2):
        hero = Hero(id="h1", level=level, code="x")
        store.write(scope, partial(_put, hero=hero))
        assert aside.read(scope, seen) == [hero, hero, hero, 1, [hero], {"home": level}]


def test_a_connection_that_fails_is_replaced(store: SqliteStore, aside: ReadingAside) -> None:
    """Whoever reads next has a new one."""
    scope = fresh_scope()

    def broken(_: Transaction) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(sqlite3.OperationalError):
        aside.read(scope, broken)
    store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="h1")))
    assert aside.read(scope, lambda tx: tx.count(BY_LEVEL)) == 1

"""The store on SQLite does what every store must do, and keeps its own promises about disk, memory and other processes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

import livecore.api  # noqa: F401 - declares every table of the service
from livecore.kernel.storage.reads import Find, Get, Read, Sums
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Index, Table, Value, all_tables
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.migrations import migrate
from livecore_server.storage.sqlite.statements import count_sql, find_sql, plan_of, rows_sql, scan_sql
from tests.stores.suite import StoreSuite, fresh_scope
from tests.stores.tables import BY_CODE, BY_LEVEL, COUNTERS, HEROES, IN_GUILD, STORE_TABLES, Counter, Hero


class TestSqliteStore(StoreSuite):
    """The suite on `SqliteStore`."""

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
        """One file for the class."""
        with closing(SqliteStore(tmp_path_factory.mktemp("suite") / "a.db", tables=STORE_TABLES)) as store:
            yield store


class TestSqliteStoreWithoutMemory(StoreSuite):
    """The suite again with caches that forget at once, so that every answer comes from the file."""

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
        """One file for the class."""
        path = tmp_path_factory.mktemp("suite") / "a.db"
        with closing(SqliteStore(path, tables=STORE_TABLES, cache_bytes=0)) as store:
            yield store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the test's database is."""
    return tmp_path / "a.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """A store on that file."""
    with closing(SqliteStore(path, tables=STORE_TABLES)) as store:
        yield store


# -- durability


def test_the_writing_connection_waits_for_the_disk(store: SqliteStore) -> None:
    """Write-ahead log with a sync at each commit: synchronous is FULL (2)."""
    assert store.connections.writing.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store.connections.writing.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_rows_outlive_the_store(store: SqliteStore, path: Path) -> None:
    """What one store wrote, the next one reads."""
    scope = fresh_scope()
    store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="a", code="x", active=False)))
    before = store.dump()
    store.close()
    with closing(SqliteStore(path, tables=STORE_TABLES)) as again:
        assert again.dump() == before
        assert again.read(scope, lambda tx: tx.find(BY_CODE, "x")) == Hero(id="a", code="x", active=False)


def test_the_log_starts_over(path: Path) -> None:
    """The snapshot that reads always have open does not make the write-ahead log grow for ever."""
    scope = fresh_scope()
    sizes = []
    with closing(SqliteStore(path, tables=STORE_TABLES, checkpoint_after_writes=100)) as store:
        for turn in range(12):

            def work(tx: Transaction, turn: int = turn) -> None:
                for at in range(50):
                    tx.put(COUNTERS, Counter(key=f"k{at}", order=turn))

            store.write(scope, work)
            sizes.append(path.with_name("a.db-wal").stat().st_size)
    assert max(sizes[6:]) <= max(sizes[:6])


# -- what readers see


def test_readers_do_not_see_a_batch_before_it_is_committed_and_published(store: SqliteStore) -> None:
    """Neither rows nor look-ups nor scans nor sums; units of the batch do."""
    scope = fresh_scope()
    store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="a", code="x")))
    expected = (Hero(id="a", code="x"), None, [Hero(id="a", code="x")], 1, {"a": 0})

    def look(tx: Transaction) -> tuple[Hero | None, Hero | None, list[Hero], int, dict[Value, int]]:
        sums = tx.sums(BY_LEVEL, of="level", by="id")
        return tx.get(HEROES, "a"), tx.find(BY_CODE, "y"), tx.scan(BY_LEVEL), tx.count(BY_LEVEL), sums

    batch = store.group_commit()
    unit = batch.transaction(scope)
    unit.put(HEROES, Hero(id="a", code="y"))
    unit.insert(HEROES, Hero(id="b"))
    batch.apply(scope, unit.writes())
    assert store.read(scope, look) == expected
    rows = [Hero(id="a", code="y"), Hero(id="b")]
    changed = (rows[0], rows[0], rows, 2, {"a": 0, "b": 0})
    assert look(batch.transaction(scope)) == changed
    batch.commit()
    assert store.read(scope, look) == expected
    batch.publish()
    assert store.read(scope, look) == changed


def test_a_batch_that_is_rolled_back_leaves_no_trace(store: SqliteStore) -> None:
    """What its units remembered while reading is what is committed."""
    scope = fresh_scope()
    store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="a", code="x")))
    batch = store.group_commit()
    unit = batch.transaction(scope)
    unit.delete(HEROES, "a")
    batch.apply(scope, unit.writes())
    assert batch.transaction(scope).find(BY_CODE, "x") is None
    assert batch.transaction(scope).scan(BY_LEVEL) == []
    assert batch.transaction(scope).sums(BY_LEVEL, of="level", by="id") == {}
    batch.rollback()
    assert store.read(scope, lambda tx: tx.sums(BY_LEVEL, of="level", by="id")) == {"a": 0}
    assert store.read(scope, lambda tx: tx.find(BY_CODE, "x")) == Hero(id="a", code="x")
    assert store.read(scope, lambda tx: tx.scan(BY_LEVEL)) == [Hero(id="a", code="x")]


def test_a_batch_knows_whether_a_unit_saw_uncommitted_rows(store: SqliteStore) -> None:
    """Only what an earlier unit touched counts, also where it shows that nothing is there any more."""
    scope = fresh_scope()
    store.write(
        scope, lambda tx: (tx.insert(HEROES, Hero(id="a", code="x")), tx.insert(HEROES, Hero(id="b", code="y")))
    )
    batch = store.group_commit()
    unit = batch.transaction(scope)
    unit.delete(HEROES, "a")
    batch.apply(scope, unit.writes())
    batch.transaction(scope).get(HEROES, "b")
    batch.transaction(fresh_scope()).scan(BY_LEVEL)
    assert not batch.saw_uncommitted
    looks: list[Callable[[Transaction], object]] = [
        lambda tx: tx.get(HEROES, "a"),
        lambda tx: tx.find(BY_CODE, "x"),
        lambda tx: tx.scan(BY_LEVEL),
        lambda tx: tx.count(BY_LEVEL),
        lambda tx: tx.sums(BY_LEVEL, of="level", by="id"),
    ]
    for look in looks:
        look(batch.transaction(scope))
        assert batch.saw_uncommitted
    batch.rollback()


def test_another_process_s_writes_show_in_the_next_read(store: SqliteStore, path: Path) -> None:
    """Everything remembered is forgotten once another connection has written."""
    scope = fresh_scope()
    store.write(scope, lambda tx: tx.insert(HEROES, Hero(id="a")))
    assert store.read(scope, lambda tx: tx.count(BY_LEVEL)) == 1
    assert store.read(scope, lambda tx: tx.sums(BY_LEVEL, of="level", by="id")) == {"a": 0}
    with closing(SqliteStore(path, tables=STORE_TABLES)) as other:
        other.write(scope, lambda tx: (tx.put(HEROES, Hero(id="a", level=7)), tx.insert(HEROES, Hero(id="b"))))
        assert store.read(scope, lambda tx: tx.get(HEROES, "a")) == Hero(id="a", level=7)
        assert store.read(scope, lambda tx: tx.count(BY_LEVEL)) == 2
        assert store.read(scope, lambda tx: tx.sums(BY_LEVEL, of="level", by="id")) == {"a": 7, "b": 0}
        other.write(scope, lambda tx: tx.put(HEROES, Hero(id="a", level=8)))
        store.write(scope, lambda tx: tx.put(HEROES, Hero(id="a", name=f"level {tx.get(HEROES, 'a').level}")))  # type: ignore[union-attr] # it is there
    assert store.read(scope, lambda tx: tx.get(HEROES, "a")) == Hero(id="a", name="level 8")


def test_sums_of_a_prefix_that_nobody_touched_are_not_added_up_again(store: SqliteStore) -> None:
    """Asked again they cost no statement; a row that changes under another prefix leaves them alone."""
    scope = fresh_scope()
    asked: list[str] = []

    def sums(guild: str) -> dict[Value, int]:
        return store.read(scope, lambda tx: tx.sums(IN_GUILD, guild, of="level", by="id"))

    def put(*heroes: Hero) -> None:
        store.write(scope, lambda tx: [tx.put(HEROES, hero) for hero in heroes])

    put(Hero(id="a", level=1, guild="g"), Hero(id="b", level=2, guild="h"))
    store.connections.reading.set_trace_callback(asked.append)
    assert (sums("g"), sums("h")) == ({"a": 1}, {"b": 2})
    put(Hero(id="b", level=3, guild="h"))
    first = len(asked)
    assert sums("g") == {"a": 1}
    assert [text for text in asked[first:] if text.startswith("SELECT")] == []
    assert sums("h") == {"b": 3}
    put(Hero(id="b", level=3, guild="g"))
    assert (sums("g"), sums("h")) == ({"a": 1, "b": 3}, {})


def test_rows_of_many_keys_are_selected_together(store: SqliteStore) -> None:
    """A thousand rows by four statements for keys and four for unique values, and by none where they are known."""
    scope = fresh_scope()
    store.write(scope, lambda tx: [tx.insert(HEROES, Hero(id=f"h{at}", code=f"c{at}")) for at in range(0, 1_000, 2)])
    store._caches.clear()
    asked: list[str] = []
    store.connections.reading.set_trace_callback(asked.append)
    by_key = [Get(HEROES, (f"h{at}",)) for at in range(1_000)]
    by_code = [Find(BY_CODE, (f"c{at}",)) for at in range(1_000)]
    for reads, statements in ((by_key, 4), (by_key, 0), (by_code, 4), (by_code, 0)):
        asked.clear()
        found = store.read(scope, partial(_all_of, reads=reads))
        assert [row and row.id for row in found] == [None if at % 2 else f"h{at}" for at in range(1_000)]
        assert len([text for text in asked if text.startswith("SELECT")]) == statements


def test_sums_over_the_same_rows_are_added_up_together(store: SqliteStore) -> None:
    """Six sums by one statement, within bounds; asked again by none, until a row changes."""
    scope = fresh_scope()
    store.write(scope, lambda tx: [tx.insert(HEROES, Hero(id=f"h{at}", level=at % 7)) for at in range(100)])
    asked: list[str] = []
    store.connections.reading.set_trace_callback(asked.append)
    for start in ((1,), (2,)):
        reads = [Sums(BY_LEVEL, (), of, by, start=start) for of in ("level", "active") for by in ("level", "id")]
        for statements in (1, 0):
            asked.clear()
            found = store.read(scope, lambda tx, reads=reads: tx.read_all(reads))  # type: ignore[misc] # bound at once
            assert found[0] == {level: 14 * level + level * (level < 2) for level in range(start[0], 7)}
            assert len([text for text in asked if text.startswith("SELECT")]) == statements
    store.write(scope, lambda tx: tx.put(HEROES, Hero(id="h3", level=9)))
    assert store.read(scope, lambda tx: tx.read_all(reads))[1]["h3"] == 9


def _all_of(tx: Transaction, reads: Sequence[Read[Hero | None]]) -> list[Hero | None]:
    return tx.read_all(reads)


# -- the schema


@pytest.mark.parametrize(
    "assignment",
    ["level = 'high'", "level = NULL", "rank = 'baron'", "active = 2", "notes = '{'", "name = NULL", "scope = NULL"],
)
def test_the_file_itself_refuses_impossible_values(store: SqliteStore, assignment: str) -> None:
    """Whoever writes with another tool meets the types, checks and nulls of the declarations."""
    store.write(fresh_scope(), lambda tx: tx.insert(HEROES, Hero(id="a")))
    with pytest.raises(sqlite3.IntegrityError):
        store.connections.writing.execute(f"UPDATE {HEROES.name} SET {assignment}")  # noqa: S608 - written above


def test_a_value_that_breaks_a_check_is_no_conflict(store: SqliteStore) -> None:
    """A bug of ours is not mistaken for a race, and nothing is left of it."""
    scope = fresh_scope()
    wrong = Hero(id="a", rank="baron")  # type: ignore[arg-type] # on purpose
    with pytest.raises(sqlite3.IntegrityError):
        store.write(scope, lambda tx: tx.insert(HEROES, wrong))
    assert store.scopes() == []


def _plan(connection: sqlite3.Connection, sql: str) -> str:
    marks = [None] * sql.count("?")
    return "; ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", marks))


def _scans(index: Index[object]) -> Iterator[tuple[str, bool]]:
    """Statements of every shape, and whether they have a bound."""
    most = len(index.order)
    for width in range(most + 1):
        yield scan_sql(index, width, 0, 0, reverse=False), width > 0
        yield scan_sql(index, 0, 0, width, reverse=True), width > 0
        yield scan_sql(index, width, 0, width, reverse=True), width > 0
        yield count_sql(index, width, width, limited=False), width > 0
        yield count_sql(index, width, width, limited=True), width > 0
    yield scan_sql(index, 0, most, 0, reverse=False), True
    yield scan_sql(index, 0, most, 1, reverse=True), True


@pytest.mark.parametrize("table", all_tables(), ids=lambda table: table.name)
def test_every_statement_is_answered_by_an_index(table: Table[object]) -> None:
    """No scan sorts, and none walks rows outside of its scope, its prefix and its bounds."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, all_tables(), now=0)
        assert _plan(connection, plan_of(table).select).startswith(f"SEARCH {table.name} USING ")
        for found_by, columns in ((table, table.key), *((unique, unique.columns) for unique in table.uniques)):
            equal = " AND ".join(f"{column}=?" for column in ("scope", *columns))
            plan = _plan(connection, rows_sql(found_by, 8))
            assert re.search(rf"SEARCH held USING .*(INDEX \w+|PRIMARY KEY) \({re.escape(equal)}\)$", plan), plan
        for unique in table.uniques:
            assert f"uq_{table.name}__{unique.name} (scope=?" in _plan(connection, find_sql(unique))
        for index in table.indexes:
            equal = " AND ".join(f"{column}=?" for column in ("scope", *index.prefix))
            for sql, bounded in _scans(index):
                plan = _plan(connection, sql)
                searched = f"{re.escape(equal)}{' AND ' if bounded else ''}"
                assert re.search(rf"(INDEX \w+|PRIMARY KEY) \({searched}", plan), (sql, plan)
                assert "TEMP B-TREE" not in plan, (sql, plan)


def test_a_file_that_is_no_database_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that cannot be set up is closed, so nothing keeps hold of the file."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*args: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload] # handed on as it came
        opened.append(connection)
        return connection

    monkeypatch.setattr(sqlite3, "connect", noted)
    stranger = tmp_path / "letter.txt"
    stranger.write_text("Dear reader, this is no database. " * 100)
    with pytest.raises(sqlite3.DatabaseError):
        SqliteStore(stranger)
    assert opened
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")

"""`livecore copy`: both ways between real stores, interrupted and resumed, and never taken for whole when it is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from livecore.access.directory import ALL_GAMES, GAMES, Game
from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.examination import PAGE_ROWS as COMPARED_ROWS
from livecore.kernel.storage.examination import in_key_order
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.values import keyword_value as record
from livecore.players.player import PLAYERS
from livecore.social.codes import USED_CODES, UsedCode
from livecore_server.operations.copy import VerificationFailed, copy
from livecore_server.operations.copy.differences import compare
from livecore_server.storage.database import Database, DatabaseProblem, vault_file
from livecore_server.storage.host_tables import UNFINISHED_COPIES
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.snapshot import snapshot_store, views_of
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.vault import key_file, new_key
from tests.maintenance.copies import Fuse, Interrupted, games_in, interrupt
from tests.maintenance.lived_in import lived_in
from tests.postgres.server import fresh_database, ready_database
from tests.server.commands import Command

PAGE_ROWS = 7


# -- whole


def test_a_database_goes_to_postgresql_and_back(livecore: Command, tmp_path: Path) -> None:
    """Every row of every scope arrives, as it was; the command says how much there is; both ways."""
    source, back = lived_in(tmp_path), f"sqlite:///{tmp_path / 'back.db'}"
    with fresh_database() as url:
        there = livecore.done("copy", "--from", source, "--to", url, "--json")
        livecore.done("check", "--database", url)
        again = livecore.done("copy", "--from", url, "--to", back, "--json")
        with snapshot_store(source) as one, snapshot_store(url) as two, snapshot_store(back) as three:
            dump = one.dump()
            assert repr(two.dump()) == repr(dump)
            assert repr(three.dump()) == repr(dump)
    assert there.json == again.json
    assert there.err == ""
    for scope in there.json["scopes"]:
        held = dump[scope["scope"]]
        assert scope["rows"] == sum(map(len, held.values()))
        assert scope["held"] == scope["posted"] == sum(row.amount for row in held.get(HOLDINGS.name, []))


def test_a_person_reads_what_was_copied(livecore: Command, tmp_path: Path) -> None:
    """A line for each scope, and one for all; no progress bar where there is no terminal."""
    ended = livecore.done("copy", "--from", lived_in(tmp_path), "--to", f"sqlite:///{tmp_path / 'two.db'}")
    *scopes, last = ended.out.splitlines()
    assert len(scopes) == 5
    assert last.endswith("rows are copied, and every one of them was compared.")
    assert ended.err == ""


# -- interrupted


@pytest.mark.parametrize("rows", [0, 20, 150, 300])
def test_an_interrupted_copy_goes_on_where_it_was(
    source: Database, target: Database, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has arrived stays and is not written again; until the end the target has no game."""
    with pytest.raises(Interrupted):
        copy(source, target, advance=Fuse(rows, interrupt), page_rows=PAGE_ROWS)
    assert games_in(target) == 0
    arrived = sum(1 for _ in rows_of(target))
    batches = counted_writes(target, monkeypatch)
    copy(source, target, page_rows=PAGE_ROWS)
    assert target.dump() == source.dump()
    assert sum(batches) == sum(1 for _ in rows_of(source)) - arrived
    assert max(batches) == PAGE_ROWS


def rows_of(store: Database) -> Iterator[object]:
    """Every row of a store, but for the mark."""
    for tables in store.dump().values():
        for name, held in tables.items():
            if name != UNFINISHED_COPIES.name:
                yield from held


def counted_writes(store: Database, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each transaction of the store writes from now on, but for the mark."""
    batches: list[int] = []
    write = store.write

    def counting(scope: Scope, work: Callable[[Transaction], object]) -> object:
        def counted(tx: Transaction) -> object:
            result = work(tx)
            batches.append(sum(write.table is not UNFINISHED_COPIES for write in tx.writes()))
            return result

        return write(scope, counted)

    monkeypatch.setattr(store, "write", counting)
    return batches


def test_a_batch_arrives_whole_or_not_at_all(
    source: Database, target: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that fails half-way leaves nothing behind, and the next run brings it."""
    write = target.write
    turns = iter(range(1_000))

    def failing(scope: Scope, work: Callable[[Transaction], object]) -> object:
        def half(tx: Transaction) -> object:
            work(tx)
            raise Interrupted

        return write(scope, half if next(turns) == 12 else work)

    with monkeypatch.context() as patch:
        patch.setattr(target, "write", failing)
        with pytest.raises(Interrupted):
            copy(source, target, page_rows=PAGE_ROWS)
    copy(source, target, page_rows=PAGE_ROWS)
    assert target.dump() == source.dump()


# -- verified


def interrupted_after_a_scope(source: Database, target: Database) -> Scope:
    """Copy until the first scope is there and is just being compared; gives that scope."""
    scope = source.scopes()[1]
    assert scope.environment == "live"
    rows = sum(map(len, source.dump()[scope.id].values()))
    with pytest.raises(Interrupted):
        copy(source, target, advance=Fuse(rows, interrupt), page_rows=PAGE_ROWS)
    return scope


def tamper(store: Database, scope: Scope, table: Table[Any], changes: dict[str, object]) -> None:
    """Change the first row of a table, or take it away."""

    def act(tx: Transaction) -> None:
        (row,) = tx.scan(in_key_order(table), limit=1)
        if changes:
            tx.put(table, evolve(row, **changes))
        else:
            tx.delete(table, *table.key_of(row))

    store.write(scope, act)


SPOILED = [
    pytest.param(ENTRIES, {}, "{rows} rows in the source, {less} in the target", id="a row"),
    pytest.param(HOLDINGS, {"amount": 12_345}, "sums up to", id="an amount"),
    pytest.param(PLAYERS, {"app_version": "9.9"}, "the rows differ", id="a field"),
]


@pytest.mark.parametrize(("table", "changes", "says"), SPOILED)
def test_a_copy_that_differs_is_not_taken_for_whole(
    source: Database, target: Database, table: Table[Any], changes: dict[str, object], says: str
) -> None:
    """Whatever it is, it is found, every time; the copy stays unfinished, and serves nobody."""
    scope = interrupted_after_a_scope(source, target)
    rows = len(source.dump()[scope.id][table.name])
    tamper(target, scope, table, changes)
    for _ in range(2):
        with pytest.raises(VerificationFailed, match=says.format(rows=rows, less=rows - 1)) as failed:
            copy(source, target)
        assert [(found.scope, found.table) for found in failed.value.differences] == [(scope, table.name)]
        assert games_in(target) == 0
        assert target.read(DIRECTORY, lambda tx: tx.scan(in_key_order(UNFINISHED_COPIES)))


def test_a_source_that_changed_in_between_is_noticed(source: Database, target: Database) -> None:
    """Its rows were copied, then somebody started the server again: the next run says so."""
    scope = interrupted_after_a_scope(source, target)
    tamper(source, scope, PLAYERS, {"app_version": "9.9"})
    with pytest.raises(VerificationFailed, match="stop every server, empty the target and copy again"):
        copy(source, target)


def test_rows_that_came_from_elsewhere_are_noticed(source: Database, target: Database) -> None:
    """A whole scope that the source does not have is a difference, too."""
    interrupted_after_a_scope(source, target)
    target.write(Scope("gam_zzz", "live"), lambda tx: tx.insert(USED_CODES, UsedCode(code="ABCDEF")))
    with pytest.raises(
        VerificationFailed, match="gam_zzz/live used_friend_codes: 0 rows in the source, 1 in the target"
    ):
        copy(source, target)


def test_the_command_says_what_differs(livecore: Command, tmp_path: Path) -> None:
    """One line for each difference, and what to do."""
    urls = lived_in(tmp_path), f"sqlite:///{tmp_path / 'two.db'}"
    with snapshot_store(urls[0]) as source, snapshot_store(urls[1], create=True) as target:
        tamper(target, interrupted_after_a_scope(source, target), PLAYERS, {"app_version": "9.9"})
    ended = livecore("copy", "--from", urls[0], "--to", urls[1])
    assert ended.status == 1
    first, second = ended.err.splitlines()
    assert "players: the rows differ" in first
    assert second == "livecore: the copy differs from its source: stop every server, empty the target and copy again"


# -- refused


def test_a_target_that_holds_data_is_refused(source: Database, target: Database) -> None:
    """Also when it is a finished copy of the same source; nothing is changed."""
    copy(source, target)
    with pytest.raises(DatabaseProblem, match="holds data already"):
        copy(source, target)
    assert target.dump() == source.dump()


def test_an_unfinished_copy_of_something_else_is_refused(source: Database, target: Database, tmp_path: Path) -> None:
    """The mark tells whose copy it is."""
    interrupted_after_a_scope(source, target)
    with snapshot_store(f"sqlite:///{tmp_path / 'another.db'}", create=True) as another:
        another.write(DIRECTORY, lambda tx: tx.insert(GAMES, source.read(DIRECTORY, first_game_as("gam_other"))))
        with pytest.raises(DatabaseProblem, match="unfinished copy of another database"):
            copy(another, target)


def first_game_as(game_id: str) -> Callable[[Transaction], Game]:
    """Reads the first game, and gives it another id."""
    return lambda tx: evolve(tx.scan(ALL_GAMES, limit=1)[0], game_id=game_id)


def test_an_unfinished_copy_is_no_source(source: Database, target: Database, tmp_path: Path) -> None:
    """What is not whole is not copied on."""
    interrupted_after_a_scope(source, target)
    with (
        snapshot_store(f"sqlite:///{tmp_path / 'third.db'}", create=True) as third,
        pytest.raises(DatabaseProblem, match="is itself an unfinished copy"),
    ):
        copy(target, third)


def test_what_newer_code_has_added_is_not_left_behind(tmp_path: Path, source: Database, target: Database) -> None:
    """A source with a table that this code does not know is refused."""

    @record
    class Novelty:
        """Something of a later release."""

        name: str

    table = Table("novelties", Novelty, key=("name",))
    try:
        with closing(SqliteStore(tmp_path / "lived-in.db")):
            pass
    finally:
        table.withdraw()
    with pytest.raises(DatabaseProblem, match=r"used by a newer release \(novelties\)"):
        copy(source, target)
    assert target.scopes() == []


# -- standing still


def test_nobody_writes_to_a_file_while_it_is_copied(source: Database, target: Database, tmp_path: Path) -> None:
    """A server that was left running cannot commit what the copy would not have; afterwards it can."""
    refused: list[str] = []

    def write() -> None:
        with closing(sqlite3.connect(tmp_path / "lived-in.db", timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as fault:
                refused.append(str(fault))

    copy(source, target, advance=Fuse(10, write))
    assert refused == ["database is locked"]
    write()
    assert len(refused) == 1


def test_a_file_that_is_being_written_is_refused(source: Database, target: Database, tmp_path: Path) -> None:
    """The write lock of another process is the reason."""
    assert isinstance(source, SqliteStore)
    source.connections.set_busy_timeout(0)
    with closing(sqlite3.connect(tmp_path / "lived-in.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseProblem, match="is being written: stop the server first"):
            copy(source, target)


def test_a_postgresql_database_in_use_is_refused(source: Database, tmp_path: Path) -> None:
    """The sessions of a server are seen."""
    with fresh_database() as url:
        with snapshot_store(url, create=True) as first:
            copy(source, first)
        two = f"sqlite:///{tmp_path / 'two.db'}"
        with closing(PostgresStore(url)), snapshot_store(url) as used, snapshot_store(two, create=True) as target:
            with pytest.raises(DatabaseProblem, match=r"in use \(\d+ sessions"):
                copy(used, target)
            assert games_in(target) == 0


# -- the key of the webhook secrets


def test_the_vault_key_goes_along(tmp_path: Path) -> None:
    """To PostgreSQL and back: what one database has sealed, its copy can open."""
    path, back = tmp_path / "lived-in.db", tmp_path / "back.db"
    lived_in(tmp_path)
    key = key_file(vault_file(path))
    with ready_database() as url, snapshot_store(url) as middle:
        with snapshot_store(f"sqlite:///{path}") as source:
            copy(source, middle)
        assert isinstance(middle, PostgresStore)
        assert middle.setting("vault-key", new_key()) == key
        with snapshot_store(f"sqlite:///{back}", create=True) as target:
            copy(middle, target)
    assert key_file(vault_file(back)) == key
    assert vault_file(back).stat().st_mode & 0o077 == 0


def test_another_vault_key_is_refused(source: Database, tmp_path: Path) -> None:
    """A target that seals with a key of its own could not open what it is given."""
    key_file(vault_file(tmp_path / "lived-in.db"))
    key_file(vault_file(tmp_path / "two.db"))
    with (
        snapshot_store(f"sqlite:///{tmp_path / 'two.db'}", create=True) as target,
        pytest.raises(DatabaseProblem, match="another vault key"),
    ):
        copy(source, target)


def test_a_database_without_a_key_brings_none(source: Database, tmp_path: Path) -> None:
    """A deployment that gives its keys in the configuration finds nothing beside its copy."""
    with snapshot_store(f"sqlite:///{tmp_path / 'two.db'}", create=True) as target:
        copy(source, target)
    assert not vault_file(tmp_path / "two.db").exists()


# -- by turns


def test_both_sides_are_compared_by_turns(tmp_path: Path) -> None:
    """However many pages there are: a server ends a transaction that lies idle while all of the other side is read."""
    scope, turns = Scope("gam_one", "live"), list[str]()
    rows = [UsedCode(code=f"{number:06}") for number in range(2 * COMPARED_ROWS + 1)]
    with closing(SqliteStore(tmp_path / "game.db")) as store, views_of(store) as views:
        store.write(scope, lambda tx: [tx.insert(USED_CODES, row) for row in rows])

        def side(name: str) -> Callable[[], Reader]:
            def reader() -> Reader:
                turns.append(name)
                return views(scope)()

            return reader

        ((_, contents, difference),) = compare(scope, [USED_CODES], side("source"), side("target"), lambda _: None)
    assert (contents.rows, difference) == (len(rows), None)
    assert turns == ["source", "target"] * 3

"""`livecore backup` and `livecore restore` between both kinds of database: one moment, every row, all or nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from livecore.access.directory import ALL_GAMES
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.examination import in_key_order
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.players.player import PLAYERS
from livecore.social.codes import USED_CODES, UsedCode
from livecore_server.operations.copy import VerificationFailed, copy, put_back, save
from livecore_server.storage.database import DatabaseProblem
from livecore_server.storage.host_tables import UNFINISHED_COPIES
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.snapshot import snapshot_store
from livecore_server.storage.sqlite import SqliteStore, file_copies
from tests.maintenance.lived_in import busiest_scope, lived_in
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import fresh_database, ready_database
from tests.server.commands import Command

ELSEWHERE = Scope("gam_zzz", "live")


class Interrupted(Exception):
    """Somebody pulled the plug."""


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database of PostgreSQL's."""
    with fresh_database() as found:
        yield found


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database of PostgreSQL's that has been lived in, and that each test of this file leaves with more in it."""
    with ready_database() as found:
        with (
            snapshot_store(lived_in(tmp_path_factory.mktemp("lived"))) as source,
            snapshot_store(found, create=True) as target,
        ):
            copy(source, target)
        yield found


def dump_of(url: str) -> dict[str, Any]:
    """Every row of a database."""
    with snapshot_store(url) as store:
        return store.dump()


def saved(url: str, file: Path) -> Path:
    """A backup of a database."""
    with snapshot_store(url) as store:
        assert isinstance(store, PostgresStore)
        save(store, file)
    return file


# -- from one kind into either


def test_a_backup_of_postgresql_goes_back_into_either(livecore: Command, lived: str, tmp_path: Path) -> None:
    """Every row arrives, the counts and sums are printed, and both results are sound."""
    before, file, embedded = dump_of(lived), tmp_path / "saved.db", f"sqlite:///{tmp_path / 'embedded.db'}"
    told = livecore.done("backup", "--database", lived, file)
    livecore.done("restore", file, "--database", embedded)
    with fresh_database() as another:
        restored = livecore.done("restore", file, "--database", another)
        livecore.done("check", "--database", another)
        assert repr(dump_of(another)) == repr(before)
    livecore.done("check", "--database", embedded)
    assert repr(dump_of(embedded)) == repr(before)
    *scopes, total, last = told.out.splitlines()
    assert len(scopes) == len(before)
    assert total.endswith("rows are copied, and every one of them was compared.")
    assert last == f"the database is saved in {file}"
    assert restored.out.splitlines()[:-1] == [*scopes, total]
    assert told.err == restored.err == ""


def test_a_backup_of_a_file_goes_into_postgresql(livecore: Command, url: str, tmp_path: Path) -> None:
    """Moving by way of a backup works as well, and the backup stays as it was."""
    source, file = lived_in(tmp_path), tmp_path / "saved.db"
    livecore.done("backup", "--database", source, file)
    content = file.read_bytes()
    livecore.done("restore", file, "--database", url)
    assert repr(dump_of(url)) == repr(dump_of(source))
    assert file.read_bytes() == content


def test_a_backup_is_one_private_file(lived: str, tmp_path: Path) -> None:
    """Nothing lies beside it, and nobody else may read it."""
    file = saved(lived, tmp_path / "saved.db")
    assert sorted(found.name for found in tmp_path.glob("saved*")) == ["saved.db"]
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


# -- one moment


def test_a_backup_of_postgresql_is_of_one_moment(lived: str, tmp_path: Path) -> None:
    """What is committed after it has begun is not in it: no row, no change, no new scope; and that is no difference."""
    before = dump_of(lived)
    with snapshot_store(lived) as store, snapshot_store(lived) as other:
        assert isinstance(store, PostgresStore)
        scope = busiest_scope(store)
        player = store.read(scope, lambda tx: tx.scan(in_key_order(PLAYERS), limit=1)[0])

        def meanwhile(_: int) -> None:
            other.write(scope, lambda tx: tx.put(PLAYERS, evolve(player, app_version="9.9")))
            other.write(ELSEWHERE, lambda tx: tx.put(USED_CODES, UsedCode(code="ABCDEF")))

        save(store, tmp_path / "saved.db", expect=meanwhile)
    assert repr(dump_of(f"sqlite:///{tmp_path / 'saved.db'}")) == repr(before)
    assert ELSEWHERE.id in dump_of(lived)


def test_a_writer_does_not_start_the_copy_of_a_file_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody commits after every few pages: the pages that are left only become fewer, and the state is the first one."""
    monkeypatch.setattr(file_copies, "_PAGES_AT_ONCE", 16)
    path = tmp_path / "live.db"
    with closing(SqliteStore(path)) as store:
        codes = [UsedCode(code=f"{number:06}") for number in range(2_000)]
        store.write(ELSEWHERE, lambda tx: [tx.insert(USED_CODES, code) for code in codes])
        told: list[tuple[int, int]] = []

        def meanwhile(done: int, pages: int) -> None:
            told.append((done, pages))
            store.write(ELSEWHERE, lambda tx: tx.insert(USED_CODES, UsedCode(code=f"later{len(told)}")))

        file_copies.backup(path, tmp_path / "saved.db", meanwhile)
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
    (held,) = dump_of(f"sqlite:///{tmp_path / 'saved.db'}").values()
    assert len(held[USED_CODES.name]) == len(codes)


def test_a_backup_may_be_taken_under_load(lived: str, tmp_path: Path) -> None:
    """Another process goes on writing all the while: it is not hindered, and the copy is found to be like its moment."""
    begun, stop = Event(), Event()
    written: list[str] = []

    def load() -> None:
        with snapshot_store(lived) as store:
            last = False
            while not last:
                last = stop.is_set()
                store.write(ELSEWHERE, partial(insert_code, code=f"LOAD{len(written)}"))
                written.append(f"LOAD{len(written)}")
                begun.set()

    thread = Thread(target=load)
    thread.start()
    try:
        assert begun.wait(PATIENCE_SECONDS)
        saved(lived, tmp_path / "saved.db")
    finally:
        stop.set()
        thread.join()
    held = dump_of(f"sqlite:///{tmp_path / 'saved.db'}")[ELSEWHERE.id][USED_CODES.name]
    there = {code.code for code in held if code.code.startswith("LOAD")}
    assert there == set(written[: len(there)])
    assert 0 < len(there) < len(written)


def insert_code(tx: Transaction, code: str) -> None:
    """One more row."""
    tx.insert(USED_CODES, UsedCode(code=code))


# -- all or nothing


def test_an_interrupted_backup_leaves_nothing(lived: str, tmp_path: Path) -> None:
    """No file of that name, and none beside it; the next one succeeds."""
    with snapshot_store(lived) as store:
        assert isinstance(store, PostgresStore)
        with pytest.raises(Interrupted):
            save(store, tmp_path / "saved.db", advance=interrupt)
    assert not list(tmp_path.glob("saved*"))
    saved(lived, tmp_path / "saved.db")


def interrupt(_: int) -> None:
    """Pull the plug."""
    raise Interrupted


def test_a_backup_does_not_overwrite(livecore: Command, lived: str, tmp_path: Path) -> None:
    file = tmp_path / "saved.db"
    file.write_bytes(b"older")
    ended = livecore("backup", "--database", lived, file)
    assert (ended.status, ended.err) == (1, f"livecore: {file} exists already\n")
    assert file.read_bytes() == b"older"


def test_an_interrupted_restore_goes_on_or_begins_anew(lived: str, tmp_path: Path) -> None:
    """Until it is whole nobody is served. Monday's rows under Tuesday's would be neither: `--overwrite` begins anew."""
    monday = saved(lived, tmp_path / "monday.db")
    with snapshot_store(lived) as store:
        store.write(busiest_scope(store), lambda tx: tx.insert(USED_CODES, UsedCode(code="TUESDY")))
    tuesday = saved(lived, tmp_path / "tuesday.db")
    with ready_database() as another, snapshot_store(another) as target:
        assert isinstance(target, PostgresStore)
        with pytest.raises(Interrupted):
            put_back(monday, target, advance=after(200))
        assert not target.read(DIRECTORY, lambda tx: tx.scan(ALL_GAMES))
        assert target.scopes()
        with pytest.raises(DatabaseProblem, match="unfinished copy of another database"):
            put_back(tuesday, target)
        with pytest.raises(Interrupted):
            put_back(tuesday, target, overwrite=True, advance=after(200))
        assert not target.read(DIRECTORY, lambda tx: tx.scan(ALL_GAMES))
        put_back(tuesday, target)
        assert repr(target.dump()) == repr(dump_of(lived))


def after(rows: int) -> Callable[[int], None]:
    """Pulls the plug after so many rows."""
    left = rows

    def advance(more: int) -> None:
        nonlocal left
        left -= more
        if left < 0:
            raise Interrupted

    return advance


# -- replacing


def test_a_database_with_data_is_replaced_only_when_that_is_said(livecore: Command, lived: str, tmp_path: Path) -> None:
    """Without `--overwrite` nothing changes; with it what came after the backup is gone, also from the ephemeral state."""
    file, before = saved(lived, tmp_path / "saved.db"), dump_of(lived)
    with snapshot_store(lived) as store:
        store.write(ELSEWHERE, lambda tx: tx.insert(USED_CODES, UsedCode(code="LATERX")))
    with psycopg.connect(lived) as connection:
        connection.execute("INSERT INTO livecore_updates VALUES ('s', 1, 'me', 'seen', 'a', 'b', '{}')")
    refused = livecore("restore", file, "--database", lived)
    assert refused.status == 1
    assert "holds data already: name an empty one, or give --overwrite" in refused.err
    assert UsedCode(code="LATERX") in dump_of(lived)[ELSEWHERE.id][USED_CODES.name]
    livecore.done("restore", file, "--database", lived, "--overwrite")
    assert repr(dump_of(lived)) == repr(before)
    with psycopg.connect(lived) as connection:
        assert connection.execute("SELECT count(*) FROM livecore_updates").fetchone() == (0,)


def test_a_database_in_use_is_not_replaced(lived: str, tmp_path: Path) -> None:
    """A server that has it open would go on with rows that are gone."""
    file = saved(lived, tmp_path / "saved.db")
    before = dump_of(lived)
    with snapshot_store(lived), snapshot_store(lived) as target:
        assert isinstance(target, PostgresStore)
        with pytest.raises(DatabaseProblem, match=r"the database is in use .* stop every server first"):
            put_back(file, target, overwrite=True)
        assert repr(target.dump()) == repr(before)


def test_a_file_that_is_being_served_is_restored_whole(lived: str, tmp_path: Path) -> None:
    """What its write-ahead log alone holds so far is restored as well."""
    file = saved(lived, tmp_path / "saved.db")
    with closing(SqliteStore(file)) as server:
        server.write(ELSEWHERE, lambda tx: tx.insert(USED_CODES, UsedCode(code="LATERX")))
        assert file.with_name("saved.db-wal").stat().st_size
        with ready_database() as another, snapshot_store(another) as target:
            assert isinstance(target, PostgresStore)
            put_back(file, target)
            assert repr(target.dump()) == repr(server.dump())


def test_what_is_no_backup_is_found_out_before_anything_is_taken_away(lived: str, tmp_path: Path) -> None:
    """A text, a foreign database, and an unfinished copy."""
    text, half = tmp_path / "text", tmp_path / "half.db"
    text.write_bytes(b"not a database, but long enough to look at" * 100)
    with snapshot_store(lived) as source, snapshot_store(f"sqlite:///{half}", create=True) as unfinished:
        with pytest.raises(Interrupted):
            copy(source, unfinished, advance=after(200))
        assert unfinished.read(DIRECTORY, lambda tx: tx.get(UNFINISHED_COPIES, "copy"))
    before = dump_of(lived)
    with snapshot_store(lived) as target:
        assert isinstance(target, PostgresStore)
        for file, says in ((text, "cannot be used"), (half, "itself an unfinished copy")):
            with pytest.raises(DatabaseProblem, match=says):
                put_back(file, target, overwrite=True)
        assert repr(target.dump()) == repr(before)


def test_a_backup_that_came_out_different_is_none(lived: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that did not arrive as it was is noticed, and there is no file."""
    write = SqliteStore.write

    def losing(store: SqliteStore, scope: Scope, work: Any) -> Any:  # noqa: ANN401 - as the store has them
        def less(tx: Any) -> Any:  # noqa: ANN401 - a transaction
            work(tx)
            for write in tx.writes()[:1]:
                tx.delete(write.table, *write.key)

        return write(store, scope, less)

    monkeypatch.setattr(SqliteStore, "write", losing)
    with pytest.raises(VerificationFailed, match="rows in the source"):
        saved(lived, tmp_path / "saved.db")
    assert not list(tmp_path.glob("saved*"))


def test_a_backup_for_which_there_is_no_room_names_its_own_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the database, which was only read; and nothing of the backup is left."""
    source = tmp_path / "game.db"
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("CREATE TABLE much (text TEXT)")
        connection.execute("INSERT INTO much VALUES (?)", ("x" * 100_000,))
        connection.commit()
    copy_pages = file_copies._copy

    def without_room(source: sqlite3.Connection, target: sqlite3.Connection, progress: file_copies.Progress) -> None:
        target.execute("PRAGMA max_page_count = 2")
        copy_pages(source, target, progress)

    monkeypatch.setattr(file_copies, "_copy", without_room)
    with pytest.raises(file_copies.DatabaseUnusable, match=r"monday\.db cannot be used: database or disk is full$"):
        file_copies.backup(source, tmp_path / "monday.db")
    assert [path.name for path in tmp_path.iterdir()] == ["game.db"]

"""`livecore copy` where somebody has a database open: refused before it begins and at its end, and rehearsed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.examination import in_key_order
from livecore.social.codes import USED_CODES, UsedCode
from livecore_server.operations.copy import copy, rehearse
from livecore_server.storage.database import Database, DatabaseProblem, vault_file
from livecore_server.storage.host_tables import STORE_PROBES, UNFINISHED_COPIES, StoreProbe
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.snapshot import snapshot_store
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.connections import connect
from livecore_server.vault import key_file
from tests.maintenance.copies import Fuse, Interrupted, empty, games_in, interrupt
from tests.maintenance.lived_in import lived_in
from tests.postgres.server import fresh_database
from tests.server.commands import Command

# -- nobody else


def test_a_file_that_is_open_elsewhere_is_refused(livecore: Command, tmp_path: Path) -> None:
    """Also where nobody is writing at the moment: a server goes on afterwards. Nothing is made."""
    url = lived_in(tmp_path)
    with closing(SqliteStore(tmp_path / "lived-in.db")):
        ended = livecore("copy", "--from", url, "--to", f"sqlite:///{tmp_path / 'two.db'}")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == f"livecore: {tmp_path / 'lived-in.db'} is open in another process: stop the server first\n"
    assert list(tmp_path.glob("two.db*")) == []


def test_a_source_that_is_open_elsewhere_is_refused(source: Database, target: Database, tmp_path: Path) -> None:
    """The copy itself looks as well, whoever has opened the stores; the target is not marked."""
    with closing(SqliteStore(tmp_path / "lived-in.db")), pytest.raises(DatabaseProblem, match="is open in another"):
        copy(source, target)
    assert target.scopes() == []
    copy(source, target)


def test_a_server_that_starts_meanwhile_ends_the_copy_unfinished(
    source: Database, target: Database, tmp_path: Path
) -> None:
    """It would go on with the old file. The copy serves nobody, and the next run goes on with it."""
    opened: list[sqlite3.Connection] = []

    def start() -> None:
        opened.append(connect(tmp_path / "lived-in.db", 0))

    with pytest.raises(DatabaseProblem, match="was opened by another process during the copy"):
        copy(source, target, advance=Fuse(10, start))
    assert target.read(DIRECTORY, lambda tx: tx.scan(in_key_order(UNFINISHED_COPIES)))
    opened.pop().close()
    copy(source, target)
    assert target.dump() == source.dump()


def test_a_command_that_comes_meanwhile_is_told_why(source: Database, target: Database, tmp_path: Path) -> None:
    """It waits for some seconds as always, and then says what it has waited for."""
    refused: list[str] = []

    def start() -> None:
        with pytest.raises(DatabaseProblem) as failed, snapshot_store(f"sqlite:///{tmp_path / 'lived-in.db'}") as late:
            late.write(DIRECTORY, lambda tx: tx.put(STORE_PROBES, StoreProbe(name="late", at=0)))
        refused.append(str(failed.value))

    copy(source, target, advance=Fuse(10, start))
    (said,) = refused
    assert said.startswith(f"{tmp_path / 'lived-in.db'} is locked by another process, such as a copy or a restore")


def test_a_server_of_postgresql_that_starts_meanwhile_does_the_same(source: Database, tmp_path: Path) -> None:
    """Its sessions are looked for at the end as well."""
    with fresh_database() as url:
        with snapshot_store(url, create=True) as first:
            copy(source, first)
        opened: list[PostgresStore] = []
        with snapshot_store(url) as used, snapshot_store(f"sqlite:///{tmp_path / 'two.db'}", create=True) as target:
            with pytest.raises(DatabaseProblem, match=r"in use \(\d+ sessions.*run the same command again"):
                copy(used, target, advance=Fuse(10, lambda: opened.append(PostgresStore(url))))
            opened.pop().close()
            copy(used, target)
            assert target.dump() == source.dump()


@pytest.mark.parametrize(
    ("kind", "says"), [("sqlite", "is open in another process"), ("postgresql", "the target is in use")]
)
def test_a_target_that_is_open_elsewhere_is_refused(source: Database, kind: str, says: str, tmp_path: Path) -> None:
    """Two copies at once, or a server on one that is not finished, would mix their rows."""
    with empty(kind, tmp_path) as url, snapshot_store(url, create=True) as target:
        for begin in (copy, rehearse):
            with snapshot_store(url, create=True), pytest.raises(DatabaseProblem, match=says):
                begin(source, target)
        assert target.scopes() == []


# -- rehearsed


def test_a_rehearsal_copies_from_a_file_in_use(source: Database, target: Database, tmp_path: Path) -> None:
    """What was there when it began, all of one moment, while a server goes on writing into every scope."""
    before = source.dump()
    with closing(SqliteStore(tmp_path / "lived-in.db")) as server:
        numbers = iter(range(100_000))

        def write(_: int) -> None:
            for scope in server.scopes():
                server.write(scope, lambda tx: tx.insert(USED_CODES, UsedCode(code=f"L{next(numbers):05}")))

        rehearse(source, target, advance=write)
        assert next(numbers) > 5
    assert target.dump() == before
    with pytest.raises(DatabaseProblem, match="holds data already"):
        copy(source, target)


def test_a_rehearsal_copies_from_postgresql_in_use(source: Database, tmp_path: Path) -> None:
    """The sessions of servers are no reason to refuse, and what they write is left out."""
    with fresh_database() as url:
        with snapshot_store(url, create=True) as first:
            copy(source, first)
        with (
            closing(PostgresStore(url)) as server,
            snapshot_store(url) as used,
            snapshot_store(f"sqlite:///{tmp_path / 'two.db'}", create=True) as target,
        ):
            scope = server.scopes()[1]

            def write() -> None:
                server.write(scope, lambda tx: tx.insert(USED_CODES, UsedCode(code="LATERX")))

            late = Fuse(10, write)
            rehearse(used, target, advance=late)
            assert late.burnt
            assert target.dump() == source.dump()


def test_a_rehearsal_says_that_it_is_not_the_move(livecore: Command, tmp_path: Path) -> None:
    """In its last line, and with `--json` in a field; the vault key stays with the original."""
    url = lived_in(tmp_path)
    key_file(vault_file(tmp_path / "lived-in.db"))
    with closing(SqliteStore(tmp_path / "lived-in.db")):
        ended = livecore.done("copy", "--rehearsal", "--from", url, "--to", f"sqlite:///{tmp_path / 'two.db'}")
        shown = livecore.done(
            "copy", "--rehearsal", "--from", url, "--to", f"sqlite:///{tmp_path / 'three.db'}", "--json"
        )
    assert ended.out.splitlines()[-1].startswith("This was a rehearsal and not the move")
    assert shown.json["rehearsal"] is True
    assert not vault_file(tmp_path / "two.db").exists()
    livecore.done("check", "--database", f"sqlite:///{tmp_path / 'two.db'}")
    moved = livecore.done("copy", "--from", url, "--to", f"sqlite:///{tmp_path / 'four.db'}", "--json")
    assert moved.json["rehearsal"] is False


def test_an_interrupted_rehearsal_is_never_continued(source: Database, target: Database) -> None:
    """Neither by another one, whose moment is a later one, nor by the move."""
    with pytest.raises(Interrupted):
        rehearse(source, target, advance=Fuse(100, interrupt))
    assert games_in(target) == 0
    for again in (rehearse, copy):
        with pytest.raises(DatabaseProblem, match="unfinished rehearsal: name an empty database"):
            again(source, target)

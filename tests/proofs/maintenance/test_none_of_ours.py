"""Commands that meet a database which is none of Livecore's say so, and leave it and everything around it as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import psycopg
import pytest

from livecore_server.storage.database import store_at
from tests.postgres.server import fresh_database
from tests.server.commands import Command
from tests.server.serving import make_game

NEED_ONE: Final = [
    "check --database {url}",
    "backup --database {url} {folder}/copy.db",
    "copy --from {url} --to sqlite:///{folder}/copy.db",
    "games list --database {url}",
    "keys list --database {url}",
    "keys add --database {url} --environment test --permission client",
    "keys rotate --database {url} key_1",
    "keys revoke --database {url} key_1",
    "apply --database {url} {folder}/game.json",
    "serve --database {url} --port 0",
    "webhooks add --database {url} --environment test --url https://example.com/hook",
    "webhooks list --database {url}",
    "webhooks deliveries --database {url}",
    "webhooks reseal --database {url}",
    "migrate-in {folder}/rows.jsonl --database {url} --environment test --kind players",
    "migrate-in {folder}/rows.jsonl --database {url} --environment test --kind players --rehearse",
]
"""Commands that need a database of ours."""
MAKE_ONE: Final = [
    "init --database {url}",
    "copy --from sqlite:///{folder}/ours.db --to {url}",
    "restore {folder}/backup.db --database {url} --overwrite",
]
"""Commands that make one, where there is nothing."""


def said(livecore: Command, command: str, url: str, folder: Path) -> str:
    """What a command says that must fail with one line."""
    ended = livecore(*command.format(url=url, folder=folder).split())
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("livecore: ")
    assert ended.err.count("\n") == 1
    return ended.err


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with what commands want besides a database."""
    (tmp_path / "game.json").write_text("{}", "utf-8")
    (tmp_path / "rows.jsonl").write_text('{"idempotencyKey": "1", "externalPlayerId": "ann"}\n', "utf-8")
    return tmp_path


@pytest.fixture
def ours(files: Path, livecore: Command) -> Path:
    """The same with a database of ours, and a backup of it."""
    make_game(f"sqlite:///{files / 'ours.db'}")
    livecore.done("backup", "--database", f"sqlite:///{files / 'ours.db'}", files / "backup.db")
    return files


# -- files


def strange(path: Path) -> None:
    """Another program's database, in the mode that keeps two more files beside it while it is open."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.execute("INSERT INTO recipes VALUES ('soup')")
        connection.commit()


FILES: Final = {
    "missing": "there is no database",
    "empty": "is empty: `livecore init",
    "strange": "no database of Livecore's",
    "text": "not a database",
}
"""What may be at a path instead of a database of ours, and what is said of it."""


def make(kind: str, path: Path) -> None:
    """Put it there."""
    if kind == "empty":
        path.touch()
    elif kind == "strange":
        strange(path)
    elif kind == "text":
        path.write_text("no database at all" * 100)


def everything_in(folder: Path) -> dict[str, bytes]:
    """Every file with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("command", NEED_ONE)
def test_a_file_that_is_none_of_ours_is_left_as_it_is(command: str, kind: str, livecore: Command, files: Path) -> None:
    """Nothing is made, and no byte is changed."""
    path = files / "there.db"
    make(kind, path)
    before = everything_in(files)
    assert FILES[kind] in said(livecore, command, f"sqlite:///{path}", files)
    assert everything_in(files) == before


@pytest.mark.parametrize("kind", ["strange", "text"])
@pytest.mark.parametrize("command", [*MAKE_ONE, "dev --database {url}"])
def test_no_database_is_made_in_somebody_elses_file(command: str, kind: str, livecore: Command, ours: Path) -> None:
    """Nor is it replaced."""
    path = ours / "there.db"
    make(kind, path)
    before = everything_in(ours)
    assert FILES[kind] in said(livecore, command, f"sqlite:///{path}", ours)
    assert everything_in(ours) == before


@pytest.mark.parametrize("kind", ["missing", "empty"])
@pytest.mark.parametrize("command", MAKE_ONE)
def test_a_database_is_made_where_there_is_nothing(command: str, kind: str, livecore: Command, ours: Path) -> None:
    """Also in an empty file."""
    path = ours / "there.db"
    make(kind, path)
    livecore.done(*command.format(url=f"sqlite:///{path}", folder=ours).split())
    livecore.done("check", "--database", f"sqlite:///{path}")


@pytest.mark.parametrize("kind", ["missing", "strange"])
def test_workers_do_not_start_on_it_either(kind: str, livecore: Command, files: Path) -> None:
    """Each of them looks for itself."""
    path = files / "there.db"
    make(kind, path)
    before = everything_in(files)
    assert livecore("serve", "--database", f"sqlite:///{path}", "--port", "0", "--workers", "2").status == 1
    assert everything_in(files) == before


def test_a_file_that_is_open_elsewhere_is_known(livecore: Command, files: Path) -> None:
    """What its log alone holds so far counts."""
    path = files / "there.db"
    with store_at(f"sqlite:///{path}", create=True):
        assert path.with_name("there.db-wal").stat().st_size
        livecore.done("check", "--database", f"sqlite:///{path}")


# -- PostgreSQL


@contextmanager
def another(kind: str) -> Iterator[tuple[str, str]]:
    """A database that is none of ours, and what is said of it."""
    with fresh_database() as url:
        if kind == "strange":
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("CREATE TABLE recipes (name TEXT)")
        yield url, "is empty: `livecore init" if kind == "empty" else "no database of Livecore's"


@pytest.fixture(params=["empty", "strange"])
def elsewhere(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Such a database of the test's own."""
    with another(request.param) as found:
        yield found


@pytest.fixture(scope="module", params=["empty", "strange"])
def untouched(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Such a database for all commands that leave it as it is."""
    with another(request.param) as found:
        yield found


def relations(url: str) -> list[str]:
    """Every table, index, sequence and view of a database."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
        )
        return [str(name) for (name,) in found]


@pytest.mark.parametrize("command", NEED_ONE)
def test_a_postgresql_database_that_is_none_of_ours_is_left_as_it_is(
    command: str, untouched: tuple[str, str], livecore: Command, files: Path
) -> None:
    """No table is made in it."""
    url, reason = untouched
    before = relations(url), everything_in(files)
    assert reason in said(livecore, command, url, files)
    assert (relations(url), everything_in(files)) == before


@pytest.mark.parametrize("command", MAKE_ONE)
def test_a_postgresql_database_is_made_where_there_is_nothing(
    command: str, elsewhere: tuple[str, str], livecore: Command, ours: Path
) -> None:
    """And not beside somebody else's tables."""
    url, reason = elsewhere
    if "empty" in reason:
        livecore.done(*command.format(url=url, folder=ours).split())
        livecore.done("check", "--database", url)
    else:
        before = relations(url)
        assert reason in said(livecore, command, url, ours)
        assert relations(url) == before


def test_a_schema_of_its_own_is_empty_whatever_the_others_hold(livecore: Command, elsewhere: tuple[str, str]) -> None:
    """Two programs may share a database where each has a schema."""
    url, _ = elsewhere
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA livecore")
    own = f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3Dlivecore"
    before = relations(url)
    livecore.done("init", "--database", own)
    livecore.done("check", "--database", own)
    assert relations(url) == before


def test_an_init_that_was_interrupted_can_be_run_again(livecore: Command) -> None:
    """The first tables are made one after another: some of them alone are no database of ours, and nobody else's."""
    with fresh_database() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE livecore_migration_lock (name TEXT PRIMARY KEY)")
        assert "is empty" in livecore("check", "--database", url).err
        livecore.done("init", "--database", url)
        livecore.done("check", "--database", url)

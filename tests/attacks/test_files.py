"""Attacks by other users of the machine: what the service leaves on the disk is its owner's alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from livecore_server.cli.dev import ready
from livecore_server.cli.program import program
from livecore_server.storage.database import store_at, vault_for
from livecore_server.storage.sqlite import SqliteStore, file_copies


@pytest.fixture(autouse=True)
def _open_handed() -> Iterator[None]:
    """The mask of a careless account: whatever is made is everybody's, unless its maker says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


def _others_may_use(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_a_database_is_its_owners_alone(tmp_path: Path) -> None:
    """The database, its log, the vault key and the development keys cannot be read by others, whatever the mask."""
    url = f"sqlite:///{tmp_path / 'game.db'}"
    with closing(SqliteStore(tmp_path / "game.db")) as store:
        ready(store)
        vault_for(url, None)
        names = {path.name for path in tmp_path.iterdir()}
        assert {"game.db", "game.db-wal", "game.db-shm", "game.db.vault-key", "game.db.keys.json"} <= names
        assert _others_may_use(tmp_path) == []


def test_a_backup_is_its_owners_alone(tmp_path: Path) -> None:
    """A copy holds what the database holds, so neither it nor what is restored from it can be read by others."""
    url = f"sqlite:///{tmp_path / 'game.db'}"
    with store_at(url, create=True):
        file_copies.backup(tmp_path / "game.db", tmp_path / "copy.db")
    file_copies.restore(tmp_path / "copy.db", tmp_path / "again.db")
    assert _others_may_use(tmp_path) == []


def test_permissions_that_somebody_has_given_are_kept(tmp_path: Path) -> None:
    """An operator who lets a group read the database is not overruled at the next start."""
    path = tmp_path / "game.db"
    url = f"sqlite:///{path}"
    with store_at(url, create=True):
        path.chmod(0o640)
    with store_at(url):
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_secrets_are_not_in_the_database(tmp_path: Path) -> None:
    """Of keys there are hashes, and the webhook secret is sealed: neither text is anywhere in the files."""
    url = f"sqlite:///{tmp_path / 'game.db'}"
    with closing(SqliteStore(tmp_path / "game.db")) as store:
        _, keys = ready(store)
    arguments = f"webhooks add --database {url} --environment test --url http://localhost:1/ --events * --json"
    made = CliRunner().invoke(program, arguments.split())
    assert made.exit_code == 0, made.output
    secret = next(part for part in made.output.split('"') if part.startswith("whsec_"))
    texts = [secret, *(text for pair in keys.values() for text in pair.values())]
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("game.db*") if not path.name.endswith(".keys.json"))
    assert [text for text in texts if text.encode() in kept] == []


@pytest.mark.parametrize("name", ["copy.db", "copy.db.partial"])
def test_a_backup_is_not_written_through_a_link(name: str, tmp_path: Path) -> None:
    """Somebody who may write into the folder of the backups chooses no file of the operator's to be written over."""
    victim, link = tmp_path / "victim", tmp_path / name
    link.symlink_to(victim)
    with store_at(f"sqlite:///{tmp_path / 'game.db'}", create=True):
        if name == "copy.db":
            with pytest.raises(FileExistsError):
                file_copies.backup(tmp_path / "game.db", tmp_path / "copy.db")
        else:
            file_copies.backup(tmp_path / "game.db", tmp_path / "copy.db")
    assert not victim.exists()
    assert (tmp_path / "copy.db").is_symlink() == (name == "copy.db")

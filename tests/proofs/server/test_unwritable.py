"""A server whose database cannot be written does not start, says why, and asks no service manager to try again.

As root the processes run without the capabilities by which root may write everything, so that root is like any other owner.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from livecore_server.problem import LASTING
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import make_game
from tests.test_deploy import unit
from tests.workers.cluster import serving_workers

NOBODY: Final = 65534
_DROP_FROM_BOUNDING_SET: Final = 24
_RIGHTS_OF_ROOT: Final = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


def like_anybody() -> None:
    """In a new process of root: what it executes has to respect modes."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in _RIGHTS_OF_ROOT:
            if libc.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "the capability cannot be dropped")


def livecore(*words: object, before: Callable[[], None] = like_anybody) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    return subprocess.run(
        [sys.executable, "-m", "livecore_server", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        preexec_fn=before,
    )


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """A database in a folder of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    make_game(f"sqlite:///{folder / 'game.db'}")
    yield folder / "game.db"
    folder.chmod(0o700)


@attrs.frozen
class Spoiled:
    """What is wrong with a database: the file or folder that is at fault, and how it is made so."""

    at_fault: str
    spoil: Callable[[Path], None]

    def __str__(self) -> str:
        return f"{self.at_fault or 'folder'} {self.spoil.__name__}"


def read_only(path: Path) -> None:
    """Its owner may not write it."""
    path.touch()
    path.chmod(0o500 if path.is_dir() else 0o400)


def of_somebody_else(path: Path) -> None:
    """Another account's, where this one may make such a file; otherwise, nobody may use it."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, -1)
    path.chmod(0o600 if os.geteuid() == 0 else 0o000)


SPOILED: Final = [
    Spoiled("game.db", read_only),
    Spoiled("game.db", of_somebody_else),
    Spoiled("game.db-wal", read_only),
    Spoiled("game.db-shm", read_only),
    Spoiled("", read_only),
    Spoiled("", of_somebody_else),
]


def names_in(folder: Path) -> list[str]:
    """What is in a folder, if it can be looked into."""
    return sorted(path.name for path in folder.iterdir()) if os.access(folder, os.R_OK) else []


@pytest.mark.parametrize(
    ("spoiled", "workers"), [*((spoiled, 1) for spoiled in SPOILED), (SPOILED[0], 2), (SPOILED[3], 2)], ids=str
)
def test_a_database_that_cannot_be_written_is_not_served(spoiled: Spoiled, workers: int, file: Path) -> None:
    """One line names the file, its owner and mode, and this account; nothing is made, and the status is a lasting one."""
    at_fault = file.parent / spoiled.at_fault if spoiled.at_fault else file.parent
    spoiled.spoil(at_fault)
    held = at_fault.stat()
    before = names_in(file.parent)
    ended = livecore("serve", "--database", f"sqlite:///{file}", "--port", 0, "--workers", workers)
    assert (ended.returncode, ended.stdout) == (LASTING, ""), ended.stderr
    (line,) = ended.stderr.splitlines()
    owner, we = (pwd.getpwuid(uid).pw_name for uid in (held.st_uid, os.geteuid()))
    assert str(at_fault) in line.split(" cannot be ")[0]
    assert f"belongs to {owner} (uid {held.st_uid})" in line
    assert f"mode {held.st_mode & 0o777:04o}" in line
    assert f"we are {we} (uid {os.geteuid()})" in line
    assert names_in(file.parent) == before


def test_a_database_of_a_developer_that_cannot_be_written_is_not_served(file: Path) -> None:
    """`livecore dev` opens it before it serves: it makes nothing beside it either."""
    read_only(file)
    ended = livecore("dev", "--database", f"sqlite:///{file}", "--port", 0)
    assert (ended.returncode, ended.stdout) == (LASTING, "")
    assert ended.stderr.startswith(f"livecore: {file} cannot be written: ")
    assert names_in(file.parent) == ["game.db"]


def test_every_file_is_named_that_is_to_be_mended(file: Path) -> None:
    """As after another account has run a command: not one more at each start."""
    others = [file.with_name(f"game.db-{ending}") for ending in ("wal", "shm")]
    for other in others:
        read_only(other)
    ended = livecore("serve", "--database", f"sqlite:///{file}", "--port", 0)
    assert ended.returncode == LASTING
    assert ended.stderr.startswith(f"livecore: {others[0]} cannot be written: ")
    assert ended.stderr.endswith(f"; the same must be done for {others[1]}\n")


def test_after_the_mode_is_mended_the_server_starts(file: Path) -> None:
    """The refused start has left nothing beside the file that could not be written afterwards."""
    read_only(file)
    assert livecore("serve", "--database", f"sqlite:///{file}", "--port", 0).returncode == LASTING
    assert sorted(path.name for path in file.parent.iterdir()) == ["game.db"]
    file.chmod(0o600)
    game = make_game(f"sqlite:///{file}")
    with serving_workers(f"sqlite:///{file}", workers=1, game=game) as server:
        assert server.stop() == 0


def test_the_unit_does_not_restart_what_cannot_start() -> None:
    """The status is the one that the example for systemd names."""
    assert str(LASTING) in unit("livecore.service")["RestartPreventExitStatus"][0].split()


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    """Nor is a file with a folder where SQLite wants another file."""
    ended = livecore("serve", "--database", f"sqlite:///{tmp_path}", "--port", 0)
    assert (ended.returncode, ended.stderr) == (
        LASTING,
        f"livecore: {tmp_path} is a folder, where the database wants a file\n",
    )


def test_another_command_names_the_file_as_well(file: Path) -> None:
    """Its own status is that of every failure: nobody starts it again by himself."""
    read_only(file)
    ended = livecore(
        "keys", "add", "--database", f"sqlite:///{file}", "--environment", "test", "--permission", "client"
    )
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"livecore: {file} cannot be written: it belongs to ")


def test_a_vault_key_that_cannot_be_read_is_named(file: Path) -> None:
    """Its owner and mode as well."""
    key = file.with_name("game.db.vault-key")
    key.touch()
    key.chmod(0o000)
    ended = livecore("serve", "--database", f"sqlite:///{file}", "--port", 0)
    assert ended.returncode == LASTING
    assert f"{key} cannot be read: it belongs to " in ended.stderr


def test_a_start_that_may_succeed_later_is_tried_again(file: Path) -> None:
    """A full disk, here one on which no file may grow: room can come by itself."""
    ended = livecore(
        "serve", "--database", f"sqlite:///{file}", "--port", 0,
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )  # fmt: skip
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"livecore: {file} cannot be used: ")


def test_workers_end_when_none_is_left_and_none_can_start(file: Path) -> None:
    """While one serves, the other is tried again and again; afterwards the whole server ends with the lasting status."""
    with serving_workers(f"sqlite:///{file}", game=make_game(f"sqlite:///{file}")) as cluster:
        first, second = cluster.workers.values()
        file.with_name("game.db-journal").mkdir()
        cluster.kill(first)
        cluster.log.wait(rf"could not start: it ended with status {LASTING}", 2)
        assert cluster.process.poll() is None
        cluster.kill(second)
        assert cluster.wait() == LASTING
        assert cluster.log.to_the_end()[-1].startswith("livecore: worker ")

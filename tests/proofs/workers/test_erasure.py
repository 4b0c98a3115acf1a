"""Erasing removes the player from every medium of a server with two workers, while it runs and after it has stopped.

The life is the one that `tests/player_tools` erases (what each area contributes stands in `tests/contract/operations`), here
told to the workers in turn. What is searched is a dump of the whole database, with the tables that no store declares, and
the file through which the workers of a database file share their memory.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from livecore_server.storage.postgres.shared.ephemeral_tables import EPHEMERAL_NAMES
from tests.contract.stories import CORE, MARK
from tests.player_tools.marked import lived, traces
from tests.postgres.server import ready_database
from tests.workers.far_world import far_world
from tests.worlds import ask

_SDK: Final = f"{CORE}/1"
"""The SDK that the life's requests name. A key remembers the SDK of its last use, which is a fact about nobody."""
_FOLDERS: Final = (Path("/dev/shm"), Path(tempfile.gettempdir()))  # noqa: S108 - where the workers' folders are


def dumped(url: str) -> Iterator[tuple[str, str]]:
    """Every table of a database, with all its rows as text."""
    if url.startswith("sqlite:"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            yield "the file", "\n".join(connection.iterdump())
        return
    with psycopg.connect(url, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        for (name,) in tables.fetchall():
            with connection.cursor().copy(sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(name))) as copy:
                yield name, b"".join(bytes(part) for part in copy).decode()


def shared_by_workers() -> dict[Path, bytes]:
    """What the workers of each server on this machine share, by folder: a file with its journal. Other tests run servers."""
    found: dict[Path, bytes] = {}
    for path in (path for folder in _FOLDERS for path in folder.glob("livecore-workers-*/memory.db*")):
        with suppress(FileNotFoundError):  # its server has stopped
            found[path.parent] = found.get(path.parent, b"") + path.read_bytes()
    return found


def _in_media(url: str, folders: set[Path]) -> bytes:
    """All that the processes share: the ephemeral state's tables, and the workers' files in these folders."""
    tables = [text.encode() for place, text in dumped(url) if place in EPHEMERAL_NAMES]
    return b"".join([*tables, *(held for folder, held in shared_by_workers().items() if folder in folders)])


def naming(text: str, *names: str) -> list[str]:
    """The spellings of the marker, and the other names, that stand in a text."""
    text = text.replace(_SDK, "")
    return [*traces(text), *(name for name in names if name in text)]


def left_in(url: str, *names: str) -> dict[str, list[str]]:
    """Where in a database the marker, or one of these names, is still to be found."""
    found = {place: naming(text, *names) for place, text in dumped(url)}
    return {place: spelled for place, spelled in found.items() if spelled}


def test_nothing_is_left_of_a_life_in_any_medium(url: str) -> None:
    """Nor of what a worker has not written yet, nor of who guessed at the player's secret.

    From where somebody guessed, and at whose secret, the media never hold.
    """
    # What workers remember of players is not written before they stop: then an erased player's must not be.
    with far_world(url, "--flush-seconds", "60") as world:
        life = lived(world)
        about = (f":{life.marked.player_id}", "127.0.0")
        of_player = life.marked.player_id.encode()
        guesses = [ask(life.marked, "wallet.get", headers={"x-player-secret": "wrong"}).code for _ in range(4)]
        ask(life.marked, "presence.heartbeat", status=MARK)
        shared = {folder for folder, held in shared_by_workers().items() if of_player in held}
        remembered = _in_media(url, shared)
        assert guesses == ["player_secret_invalid"] * 4
        assert b"throttle:" in remembered, "the medium holds nothing, so that not finding it later says nothing"
        assert [text for text in about if text.encode() in remembered] == []
        for _ in range(2):  # the second is answered by the other worker
            erased = ask(world.server, "players.erase", external_id=MARK, idempotency_key=f"erase {CORE}")
            assert erased["status"] == "erased"
        assert left_in(url, about[0]) == {}
        held = _in_media(url, shared)
        assert held.count(b"throttle:") < remembered.count(b"throttle:")
        assert naming(held.decode("latin-1"), *about) == []
        assert world.cluster.stop() == 0
    assert left_in(url, about[0]) == {}


def test_a_command_that_erases_makes_running_workers_forget(tmp_path: Path) -> None:
    """On PostgreSQL `livecore players erase` works beside them: neither the tables nor a later flush have the player."""
    ids = tmp_path / "ids.txt"
    ids.write_text(f"{MARK}\n", "utf-8")
    with ready_database() as url, far_world(url, "--flush-seconds", "60") as world:
        life = lived(world)
        about = (f":{life.marked.player_id}",)
        ask(life.marked, "presence.heartbeat", status=MARK)
        assert left_in(url, *about)
        command = ["players", "erase", "--database", url, "--environment", "test", str(ids), "--json"]
        ended = subprocess.run(
            [sys.executable, "-m", "livecore_server", *command], capture_output=True, text=True, check=True
        )
        assert json.loads(ended.stdout)["erased"] == 1
        assert left_in(url, *about) == {}
        for _ in range(2):  # each worker is asked
            assert ask(world.server, "players.erase", external_id=MARK)["status"] == "no_op_already_erased"
        assert world.cluster.stop() == 0
        assert left_in(url, *about) == {}

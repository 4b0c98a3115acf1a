"""The drill of `docs/how-to/back-up-and-restore.md`, its very commands, on both kinds of database, while players play.

Only what the page takes from its reader is put in: where the database is, the key that was kept, a port that is free. What
belongs to PostgreSQL's own tools is done by the fixture.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs
import httpx
import pytest

from examples.own_server import free_port, wait_until_ready
from livecore.demo import DEMO
from livecore_client import ServerClient
from livecore_server.vault import new_key
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import fresh_database

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "how-to" / "back-up-and-restore.md"
CURL = ROOT / "tests" / "server" / "stand_in_curl.py"
KEY = new_key()
SEVERAL = 5
_PAUSE_SECONDS = 0.02
"""Between one new player and the next: so many come all the time, and the commands have a processor as well."""


def drill(heading: str) -> list[str]:
    """The commands under a heading of the page."""
    (part,) = re.findall(rf"^### {heading}\n(.*?)(?=^##|\Z)", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    shown = re.findall(r"^```console\n(.*?)^```", part, re.DOTALL | re.MULTILINE)
    return re.findall(r"^\$ (.*)$", "".join(shown).replace("\\\n", " "), re.MULTILINE)


@attrs.frozen
class Operator:
    """Somebody at a terminal in a folder of his own."""

    folder: Path
    environment: Mapping[str, str]

    @classmethod
    def in_folder(cls, folder: Path) -> Operator:
        """With the program and curl on the path."""
        programs = folder / "bin"
        programs.mkdir()
        _program(programs / "livecore", f'"{sys.executable}" -m livecore_server')
        if shutil.which("curl") is None:
            _program(programs / "curl", f'"{sys.executable}" "{CURL}"')
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LIVECORE_")}
        path = f"{programs}:{os.environ['PATH']}"
        return cls(folder, {**clean, "PATH": path, "PYTHONPATH": str(ROOT), "KEPT_KEY": KEY})

    def run(self, command: str, **environment: str) -> str:
        """What a command prints; it must succeed."""
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.folder, env={**self.environment, **environment},
            capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def serving(self, command: str, port: int) -> Iterator[str]:
        """Run a command that serves, until it is told to stop, which must end well; gives its address."""
        address = f"http://127.0.0.1:{port}"
        with subprocess.Popen(
            ["/bin/sh", "-c", f"exec env {command}"], cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL
        ) as process:
            try:
                wait_until_ready(address, process)
                yield address
            finally:
                process.terminate()
            assert process.wait(PATIENCE_SECONDS) == 0


def _program(path: Path, command: str) -> None:
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', "utf-8")
    path.chmod(0o755)


@contextmanager
def databases(heading: str, folder: Path) -> Iterator[dict[str, str]]:
    """The databases of the page and those that take their places here."""
    if heading == "Of a file":
        yield {"sqlite:////var/lib/livecore/game.db": f"sqlite:///{folder / 'game.db'}"}
        return
    with fresh_database() as live, fresh_database() as restored:
        yield {"postgresql://livecore@db/livecore": live, "postgresql://livecore@db/restored": restored}


@contextmanager
def playing(address: str, client_key: str) -> Iterator[list[str]]:
    """New players come, one after another; gives the names of those whom the server has answered."""
    come: list[str] = []
    several, enough = threading.Event(), threading.Event()

    def play() -> None:
        with httpx.Client(
            base_url=address, headers={"Authorization": f"Bearer {client_key}"}, timeout=PATIENCE_SECONDS
        ) as client:
            while not enough.wait(_PAUSE_SECONDS):
                name = f"player-{len(come)}"
                assert client.post(f"/sdk/v1/players/{name}/register").status_code == 201
                come.append(name)
                if len(come) == SEVERAL:
                    several.set()

    thread = threading.Thread(target=play)
    thread.start()
    try:
        assert several.wait(PATIENCE_SECONDS)
        yield come
    finally:
        enough.set()
        thread.join()


def opened(operator: Operator, database: str) -> dict[str, str]:
    """Make the game with a webhook, and give its live keys."""
    (operator.folder / "game.json").write_text(DEMO, "utf-8")
    made = json.loads(operator.run(f"livecore init --database '{database}' --config game.json --json"))
    hook = "--environment live --url https://hooks.example.com/in"
    operator.run(f"livecore webhooks add --database '{database}' {hook}", LIVECORE_VAULT_KEY=KEY)
    keys: dict[str, str] = made["keys"]["live"]
    return keys


@pytest.mark.parametrize("heading", ["Of a file", "Of PostgreSQL"])
def test_the_drill_succeeds(heading: str, tmp_path: Path) -> None:
    """What was there when the backup began is in the restored place, sound, opened by the kept key, and served."""
    operator = Operator.in_folder(tmp_path)
    with databases(heading, tmp_path) as places:
        commands = [command for command in drill(heading) if not command.startswith("createdb ")]
        for shown, here in places.items():
            commands = [command.replace(shown, f"'{here}'") for command in commands]
        backup, restore, check, reseal, serve, look = commands
        live = next(iter(places.values()))
        keys = opened(operator, live)

        port = free_port()
        served = f"livecore serve --database '{live}' --port {port} --rate-limits off --vault-key {KEY}"
        with operator.serving(served, port) as address, playing(address, keys["client"]) as come:
            with ServerClient(base_url=address, api_key=keys["server"]) as studio:
                studio.wallet.credit("player-0", "gold", amount=7)
            before = list(come)
            operator.run(backup)
        operator.run(restore)
        assert operator.run(check).endswith("The database is sound.\n")
        assert operator.run(reseal) == "0 secrets are resealed; all are sealed with the first key\n"

        port = free_port()
        serve, look = (command.replace("8788", str(port)) for command in (serve, look.replace("anna", "player-0")))
        with operator.serving(serve, port) as address:
            seen = json.loads(operator.run(look, LIVECORE_SERVER_KEY=keys["server"]))["data"]
            assert seen["player"]["externalPlayerId"] == "player-0"
            with ServerClient(base_url=address, api_key=keys["server"]) as studio:
                assert all(studio.players.get(name) for name in before)
                assert studio.wallet.debit("player-0", "gold", amount=7).balance == 0

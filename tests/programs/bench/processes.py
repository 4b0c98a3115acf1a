"""Processes under measurement: started on loopback, asked for their address, and ended by us."""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import attrs

from examples.own_server import free_port
from livecore.api import maintenance
from livecore.api.configuration.game_config import parse_config
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Actor
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed, now_millis
from tests.programs.bench.databases import CannotRun, Database
from tests.programs.bench.resources import Usage, usage_of_tree

_LIVECORE = (sys.executable, "-m", "livecore_server")
_PATIENCE_SECONDS = 60.0
"""How long a server may take to drain."""


@attrs.frozen
class Made:
    """A game in a database, and the keys of its test environment."""

    game_id: str
    client_key: str
    server_key: str


@attrs.frozen
class Served:
    """A server under measurement."""

    address: str
    pid: int
    game: Made
    log: Path

    def last_words(self) -> str:
        """The last line of its log."""
        return _last_line(self.log.read_text())

    def usage(self) -> Usage:
        """What the server's processes have used so far."""
        return usage_of_tree(self.pid) or Usage(0.0, 0.0)


def make_game(database: Database, config: dict[str, Json]) -> Made:
    """Make the schema and one game."""
    parsed, entropy = parse_config(config), Entropy(draw_seed())

    def make(tx: Transaction) -> maintenance.NewGame:
        return maintenance.make_game(tx, parsed, now_millis(), entropy, studio_name="Bench", actor=Actor("system"))

    with store_at(database.url, create=True) as store:
        made = store.write(DIRECTORY, make)
    return Made(made.game.game_id, made.keys["test", "client"].text, made.keys["test", "server"].text)


@contextmanager
def serve(database: Database, game: Made, *, workers: int = 1) -> Iterator[Served]:
    """`livecore serve` with rate limits off. Raises `CannotRun` with the server's own words where it does not start."""
    port = free_port()
    log = database.folder / "server.log"
    options = ["--port", str(port), "--workers", str(workers), "--rate-limits", "off", "--no-request-log"]
    options += ["--stream-limit-per-address", "1000000"]  # all readers of a benchmark are on this machine
    with log.open("w") as errors:
        process = subprocess.Popen([*_LIVECORE, "serve", "--database", database.url, *options], stderr=errors)
    try:
        _await_ready(port, process, log)
        yield Served(f"http://127.0.0.1:{port}", process.pid, game, log)
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def bare_handler() -> Iterator[str]:
    """The yardstick's address; see `tests.programs.bench.bare`."""
    process = subprocess.Popen([sys.executable, "-m", "tests.programs.bench.bare"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        _end(process)


@attrs.frozen
class Receiver:
    """A receiver of webhooks; see `tests.programs.bench.receiver`."""

    address: str
    process: subprocess.Popen[str]

    def go(self) -> None:
        """Have it answer from now on."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def line(self, patience_seconds: float) -> str:
        """The next line that it prints. Raises `CannotRun` when none comes in time."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], patience_seconds)
        if not ready:
            raise CannotRun(f"not every delivery came within {patience_seconds:.0f} seconds")
        return self.process.stdout.readline()


@contextmanager
def receiver(awaited: int) -> Iterator[Receiver]:
    """A receiver of so many deliveries."""
    command = [sys.executable, "-m", "tests.programs.bench.receiver", str(awaited)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Receiver(process.stdout.readline().strip(), process)
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process of ours, and close its pipes."""
    with process:
        process.terminate()


def _is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=2)
    with suppress(OSError), closing(connection):
        connection.request("GET", "/admin/v1/ready")
        return connection.getresponse().status == HTTPStatus.OK
    return False


def _await_ready(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if _is_ready(port):
            return
        with suppress(subprocess.TimeoutExpired):
            ended = process.wait(timeout=0.1)
            raise CannotRun(_last_line(log.read_text()) or f"the server ended with status {ended} before it was ready")
    raise CannotRun("the server did not become ready within thirty seconds")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""

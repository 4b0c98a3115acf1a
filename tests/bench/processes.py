"""Processes under measurement: started on loopback, asked for their address, and ended by us."""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import attrs

from livecore.kernel.errors import Json
from tests.bench.databases import CannotRun, Database
from tests.bench.resources import Usage, usage_of_tree

__all__ = ["Made", "Receiver", "Served", "bare_handler", "make_game", "receiver", "serve"]

_LIVECORE = (sys.executable, "-m", "livecore_server")


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

    def usage(self) -> Usage:
        """What the server's processes have used so far."""
        return usage_of_tree(self.pid) or Usage(0.0, 0.0)


def make_game(database: Database, config: dict[str, Json]) -> Made:
    """Make the schema and one game."""
    file = database.folder / "game.json"
    file.write_text(json.dumps(config))
    command = [*_LIVECORE, "init", "--database", database.url, "--config", str(file), "--json"]
    made = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout)
    return Made(made["gameId"], made["keys"]["test"]["client"], made["keys"]["test"]["server"])


@contextmanager
def serve(database: Database, game: Made, *, workers: int = 1) -> Iterator[Served]:
    """`livecore serve` with rate limits off. Raises `CannotRun` with the server's own words where it does not start."""
    port = _free_port()
    log = database.folder / "server.log"
    options = ["--port", str(port), "--workers", str(workers), "--rate-limits", "off", "--no-request-log"]
    with log.open("w") as errors:
        process = subprocess.Popen([*_LIVECORE, "serve", "--database", database.url, *options], stderr=errors)
    try:
        _await_ready(port, process, log)
        yield Served(f"http://127.0.0.1:{port}", process.pid, game)
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def bare_handler() -> Iterator[str]:
    """The yardstick's address; see `tests.bench.bare`."""
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.bare"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


@attrs.frozen
class Receiver:
    """A receiver of webhooks; see `tests.bench.receiver`."""

    address: str
    process: subprocess.Popen[str]

    def go(self) -> None:
        """Have it answer from now on."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def line(self, patience_seconds: float) -> str:
        """The next line that it prints. Raises `RuntimeError` when none comes in time."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], patience_seconds)
        if not ready:
            raise RuntimeError(f"not every delivery came within {patience_seconds:.0f} seconds")
        return self.process.stdout.readline()


@contextmanager
def receiver(awaited: int) -> Iterator[Receiver]:
    """A receiver of so many deliveries."""
    command = [sys.executable, "-m", "tests.bench.receiver", str(awaited)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Receiver(process.stdout.readline().strip(), process)
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


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
            raise CannotRun(_last_line(log) or f"the server ended with status {ended} before it was ready")
    raise CannotRun("the server did not become ready within thirty seconds")


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text().splitlines() if line.strip()]
    return lines[-1] if lines else ""

"""Processes under measurement: started on loopback, asked for their address, ended by us, with the CPU they used."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import attrs

from tests.bench.game import CONFIG

__all__ = ["Keys", "Served", "bare_handler", "cpu_seconds", "livecore_server"]


@attrs.frozen
class Keys:
    """The keys of the measured game's test environment."""

    client: str
    server: str


@attrs.frozen
class Served:
    """A server under measurement."""

    address: str
    process: subprocess.Popen[str]
    keys: Keys


def cpu_seconds(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def bare_handler(size: int) -> Iterator[str]:
    """The yardstick's address."""
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.bare", str(size)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
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


def _await_ready(port: int, process: subprocess.Popen[str]) -> None:
    for _ in range(300):
        if _is_ready(port):
            return
        with suppress(subprocess.TimeoutExpired):
            ended = process.wait(timeout=0.1)
            raise RuntimeError(f"the server ended with {ended} before it was ready")
    raise RuntimeError("the server did not become ready")


@contextmanager
def livecore_server(folder: Path) -> Iterator[Served]:
    """`livecore serve` on a fresh SQLite file, rate limits off, durable commits on."""
    config = folder / "game.json"
    config.write_text(json.dumps(CONFIG))
    database = f"sqlite:///{folder / 'bench.db'}"
    livecore = [sys.executable, "-c", "from livecore_server.cli import main; main()"]
    made = subprocess.run(
        [*livecore, "init", "--database", database, "--config", str(config), "--json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    keys = json.loads(made.stdout)["keys"]["test"]
    port = _free_port()
    process = subprocess.Popen(
        [*livecore, "serve", "--database", database, "--port", str(port), "--rate-limits", "off", "--no-request-log"],
        text=True,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _await_ready(port, process)
        yield Served(address, process, Keys(keys["client"], keys["server"]))
    finally:
        process.terminate()
        process.wait()

"""A separate server during a `with` block, with its database in a temporary directory, on a free port.

It does what an operator does by hand: `livecore init`, `livecore webhooks add`, `livecore serve`, and SIGTERM at the end,
after which the server finishes the requests under way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import randbelow
from socket import create_server
from tempfile import TemporaryDirectory
from types import MappingProxyType

import httpx

from livecore.demo import DEMO

LIVECORE = (sys.executable, "-c", "from livecore_server.cli import main; main()")
START_SECONDS = 120.0
_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class OwnServer:
    """The server's address, its keys of the environment `test`, and its database."""

    base_url: str
    client_key: str
    server_key: str
    database: str

    def add_webhook(self, url: str) -> str:
        """Send every event of the environment `test` to `url`; returns the secret that signs the deliveries."""
        options = ("--database", self.database, "--environment", "test", "--url", url, "--events", "*", "--json")
        return str(json.loads(livecore("webhooks", "add", *options))["secret"])


def livecore(*arguments: str) -> str:
    """Run a command of the command line; returns what it prints."""
    return subprocess.run([*LIVECORE, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def free_port() -> int:
    """A port on which nothing listens.

    It is below the ports that systems give to connections, so that no connection takes it before a server listens.
    """
    while True:
        port = 20_000 + randbelow(12_000)
        with suppress(OSError), create_server(("127.0.0.1", port)):
            return port


@contextmanager
def own_server(config: str = DEMO, settings: Mapping[str, str] = _NO_SETTINGS) -> Iterator[OwnServer]:
    """A server for a game with this configuration: ready when the block begins, and drained when it has ended.

    `settings` are further variables of its environment, such as `LIVECORE_CORS_ORIGINS`.
    """
    with TemporaryDirectory() as folder:
        game, database = Path(folder, "game.json"), f"sqlite:///{folder}/game.db"
        game.write_text(config, "utf-8")
        made = json.loads(livecore("init", "--database", database, "--config", str(game), "--json"))
        keys, port = made["keys"]["test"], free_port()
        command = [*LIVECORE, "serve", "--database", database, "--port", str(port), "--no-request-log"]
        with subprocess.Popen(command, env={**os.environ, "LIVECORE_LOG_LEVEL": "warning", **settings}) as process:
            try:
                base_url = f"http://127.0.0.1:{port}"
                wait_until_ready(base_url, process)
                yield OwnServer(base_url, keys["client"], keys["server"], database)
            finally:
                process.terminate()
        assert process.returncode == 0, "the server drains and ends with status 0"


def wait_until_ready(base_url: str, process: subprocess.Popen[bytes]) -> None:
    """Return when the server says that it is ready."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(f"{base_url}/admin/v1/ready").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError("the server did not become ready")

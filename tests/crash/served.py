"""A real server to kill: `livecore serve` alone or beside others, on a database that outlives it."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import IO, Any

from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import system_unit
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.webhooks.endpoints import EndpointOnce, add_endpoint
from livecore_server.cli.new_games import create_game
from livecore_server.storage.database import store_at, vault_for
from livecore_server.system import draw_seed, now_millis
from tests.patience import PATIENCE_SECONDS


class Livecore:
    """One database, a file unless a URL is given, and the process that serves it now."""

    def __init__(
        self,
        folder: Path,
        config: dict[str, Any],
        *,
        url: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.path = folder / "crash.db"
        self.url = url or f"sqlite:///{self.path}"
        self.address = ""
        self.log: list[str] = []
        """What the process has said, line by line."""
        self._environment = None if environment is None else dict(environment)
        self._process: subprocess.Popen[str] | None = None
        with store_at(self.url, create=True) as store:
            made = create_game(store, parse_config(config), "Crash")
        self._game = made.game
        self.keys = {permission: made.keys["test", permission].text for permission in ("client", "server")}
        """The keys of the test environment: `client` and `server`."""

    @property
    def game_id(self) -> str:
        """The game's id."""
        return self._game.game_id

    @property
    def scope(self) -> Scope:
        """The test environment."""
        return Scope(self.game_id, "test")

    def add_endpoint(self, url: str) -> str:
        """Subscribe an address to every event; gives the signing secret."""
        vault, now, seed = vault_for(self.url, None), now_millis(), draw_seed()

        def add(tx: Transaction) -> EndpointOnce:
            unit = system_unit(tx, self._game, now, seed)
            return add_endpoint(unit, vault, key="all", url=url, events=["*"])

        with store_at(self.url) as store:
            return store.write(self.scope, add).secret

    def beside(self) -> Livecore:
        """Another server of the same database, not serving yet."""
        other = copy.copy(self)
        other.address, other.log, other._process = "", [], None
        return other

    @property
    def running(self) -> bool:
        """Whether it serves."""
        return self._process is not None

    @property
    def pid(self) -> int:
        """The process that serves now."""
        assert self._process is not None
        return self._process.pid

    def start(self, *options: str) -> None:
        """Serve, and wait until it listens."""
        always = ["--database", self.url, "--port", "0", "--rate-limits", "off", "--no-request-log"]
        command = [sys.executable, "-m", "livecore_server", "serve", *always, *options]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=self._environment)
        log = self._process.stderr
        assert log is not None
        for line in log:
            self.log.append(line)
            _, found, address = line.partition("listening on ")
            if found:
                self.address = address.split()[0]
                Thread(target=_read_to_the_end, args=(log, self.log), daemon=True).start()
                return
        status = self._process.wait(PATIENCE_SECONDS)
        raise AssertionError(f"the server ended with status {status} before it listened: {''.join(self.log)}")

    def kill(self) -> None:
        """End the process on the spot, as `kill -9` does."""
        assert self._process is not None
        self._process.kill()

    def wait(self) -> int:
        """Wait for the end of the process; gives its status."""
        assert self._process is not None
        status = self._process.wait(PATIENCE_SECONDS)
        self._process = None
        return status

    def stop(self) -> int:
        """Drain as SIGTERM asks for; gives the exit status."""
        assert self._process is not None
        self._process.terminate()
        return self.wait()

    def end(self) -> None:
        """Make sure that nothing is left running."""
        if self._process is not None:
            self.kill()
            self.wait()


def _read_to_the_end(log: IO[str], lines: list[str]) -> None:
    with log:
        lines.extend(log)

"""A real server to kill: `livecore serve` as a process of its own, on a database file that outlives it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import IO, Any

__all__ = ["Livecore", "livecore"]


def livecore(*arguments: str) -> dict[str, Any]:
    """Run a command that prints JSON, and give what it printed."""
    command = [sys.executable, "-m", "livecore_server", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


class Livecore:
    """One database file and the process that serves it now."""

    def __init__(
        self, folder: Path, config: Mapping[str, object], *, environment: Mapping[str, str] | None = None
    ) -> None:
        self.path = folder / "crash.db"
        self.url = f"sqlite:///{self.path}"
        self.address = ""
        self._environment = None if environment is None else dict(environment)
        self._process: subprocess.Popen[str] | None = None
        file = folder / "game.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        made = livecore("init", "--database", self.url, "--config", str(file), "--json")
        self.game_id = str(made["gameId"])
        self.keys: dict[str, str] = made["keys"]["test"]
        """The keys of the test environment: `client` and `server`."""

    def add_endpoint(self, url: str) -> str:
        """Subscribe an address to every event; gives the signing secret."""
        options = ["--game", self.game_id, "--environment", "test", "--url", url, "--events", "*", "--json"]
        return str(livecore("webhooks", "add", "--database", self.url, *options)["secret"])

    def start(self) -> None:
        """Serve, and wait until it listens."""
        options = ["--database", self.url, "--port", "0", "--rate-limits", "off", "--no-request-log"]
        command = [sys.executable, "-m", "livecore_server", "serve", *options]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=self._environment)
        log = self._process.stderr
        assert log is not None
        for line in log:
            _, found, address = line.partition("listening on ")
            if found:
                self.address = address.strip()
                Thread(target=_read_to_the_end, args=(log,), daemon=True).start()
                return
        raise AssertionError(f"the server ended with status {self._process.wait(30)} before it listened")

    def kill(self) -> None:
        """End the process on the spot, as `kill -9` does."""
        assert self._process is not None
        self._process.kill()

    def wait(self) -> int:
        """Wait for the end of the process; gives its status."""
        assert self._process is not None
        status = self._process.wait(60)
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


def _read_to_the_end(log: IO[str]) -> None:
    with log:
        for _ in log:
            pass

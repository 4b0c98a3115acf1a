"""A server of several real processes, its log, and connections to the worker that one wants."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Condition, Thread
from typing import IO

from livecore.api.maintenance import NewGame
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import Connection, Reply, http, make_game

_BROKEN = (ConnectionError, asyncio.IncompleteReadError)


class Log:
    """The lines that a process writes, as they come."""

    def __init__(self, stream: IO[str]) -> None:
        self.lines: list[str] = []
        self._ended = False
        self._more = Condition()
        Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                with self._more:
                    self.lines.append(line)
                    self._more.notify_all()
        with self._more:
            self._ended = True
            self._more.notify_all()

    def wait(self, pattern: str, times: int = 1) -> list[re.Match[str]]:
        """Wait until so many lines match; gives all that do."""

        def found() -> list[re.Match[str]]:
            return [match for line in self.lines if (match := re.search(pattern, line))]

        with self._more:
            came = self._more.wait_for(lambda: len(found()) >= times or self._ended, PATIENCE_SECONDS)
            assert came, f"{pattern!r} did not come: {self.lines}"
            assert len(found()) >= times, f"{pattern!r} never came: {self.lines}"
            return found()

    def to_the_end(self) -> list[str]:
        """Wait until nobody can write any more."""
        with self._more:
            assert self._more.wait_for(lambda: self._ended, PATIENCE_SECONDS), "somebody still holds the log open"
        return self.lines


class Cluster:
    """A running server and the game that it serves."""

    def __init__(self, process: subprocess.Popen[str], game: NewGame, url: str) -> None:
        assert process.stderr is not None
        self.process = process
        self.game = game
        self.url = url
        self.log = Log(process.stderr)
        (listening,) = self.log.wait(r"listening on http://127\.0\.0\.1:(\d+)")
        self.port = int(listening[1])

    # -- its processes

    @property
    def workers(self) -> dict[int, int]:
        """The process of each worker that has become ready, by the worker's number; the latest of each number."""
        ready = self.log.wait(r"worker (\d+) is ready as process (\d+)")
        return {int(match[1]): int(match[2]) for match in ready}

    def kill(self, pid: int) -> None:
        """End a process on the spot."""
        os.kill(pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for the supervisor's end; gives its status."""
        return self.process.wait(PATIENCE_SECONDS)

    def stop(self) -> int:
        """Drain as SIGTERM asks for; gives the status."""
        self.process.terminate()
        return self.wait()

    def renew(self) -> None:
        """Replace all workers as SIGHUP asks for, and wait until that is done."""
        done = sum("all workers were replaced" in line for line in self.log.lines)
        self.process.send_signal(signal.SIGHUP)
        self.log.wait("all workers were replaced", done + 1)

    @contextmanager
    def only(self, pid: int) -> Iterator[None]:
        """Have all workers but one stand still: whoever connects now meets that one."""
        others = [other for other in self.workers.values() if other != pid]
        for other in others:
            os.kill(other, signal.SIGSTOP)
        try:
            yield
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)

    # -- requests

    @asynccontextmanager
    async def connect(self, pid: int | None = None) -> AsyncIterator[Connection]:
        """A connection, to a certain worker if one is named; it stays with that worker."""
        if pid is None:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        else:
            with self.only(pid):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                connection = Connection(reader, writer)
                await connection.send(http("GET", "/admin/v1/health"))
                assert (await connection.reply()).status == 200
        try:
            yield Connection(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def request(
        self, method: str, path: str, body: object = None, *, permission: str = "client", **headers: str
    ) -> bytes:
        """The bytes of a request with a key of the test environment."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given["Authorization"] = f"Bearer {self.game.keys['test', permission].text}"
        return http(method, path, body, headers=given)

    def register(self, player: str, **headers: str) -> bytes:
        """The request that registers a player."""
        return self.request("POST", f"/sdk/v1/players/{player}/register", **headers)

    async def ask(self, request: bytes) -> Reply:
        """Send a request on a connection of its own."""
        async with self.connect() as connection:
            await connection.send(request)
            return await connection.reply()


@contextmanager
def serve(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, hand: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process of `livecore serve`; nothing of it is left at the end. `hand` is a socket that it is to be handed."""
    arguments = [sys.executable, "-m", "livecore_server", "serve", *command]
    if hand is not None:
        # What hands a socket over names the process that is to take it, which is known only there.
        take = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ['LISTEN_PID'] = str(os.getpid());"
        arguments = [sys.executable, "-c", f"{take} os.execv(sys.executable, sys.argv[2:])", str(hand), *arguments]
    process = subprocess.Popen(
        arguments,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
        pass_fds=[] if hand is None else [hand],
        start_new_session=True,
    )
    try:
        yield process
    finally:
        # Its session and so its group are its own: nobody else is met.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)


@contextmanager
def serving_workers(
    url: str, *options: str, workers: int = 2, game: NewGame | None = None, hand: socket.socket | None = None
) -> Iterator[Cluster]:
    """A server over a database, made unless `game` says that it is there."""
    game = game or make_game(url)
    command = ["--database", url, "--port", "0", "--workers", str(workers), "--rate-limits", "off", *options]
    environment = {} if hand is None else {"LISTEN_FDS": "1"}
    with serve(command, environment=environment, hand=None if hand is None else hand.fileno()) as process:
        yield Cluster(process, game, url)

"""A worker's process, for its supervisor: its start and its end."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from livecore_server.problem import LASTING, Problem
from livecore_server.workers.messages import READY, REPLACED, WorkerConfiguration

_READY_SECONDS: Final = 300.0
"""How long a worker may take to start: newer code may have much to migrate."""


class WorkerFailed(Problem):
    """A worker ended or hung before it was ready. Its own log lines say why.

    Its `status` is the worker's if trying again would not help.
    """

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = LASTING if status == LASTING else 1

    @property
    def is_lasting(self) -> bool:
        """Whether trying again would not help."""
        return self.status == LASTING


class Worker:
    """One worker's process; made by `start`."""

    def __init__(self, number: int, process: Process) -> None:
        self.number = number
        self._process = process
        self._input = cast(StreamWriter, process.stdin)
        self._output = cast(StreamReader, process.stdout)
        self._ready_at = 0.0

    @classmethod
    async def start(cls, configuration: WorkerConfiguration, *, held: int) -> Worker:
        """Start a new interpreter and send it its configuration; it keeps the descriptor `held` open while it runs.

        Raises `WorkerFailed`.
        """
        # A worker finds modules in the same places as its supervisor: in the working directory only if the supervisor does.
        options = [] if str(Path.cwd()) in sys.path else ["-P"]
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *options, "-m", "livecore_server.workers",
                stdin=PIPE, stdout=PIPE, pass_fds=[*configuration.main, *configuration.metrics, held],
            )  # fmt: skip
        except OSError as fault:
            raise WorkerFailed(f"worker {configuration.number} could not start: {fault.strerror}") from fault
        worker = cls(configuration.number, process)
        worker._send(configuration.line())
        return worker

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def served_seconds(self) -> float:
        """The time since it became ready."""
        return asyncio.get_running_loop().time() - self._ready_at

    async def ready(self) -> None:
        """Wait until it answers requests. Raises `WorkerFailed` after its process has ended."""
        said = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(_READY_SECONDS):
                said = await self._output.readline()
        if said != READY:
            self.kill()
            status = await self.wait()
            raise WorkerFailed(f"worker {self.number} could not start: {ending(status)}", status)
        self._ready_at = asyncio.get_running_loop().time()

    @property
    def ended(self) -> bool:
        """Whether its process is known to have ended."""
        return self._process.returncode is not None

    def replace(self) -> None:
        """Drain it, because another worker has taken its place."""
        self._send(REPLACED)

    def stop(self) -> None:
        """Drain it, because the server stops."""
        self._input.close()

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def wait(self) -> int:
        """Wait for its end; returns its exit status, negative if a signal ended it."""
        return await self._process.wait()

    def _send(self, line: bytes) -> None:
        # If it is already dead, its end is noticed elsewhere.
        with suppress(ConnectionError):
            self._input.write(line)


def ending(status: int) -> str:
    """An exit status as text."""
    if status >= 0:
        return f"it ended with status {status}"
    return f"it was ended by {signal.Signals(-status).name}"

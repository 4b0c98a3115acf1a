"""Threads that run units of work for an event loop, each with a connection of its own.

    loop      | submit | ...                          | answer
    worker    |        | unit (round trips), commit ──┘

A job is refused before it would wait too long: for its turn, or for a server that is away. While that is so, one attempt
after another is made to reach it, and everybody else hears at once that it is not there.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, Generic, TypeVar

import attrs

from livecore.kernel.errors import Overloaded
from livecore_server.postgres.connections import Connections
from livecore_server.postgres.wire import Lost, Wire

__all__ = ["Workers"]

T = TypeVar("T")
_log = logging.getLogger("livecore.postgres")
_MEMORY: Final = 0.1
"""How much the latest job weighs in the running average."""
_AWAY_SECONDS: Final = 0.25
"""How long everybody is refused after a connection could not be had, before one more tries."""
_FRESH_STARTS: Final = 3
"""How often a job whose connection was lost is begun again on another one."""


@attrs.define(slots=True, eq=False)
class _Job(Generic[T]):
    work: Callable[[Wire], T]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[T]

    def succeed(self, result: T) -> None:
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class Workers:
    """So many threads over a source of connections."""

    def __init__(
        self,
        connections: Connections,
        *,
        count: int,
        queue: int,
        wait_seconds: float,
        connect_seconds: float,
        clock: Callable[[], float] = time.monotonic,
        name: str = "livecore-unit",
    ) -> None:
        self._connections = connections
        self._most_queued = queue
        self._wait_seconds = wait_seconds
        self._connect_seconds = connect_seconds
        self._clock = clock
        self._jobs: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._away_until = -math.inf
        self._job_seconds = 0.002
        self._closing = False
        self._threads = [Thread(target=self._serve, name=f"{name}-{at}", daemon=True) for at in range(count)]
        for thread in self._threads:
            thread.start()

    @property
    def queued(self) -> int:
        """How many jobs nobody has begun yet."""
        return self._jobs.qsize()

    @property
    def estimated_wait_seconds(self) -> float:
        """How long a job that comes now would wait for its turn."""
        return self.queued * self._job_seconds / len(self._threads)

    def submit(self, work: Callable[[Wire], T]) -> asyncio.Future[T]:
        """Run `work` on a connection; it runs again on another one where the first was lost in a way that allows it.

        Raises `Overloaded` where the wait would be too long; the future raises it where no connection can be had.
        """
        wait = self.estimated_wait_seconds
        if self._closing or wait > self._wait_seconds or self.queued >= self._most_queued:
            raise Overloaded(max(1, math.ceil(wait)))
        if self._clock() < self._away_until:
            raise Overloaded
        loop = asyncio.get_running_loop()
        job: _Job[T] = _Job(work, loop, loop.create_future())
        self._jobs.put(job)
        return job.future

    def close(self) -> None:
        """Finish what was accepted, and let go of threads and connections. Blocks."""
        self._closing = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    # -- in a thread

    def _serve(self) -> None:
        wire: Wire | None = None
        while (job := self._jobs.get()) is not None:
            if not job.future.cancelled():
                wire = self._run(job, wire)
        if wire is not None:
            self._connections.drop(wire)

    def _run(self, job: _Job[Any], wire: Wire | None) -> Wire | None:
        """Run one job and have it answered; gives the connection, if it is still one."""
        started = self._clock()
        settle: Callable[[Any], None] = job.fail
        answer: Any
        try:
            answer, wire = self._attempt(job.work, wire)
            settle = job.succeed
        except Lost as error:
            answer, wire = _overloaded(error), None
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the caller's
            answer = error
        if wire is not None and wire.lost:
            self._connections.drop(wire)
            wire = None
        self._job_seconds += (self._clock() - started - self._job_seconds) * _MEMORY
        job.loop.call_soon_threadsafe(settle, answer)
        return wire

    def _attempt(self, work: Callable[[Wire], T], wire: Wire | None) -> tuple[T, Wire]:
        for _ in range(_FRESH_STARTS):
            if wire is None:
                wire = self._connect()
            try:
                return work(wire), wire
            except Lost as error:
                _log.warning("a connection to the database was lost: %s", error)
                wire.close()
                self._connections.drop(wire)
                wire = None
        raise Lost("connections to the database break as soon as they are made")

    def _connect(self) -> Wire:
        if self._clock() < self._away_until:
            raise Lost("the database is away")
        try:
            return self._connections.take(self._connect_seconds)
        except Lost:
            self._away_until = self._clock() + _AWAY_SECONDS
            raise


def _overloaded(error: BaseException) -> Overloaded:
    overloaded = Overloaded()
    overloaded.__cause__ = error
    return overloaded

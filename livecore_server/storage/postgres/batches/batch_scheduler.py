"""The batch scheduler: queues of units, and connections that run batches of them, one after another on each.

    queue of scope a   5 4 | 3 2 1   connection 1   runs 1 2 3, then the units that have arrived for a meanwhile
    queue of scope b     7 | 6       connection 2   runs 6

While a batch runs, units collect for the next one, so batches are larger under load. A scope has one writing batch at a
time, because two would only conflict. Reading batches of one scope may run in parallel.

A unit is refused if it would wait too long, in the queue or for an unreachable server. While the server is unreachable, one
attempt after another is made to connect, and all other units are refused at once.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import attrs

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice
from livecore.kernel.storage.store import StoreConflict, Transaction, UniqueViolation
from livecore_server.storage.limits import QueueLimits
from livecore_server.storage.ports import BatchObserver
from livecore_server.storage.postgres.batches.batch import Batch, BatchedUnit
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.connection_pool import Connections
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost
from livecore_server.storage.postgres.reads.read_set import Hints
from livecore_server.storage.postgres.units import ATTEMPTS, CommitUnknown, is_storage_failure, pause_seconds

T = TypeVar("T")
_log = logging.getLogger("livecore.postgres")
_MEMORY: Final = 0.1
"""The weight of the latest batch in the running average."""
_AWAY_SECONDS: Final = 0.25
"""How long all units are refused after a failed connection attempt, before the next attempt."""
_FRESH_STARTS: Final = 3
"""How often a unit is tried again on another connection after its connection was lost."""
_LOST_IN_LARGE_BATCH: Final = 2
"""After this many conflicts a unit runs in smaller batches."""
_CONTENDED_SECONDS: Final = 5.0
"""How long after a conflict with another process units still choose rows that only this process wants."""
_WRITER: Final = random.SystemRandom().randrange(1 << 16)
"""The number by which they choose."""


@attrs.frozen(kw_only=True)
class PostgresLimits(QueueLimits):
    """The limits of the queue of units, of how many batches run at once, and of one batch."""

    reading: int = 2
    """Connections for reading units."""
    writing: int = 2
    """Connections for writing units, of as many scopes."""
    units: int = 64
    """The most units in a batch."""
    connect_seconds: float = 2.0
    """How long a batch waits for a connection."""

    @property
    def connections(self) -> int:
        """How many connections units use at most."""
        return self.reading + self.writing


class BatchScheduler:
    """Runs units of one kind, reading or writing, for the running loop."""

    def __init__(
        self,
        connections: Connections,
        *,
        writes: bool,
        limits: PostgresLimits,
        hints: Hints,
        publish: Callable[[Sequence[Notice]], None] | None = None,
        in_doubt: Callable[[], None] = lambda: None,
        observer: BatchObserver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`in_doubt` is called where units may be committed whose notices are not published."""
        self._in_doubt = in_doubt
        self._connections = connections
        self._writes = writes
        self._limits = limits
        self._most = limits.writing if writes else limits.reading
        self._hints = hints
        self._publish = publish
        self._observer = observer
        self._clock = clock
        self._queues: dict[Scope, deque[BatchedUnit[Any]]] = {}
        self.queued = 0
        """How many units have been accepted and are not yet running."""
        self._busy: set[Scope] = set()
        """The scopes with a running writing batch."""
        self._contended_until: dict[Scope, float] = {}
        """Until when units are told that writers of several processes conflict in a scope."""
        self._serving: set[asyncio.Task[None]] = set()
        self._active = 0
        """How many connections will check the queues again before they become idle."""
        self._idle: list[Connection] = []
        self._away_until = -math.inf
        self._batch_seconds = 0.005
        self._closing = False

    @property
    def estimated_wait_seconds(self) -> float:
        """How long a unit that arrives now would wait for its answer."""
        batches = math.ceil((self.queued + 1) / self._limits.units) + bool(self._active)
        return batches * self._batch_seconds

    def submit(self, scope: Scope, work: Callable[[Transaction], T]) -> asyncio.Future[T]:
        """Run `work` in the next batch of its scope.

        Raises `Overloaded` if the wait would be too long; the future raises it if the unit could not be run.
        """
        wait = self.estimated_wait_seconds
        self._limits.refuse_beyond(queued=self.queued, wait_seconds=wait, idle=self._active == 0)
        if self._closing:
            raise self._limits.refusal(wait)
        if self._clock() < self._away_until:
            raise Overloaded
        future = asyncio.get_running_loop().create_future()
        unit: BatchedUnit[T] = BatchedUnit(scope, work, future, publish=self._publish)
        self._queue(scope, (unit,))
        if self._active < self._most and (not self._writes or scope not in self._busy):
            # Everything that is ready in this turn of the loop joins the same batch.
            self._active += 1
            serving = asyncio.get_running_loop().create_task(self._serve())
            self._serving.add(serving)
            serving.add_done_callback(self._serving.discard)
        return unit.future

    async def close(self) -> None:
        """Finish accepted units, and release the connections."""
        self._closing = True
        while self._serving:
            await asyncio.wait(self._serving)
        for connection in self._idle:
            await self._connections.drop_later(connection)

    # -- queues

    def _queue(self, scope: Scope, units: Iterable[BatchedUnit[Any]], *, first: bool = False) -> None:
        queue = self._queues.setdefault(scope, deque())
        before = len(queue)
        if first:
            queue.extendleft(reversed(list(units)))
        else:
            queue.extend(units)
        self.queued += len(queue) - before

    def _take(self) -> tuple[Scope, list[BatchedUnit[Any]]] | None:
        """The next batch: the scope that has waited longest, with as many units as may run together."""
        scope = next((scope for scope in self._queues if scope not in self._busy), None)
        if scope is None:
            return None
        queue = self._queues.pop(scope)
        units: list[BatchedUnit[Any]] = []
        before, most = len(queue), self._limits.units
        while queue and len(units) < min(most, queue[0].batch_limit):
            unit = queue.popleft()
            if not unit.future.done():  # otherwise the caller is gone
                units.append(unit)
                most = min(most, unit.batch_limit)
        self.queued -= before - len(queue)
        if queue:
            self._queues[scope] = queue
        return scope, units

    # -- a connection

    async def _serve(self) -> None:
        connection = self._idle.pop() if self._idle else None
        try:
            while (taken := self._take()) is not None:
                scope, units = taken
                if units:
                    connection = await self._run_alone(connection, scope, units)
        finally:
            self._active -= 1
            if connection is not None:
                self._idle.append(connection)

    async def _run_alone(
        self, connection: Connection | None, scope: Scope, units: list[BatchedUnit[Any]]
    ) -> Connection | None:
        """Run a batch, and no other writing batch of its scope beside it. Whatever happens, its units get an answer."""
        if self._writes:
            self._busy.add(scope)
        try:
            return await self._run(connection, scope, units)
        except Exception as error:  # noqa: BLE001 - a fault of ours; those who wait must get it, and the next batch must run
            _log.exception("a batch of %s failed", scope.id)
            _refuse(units, error)
            return connection
        finally:
            self._busy.discard(scope)

    async def _run(
        self, connection: Connection | None, scope: Scope, units: list[BatchedUnit[Any]]
    ) -> Connection | None:
        """Run a batch, so that each unit gets an answer or another attempt; returns the connection."""
        if connection is None or connection.lost:
            connection = await self._connect(connection, units)
            if connection is None or connection.lost:
                return connection
        started = self._clock()
        until = started + self._limits.run_seconds
        writer = _WRITER if started < self._contended_until.get(scope, -math.inf) else None
        batch = Batch(connection, scope, units, writes=self._writes, until=until, hints=self._hints, writer=writer)
        try:
            await batch.run()
        except Lost as error:
            _log.debug("a connection to the database was lost: %s", error)
            if error.silent:
                self._fail(units, error)
            self._begin_afresh(scope, units, error)
        except CommitUnknown as error:
            self._fail(batch.uncertain, error)
            self._in_doubt()
            self._begin_afresh(scope, units, error)
        except (StoreConflict, Fault) as error:
            await self._divide(scope, units, error)
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must get it
            _refuse(units, error)
        else:
            seconds = self._clock() - started
            await self._go_again(scope, batch)
            self._report_committed(batch, seconds)
        self._batch_seconds += (self._clock() - started - self._batch_seconds) * _MEMORY
        return connection

    def _report_committed(self, batch: Batch, seconds: float) -> None:
        if self._writes and self._observer is not None and batch.units:
            run_seconds = seconds - batch.commit_seconds
            self._observer.committed(units=batch.units, run_seconds=run_seconds, commit_seconds=batch.commit_seconds)

    async def _connect(self, lost: Connection | None, units: list[BatchedUnit[Any]]) -> Connection | None:
        """Another connection in place of a lost one. If there is none, all waiting units are refused.

        That is also so where connecting itself fails, because the machine has no further thread or no memory.
        """
        try:
            if lost is not None:
                await self._connections.drop_later(lost)
                lost = None
            return await self._connections.connection(self._limits.connect_seconds)
        except Exception as error:  # noqa: BLE001 - as said: those who wait must be told
            self._away_until = self._clock() + _AWAY_SECONDS
            waiting = [unit for queue in self._queues.values() for unit in queue]
            self._queues.clear()
            self.queued = 0
            self._fail([*units, *waiting], error)
            # One that could not be returned counts as taken from the pool until it is.
            return lost

    # -- when a batch fails

    def _begin_afresh(self, scope: Scope, units: list[BatchedUnit[Any]], error: Exception) -> None:
        """Try unanswered units again on another connection, unless they had too many attempts."""
        for unit in units:
            unit.starts += 1
        self._fail([unit for unit in units if unit.starts >= _FRESH_STARTS], error)
        self._queue(scope, _unanswered(units), first=True)

    async def _divide(self, scope: Scope, units: list[BatchedUnit[Any]], error: Exception) -> None:
        """After a conflict or a refused statement: try again, in smaller batches if that may help."""
        units = _unanswered(units)
        if is_storage_failure(error):
            self._fail(units, error)
            return
        somebodys = not isinstance(error, StoreConflict) or isinstance(error, UniqueViolation)
        if not somebodys:
            self._contended_until[scope] = self._clock() + _CONTENDED_SECONDS
        if len(units) == 1 and not isinstance(error, StoreConflict):
            _refuse(units, error)
            return
        for unit in units:
            if not somebodys or len(units) == 1:
                unit.attempts += 1
            if somebodys or unit.attempts >= _LOST_IN_LARGE_BATCH:
                unit.batch_limit = max(1, len(units) // 2)
        await self._pause(scope, units, error)

    async def _go_again(self, scope: Scope, batch: Batch) -> None:
        if batch.again:
            await self._pause(scope, batch.again, StoreConflict("another unit has the same key or unique value"))
        self._queue(scope, batch.left, first=True)

    async def _pause(self, scope: Scope, units: list[BatchedUnit[Any]], error: Exception) -> None:
        """Wait until others have finished, and then try the units again that have not had too many attempts."""
        lasting = [unit for unit in units if unit.attempts >= ATTEMPTS]
        if lasting:
            _log.warning("%d units of %s were given up after %d attempts: %s", len(lasting), scope.id, ATTEMPTS, error)
            _refuse_overloaded(lasting, error)
        attempts = max((unit.attempts for unit in units), default=0)
        if attempts:
            await asyncio.sleep(pause_seconds(attempts - 1))
        self._queue(scope, _unanswered(units), first=True)

    def _fail(self, units: list[BatchedUnit[Any]], error: Exception) -> None:
        """Refuse the unanswered units, because the database failed."""
        refused = _unanswered(units)
        if not refused:
            return
        _refuse_overloaded(refused, error)
        if self._observer is not None:
            self._observer.failed(units=len(refused), error=error)


def _unanswered(units: Iterable[BatchedUnit[Any]]) -> list[BatchedUnit[Any]]:
    return [unit for unit in units if not unit.future.done()]


def _refuse(units: Iterable[BatchedUnit[Any]], error: Exception) -> None:
    for unit in _unanswered(units):
        unit.refuse(error)


def _refuse_overloaded(units: Iterable[BatchedUnit[Any]], cause: Exception) -> None:
    for unit in _unanswered(units):
        unit.refuse_overloaded(cause)

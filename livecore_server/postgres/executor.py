"""The executor for PostgreSQL: each unit a transaction, several at a time, on as many threads and connections.

A unit runs again when the server could not serialise it with another, after a wait that chance spreads; what is still in the
way after the last attempt is answered 503, like everything that would wait too long. A connection that is lost costs nothing
but time, unless a commit was under way: such a unit is answered 503 and not run again, because it may have taken effect, and
whoever asks again with the same idempotency key learns which.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

import attrs

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.store import StoreConflict, Transaction
from livecore_server.ports import BatchObserver
from livecore_server.postgres.directory import Directory, Unremembered
from livecore_server.postgres.gate import Gate
from livecore_server.postgres.store import ATTEMPTS, PostgresStore, wait_before_retry
from livecore_server.postgres.units import is_storage_failure, read_unit, write_unit
from livecore_server.postgres.wire import Lost, Wire
from livecore_server.postgres.workers import Workers

__all__ = ["PostgresExecutor", "UnitLimits"]

T = TypeVar("T")
_log = logging.getLogger("livecore.postgres")
_LOST_BEFORE_ALONE: Final = 2


@attrs.frozen(kw_only=True)
class UnitLimits:
    """How many units run at once, and how long one may wait for its turn."""

    connections: int = 4
    queue: int = 10_000
    wait_seconds: float = 2.0
    """A unit whose estimated wait is longer is refused at once."""
    connect_seconds: float = 2.0
    """How long a unit waits for a connection while there is none."""


class PostgresExecutor:
    """Runs units of work over a `PostgresStore`, which belongs to it from then on; `close` closes the store as well."""

    def __init__(
        self,
        store: PostgresStore,
        *,
        limits: UnitLimits | None = None,
        observer: BatchObserver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = limits or UnitLimits()
        self._store = store
        self._observer = observer
        self._clock = clock
        self._gates: dict[Scope, Gate] = {}
        make = partial(
            Workers,
            store.connections,
            queue=limits.queue,
            wait_seconds=limits.wait_seconds,
            connect_seconds=limits.connect_seconds,
            clock=clock,
        )
        self._units = make(count=limits.connections)
        # Apart, so that no request waits for others' units before it is known whether it may come in.
        self._questions = make(count=1, name="livecore-directory")
        self._directory = Directory(self._questions)

    @property
    def queued(self) -> int:
        """How many units have been accepted and are not yet running."""
        return self._units.queued

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on one snapshot; its writes, if any, are dropped. Of the directory, what is remembered and current."""
        if scope == DIRECTORY:
            try:
                return await self._guarded(self._directory.read(work))
            except Unremembered:
                pass
        return await self._guarded(self._units.submit(partial(read_unit, scope=scope, work=work)))

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` as a serializable transaction; return or raise what it did once that is durable."""
        running = self._units.submit(partial(self._write, scope=scope, work=work))
        result, run_seconds, commit_seconds = await self._guarded(running)
        if self._observer is not None:
            self._observer.committed(units=1, run_seconds=run_seconds, commit_seconds=commit_seconds)
        return result

    async def scopes(self) -> list[Scope]:
        """Every scope that holds rows."""
        return await asyncio.to_thread(self._store.scopes)

    async def close(self) -> None:
        """Refuse new units, finish those that were accepted, and close the store."""
        await asyncio.gather(asyncio.to_thread(self._units.close), asyncio.to_thread(self._questions.close))
        self._store.close()

    async def _guarded(self, running: Awaitable[T]) -> T:
        try:
            return await running
        except Exception as error:
            away = isinstance(error, Overloaded) and isinstance(error.__cause__, Lost)
            if not away and not is_storage_failure(error):
                raise
            _log.error("the database refused a unit: %s", error)
            if self._observer is not None:
                self._observer.failed(units=1, error=error)
            raise Overloaded from error

    # -- in a worker's thread

    def _write(self, wire: Wire, scope: Scope, work: Callable[[Transaction], T]) -> tuple[T, float, float]:
        """What `work` returned, how many seconds it took with all its attempts, and how many its commit."""
        started = self._clock()
        wire.commit_seconds = 0.0
        conflict: StoreConflict | None = None
        for attempt in range(ATTEMPTS):
            gate = self._gates.setdefault(scope, Gate())
            try:
                with gate.alone() if attempt >= _LOST_BEFORE_ALONE else gate.shared():
                    result = write_unit(wire, scope, work)
                return result, self._clock() - started - wire.commit_seconds, wire.commit_seconds
            except StoreConflict as error:
                conflict = error
                wait_before_retry(attempt)
        _log.warning("a unit of %s was given up after %d attempts: %s", scope.id, ATTEMPTS, conflict)
        raise Overloaded from conflict

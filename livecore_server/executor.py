"""The executor for SQLite: reads at once, writes in batches that share one commit.

Everything happens on the event loop's thread but the commit, which waits for the disk in a thread of its own. While it does,
the loop goes on serving reads of the state before, and collecting the next batch:

    loop      | run units 1..n | reads, new requests ...        | answer 1..n, run the next batch | ...
    committer |                | COMMIT (waits for the disk)    |                                 | COMMIT ...

A unit is answered only when everything that it wrote, and everything uncommitted that it saw, is durable. That goes for
refusals as well: "already registered" must not be said because of a registration that the disk then refused.

A disk that does not come back is not waited for: after a few seconds the waiting writes are refused, and new ones at once
until it does. Those whose commit was under way may have taken effect; whoever asks again with the same idempotency key
learns which.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, TypeVar

import attrs

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.store import Transaction
from livecore_server.ports import BatchObserver, Turn
from livecore_server.sqlite import Batch, SqliteStore, is_storage_failure
from livecore_server.turns import Manners

__all__ = ["BatchLimits", "SqliteExecutor"]

T = TypeVar("T")
_log = logging.getLogger("livecore.executor")
_BUSY_RETRY_SECONDS = 0.005
_MEMORY = 0.1
"""How much the latest batch weighs in the running averages."""


@attrs.frozen(kw_only=True)
class BatchLimits:
    """How much goes into one commit, and how long a write may wait for its turn."""

    units: int = 256
    run_seconds: float = 0.010
    """A batch takes no further unit after this long, so that reads are not kept waiting."""
    queue: int = 10_000
    wait_seconds: float = 2.0
    """A write whose estimated wait is longer is refused at once."""
    busy_seconds: float = 5.0
    """How long another process may keep the write lock before the waiting writes are refused."""
    disk_seconds: float = 5.0
    """How long the disk may take for a commit or a merge before the waiting writes are refused."""


@attrs.define(slots=True, eq=False)
class _Pending(Generic[T]):
    """One accepted write: its work, and the answer that waits for the commit."""

    scope: Scope
    work: Callable[[Transaction], T]
    future: asyncio.Future[T]
    result: T | None = None
    error: Exception | None = None

    def settle(self) -> None:
        """Give the answer; the caller may have gone away."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)  # type: ignore[arg-type] # None is a result of its own

    def refuse(self, error: Exception) -> None:
        """Fail, whatever the unit had come to."""
        self.error = error
        self.settle()


class _Average:
    """A running average of durations, in seconds."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def add(self, seconds: float) -> None:
        self.seconds += (seconds - self.seconds) * _MEMORY


class SqliteExecutor:
    """Runs units of work over a `SqliteStore`, which belongs to it from then on; `close` closes the store as well."""

    def __init__(
        self,
        store: SqliteStore,
        *,
        limits: BatchLimits | None = None,
        observer: BatchObserver | None = None,
        turn: Turn | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._limits = limits or BatchLimits()
        self._observer = observer
        self._clock = clock
        self._queue: deque[_Pending[Any]] = deque()
        self._batch: list[_Pending[Any]] = []
        self._active = False
        """Whether a batch is running, committing or about to."""
        self._closing = False
        self._idle: asyncio.Future[None] | None = None
        self._busy_since: float | None = None
        self._patience: asyncio.TimerHandle | None = None
        """Runs out while the committer's thread waits for the disk."""
        self._stuck = False
        """Whether it has run out, and the disk is still not back."""
        self._unit_seconds = _Average(0.0002)
        self._commit_seconds = _Average(0.002)
        self._committer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="livecore-commit")
        self._manners = None if turn is None else Manners(turn, store, self._committer)
        # Another process's write must not stop the loop: we try again instead of waiting inside SQLite.
        store.connections.set_busy_timeout(0)

    @property
    def queued(self) -> int:
        """How many writes have been accepted and are not yet running."""
        return len(self._queue)

    @property
    def estimated_wait_seconds(self) -> float:
        """How long a write accepted now would wait for its answer."""
        units = len(self._queue) + 1
        commits = math.ceil(units / self._limits.units) + bool(self._batch)
        return units * self._unit_seconds.seconds + commits * self._commit_seconds.seconds

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` at once on the newest committed state; its writes, if any, are dropped.

        Raises `Overloaded` when the disk fails.
        """
        if self._manners is not None:
            self._manners.limit_snapshot(asyncio.get_running_loop())
        try:
            return self._store.read(scope, work)
        except sqlite3.Error as error:
            if not is_storage_failure(error):
                raise
            self._tell_failed(1, error)
            raise Overloaded from error

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` in the next batch; return or raise what it did once all that it wrote or saw is durable.

        Raises `Overloaded` when the queue is too long, the executor is closing, or the commit failed.
        """
        wait = self.estimated_wait_seconds
        # Idle, it takes any write: only a new batch can tell that the disk has become fast again.
        slow = self._stuck or (self._active and wait > self._limits.wait_seconds)
        if self._closing or slow or len(self._queue) >= self._limits.queue:
            raise Overloaded(max(1, math.ceil(wait)))
        loop = asyncio.get_running_loop()
        pending: _Pending[T] = _Pending(scope, work, loop.create_future())
        self._queue.append(pending)
        if not self._active:
            self._active = True
            # Whatever else is ready in this turn of the loop joins the same batch.
            loop.call_soon(self._next_batch, loop)
        return await pending.future

    async def scopes(self) -> list[Scope]:
        """Every scope that holds rows."""
        return self._store.scopes()

    async def close(self) -> None:
        """Refuse new writes, finish those that were accepted, and close the store."""
        self._closing = True
        if self._active:
            self._idle = asyncio.get_running_loop().create_future()
            await self._idle
        self._committer.shutdown()
        if self._manners is not None:
            self._manners.close()
        self._store.close()

    # -- one batch: run, commit, answer

    def _next_batch(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._queue:
            self._rest()
            return
        if not self._is_our_turn(loop, self._next_batch):
            return
        try:
            batch = self._store.batch()
        except sqlite3.Error as error:
            self._wait_for_lock(loop, error)
            return
        self._busy_since = None
        started = self._clock()
        try:
            complete = self._run_units(batch, started)
        except BaseException as error:
            self._give_up(batch, error)
            loop.call_soon(self._next_batch, loop)
            if is_storage_failure(error):
                return
            raise
        # A unit that put a row as it was has nothing to write, and waits for its answer all the same.
        if complete and self._batch:
            self._start_commit(loop, batch, self._clock() - started)
            return
        self._roll_back(batch)
        loop.call_soon(self._next_batch, loop)

    def _run_units(self, batch: Batch, started: float) -> bool:
        """Run queued units within the limits; `False`: one spoilt the batch, and the others are queued again."""
        until = started + self._limits.run_seconds
        while self._queue and len(self._batch) < self._limits.units:
            pending = self._queue.popleft()
            if pending.future.done():
                continue  # the caller has gone away
            self._batch.append(pending)
            if not self._run(batch, pending):
                self._batch.pop()
                self._queue.extendleft(reversed(self._batch))
                self._batch.clear()
                return False
            if self._clock() >= until:
                break
        return True

    def _run(self, batch: Batch, pending: _Pending[Any]) -> bool:
        """Run one unit and apply what it wrote; `False`: it could not be applied, and has failed."""
        pending.error = None
        transaction = batch.transaction(pending.scope)
        try:
            pending.result = pending.work(transaction)
        except Exception as error:
            if is_storage_failure(error):
                raise
            pending.error = error
            writes = []
        else:
            writes = transaction.writes()
        if writes:
            return self._apply(batch, pending, writes)
        if not batch.saw_uncommitted:
            self._batch.pop()
            pending.settle()
        return True

    def _apply(self, batch: Batch, pending: _Pending[Any], writes: list[Any]) -> bool:
        try:
            batch.apply(pending.scope, writes)
        except Exception as error:
            if is_storage_failure(error):
                raise
            pending.refuse(error)
            return False
        return True

    def _start_commit(self, loop: asyncio.AbstractEventLoop, batch: Batch, run_seconds: float) -> None:
        self._unit_seconds.add(run_seconds / len(self._batch))
        self._begin_waiting(loop)
        future = loop.run_in_executor(self._committer, self._commit, batch)
        future.add_done_callback(lambda done: self._committed(loop, batch, done, run_seconds))

    def _commit(self, batch: Batch) -> float:
        """In the committer's thread: the seconds that the commit took."""
        started = self._clock()
        batch.commit()
        if self._manners is not None:
            self._manners.pass_on()
        return self._clock() - started

    def _committed(
        self, loop: asyncio.AbstractEventLoop, batch: Batch, done: asyncio.Future[float], run_seconds: float
    ) -> None:
        self._end_waiting()
        error = done.exception()
        if error is not None:
            self._give_up(batch, error)
        else:
            try:
                batch.publish()
            except sqlite3.Error:
                _log.exception("could not show a committed batch to readers")
            self._answer(run_seconds, done.result())
        if self._store.merge_due:
            self._merge_log(loop)
        else:
            # After the answers: the tasks that wait for them were scheduled first.
            loop.call_soon(self._next_batch, loop)

    def _answer(self, run_seconds: float, commit_seconds: float) -> None:
        answered, self._batch = self._batch, []
        for pending in answered:
            pending.settle()
        self._commit_seconds.add(commit_seconds)
        if self._observer is not None:
            self._observer.committed(units=len(answered), run_seconds=run_seconds, commit_seconds=commit_seconds)

    def _merge_log(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._is_our_turn(loop, self._merge_log):
            self._take_merge_steps(loop, self._store.merge_steps)

    def _take_merge_steps(self, loop: asyncio.AbstractEventLoop, steps: Sequence[Callable[[], None]]) -> None:
        try:
            self._store.begin_merge()
        except sqlite3.Error:
            _log.warning("could not begin to merge the write-ahead log", exc_info=True)
            loop.call_soon(self._next_batch, loop)
            return
        self._begin_waiting(loop)
        merge = loop.run_in_executor(self._committer, steps[0])
        merge.add_done_callback(lambda done: self._merge_step_taken(loop, done, steps[1:]))

    def _merge_step_taken(
        self, loop: asyncio.AbstractEventLoop, done: asyncio.Future[None], left: Sequence[Callable[[], None]]
    ) -> None:
        self._end_waiting()
        error = done.exception()
        if error is not None:
            # The log keeps everything; the next merge tries again.
            _log.warning("could not merge the write-ahead log into the database", exc_info=error)
            left = ()
        if self._manners is not None and not left:
            self._manners.pass_on()
        then = partial(self._take_merge_steps, steps=left) if left else self._next_batch
        try:
            self._store.end_merge()
        finally:
            loop.call_soon(then, loop)

    # -- taking turns with other workers

    def _is_our_turn(self, loop: asyncio.AbstractEventLoop, then: Callable[[asyncio.AbstractEventLoop], None]) -> bool:
        """Whether we may write now; if not, `then` is called when we may."""
        if self._manners is None:
            return True
        self._manners.limit_snapshot(loop)
        if self._manners.take_at_once():
            return True
        self._begin_waiting(loop)
        self._manners.wait(loop, lambda: self._our_turn_has_come(loop, then))
        return False

    def _our_turn_has_come(
        self, loop: asyncio.AbstractEventLoop, then: Callable[[asyncio.AbstractEventLoop], None]
    ) -> None:
        self._end_waiting()
        then(loop)

    # -- when the store refuses

    def _begin_waiting(self, loop: asyncio.AbstractEventLoop) -> None:
        self._patience = loop.call_later(self._limits.disk_seconds, self._lose_patience)

    def _end_waiting(self) -> None:
        self._stuck = False
        if self._patience is not None:
            self._patience.cancel()

    def _lose_patience(self) -> None:
        self._stuck = True
        waiting = [*self._batch, *self._queue]
        self._queue.clear()
        # The batch stays: its commit goes on, and what it comes to is published though nobody waits for it any more.
        self._refuse(waiting, TimeoutError(f"the disk has not answered for {self._limits.disk_seconds:g} s"))

    def _wait_for_lock(self, loop: asyncio.AbstractEventLoop, error: sqlite3.Error) -> None:
        now = self._clock()
        if self._busy_since is None:
            self._busy_since = now
        if now - self._busy_since < self._limits.busy_seconds:
            loop.call_later(_BUSY_RETRY_SECONDS, self._next_batch, loop)
            return
        self._busy_since = None
        self._batch.extend(self._queue)
        self._queue.clear()
        self._fail(error)
        loop.call_soon(self._next_batch, loop)

    def _give_up(self, batch: Batch, error: BaseException) -> None:
        """Roll the batch back and refuse its units: the next batch starts afresh."""
        self._roll_back(batch)
        self._fail(error)

    @staticmethod
    def _roll_back(batch: Batch) -> None:
        try:
            batch.rollback()
        except sqlite3.Error:
            _log.exception("could not roll back")

    def _fail(self, error: BaseException) -> None:
        refused, self._batch = self._batch, []
        self._refuse(refused, error)

    def _refuse(self, refused: list[_Pending[Any]], error: BaseException) -> None:
        for pending in refused:
            overloaded = Overloaded()
            overloaded.__cause__ = error
            pending.refuse(overloaded)
        self._tell_failed(len(refused), error)

    def _tell_failed(self, units: int, error: BaseException) -> None:
        if self._observer is not None:
            self._observer.failed(units=units, error=error)

    def _rest(self) -> None:
        self._active = False
        if self._manners is not None:
            self._manners.pass_on()
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

"""The executor for SQLite: reads at once, writes in batches that share one commit.

Everything happens on the event loop's thread except the commit, which waits for the disk in its own thread. Meanwhile the
loop serves reads of the earlier state, and runs the next batch's units *ahead*: on the rows that will be committed, without
writing yet.

    loop      | run units 1..n | reads, run units n+1..m ahead  | answer 1..n, write n+1..m      | reads, run ahead ...
    committer |                | COMMIT (waits for the disk)    |                                | COMMIT ...

A unit is answered only when everything that it wrote, and everything uncommitted that it saw, is durable. That applies to
refusals too: "already registered" must not be answered because of a registration that the disk then refused. If a commit
fails, units that ran ahead used rows that were never committed, and run again; likewise if another process wrote in
between.

A unit that changes very many rows by single statements, such as a merge, is alone in its batch, and the committer runs these
statements as well: other writes wait for them in any case, but reads do not.

If the disk does not answer, waiting writes are refused after a few seconds, and new ones at once until it answers. Writes
whose commit was under way may have taken effect; a retry with the same idempotency key shows whether they did.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import Any, TypeVar

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice, Notices
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table, TimeIndex
from livecore.kernel.time import Millis
from livecore_server.storage.due_scopes import START, DuePage, ScopePosition
from livecore_server.storage.ports import BatchObserver, WriterLock
from livecore_server.storage.sqlite import GroupCommit, SqliteStore, is_storage_failure
from livecore_server.storage.sqlite.admission import Admission, DiskWatchdog, SqliteLimits
from livecore_server.storage.sqlite.batch import Batch, PendingWrite, Queue
from livecore_server.storage.sqlite.checkpoint import Checkpointer
from livecore_server.storage.sqlite.reading_aside import ReadingAside
from livecore_server.storage.sqlite.writer_lock_queue import WriterLockQueue

T = TypeVar("T")
_log = logging.getLogger("livecore.executor")
_BUSY_RETRY_SECONDS = 0.005


class SqliteExecutor:
    """Runs units of work over a `SqliteStore`, which it owns; `close` closes the store as well."""

    def __init__(
        self,
        store: SqliteStore,
        *,
        limits: SqliteLimits | None = None,
        observer: BatchObserver | None = None,
        writer_lock: WriterLock | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._limits = limits or SqliteLimits()
        self._observer = observer
        self._clock = clock
        self._queue: Queue = deque()
        self._committing: Batch | None = None
        """The batch that a thread is committing, or after which it makes a checkpoint."""
        self._ahead: Batch | None = None
        """The batch after it, which runs ahead."""
        self._going_ahead = False
        self._active = False
        """Whether a batch is running or committing, or is scheduled."""
        self._closing = self._closed = False
        self._idle: asyncio.Future[None] | None = None
        self._busy_since: float | None = None
        self._admission = Admission(self._limits)
        self._watch = DiskWatchdog(self._limits.disk_seconds, self._lose_patience)
        self._committer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="livecore-commit")
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="livecore-long-read")
        self._aside = ReadingAside(store.path)
        self._lock_queue = WriterLockQueue(writer_lock, store, self._watch)
        self._checkpointer = Checkpointer(store, self._committer, self._lock_queue, self._watch)
        # Another process's write must not block the loop: the executor tries again instead of waiting inside SQLite.
        store.connections.set_busy_timeout(0)

    @property
    def queued(self) -> int:
        """How many writes have been accepted and are not yet being committed."""
        return len(self._queue) + (0 if self._ahead is None else len(self._ahead.units))

    @property
    def estimated_wait_seconds(self) -> float:
        """How long a write accepted now would wait for its answer."""
        return self._admission.wait_seconds(units=self.queued + 1, commits=int(self._committing is not None))

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` at once on the newest committed state; its writes, if any, are dropped.

        Raises `Overloaded` when the disk fails.
        """
        return self._looked(partial(self._store.read, scope, work))

    async def read_aside(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a thread of its own, on a connection of its own. Raises `Overloaded` like `read`."""
        if self._closing:
            raise Overloaded
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reader, self._aside.read, scope, work)
        except sqlite3.Error as error:
            if not is_storage_failure(error):
                raise
            self._report_failed(1, error)
            raise Overloaded from error

    def _looked(self, look: Callable[[], T]) -> T:
        """What a look at the file gives. Raises `Overloaded` when the disk fails, and once the store is being closed."""
        if self._closed:
            raise Overloaded
        self._lock_queue.limit_snapshot()
        try:
            return look()
        except sqlite3.Error as error:
            if not is_storage_failure(error):
                raise
            self._report_failed(1, error)
            raise Overloaded from error

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` in the next batch; return its result or raise its exception once all that it wrote or saw is durable.

        Raises `Overloaded` when the queue is too long, the executor is closing, or the commit failed.
        """
        wait = self.estimated_wait_seconds
        self._limits.refuse_beyond(queued=self.queued, wait_seconds=wait, idle=not self._active)
        if self._closing or self._watch.stuck:
            raise self._limits.refusal(wait)
        loop = asyncio.get_running_loop()
        pending: PendingWrite[T] = PendingWrite(scope, work, loop.create_future(), publish=self._publish)
        self._queue.append(pending)
        if not self._active:
            self._active = True
            # Everything that is ready in this turn of the loop joins the same batch.
            loop.call_soon(self._next_batch, loop)
        else:
            self._go_ahead(loop)
        return await pending.future

    @property
    def notices(self) -> Notices:
        """The subscribers of this process."""
        return self._store.notices

    def _publish(self, notices: Sequence[Notice]) -> None:
        subscribers = self._store.notices
        subscribers.take_note(notices)
        if subscribers.passes_on:
            # In the next turn of the loop, so that no answer waits for the other subscribers.
            asyncio.get_running_loop().call_soon(subscribers.pass_on, notices)

    def lease(self, scope: Scope, name: str) -> AbstractAsyncContextManager[bool]:  # noqa: ARG002 - the port's
        """Every process gets it: with a file, finding that another worker was faster costs only one look-up."""
        return nullcontext(enter_result=True)

    async def scopes(self, tables: Iterable[Table[Any]] | None = None) -> list[Scope]:
        """Every scope that holds rows of these tables, or of any."""
        return self._looked(partial(self._store.scopes, tables))

    async def due_scopes(self, index: TimeIndex, until: Millis, after: ScopePosition = START) -> DuePage:
        """A page of the scopes with rows whose time comes by `until`."""
        return self._looked(partial(self._store.due_scopes, index, until, after))

    async def close(self) -> None:
        """Refuse new writes, finish those that were accepted, and close the store.

        Writes that wait for another process are refused after a few seconds, also now, and then it closes without its turn.
        """
        self._closing = True
        if self._active and (self.queued or not self._lock_queue.waits):
            self._idle = asyncio.get_running_loop().create_future()
            await self._idle
        self._watch.end()
        self._lock_queue.close()
        self._closed = True
        # In a thread, because all of it waits for the disk: whoever closes may have a limit of time.
        await asyncio.to_thread(self._close_store)

    def _close_store(self) -> None:
        self._committer.shutdown()
        self._reader.shutdown()
        self._aside.close()
        self._checkpointer.close()
        self._store.merge_log()
        self._store.close()

    # -- one batch: run, commit, answer

    def _next_batch(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self.queued:
            self._ahead = None
            self._rest()
            return
        if not self._lock_queue.is_our_turn(loop, self._next_batch):
            return
        try:
            current = self._begin()
        except sqlite3.Error as error:
            self._wait_for_lock(loop, error)
            return
        self._busy_since = None
        try:
            complete = current.write_down(self._queue) and self._run(current)
        except BaseException as error:
            self._give_up(current, error)
            loop.call_soon(self._next_batch, loop)
            if is_storage_failure(error):
                return
            raise
        if complete and current.group_commit.writes:
            self._start_commit(loop, current)
            return
        self._roll_back(current.group_commit)
        # Units that ran ahead, and only read rows that are durable by now.
        current.settle()
        loop.call_soon(self._next_batch, loop)

    def _begin(self) -> Batch:
        """The next batch, with the write lock. Raises `sqlite3.Error`."""
        if self._ahead is None:
            return Batch(self._store.group_commit(), begun=True)
        self._ahead.begin(self._queue)
        current, self._ahead = self._ahead, None
        return current

    def _run(self, current: Batch) -> bool:
        limits = self._limits
        return current.run(self._queue, limits.units, self._clock, limits.run_seconds)

    def _start_commit(self, loop: asyncio.AbstractEventLoop, current: Batch) -> None:
        self._admission.ran(len(current.units), current.run_seconds)
        self._committing = current
        self._watch.begin(loop)
        future = loop.run_in_executor(self._committer, self._commit, current.group_commit)
        future.add_done_callback(lambda done: self._committed(loop, current, done))
        if self._queue:
            self._go_ahead(loop)

    def _commit(self, group_commit: GroupCommit) -> float:
        """In the committer's thread: the seconds that the commit took."""
        started = self._clock()
        group_commit.commit()
        self._lock_queue.pass_on()
        return self._clock() - started

    def _committed(self, loop: asyncio.AbstractEventLoop, current: Batch, done: asyncio.Future[float]) -> None:
        self._watch.end()
        error = done.exception()
        if error is not None:
            if current.group_commit.is_deferred and not is_storage_failure(error):
                self._refuse_alone(current, error)
            else:
                self._give_up(current, error)
            self._free(loop)
            return
        try:
            current.group_commit.publish()
        except sqlite3.Error:
            _log.exception("could not show a committed batch to readers")
        self._answer(current, done.result())
        if self._checkpointer.is_unfinished():
            self._checkpointer.finish(loop, partial(self._free, loop))
        else:
            self._free(loop)

    def _answer(self, current: Batch, commit_seconds: float) -> None:
        units = current.settle()
        self._admission.committed(commit_seconds)
        if self._observer is not None:
            self._observer.committed(units=units, run_seconds=current.run_seconds, commit_seconds=commit_seconds)

    def _free(self, loop: asyncio.AbstractEventLoop) -> None:
        """Mark the committer as idle, after the answers: the tasks that wait for them were scheduled first."""
        self._committing = None
        loop.call_soon(self._next_batch, loop)

    # -- ahead of the commit under way

    def _go_ahead(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run the queued units in the next turn of the loop, with all that are ready by then."""
        if self._going_ahead or self._committing is None or not self._committing.group_commit.knows_its_rows:
            return
        if self._store.alone and (self._ahead is None or self._ahead.takes_more(self._limits.units)):
            self._going_ahead = True
            loop.call_soon(self._run_ahead, loop)

    def _run_ahead(self, loop: asyncio.AbstractEventLoop) -> None:
        self._going_ahead = False
        if self._committing is None:
            return  # the next batch is about to take them
        if self._ahead is None:
            self._ahead = Batch(self._store.group_commit_after(self._committing.group_commit), begun=False)
        try:
            self._run(self._ahead)
        except BaseException as error:
            ahead, self._ahead = self._ahead, None
            self._refuse(ahead.units, error)
            if not is_storage_failure(error):
                raise
        if self._queue:
            self._go_ahead(loop)

    # -- when the store refuses

    def _lose_patience(self) -> None:
        # The batch stays: its commit continues, and its result is published although no caller waits any more.
        committing = [] if self._committing is None else self._committing.units
        waiting = [*committing, *self._take_waiting()]
        self._refuse(waiting, TimeoutError(f"the disk has not answered for {self._limits.disk_seconds:g} s"))
        if self._lock_queue.waits:
            self._note_idle()

    def _take_waiting(self) -> list[PendingWrite[Any]]:
        """All accepted writes that are not being committed."""
        self._forget_ahead()
        waiting = list(self._queue)
        self._queue.clear()
        return waiting

    def _wait_for_lock(self, loop: asyncio.AbstractEventLoop, error: sqlite3.Error) -> None:
        now = self._clock()
        if self._busy_since is None:
            self._busy_since = now
        if now - self._busy_since < self._limits.busy_seconds:
            loop.call_later(_BUSY_RETRY_SECONDS, self._next_batch, loop)
            return
        self._busy_since = None
        self._refuse(self._take_waiting(), error)
        loop.call_soon(self._next_batch, loop)

    def _give_up(self, current: Batch, error: BaseException) -> None:
        """Roll the batch back and refuse its units; the next batch starts again."""
        self._roll_back(current.group_commit)
        self._forget_ahead()
        self._refuse(current.units, error)

    def _refuse_alone(self, current: Batch, error: BaseException) -> None:
        """Roll back the batch of a unit that could not be written, and tell its caller why."""
        self._roll_back(current.group_commit)
        self._forget_ahead()
        for pending in current.units:
            pending.refuse(error)

    def _forget_ahead(self) -> None:
        """Queue the units again that ran ahead."""
        if self._ahead is not None:
            self._ahead.requeue(self._queue)
            self._ahead = None

    @staticmethod
    def _roll_back(group_commit: GroupCommit) -> None:
        try:
            group_commit.rollback()
        except sqlite3.Error:
            _log.exception("could not roll back")

    def _refuse(self, units: list[PendingWrite[Any]], error: BaseException) -> None:
        for pending in units:
            pending.refuse_overloaded(error)
        self._report_failed(len(units), error)

    def _report_failed(self, units: int, error: BaseException) -> None:
        if self._observer is not None:
            self._observer.failed(units=units, error=error)

    def _rest(self) -> None:
        self._active = False
        self._lock_queue.pass_on()
        self._note_idle()

    def _note_idle(self) -> None:
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

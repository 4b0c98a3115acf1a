"""Shares a database file between the executors of several workers.

An executor queues for the writer lock (`livecore_server.workers.writer_lock`), and keeps no snapshot open while it does not
read: an old snapshot would prevent checkpoints from restarting the write-ahead log, which would grow without end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Final, TypeAlias

from livecore_server.storage.ports import WriterLock
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import DiskWatchdog

_log = logging.getLogger("livecore.executor")
_SNAPSHOT_SECONDS: Final = 0.01
"""How long a snapshot is kept at most. A worker's checkpoint waits for the snapshots of others, and so do all writes."""


class WriterLockQueue:
    """Belongs to one executor, and is used on its event loop; only `pass_on` may be called in the committer's thread.

    Without a `writer_lock` there are no other workers: writing is always allowed, and snapshots need no limit.
    """

    def __init__(self, writer_lock: WriterLock | None, store: SqliteStore, watch: DiskWatchdog) -> None:
        self._lock = writer_lock
        self._store = store
        self._watch = watch
        self._waiter = None if writer_lock is None else _Waiter(writer_lock)
        self.waits = False
        """Whether another worker has the lock, and this one waits for it."""
        self._closed = False
        self._mine = False
        self._letting_go: asyncio.TimerHandle | None = None
        if writer_lock is not None:
            store.share()
            store.let_go()

    def is_our_turn(self, loop: asyncio.AbstractEventLoop, then: Callable[[asyncio.AbstractEventLoop], None]) -> bool:
        """Whether this worker may write now; if not, `then` is called when it may."""
        if self._lock is None:
            return True
        self.limit_snapshot()
        self._mine = self._mine or self._lock.attempt()
        if not self._mine and self._waiter is not None:
            self.waits = True
            self._watch.begin(loop)
            self._waiter.acquire(loop).add_done_callback(lambda done: self._taken(done, loop, then))
        return self._mine

    def _taken(
        self,
        done: asyncio.Future[None],
        loop: asyncio.AbstractEventLoop,
        then: Callable[[asyncio.AbstractEventLoop], None],
    ) -> None:
        error = done.exception()
        if self._closed:
            if error is None and self._lock is not None:
                with suppress(OSError):  # it has been closed as well
                    self._lock.release()
            return
        if error is not None:
            # The queue only saves waiting: the store's own lock decides who writes.
            _log.warning("could not queue for the writer lock", exc_info=error)
        self.waits = False
        self._mine = True
        self._watch.end()
        then(loop)

    def pass_on(self) -> None:
        """Release the lock for the next worker."""
        if self._lock is not None and self._mine:
            self._mine = False
            self._lock.release()

    def limit_snapshot(self) -> None:
        """After a read: drop the snapshot after a limited time."""
        if self._lock is not None and self._letting_go is None:
            self._letting_go = asyncio.get_running_loop().call_later(_SNAPSHOT_SECONDS, self._let_go)

    def _let_go(self) -> None:
        self._letting_go = None
        if not self._store.let_go():
            self.limit_snapshot()

    def close(self) -> None:
        """The store is about to be closed; a lock that comes later is passed on."""
        self._closed = True
        if self._letting_go is not None:
            self._letting_go.cancel()
        if self._waiter is not None:
            self._waiter.close()


_Awaited: TypeAlias = "tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]"


class _Waiter:
    """A thread that waits for the lock, and does not keep a process that ends: nothing can interrupt its waiting.

    The worker that has the lock may have been stopped by a debugger or by an operator, and then keeps it as long as that.
    """

    def __init__(self, lock: WriterLock) -> None:
        self._lock = lock
        self._awaited: SimpleQueue[_Awaited | None] = SimpleQueue()
        self._thread: Thread | None = None

    def acquire(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
        """Is done when the lock is this worker's."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="livecore-lock", daemon=True)
            self._thread.start()
        taken: asyncio.Future[None] = loop.create_future()
        self._awaited.put((loop, taken))
        return taken

    def close(self) -> None:
        """End the thread, unless it waits."""
        self._awaited.put(None)

    def _run(self) -> None:
        while (awaited := self._awaited.get()) is not None:
            loop, taken = awaited
            error: OSError | None = None
            try:
                self._lock.acquire()
            except OSError as fault:
                error = fault
            with suppress(RuntimeError):  # the loop has been closed meanwhile
                loop.call_soon_threadsafe(_answer, taken, error)


def _answer(taken: asyncio.Future[None], error: OSError | None) -> None:
    if taken.done():
        return
    if error is None:
        taken.set_result(None)
    else:
        taken.set_exception(error)

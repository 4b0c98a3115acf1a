"""Shares a database file between the executors of several workers.

An executor queues for the writer lock (`livecore_server.workers.writer_lock`), and keeps no snapshot open while it does not
read: an old snapshot would prevent checkpoints from restarting the write-ahead log, which would grow without end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from livecore_server.storage.admission import DiskWatchdog
from livecore_server.storage.ports import WriterLock
from livecore_server.storage.sqlite import SqliteStore

__all__ = ["WriterLockQueue"]

_log = logging.getLogger("livecore.executor")
_SNAPSHOT_SECONDS: Final = 0.01
"""How long a snapshot is kept at most. A worker's checkpoint waits for the snapshots of others, and so do all writes."""


class WriterLockQueue:
    """Belongs to one executor, and is used on its event loop; only `pass_on` may be called in the committer's thread.

    Without a `writer_lock` there are no other workers: writing is always allowed, and snapshots need no limit.
    """

    def __init__(
        self, writer_lock: WriterLock | None, store: SqliteStore, committer: ThreadPoolExecutor, watch: DiskWatchdog
    ) -> None:
        self._lock = writer_lock
        self._store = store
        self._committer = committer
        self._watch = watch
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
        if not self._mine:
            self._watch.begin(loop)
            waiting = loop.run_in_executor(self._committer, self._lock.acquire)
            waiting.add_done_callback(lambda done: self._taken(done, loop, then))
        return self._mine

    def _taken(
        self,
        done: asyncio.Future[None],
        loop: asyncio.AbstractEventLoop,
        then: Callable[[asyncio.AbstractEventLoop], None],
    ) -> None:
        error = done.exception()
        if error is not None:
            # The queue only saves waiting: the store's own lock decides who writes.
            _log.warning("could not queue for the writer lock", exc_info=error)
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
        """The store is about to be closed."""
        if self._letting_go is not None:
            self._letting_go.cancel()

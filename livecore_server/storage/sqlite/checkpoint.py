"""Checkpoints: copy the write-ahead log into the database file with little delay for writes.

A checkpoint copies pages and then syncs the file, which takes tens of milliseconds for a log of some size. So most of it
happens in parallel with writes, in its own thread and over its own connection. That part cannot finish during writes,
because the log grows meanwhile. The small rest is copied between two commits.

If several processes share the file, there is no parallel part: a checkpoint has to wait for the others' snapshots anyway.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final

from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import DiskWatchdog
from livecore_server.storage.sqlite.writer_lock_queue import WriterLockQueue

_log = logging.getLogger("livecore.executor")
_REMIND_SECONDS: Final = 60.0


class Checkpointer:
    """Belongs to one executor, and is used on its event loop."""

    def __init__(
        self, store: SqliteStore, committer: ThreadPoolExecutor, lock_queue: WriterLockQueue, watch: DiskWatchdog
    ) -> None:
        self._store = store
        self._committer = committer
        self._lock_queue = lock_queue
        self._watch = watch
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="livecore-checkpoint")
        self._beside: Future[None] | None = None
        self._warned_at = -math.inf

    def is_unfinished(self) -> bool:
        """Called after each commit: starts a checkpoint if it is due, and returns whether its rest must be copied now."""
        if self._beside is None and not self._store.checkpoint_due:
            return False
        if self._store.connections.shared:
            return True
        if self._beside is None:
            self._beside = self._thread.submit(self._store.copy_log)
        if not self._beside.done():
            return False
        error = self._beside.exception()
        if error is not None:
            self._failed("could not checkpoint beside the writes", error)
        return True

    def finish(self, loop: asyncio.AbstractEventLoop, then: Callable[[], None]) -> None:
        """Copy the rest, while nothing is committed; calls `then` at the end, also after a failure."""
        if self._lock_queue.is_our_turn(loop, partial(self.finish, then=then)):
            self._take_steps(loop, self._store.checkpoint_steps, then)

    def _take_steps(
        self, loop: asyncio.AbstractEventLoop, steps: Sequence[Callable[[], None]], then: Callable[[], None]
    ) -> None:
        self._lock_queue.limit_snapshot()
        try:
            self._store.begin_checkpoint()
        except sqlite3.Error as error:
            self._failed("could not begin a checkpoint", error)
            self._beside = None
            then()
            return
        self._watch.begin(loop)
        step = loop.run_in_executor(self._committer, steps[0])
        step.add_done_callback(lambda done: self._step_taken(loop, done, steps[1:], then))

    def _step_taken(
        self,
        loop: asyncio.AbstractEventLoop,
        done: asyncio.Future[None],
        left: Sequence[Callable[[], None]],
        then: Callable[[], None],
    ) -> None:
        self._watch.end()
        error = done.exception()
        if error is not None:
            # The log keeps everything; the next checkpoint tries again.
            self._failed("could not checkpoint the write-ahead log", error)
            left = ()
        if not left:
            self._beside = None
            self._lock_queue.pass_on()
        try:
            if not left:
                self._store.checkpointed()
            self._store.end_checkpoint()
        finally:
            loop.call_soon(partial(self._take_steps, loop, left, then) if left else then)

    def _failed(self, what: str, error: BaseException) -> None:
        """Log a failure: once a minute that of a disk, which every commit meets again; all others with their traceback."""
        if not isinstance(error, sqlite3.Error):
            _log.warning("%s", what, exc_info=error)
            return
        now = time.monotonic()
        if now - self._warned_at >= _REMIND_SECONDS:
            self._warned_at = now
            _log.warning("%s, and tries again after later writes: %s", what, error)

    def close(self) -> None:
        """Wait for a checkpoint that is under way."""
        self._thread.shutdown()

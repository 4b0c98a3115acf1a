"""Checkpoints: when the write-ahead log is copied into the database file, and how little the writes notice of it.

A checkpoint copies pages and then syncs the file, which takes tens of milliseconds for a log of some size. So most of it
happens beside the writes, in a thread and over a connection of its own. That never ends while somebody writes: the log has
grown again meanwhile. What is left is copied between two commits, and is little.

Where several processes share the file this is left out: a checkpoint has to wait for the others' snapshots anyway.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from livecore_server.storage.admission import DiskWatchdog
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.writer_lock_queue import WriterLockQueue

__all__ = ["Checkpointer"]

_log = logging.getLogger("livecore.executor")


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

    def is_unfinished(self) -> bool:
        """Asked after each commit: whether what is left of a checkpoint is to be done now. Begins one where it is due."""
        if not self._store.checkpoint_due:
            return False
        if self._store.connections.shared:
            return True
        if self._beside is None:
            self._beside = self._thread.submit(self._store.copy_log)
        if not self._beside.done():
            return False
        error = self._beside.exception()
        if error is not None:
            _log.warning("could not checkpoint beside the writes", exc_info=error)
        return True

    def finish(self, loop: asyncio.AbstractEventLoop, then: Callable[[], None]) -> None:
        """Copy what is left, while nothing is committed; calls `then` in the end, however it went."""
        if self._lock_queue.is_our_turn(loop, partial(self.finish, then=then)):
            self._take_steps(loop, self._store.checkpoint_steps, then)

    def _take_steps(
        self, loop: asyncio.AbstractEventLoop, steps: Sequence[Callable[[], None]], then: Callable[[], None]
    ) -> None:
        try:
            self._store.begin_checkpoint()
        except sqlite3.Error:
            _log.warning("could not begin a checkpoint", exc_info=True)
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
            _log.warning("could not checkpoint the write-ahead log", exc_info=error)
            left = ()
        if not left:
            self._beside = None
            self._lock_queue.pass_on()
        try:
            self._store.end_checkpoint()
        finally:
            loop.call_soon(partial(self._take_steps, loop, left, then) if left else then)

    def close(self) -> None:
        """Wait for what is under way."""
        self._thread.shutdown()

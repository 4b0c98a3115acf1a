"""The lock that the workers of one server queue for before they write to a database file.

SQLite lets one connection write at a time, and the others cannot wait for its lock: they would have to poll, and the one
that polls most often wins. So workers queue for their own lock before they take SQLite's. Two locks make the queue fair. A
worker that wants to write first takes the lock for the head of the queue, and holds it until the writer lock is free. A
worker that has just written finds the head taken if another one is waiting, and comes after it.

It only saves waiting: SQLite's own lock decides which process may write. The operating system releases both locks when a
process dies.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class WriterLock:
    """One process's side of the lock (`livecore_server.storage.ports.WriterLock`). Only `acquire` blocks."""

    def __init__(self, folder: Path) -> None:
        self._head = os.open(folder / "head-of-queue", os.O_RDWR | os.O_CREAT, 0o600)
        self._lock = os.open(folder / "writer-lock", os.O_RDWR | os.O_CREAT, 0o600)

    def attempt(self) -> bool:
        """Take the lock if no process has it or waits for it."""
        try:
            fcntl.flock(self._head, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            fcntl.flock(self._head, fcntl.LOCK_UN)
        return True

    def acquire(self) -> None:
        """Wait for the lock, and take it."""
        fcntl.flock(self._head, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._head, fcntl.LOCK_UN)

    def release(self) -> None:
        """Release the lock for the next process."""
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release all locks."""
        os.close(self._lock)
        os.close(self._head)

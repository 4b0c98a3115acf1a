"""The lock that the workers of one server queue for before they write to a database file.

SQLite lets one connection write at a time, and gives the others nothing to wait on: they would have to ask again and again,
and whoever asks more often wins. So workers queue for a lock of their own before they ask for SQLite's. Two locks make the
queue fair: whoever wants to write first takes the place at its head, and keeps it until the writer lock is free. A worker
that has just written finds the head of the queue taken when another is waiting, and goes behind it.

It saves waiting and guarantees nothing: SQLite's lock alone decides who may write. The operating system gives both locks
back when a process dies.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

__all__ = ["WriterLock"]


class WriterLock:
    """The lock, as one process takes it (`livecore_server.storage.ports.WriterLock`). Only `acquire` blocks."""

    def __init__(self, folder: Path) -> None:
        self._head = os.open(folder / "head-of-queue", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._lock = os.open(folder / "writer-lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def attempt(self) -> bool:
        """Take the lock if nobody has it or waits for it."""
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
        """Let the next one write."""
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give back what is held."""
        os.close(self._lock)
        os.close(self._head)

"""Whose turn it is to write to a database file, among the workers of one server.

SQLite lets one connection write at a time, and gives the others nothing to wait on: they would have to ask again and again,
and whoever asks more often wins. So workers queue for a lock of their own before they ask for SQLite's. Two locks make the
queue fair: whoever wants the turn first takes the place at its head, and keeps it until the turn is free. A worker that has
just written finds the head of the queue taken when another is waiting, and goes behind it.

It is a courtesy and no guarantee: who may write is decided by SQLite's lock alone. The kernel gives both locks back when a
process dies.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

__all__ = ["Turn"]


class Turn:
    """The turn, as one process takes it (`livecore_server.storage.ports.Turn`). Only `acquire` blocks."""

    def __init__(self, folder: Path) -> None:
        self._head = os.open(folder / "head-of-queue", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._turn = os.open(folder / "turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def attempt(self) -> bool:
        """Take the turn if nobody has it or waits for it."""
        try:
            fcntl.flock(self._head, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:
            fcntl.flock(self._turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            fcntl.flock(self._head, fcntl.LOCK_UN)
        return True

    def acquire(self) -> None:
        """Wait for the turn, and take it."""
        fcntl.flock(self._head, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._turn, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._head, fcntl.LOCK_UN)

    def release(self) -> None:
        """Let the next one write."""
        fcntl.flock(self._turn, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give back what is held."""
        os.close(self._turn)
        os.close(self._head)

"""Two connections to one file: one writes, the other holds a snapshot of the newest committed state for every read.

The reading connection keeps its snapshot open from one commit to the next, so what it sees and what the caches remember are
always the same state, and a read pays for no transaction of its own. While nobody here is writing, `PRAGMA data_version` of
the writing connection says whether another process has written; while somebody is, the write lock keeps others out.

An open snapshot would keep the write-ahead log from starting over, so checkpoints are made explicitly, between two
writes, when the snapshot is at the end of the log. Most of the log is copied beside the writes before, over a third
connection. SQLite syncs the file only where a pass has come to the end of the log, so one pass is not enough: the second and
the third are short, mostly come to the end between two commits, and leave hardly anything to be synced while writes wait.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

__all__ = ["Connections", "connect", "is_storage_failure", "make_private"]

_STATEMENTS = 1024
_CACHE_KIBIBYTES = 32_768
_PASSES = 3
_READERS_LEAVE_MS = 250
"""How long a checkpoint waits for other processes' snapshots; see `livecore_server.storage.sqlite.writer_lock_queue` for how
long they are held."""


def make_private(path: Path) -> None:
    """Make the file, for its owner alone, where there is none; SQLite gives the files beside it the same permissions.

    It holds what players are called and the answers to their requests. Who wants others to read it can say so afterwards:
    the permissions of a file that is there are left as they are.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def connect(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    """A connection in write-ahead mode, durable at each commit, whose transactions are opened and closed by hand."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS)
    try:
        _configure(connection, busy_timeout_ms)
    except BaseException:
        connection.close()
        raise
    return connection


def _configure(connection: sqlite3.Connection, busy_timeout_ms: int) -> None:
    connection.execute(f"PRAGMA busy_timeout = {busy_timeout_ms}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    # On macOS a plain fsync leaves data in the drive's cache; elsewhere these two do nothing.
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA checkpoint_fullfsync = ON")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")


_STORAGE_CODES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)


def is_storage_failure(error: BaseException) -> bool:
    """Whether it is the disk that failed, or another process that is in the way, and not the statement that is wrong."""
    code = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, sqlite3.Error) and code & 0xFF in _STORAGE_CODES


class Connections:
    """The writing and the reading connection of a store, and the one that checkpoints beside them."""

    def __init__(self, path: Path, busy_timeout_ms: int) -> None:
        self._path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._aside: sqlite3.Connection | None = None
        self.shared = False
        """Whether other processes read and write the file all the time."""
        make_private(path)
        self.writing = connect(path, busy_timeout_ms)
        try:
            self.reading = connect(path, busy_timeout_ms)
        except BaseException:
            self.writing.close()
            raise
        self._version = self._current_version()

    def _current_version(self) -> int:
        (version,) = self.writing.execute("PRAGMA data_version").fetchone()
        return int(version)

    def changed_elsewhere(self) -> bool:
        """Whether another connection has written since this was last asked."""
        version = self._current_version()
        changed = version != self._version
        self._version = version
        return changed

    def renew_snapshot(self) -> None:
        """Let reads see the newest committed state."""
        self.drop_snapshot()
        self.reading.execute("BEGIN")
        self.reading.execute("SELECT 1 FROM livecore_migrations LIMIT 1").fetchone()

    @property
    def holds_snapshot(self) -> bool:
        """Whether reads see a state that stays."""
        return self.reading.in_transaction

    def drop_snapshot(self) -> None:
        """End the reading transaction, if there is one."""
        if self.reading.in_transaction:
            self.reading.execute("COMMIT")

    def set_busy_timeout(self, milliseconds: int) -> None:
        """How long a write waits for another process's write before it fails."""
        self._busy_timeout_ms = milliseconds
        self.writing.execute(f"PRAGMA busy_timeout = {milliseconds}")

    def begin(self) -> None:
        """Take the write lock. Raises `sqlite3.OperationalError` (busy) when another process holds it too long."""
        self.writing.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make the transaction durable. Blocks until the disk has it; may run in any thread, the others then keep off."""
        self.writing.execute("COMMIT")

    def rollback(self) -> None:
        """Give the transaction up, with a fresh connection if this one can no longer."""
        try:
            if self.writing.in_transaction:
                self.writing.execute("ROLLBACK")
        except sqlite3.Error:
            with suppress(sqlite3.Error):
                self.writing.close()
            self.writing = connect(self._path, self._busy_timeout_ms)
            # Versions of two connections cannot be compared: the next question must be answered with yes.
            self._version = -1

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file. Blocks; may run in any thread, the others then keep off."""
        if self.shared:
            self._checkpoint_after_readers("FULL")
        else:
            self.writing.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def copy_log(self) -> None:
        """Merge most of the log beside the writes, in a thread of its own."""
        if self._aside is None:
            self._aside = connect(self._path, 0)
        for _ in range(_PASSES):
            self._aside.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def restart_log(self) -> None:
        """Let the copied log start over, as soon as no other process reads from it. Blocks like `checkpoint`."""
        self._checkpoint_after_readers("RESTART")

    def _checkpoint_after_readers(self, mode: str) -> None:
        """Wait for others' snapshots, at most so long: where one stays, the next checkpoint tries again."""
        self.writing.execute(f"PRAGMA busy_timeout = {_READERS_LEAVE_MS}")
        try:
            self.writing.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
        finally:
            self.writing.execute(f"PRAGMA busy_timeout = {self._busy_timeout_ms}")

    def close(self) -> None:
        """Close all; the last connection to a file checkpoints it."""
        if self._aside is not None:
            self._aside.close()
        self.reading.close()
        self.writing.close()

"""Two connections to one file: one for writes, and one that holds a snapshot of the newest committed state for reads.

The reading connection keeps its snapshot open from one commit to the next, so the snapshot and the caches always show the
same state, and a read needs no transaction of its own. While this process does not write, `PRAGMA data_version` of the
writing connection says whether another process has written; while it writes, the write lock excludes others.

An open snapshot prevents the write-ahead log from starting over, so checkpoints are made explicitly, between two writes,
when the snapshot is at the end of the log. Before that, most of the log is copied in parallel with writes, over a third
connection. SQLite syncs the file only if a pass reaches the end of the log, so one pass is not enough. The second and the
third pass are short and usually reach the end between two commits, so that hardly anything is left to sync while writes
wait.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from livecore_server.storage.sqlite.sole_use import sole_use

_STATEMENTS = 1024
_CACHE_KIBIBYTES = 32_768
_PASSES = 3
_READERS_LEAVE_MS = 250
"""How long a checkpoint waits for other processes' snapshots; see `livecore_server.storage.sqlite.writer_lock_queue` for how
long they are held."""
_CHECKPOINT_ELSEWHERE = -1
"""SQLite's number of frames when another process's checkpoint is under way; it does not wait for that itself."""
_MERGES = 50
_MERGE_AGAIN_SECONDS = 0.02


def _make_private(path: Path) -> None:
    """Create the file, readable only by its owner, if there is none; SQLite gives its other files the same permissions.

    It holds names of players and answers to their requests. An operator can change the permissions later: those of an
    existing file are not changed.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def connect(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    """A connection in write-ahead mode, durable at each commit, with explicit transactions."""
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
    """Whether the disk failed or another process holds the lock, as opposed to a wrong statement."""
    code = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, sqlite3.Error) and code & 0xFF in _STORAGE_CODES


def merge_log(connection: sqlite3.Connection) -> None:
    """Copy all of the log and empty its file, over a connection without a snapshot. Raises `sqlite3.Error`.

    Waits for the snapshots of other processes for a limited time, and for their checkpoints: a checkpoint that is under way
    may have left out the rest because of a snapshot of this process, which is gone now.
    """
    connection.execute(f"PRAGMA busy_timeout = {_READERS_LEAVE_MS}")
    for _ in range(_MERGES):
        busy, frames, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy or frames != _CHECKPOINT_ELSEWHERE:
            return
        time.sleep(_MERGE_AGAIN_SECONDS)


class Connections:
    """The writing and the reading connection of a store, and the one that checkpoints beside them."""

    def __init__(self, path: Path, busy_timeout_ms: int) -> None:
        self._path = path
        self._busy_timeout_ms = busy_timeout_ms
        self._kept_log_bytes = -1
        self._aside: sqlite3.Connection | None = None
        self.shared = False
        """Whether other processes read and write the file all the time."""
        self._copied = False
        """Whether the latest checkpoint of a shared file has copied all of the log."""
        _make_private(path)
        self._writing = connect(path, busy_timeout_ms)
        self._writing_lost = False
        try:
            self.reading = connect(path, busy_timeout_ms)
        except BaseException:
            self._writing.close()
            raise
        self._version = self._current_version()

    @property
    def writing(self) -> sqlite3.Connection:
        """The connection for writes, a new one if the last was lost. Raises `sqlite3.Error` while none can be opened."""
        if self._writing_lost:
            self._reconnect()
        return self._writing

    def _reconnect(self) -> None:
        """Replace the writing connection. If that fails, the next use tries again."""
        self._writing_lost = True
        try:
            fresh = connect(self._path, self._busy_timeout_ms)
        finally:
            # Whether or not there is a new one, so that its transaction locks the file no longer.
            with suppress(sqlite3.Error):
                self._writing.close()
        self._writing, self._writing_lost = fresh, False
        self.keep_log_bytes(self._kept_log_bytes)
        # Versions of two connections cannot be compared, so the next comparison must find a difference.
        self._version = -1

    def _current_version(self) -> int:
        (version,) = self.writing.execute("PRAGMA data_version").fetchone()
        return int(version)

    def changed_elsewhere(self) -> bool:
        """Whether another connection has written since the last call."""
        version = self._current_version()
        changed = version != self._version
        self._version = version
        return changed

    def renew_snapshot(self) -> None:
        """Take a snapshot of the newest committed state."""
        self.drop_snapshot()
        self.reading.execute("BEGIN")
        self.reading.execute("SELECT 1 FROM livecore_migrations LIMIT 1").fetchone()

    @property
    def holds_snapshot(self) -> bool:
        """Whether a snapshot is open."""
        return self.reading.in_transaction

    def drop_snapshot(self) -> None:
        """End the reading transaction, if there is one."""
        if self.reading.in_transaction:
            self.reading.execute("COMMIT")

    def set_busy_timeout(self, milliseconds: int) -> None:
        """How long a write waits for another process's write before it fails."""
        self._busy_timeout_ms = milliseconds
        self.writing.execute(f"PRAGMA busy_timeout = {milliseconds}")

    def keep_log_bytes(self, most: int) -> None:
        """What a log that starts over keeps of its length, for being overwritten; negative for all of it.

        The rest is given back to the disk with the first commit after that.
        """
        self._kept_log_bytes = most
        self.writing.execute(f"PRAGMA journal_size_limit = {most}").fetchall()

    def begin(self) -> None:
        """Take the write lock. Raises `sqlite3.OperationalError` (busy) when another process holds it too long."""
        self.writing.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make the transaction durable. Blocks until the disk has it; any thread may call it while no other uses it."""
        self.writing.execute("COMMIT")

    def rollback(self) -> None:
        """Roll the transaction back, with a new connection if this one no longer works.

        Raises `sqlite3.Error` if there is none: the transaction is over, and the next use tries to connect again.
        """
        if self._writing_lost:
            return
        try:
            if self._writing.in_transaction:
                self._writing.execute("ROLLBACK")
        except sqlite3.Error:
            self._reconnect()

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file. Blocks; may run in any thread while no other uses the connection."""
        if self.shared:
            self._copied = self._checkpoint_after_readers("FULL")
        else:
            self.writing.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def copy_log(self) -> None:
        """Copy most of the log in parallel with writes, in its own thread."""
        if self._aside is None:
            self._aside = connect(self._path, 0)
        for _ in range(_PASSES):
            self._aside.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def restart_log(self) -> None:
        """Let the copied log start over once no other process reads from it. Blocks like `checkpoint`."""
        if self._copied:
            self._checkpoint_after_readers("RESTART")

    def _checkpoint_after_readers(self, mode: str) -> bool:
        """Wait for others' snapshots for a limited time; `False` if one stays, and the next checkpoint tries again."""
        self.writing.execute(f"PRAGMA busy_timeout = {_READERS_LEAVE_MS}")
        try:
            (busy, _, _) = self.writing.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        finally:
            self.writing.execute(f"PRAGMA busy_timeout = {self._busy_timeout_ms}")
        return not busy

    def merge_log(self) -> None:
        """Copy all of the log and empty its file, as well as that works beside other processes.

        SQLite does that only for the last connection to be closed. Two processes that close theirs in the same moment find
        each other's still open, and the log would stay.
        """
        self.drop_snapshot()
        with suppress(sqlite3.Error):
            merge_log(self.writing)

    @contextmanager
    def sole_use(self) -> Iterator[None]:
        """Keep everybody else out of the file meanwhile, and this process as well; the connections are new ones afterwards.

        Raises `DatabaseInUse` if another connection has the file open.
        """
        self.close()
        self._aside = None
        try:
            with sole_use(self._path):
                yield
        finally:
            self._reconnect()
            self.reading = connect(self._path, self._busy_timeout_ms)

    def close(self) -> None:
        """Close all; the last connection to a file checkpoints it."""
        if self._aside is not None:
            self._aside.close()
        self.reading.close()
        self._writing.close()

"""Sole use of a database file: no other connection has it open, and none can open it meanwhile.

A connection in write-ahead mode holds a shared lock on the file from its first statement until it is closed, also while it
is idle. A connection with SQLite's exclusive locking takes the exclusive lock at its first statement and keeps it until it
is closed, so it finds out whether there are others, and keeps them away.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


class DatabaseInUse(Exception):
    """Another connection has the file open."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is open in another process: stop the server first")
        self.path = path


@contextmanager
def sole_use(path: Path) -> Iterator[sqlite3.Connection]:
    """The only connection to a file, with no transaction open. It does not wait for others. Raises `DatabaseInUse`."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchone()
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raise DatabaseInUse(path) from error
        connection.execute("COMMIT")
        yield connection


def refuse_open(path: Path) -> None:
    """Refuse a file that is open elsewhere, without a change to it. Raises `DatabaseInUse`."""
    with sole_use(path):
        pass

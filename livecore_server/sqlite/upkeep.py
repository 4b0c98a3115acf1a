"""Copies of a database file, taken and put back while it is in order to do so.

A backup is made by SQLite's own online copy, under a read lock that stops no writer, and stands in one file. Restoring
never writes over a file that a server has open.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from livecore_server.sqlite.connections import make_private

__all__ = ["DatabaseInUse", "DatabaseUnusable", "backup", "problems", "restore"]


class DatabaseInUse(Exception):
    """Another connection has the file open."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is open in another process: stop the server first")
        self.path = path


class DatabaseUnusable(Exception):
    """The file is damaged, or no database of Livecore's."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} cannot be used: {problem}")
        self.path = path
        self.problem = problem


def backup(source: Path, target: Path) -> None:
    """Copy a database, live or not, into a new file. Raises `FileExistsError` when there is one already."""
    if target.exists():
        raise FileExistsError(f"{target} exists already")
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    with closing(sqlite3.connect(source, isolation_level=None)) as live:
        _copy(live, partial)
    partial.rename(target)
    _sync(target.parent)


def restore(source: Path, target: Path, *, overwrite: bool = False) -> None:
    """Put a backup in the place of a database.

    Raises `DatabaseUnusable` when the backup is damaged or no database of ours, `FileExistsError` when there is a target and
    `overwrite` is not set, and `DatabaseInUse` when the target is open anywhere; nothing is changed then.
    """
    found = problems(source)
    if found:
        raise DatabaseUnusable(source, found[0])
    if target.exists():
        if not overwrite:
            raise FileExistsError(f"{target} exists already")
        _close_log(target)
    with closing(sqlite3.connect(source, isolation_level=None)) as saved:
        _copy(saved, target)
    _sync(target.parent)


def problems(path: Path) -> list[str]:
    """What is wrong with a database file; nothing, if it is sound."""
    if not path.exists():
        return ["there is no such file"]
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            found = [str(text) for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
            named = "SELECT 1 FROM sqlite_master WHERE name = 'livecore_migrations'"
            ours = connection.execute(named).fetchone() is not None
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return found or ([] if ours else ["it is no database of Livecore's"])


def _copy(source: sqlite3.Connection, target: Path) -> None:
    make_private(target)
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        source.backup(copy)
        # A copy inherits the mode of its source; as a lone file it wants no log beside it.
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()
    _sync(target)


def _close_log(path: Path) -> None:
    """Leaving write-ahead mode needs the file to oneself: that is how we learn that nobody has it open."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        try:
            connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            raise DatabaseInUse(path) from error


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

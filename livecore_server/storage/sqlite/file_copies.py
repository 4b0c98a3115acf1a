"""Backup and restore of a database file.

A backup is made by SQLite's own online copy, under a read lock that blocks no writer, and is one file. A restore never
overwrites a file that a server has open, and no server can open it meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeAlias

from livecore_server.private_files import create_private
from livecore_server.storage.sqlite.file_access import no_room, refuse_unwritable
from livecore_server.storage.sqlite.sole_use import sole_use

Progress: TypeAlias = "Callable[[int, int], None]"
"""Called with the number of copied pages of a file and their total."""
_PAGES_AT_ONCE: Final = 2_048


class DatabaseUnusable(Exception):
    """The file is damaged, or not a database of Livecore."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} cannot be used: {problem}")
        self.path = path
        self.problem = problem


def backup(source: Path, target: Path, progress: Progress = lambda _, __: None) -> None:
    """Copy a database, in use or not, into a new file.

    Raises `FileExistsError` if the file exists, and `DatabaseUnusable`, which names it, if its disk has no room.
    """
    with new_file(target) as partial, _connected(source) as live, _connected(partial) as copy:
        try:
            _copy(live, copy, progress)
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise
            # Only what is written can be without room: said of the source, it would send people to the wrong disk.
            raise DatabaseUnusable(target, no_room(partial) or str(fault)) from fault


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A temporary file to be filled. It gets this name when it is complete, and is deleted after a failure.

    Raises `FileExistsError` if the name exists, `DatabaseUnusable` or `FilesUnusable` if no file can be made there.
    """
    if os.path.lexists(target):
        raise FileExistsError(f"{target} exists already")
    if not target.parent.is_dir():
        raise DatabaseUnusable(target, f"there is no folder {target.parent} to write it into")
    partial = target.with_name(target.name + ".partial")
    try:
        _remove(partial)
        create_private(partial).close()
    except OSError as fault:
        # Said of the source, it would send people to the wrong folder.
        with suppress(OSError):  # what cannot be looked at either
            refuse_unwritable(target)
        raise DatabaseUnusable(target, fault.strerror or str(fault)) from fault
    try:
        yield partial
        _make_lone(partial)
        partial.rename(target)
    except BaseException:
        _remove(partial)
        raise
    _sync(target.parent)


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def restore(source: Path, target: Path, *, overwrite: bool = False, progress: Progress = lambda _, __: None) -> None:
    """Replace a database by a backup.

    Raises `DatabaseUnusable` if the backup is damaged or not a database of Livecore, `FileExistsError` if the target exists
    and `overwrite` is not set, and `DatabaseInUse` if a process has the target open. Then nothing is changed.
    """
    found = problems(source)
    if found:
        raise DatabaseUnusable(source, found[0])
    with _connected(source) as saved:
        if not (overwrite and target.exists()):
            with new_file(target) as partial, _connected(partial) as copy:
                _copy(saved, copy, progress)
            return
        with sole_use(target) as copy:
            copy.execute("PRAGMA journal_mode = DELETE").fetchone()
            _copy(saved, copy, progress)
    with suppress(sqlite3.OperationalError):  # a server has started by now, on what was restored
        _make_lone(target)


def problems(path: Path) -> list[str]:
    """The faults of a database file; none if it is sound."""
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


def _connected(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, progress: Progress) -> None:
    """Copy some pages at a time, in one read transaction: otherwise a busy writer would restart the copy."""
    source.execute("BEGIN")
    source.execute("SELECT 1 FROM sqlite_master").fetchone()
    source.backup(target, pages=_PAGES_AT_ONCE, progress=lambda _, remaining, total: progress(total - remaining, total))
    source.execute("ROLLBACK")


def _make_lone(path: Path) -> None:
    """Leave the write-ahead mode that a copy inherits from its source, so that it is a single file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    _sync(path)


def _sync(path: Path) -> None:
    """Have the disk keep a file, or the names in a folder; Windows keeps those by itself, and opens no folder."""
    if sys.platform == "win32" and path.is_dir():
        return
    # Windows refuses to sync a file that is open for reading only.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""Finds out which file prevents a process from writing a database, because SQLite's own messages do not name it.

A database in use is up to four files, and its folder must be writable as well: SQLite makes the others beside the first,
with the mode of the first. So a file that was once made read-only leaves files that stay so after its own mode is mended.

The files are only looked at, and never opened: closing a file releases the locks that SQLite has on it in this process.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ENDINGS: Final = ("", "-wal", "-shm", "-journal")
_OWNERS: Final = 6
"""The place of the owner's rights in a mode."""
_LEAST_BYTES: Final = 256 * 1024
"""With less free space SQLite cannot begin to write: the index of the log alone takes 32 KiB."""


class FilesUnusable(Exception):
    """This account may not use a file or folder of the database; trying again does not help."""


def refuse_unwritable(path: Path) -> None:
    """Raises `FilesUnusable` if this process cannot write a database at this path."""
    faults = dict(_faults(path))
    if faults:
        first, *others = faults
        also = f"; the same must be done for {' and '.join(str(other) for other in others)}" if others else ""
        raise FilesUnusable(f"{faults[first]}{also}")


def _faults(path: Path) -> Iterator[tuple[Path, str]]:
    """Each file or folder with what is wrong with it, the outermost first."""
    path = Path(os.path.realpath(path))  # SQLite follows links as well, and makes the other files beside the real one
    folder = path.parent
    for outer in (*reversed(folder.parents), folder):
        if outer.exists() and not os.access(outer, os.X_OK):
            yield outer, f"the folder {outer} cannot be entered: {_standing(outer, os.X_OK)}"
            return
    for ending in _ENDINGS:
        file = path.with_name(path.name + ending)
        if file.is_dir():
            yield file, f"{file} is a folder, where the database wants a file"
        elif file.exists():
            fault = denied(file, os.R_OK | os.W_OK)
            if fault is not None:
                yield file, fault
    if folder.is_dir() and not os.access(folder, os.W_OK):
        reason = f"and SQLite makes files beside {path.name}: {_standing(folder, os.W_OK)}"
        yield folder, f"the folder {folder} cannot be written, {reason}"


def denied(file: Path, wanted: int) -> str | None:
    """Why this process may not read (`os.R_OK`) or write (`os.W_OK`) an existing file; `None` if it may."""
    for right, verb in ((os.R_OK, "read"), (os.W_OK, "written")):
        if wanted & right and not os.access(file, right):
            return f"{file} cannot be {verb}: {_standing(file, right)}"
    return None


def _standing(path: Path, right: int) -> str:
    """Whose a file is, what its mode is, who we are, and what would help."""
    if sys.platform == "win32":
        return "it is read-only, or this account has no right to it"
    found = path.stat()
    whose = f"it belongs to {_name(found.st_uid)}, group {found.st_gid}, and has mode {stat.S_IMODE(found.st_mode):04o}"
    whose += f", and we are {_name(os.geteuid())}, group {os.getegid()}"
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        return f"{whose}; its file system is mounted read-only"
    if found.st_uid == os.geteuid() and found.st_mode & right << _OWNERS:
        return f"{whose}; as these permit it, something else forbids it, such as an attribute of the file (lsattr)"
    return f"{whose}; give this account the right, with chown or chmod"


def _name(uid: int) -> str:
    if sys.platform == "win32":
        return str(uid)
    import pwd  # noqa: PLC0415 - there is none on Windows

    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:  # an account without a name, as in a container
        return f"uid {uid}"


def no_room(path: Path) -> str | None:
    """That the disk is full, if it is."""
    folder = path.absolute().parent
    free = shutil.disk_usage(folder).free
    return f"the disk is full: {free} bytes are free in {folder}" if free < _LEAST_BYTES else None

"""Folders for scratch files: private, removed at the end, and by any later start of a server if their process was killed.

They may hold what players have written, so nothing may be left of them. A lock on a folder shows whether it is in use: the
process that makes it holds the lock, and whoever inherits its descriptor. Windows has no such lock; there a folder that a
kill has left stays.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from livecore_server.storage.database import is_postgres, sqlite_path

if sys.platform != "win32":
    import fcntl


_PREFIXES: Final = ("livecore-workers-", "livecore-restore-", "livecore-rehearsal-", "livecore-erasures-")
"""What the names of such folders begin with; the middle part is the purpose."""


@contextmanager
def scratch_folder(purpose: str, beside: Path | None = None) -> Iterator[Path]:
    """A new folder that only this user can read, removed at the end. It is made in `beside`, or else among temporary files.

    `purpose` is `restore`, `rehearsal` or `erasures`.
    """
    prefix = _prefix_of(purpose)
    if sys.platform == "win32":
        with tempfile.TemporaryDirectory(prefix=prefix, dir=beside) as folder:
            yield Path(folder)
        return
    path, descriptor = locked_folder(purpose, beside or Path(tempfile.gettempdir()))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)


def memory_folder() -> Path | None:
    """The folder of the system whose files are in memory, if it has one that can be written."""
    if sys.platform != "linux":
        return None
    # What is made there has a name of its own, and no other user can read it.
    in_memory = Path("/dev/shm")  # noqa: S108 - as above
    return in_memory if os.access(in_memory, os.W_OK) else None


def remove_left_behind(database: str) -> None:
    """Remove what killed servers and commands of this user have left, also beside the database file of a URL."""
    remove_deserted(*([] if is_postgres(database) else [sqlite_path(database).absolute().parent]))


def remove_deserted(*more: Path) -> None:
    """Remove what killed processes of this user have left: among temporary files, in memory, and in these folders."""
    for parent in {*_temporary_folders(), *more}:
        for prefix in _PREFIXES:
            for path in parent.glob(f"{prefix}*"):
                # If this fails, the folder is in use, or is already gone.
                with suppress(OSError):
                    _remove_unless_used(path)


def _temporary_folders() -> Iterator[Path]:
    with suppress(FileNotFoundError):  # no folder can be written: a server needs none
        yield Path(tempfile.gettempdir())
    in_memory = memory_folder()
    if in_memory is not None:
        yield in_memory


def _prefix_of(purpose: str) -> str:
    prefix = f"livecore-{purpose}-"
    if prefix not in _PREFIXES:
        raise ValueError(f"there are no scratch folders for {purpose}")
    return prefix


if sys.platform != "win32":

    def locked_folder(purpose: str, parent: Path) -> tuple[Path, int]:
        """A new folder, and a descriptor of it that holds the lock."""
        while True:
            path = Path(tempfile.mkdtemp(prefix=_prefix_of(purpose), dir=parent))
            # Before it is locked, another start may take it for one that was left, and remove it.
            with suppress(FileNotFoundError):
                descriptor = _opened(path)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if path.exists():
                    return path, descriptor
                os.close(descriptor)

    def _remove_unless_used(path: Path) -> None:
        if path.lstat().st_uid != os.geteuid():
            return
        descriptor = _opened(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path)
        finally:
            os.close(descriptor)

    def _opened(path: Path) -> int:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

else:

    def locked_folder(purpose: str, parent: Path) -> tuple[Path, int]:
        """There is none on Windows, which has no such lock."""
        raise NotImplementedError

    def _remove_unless_used(path: Path) -> None:
        pass

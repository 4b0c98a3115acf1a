"""The folder that the workers of one server share, in memory if the system supports that.

Its contents need not last. The supervisor removes it at the end. If the supervisor was killed, the next server that starts
with several workers removes it. A lock on the folder shows whether it is in use: the supervisor takes it and every worker
inherits it, so it is free when the last of them has ended.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

__all__ = ["Folder", "private_folder"]

_PREFIX: Final = "livecore-workers-"
_MOST_PARENT_BYTES: Final = 50
"""The workers' sockets are in the folder, and on macOS the path of a socket has 103 bytes at most."""


@attrs.frozen
class Folder:
    """A folder that is in use while any process has its descriptor open."""

    path: Path
    descriptor: int


@contextmanager
def private_folder(beside: Path | None = None) -> Iterator[Folder]:
    """A new folder that only this user can read; removed at the end. It is made in `beside`, or else in memory."""
    parent = beside or _usual_parent()
    _remove_deserted(parent)
    path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Folder(path, descriptor)
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)


def _usual_parent() -> Path:
    # What is made in these folders has a name of its own, and no other user can read it.
    if sys.platform == "linux":
        in_memory = Path("/dev/shm")  # noqa: S108 - as above
        if os.access(in_memory, os.W_OK):
            return in_memory
    usual = Path(tempfile.gettempdir())
    return usual if len(os.fsencode(usual)) <= _MOST_PARENT_BYTES else Path("/tmp")  # noqa: S108 - as above


def _remove_deserted(parent: Path) -> None:
    for path in parent.glob(f"{_PREFIX}*"):
        # If this fails, the folder is another server's, or is already gone.
        with suppress(OSError):
            if path.stat().st_uid == os.geteuid():
                _remove_unless_locked(path)


def _remove_unless_locked(path: Path) -> None:
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)

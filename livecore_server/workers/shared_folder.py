"""The folder that the workers of one server share, in memory if the system supports that.

Its contents need not last. The supervisor removes it at the end. If the supervisor was killed, the next server that starts
removes it, however many workers it has. A lock on the folder shows whether it is in use: the supervisor takes it and every
worker inherits it, so it is free when the last of them has ended.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from livecore_server.scratch_folders import locked_folder, memory_folder, remove_deserted

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
    remove_deserted(parent)
    path, descriptor = locked_folder("workers", parent)
    try:
        yield Folder(path, descriptor)
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)


def _usual_parent() -> Path:
    in_memory = memory_folder()
    if in_memory is not None:
        return in_memory
    # What is made in these folders has a name of its own, and no other user can read it.
    usual = Path(tempfile.gettempdir())
    return usual if len(os.fsencode(usual)) <= _MOST_PARENT_BYTES else Path("/tmp")  # noqa: S108 - as above

"""Files that only their owner may read, created only where no file exists, and never through a link.

They hold names and possessions of players. Without these checks, another user with write access to the folder could put a
link there, so that another file would be overwritten.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

_PLAIN: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | _PLAIN


def create_private(path: Path) -> BinaryIO:
    """A new file, to be read and written. Raises `FileExistsError` if anything has this name, also a link."""
    return os.fdopen(os.open(path, _NEW, 0o600), "w+b")


def reopen_private(path: Path) -> BinaryIO:
    """An existing file, to be read and written. Raises `OSError` if there is none, or if it is not a plain file."""
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():  # Windows
        raise FileNotFoundError(f"{path} is no file")
    handle = os.open(path, os.O_RDWR | _PLAIN)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise FileNotFoundError(f"{path} is no file")
    return os.fdopen(handle, "r+b")

"""Files that their owner alone may read, made where nothing is, and never through a link.

They hold what players are called and own. Whoever may write into the same folder could otherwise put a link there, and have
somebody else's file written over.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["create_private", "reopen_private"]

_PLAIN: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | _PLAIN


def create_private(path: Path) -> BinaryIO:
    """A new file, to be read and written. Raises `FileExistsError` where there is anything of this name, a link too."""
    return os.fdopen(os.open(path, _NEW, 0o600), "w+b")


def reopen_private(path: Path) -> BinaryIO:
    """A file that was made before, to be read and written. Raises `OSError` where there is none, or something else."""
    handle = os.open(path, os.O_RDWR | _PLAIN)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise FileNotFoundError(f"{path} is no file")
    return os.fdopen(handle, "r+b")

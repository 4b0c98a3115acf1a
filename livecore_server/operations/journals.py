"""Journals as files: JSON with a line for each command, compressed by gzip where the name ends with `.gz`."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final, cast

from livecore.journal.lines import LONGEST_LINE, Header, Recorder
from livecore.journal.reading import JournalFault

_COMPRESSED: Final = b"\x1f\x8b"
_LEVEL: Final = 6


@contextmanager
def recording(path: Path, header: Header) -> Iterator[Recorder]:
    """A recorder that writes into a new file, in the place of one that is there."""
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(path.open("wb"))
        if path.suffix == ".gz":
            # Without a name and a time in it, so that equal journals are equal files.
            compressed = gzip.GzipFile("", "wb", _LEVEL, file, mtime=0)
            file = cast("IO[bytes]", stack.enter_context(compressed))
        yield Recorder(file.write, header)


@contextmanager
def open_journal(path: Path, advance: Callable[[int], None]) -> Iterator[Iterator[bytes]]:
    """The lines of a journal's file, of a line too long only the beginning; whether it is compressed, its bytes tell.

    `advance` is called with the number of bytes of the file that were read since it was called before. The lines raise
    `JournalFault` where a compressed file is damaged or cut off.
    """
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(path.open("rb"))
        raw = file
        if file.read(len(_COMPRESSED)) == _COMPRESSED:
            file.seek(0)
            file = cast("IO[bytes]", stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb")))
        else:
            file.seek(0)
        yield _lines(file, raw, advance)


def size_of(path: Path) -> int:
    """How many bytes a file has."""
    return path.stat().st_size


def _lines(file: IO[bytes], raw: IO[bytes], advance: Callable[[int], None]) -> Iterator[bytes]:
    number, told = 0, 0
    while True:
        number += 1
        try:
            line = file.readline(LONGEST_LINE + 1)
        except (EOFError, OSError, zlib.error) as fault:
            raise JournalFault(number, "", f"the compressed file is damaged or cut off: {fault}") from None
        if not line:
            return
        at = raw.tell()
        advance(at - told)
        told = at
        yield line

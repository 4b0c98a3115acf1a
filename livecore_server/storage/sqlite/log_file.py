"""The file of the write-ahead log: how much of it is in use, and when that is enough for a checkpoint.

SQLite writes the log from its beginning again once a checkpoint has copied all of it and nobody reads from it any more. It
keeps the length of the file then, because overwriting is cheaper than growing. So the length says little, and the frame at
the limit is asked: those in use have the two random numbers of the log's header, and those behind them have earlier ones.

Only the log itself is opened here. To open and close the database, or the index of the log, would release SQLite's own locks
in this process.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Final

CHECKPOINT_BYTES: Final = 32 * 1024 * 1024
_LEAST_BYTES: Final = 256 * 1024
"""The limit on a disk that has no room left: a checkpoint for less would cost more than it is worth."""
_SHARE_OF_ROOM: Final = 4
"""The log may take a quarter of the room, so that the database can grow by what is copied into it."""
_FIRST_DELAY_SECONDS: Final = 0.1
_LONGEST_DELAY_SECONDS: Final = 5.0
_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24


def log_path(database: Path) -> Path:
    """The path of a database file's log."""
    return database.with_name(database.name + "-wal")


def log_size(database: Path) -> int:
    """The bytes that the log takes on the disk; 0 without one, and where that cannot be seen."""
    try:
        return log_path(database).stat().st_size
    except OSError:
        return 0


def left_in_log(database: Path) -> str | None:
    """After the end of a server: what an operator should know of a log that could not be emptied; `None` if it was."""
    size = log_size(database)
    if not size:
        return None
    log = log_path(database)
    return (
        f"{size / 1_000_000:.1f} MB of writes are only in {log}, because another process reads {database} or the disk "
        f"failed: copy both files together, or start and stop the server again, which empties {log.name}"
    )


def generation_of(log: Path, used_bytes: int = 0) -> bytes:
    """The random numbers that a log has had since it last started over, if at least so many bytes of it are in use.

    Otherwise they are empty, as for a log that is missing or was never written. Raises `OSError`.
    """
    try:
        opened = FileIO(log)
    except FileNotFoundError:
        return b""
    with opened as file:
        header = file.read(_HEADER_BYTES) or b""
        if len(header) < _HEADER_BYTES:
            return b""
        generation = header[16:24]
        frame_bytes = _FRAME_HEADER_BYTES + int.from_bytes(header[8:12], "big")
        frames = math.ceil((used_bytes - _HEADER_BYTES) / frame_bytes)
        if frames > 0:
            file.seek(_HEADER_BYTES + (frames - 1) * frame_bytes)
            if (file.read(_FRAME_HEADER_BYTES) or b"")[8:16] != generation:
                return b""
    return generation


def _room_at(folder: Path) -> int:
    return shutil.disk_usage(folder).free


class LogLimit:
    """Whether a log has reached the length at which it is to be copied.

    `most_bytes` is the limit as configured. While the disk has little room, it is a quarter of that, so that a log never
    fills a small disk. If a log goes on after a checkpoint, because somebody still reads from it, the next attempt is made
    after a delay, which doubles from one attempt to the next.
    """

    def __init__(
        self,
        database: Path,
        most_bytes: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        room_at: Callable[[Path], int] = _room_at,
    ) -> None:
        self._database = database
        self._log = log_path(database)
        self._most_bytes = most_bytes
        self._clock = clock
        self._room_at = room_at
        self._tried = b""
        """The generation of the log at the latest attempt."""
        self._again_at = -math.inf
        self._delay = _FIRST_DELAY_SECONDS
        self.limit_bytes = most_bytes
        """The limit as of the latest `measure`."""
        self.measure()

    def measure(self) -> None:
        """Adapt the limit to the room on the disk."""
        try:
            room = self._room_at(self._database.parent) + log_size(self._database)
        except OSError:
            return  # such a disk shows itself elsewhere
        self.limit_bytes = min(self._most_bytes, max(_LEAST_BYTES, room // _SHARE_OF_ROOM))

    @property
    def is_reached(self) -> bool:
        """Whether a checkpoint should be made for the length of the log."""
        try:
            generation = generation_of(self._log, self.limit_bytes)
        except OSError:
            return False
        return generation != b"" and (generation != self._tried or self._clock() >= self._again_at)

    def tried(self) -> None:
        """A checkpoint was attempted; whether the log could start over shows when it is next written."""
        try:
            generation = generation_of(self._log)
        except OSError:
            return
        again = generation == self._tried
        self._delay = min(self._delay * 2, _LONGEST_DELAY_SECONDS) if again else _FIRST_DELAY_SECONDS
        self._tried, self._again_at = generation, self._clock() + self._delay
        self.measure()

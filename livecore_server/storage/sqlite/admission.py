"""Admission: measures the speed of an executor's writes and estimates how long one more would wait."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import attrs

from livecore_server.storage.limits import QueueLimits

_MEMORY = 0.1
"""The weight of the latest batch in the running averages."""


@attrs.frozen(kw_only=True)
class SqliteLimits(QueueLimits):
    """The limits of the queue of writes, of one batch, and of waiting for others."""

    units: int = 256
    """The most units in a batch."""
    busy_seconds: float = 5.0
    """How long another process may hold the write lock before the waiting writes are refused."""
    disk_seconds: float = 5.0
    """How long the disk may take for a commit or a checkpoint before the waiting writes are refused."""


class Admission:
    """Running averages of the durations of units and commits."""

    __slots__ = ("_commit_seconds", "_limits", "_unit_seconds")

    def __init__(self, limits: SqliteLimits) -> None:
        self._limits = limits
        self._unit_seconds = 0.0002
        self._commit_seconds = 0.002

    def ran(self, units: int, seconds: float) -> None:
        """Record that `units` units ran for `seconds`."""
        self._unit_seconds += (seconds / units - self._unit_seconds) * _MEMORY

    def committed(self, seconds: float) -> None:
        """Record the duration of a commit."""
        self._commit_seconds += (seconds - self._commit_seconds) * _MEMORY

    def wait_seconds(self, units: int, commits: int) -> float:
        """How long the last of `units` waits for its answer, after `commits` earlier commits."""
        commits += math.ceil(units / self._limits.units)
        return units * self._unit_seconds + commits * self._commit_seconds


class DiskWatchdog:
    """Notices when one operation waits for the disk for too long; watches one operation at a time."""

    def __init__(self, seconds: float, timed_out: Callable[[], None]) -> None:
        self.stuck = False
        """Whether the time limit has passed and the operation has not ended yet."""
        self._seconds = seconds
        self._timed_out = timed_out
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """An operation starts to wait."""
        self._timer = loop.call_later(self._seconds, self._time_out)

    def end(self) -> None:
        """The operation has ended."""
        self.stuck = False
        if self._timer is not None:
            self._timer.cancel()

    def _time_out(self) -> None:
        self.stuck = True
        self._timed_out()

"""Admission: how fast an executor's writes go, how long one more would wait, and how long is too long."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import attrs

__all__ = ["Admission", "BatchLimits", "DiskWatchdog"]

_MEMORY = 0.1
"""How much the latest batch weighs in the running averages."""


@attrs.frozen(kw_only=True)
class BatchLimits:
    """How much goes into one commit, and how long a write may wait for its turn."""

    units: int = 256
    run_seconds: float = 0.010
    """A batch takes no further unit after this long, so that reads are not kept waiting."""
    queue: int = 10_000
    wait_seconds: float = 2.0
    """A write whose estimated wait is longer is refused at once."""
    busy_seconds: float = 5.0
    """How long another process may keep the write lock before the waiting writes are refused."""
    disk_seconds: float = 5.0
    """How long the disk may take for a commit or a checkpoint before the waiting writes are refused."""


class Admission:
    """Running averages of what a unit and a commit take."""

    __slots__ = ("_commit_seconds", "_limits", "_unit_seconds")

    def __init__(self, limits: BatchLimits) -> None:
        self._limits = limits
        self._unit_seconds = 0.0002
        self._commit_seconds = 0.002

    def ran(self, units: int, seconds: float) -> None:
        """So many units ran for so long."""
        self._unit_seconds += (seconds / units - self._unit_seconds) * _MEMORY

    def committed(self, seconds: float) -> None:
        """A commit took so long."""
        self._commit_seconds += (seconds - self._commit_seconds) * _MEMORY

    def wait_seconds(self, units: int, commits: int) -> float:
        """How long the last of `units` waits for its answer, with so many commits under way before theirs."""
        commits += math.ceil(units / self._limits.units)
        return units * self._unit_seconds + commits * self._commit_seconds


class DiskWatchdog:
    """Notices that something waits for the disk for too long; of all that does, one thing at a time."""

    def __init__(self, seconds: float, timed_out: Callable[[], None]) -> None:
        self.stuck = False
        """Whether it has been too long, and the disk is still not back."""
        self._seconds = seconds
        self._timed_out = timed_out
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Something waits from now on."""
        self._timer = loop.call_later(self._seconds, self._time_out)

    def end(self) -> None:
        """It waits no longer."""
        self.stuck = False
        if self._timer is not None:
            self._timer.cancel()

    def _time_out(self) -> None:
        self.stuck = True
        self._timed_out()

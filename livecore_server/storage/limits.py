"""How many units of work may wait for a store, and how long. Each store adds the limits of its own batches."""

from __future__ import annotations

import math
from typing import Self

import attrs

from livecore.kernel.errors import Overloaded


@attrs.frozen(kw_only=True)
class QueueLimits:
    """The limits of a process's queue; a unit beyond them is refused as `Overloaded`."""

    queue: int = 10_000
    """How many units may wait."""
    wait_seconds: float = 2.0
    """How long a unit may wait, as estimated when it arrives."""
    body_bytes: int = 32 * 1024 * 1024
    """How many bytes the bodies of the requests may have that are being read, wait or run."""
    run_seconds: float = 0.010
    """A batch begins no further unit after this long, so that others are not kept waiting."""

    @classmethod
    def of(cls, limits: QueueLimits) -> Self:
        """The limits of a store whose queue has these."""
        return cls(**attrs.asdict(limits, filter=attrs.filters.include(*attrs.fields(QueueLimits))))

    def refuse_beyond(self, *, queued: int, wait_seconds: float, idle: bool) -> None:
        """Raise `Overloaded` where so many wait already, or one more would wait too long.

        If the store is idle any unit may come: only a new batch can show that it has become fast again.
        """
        if queued >= self.queue or (not idle and wait_seconds > self.wait_seconds):
            raise self.refusal(wait_seconds)

    @staticmethod
    def refusal(wait_seconds: float) -> Overloaded:
        """What refuses a unit that would wait so long."""
        return Overloaded(max(1, math.ceil(wait_seconds)))

"""The time and the operating system's randomness, which only a host may read."""

from __future__ import annotations

import os
import time

from livecore.kernel.time import Millis


def now_millis() -> Millis:
    """The time, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def draw_seed() -> bytes:
    """A fresh seed for one unit of work."""
    return os.urandom(32)

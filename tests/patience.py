"""How long a test waits for what must come.

A test that passes never waits so long. The bound is there for a hang only, so it allows for a machine that is many times
slower and busy besides; it is below the time that pytest gives a test, so that what was waited for is in the report.
"""

from __future__ import annotations

import asyncio
from typing import Final

PATIENCE_SECONDS: Final = 300.0


def let_pass(seconds: float) -> None:
    """Have the running loop believe that so much time has passed: who waits for less wakes up, and nobody who is only slow.

    So a bound whose end a test looks at may be a long one, which nothing else in the test comes near.
    """
    loop = asyncio.get_running_loop()
    time_before = loop.time
    loop.time = lambda: time_before() + seconds  # type: ignore[method-assign] # the loop ends with the test

"""A few requests a second beside something heavier, to see how long others wait meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from tests.programs.bench.load import percentile, run_load

_PAUSE_SECONDS = 0.02


async def pause(seconds: float) -> None:
    """Send nothing for so long."""
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), seconds)


class Probe:
    """Sends one request after another, with a pause between them, as long as it is wanted."""

    def __init__(self, address: str, requests: Sequence[bytes]) -> None:
        self._address = address
        self._requests = requests
        self.latencies: list[float] = []

    async def until(self, done: Callable[[], bool]) -> None:
        """Go on until that is so."""
        number = 0
        while not done():
            request = self._requests[number % len(self._requests)]
            result = await run_load(self._address, iter([request]), connections=1)
            assert not result.refused, result.refused
            self.latencies += result.latencies
            number += 1
            await pause(_PAUSE_SECONDS)

    def milliseconds(self, share: float) -> float:
        """A percentile of the waits."""
        return percentile(self.latencies, share) * 1000

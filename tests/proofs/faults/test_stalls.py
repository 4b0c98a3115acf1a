"""A loop that does not come round: readiness names it, the others go on, and it is over when it moves again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import TimeIndex
from livecore.kernel.time import Millis
from livecore_server.storage.due_scopes import START, DuePage, ScopePosition
from livecore_server.storage.ports import Executor
from tests.faults.siege import until
from tests.server.serving import Server, serving

T = TypeVar("T")
_LONG_SECONDS = 40.0
"""Longer than any loop may take for a turn."""


class Hanging:
    """An executor that answers nothing until it is let go."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._go = asyncio.Event()
        self.asked = asyncio.Event()

    def let_go(self) -> None:
        """Answer from now on."""
        self._go.set()

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Read, in time."""
        await self._wait()
        return await self._executor.read(scope, work)

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Write, in time."""
        await self._wait()
        return await self._executor.write(scope, work)

    async def due_scopes(self, index: TimeIndex, until: Millis, after: ScopePosition = START) -> DuePage:
        """Search, in time."""
        await self._wait()
        return await self._executor.due_scopes(index, until, after)

    async def _wait(self) -> None:
        self.asked.set()
        await self._go.wait()


@pytest.mark.parametrize(
    ("loop", "stalled"),
    [("_due", {"dueLoop"}), ("_flush", {"flushLoop"}), ("_sender", {"webhookPoll"})],
)
def test_a_loop_that_stalls_is_named_and_the_others_go_on(loop: str, stalled: set[str], tmp_path: Path) -> None:
    """Requests are served all the while, and readiness comes back by itself."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            secret = await server.register("ann")
            part = getattr(server.service, loop)
            hanging = part._executor = Hanging(part._executor)
            if hasattr(part, "_due_scopes"):
                part._due_scopes._executor = hanging
            try:
                await until(lambda: _keeps_asking(server, secret, hanging))
                for pulse in server.service.readiness.pulses:
                    # From now on it is later, for whoever beats and for whoever does not.
                    pulse.clock = lambda: time.monotonic() + _LONG_SECONDS
                await until(lambda: _stalls(server, stalled))
                assert (await server.sdk("POST", "/ann/presence", {}, secret=secret)).status == 200
                assert (await server.ask("GET", "/admin/v1/health")).status == 200
            finally:
                hanging.let_go()
            await until(lambda: _stalls(server, set()))

    asyncio.run(scenario())


async def _keeps_asking(server: Server, secret: str, hanging: Hanging) -> bool:
    """Give every loop something to do, until the one that hangs has begun with it."""
    await server.sdk("POST", "/ann/presence", {"status": "here"}, secret=secret)
    return hanging.asked.is_set()


async def _stalls(server: Server, names: set[str]) -> bool:
    checks = await server.service.readiness.checks()
    found = {name for name, state in checks.items() if state == "stalled"}
    # The sender may have been about to look into a scope as well.
    return found == names or found - {"webhookSender"} == names == {"webhookPoll"}

"""A server's process answers signals until it has ended."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from livecore_server.running import run_until_stopped


class Stopped:
    """Stands in for a service: it is asked to stop as soon as it has started, and sees who answers a reload meanwhile."""

    def __init__(self) -> None:
        self.unanswered: bool | None = None

    async def start(self) -> None:
        """Nothing to start."""

    async def stop(self) -> None:
        """Look at the signal while draining."""
        self.unanswered = signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


@pytest.mark.parametrize("reloads", [True, False])
def test_a_reload_while_it_drains_does_not_end_it(*, reloads: bool) -> None:
    """A service manager may ask for one at any moment. Where the signal means a closed terminal, it ends at once."""
    service = Stopped()
    running = run_until_stopped(
        service,  # type: ignore[arg-type] # it needs no more of it
        lambda _: os.kill(os.getpid(), signal.SIGTERM),
        reloads=reloads,
    )
    asyncio.run(running)
    assert service.unanswered is not reloads
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL

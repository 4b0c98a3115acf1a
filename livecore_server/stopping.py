"""How long each step of a stop may take, so that the whole stop has a limit that a service manager can be given.

    one process     --drain-delay-seconds, --drain-seconds, and then the steps below, `AFTER_DRAIN_SECONDS` together
    several         the same, and a moment more, after which the supervisor kills workers that have not ended

`TimeoutStopSec=` and the like must be longer (`docs/how-to/restart-without-downtime.md`). A step that takes too long is
cut off, which the log says, and the next one follows: nothing that a caller got as an answer depends on any of them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

_log = logging.getLogger("livecore.service")

STEP_SECONDS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "ending the streams": 2.5,
        "closing the connections": 2.5,
        "ending the background loops": 2.0,
        "ending the attempts of webhooks": 11.0,  # an attempt takes at most ten
        "writing the ephemeral state": 6.0,  # a store that does not answer refuses after five
        "sending the last notices": 1.0,
        "closing connections to the identity provider": 1.0,
        "ending the threads": 1.0,
        "closing the store": 6.0,
    }
)
"""The steps that follow the drain, in their order."""
_CANCEL_SECONDS: Final = 0.2
"""How long a step that is cut off may take to end."""
_ENDING_SECONDS: Final = 2.0
"""How long threads may take to end after the last step; the interpreter waits for all of them."""
AFTER_DRAIN_SECONDS: Final = sum(STEP_SECONDS.values()) + _CANCEL_SECONDS * len(STEP_SECONDS) + _ENDING_SECONDS
KILLING_SECONDS: Final = 3.0
"""How long a supervisor waits beyond its workers' limit, and then for those that it has killed: one that waits for a broken
disk cannot even be killed."""
SUPERVISED_SECONDS: Final = AFTER_DRAIN_SECONDS + 2 * KILLING_SECONDS
"""What a server with several workers may take beyond its drain."""


class StopSteps:
    """The steps of one stop."""

    def __init__(self) -> None:
        self.cut_off: list[str] = []
        """The steps that took too long."""

    async def take(self, name: str, step: Coroutine[Any, Any, None]) -> None:
        """Take a step within its limit. A failure is logged, and the rest of the server still closes."""
        task = asyncio.ensure_future(step)
        seconds = STEP_SECONDS[name]
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            self.cut_off.append(name)
            _log.error("%s took longer than %g s and is cut off", name, seconds)
            task.add_done_callback(_retrieved)
            task.cancel()
            await asyncio.wait({task}, timeout=_CANCEL_SECONDS)
        elif task.cancelled():
            _log.error("%s failed: something in it was cancelled", name)
        elif task.exception() is not None:
            _log.error("%s failed", name, exc_info=task.exception())


def _retrieved(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()


class Closing(Protocol):
    """Something with an end, such as the writer of a log."""

    def close(self) -> None:
        """Write what is left."""


def leave(log: Closing) -> None:
    """End the process at once with status 1. Usually the interpreter waits for threads, and one of them hangs."""
    log.close()
    os._exit(1)


def leave_in_time(log: Closing) -> None:
    """After a complete stop: leave if threads have not ended within `_ENDING_SECONDS`.

    No step waits for a thread that looks up a name, for example, because nothing can interrupt it.
    """

    def leave_threads() -> None:
        main = threading.main_thread()
        names = sorted(thread.name for thread in threading.enumerate() if not thread.daemon and thread is not main)
        if names:
            _log.error("the process ends without threads that hang: %s", ", ".join(names))
            leave(log)

    timer = threading.Timer(_ENDING_SECONDS, leave_threads)
    timer.daemon = True
    timer.start()

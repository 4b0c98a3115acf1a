"""Ready to be sent requests? Alive is another question, which `GET /admin/v1/health` answers by answering.

Not ready: while draining; while a background loop has not come round for too long; and while the store cannot commit. The
last is learned from the batches themselves, so a healthy server pays nothing for being asked; only after a failure does the
question itself try a write, so that a disk that has room again is noticed without traffic.

A store that fails is told of here and nowhere else: whoever was refused hears 503, and the log has one line when it begins,
one a minute while it lasts, and one when it is over, however many requests there were.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Final

import attrs

from livecore.kernel.errors import NotReady
from livecore.kernel.records import record
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.store import Transaction
from livecore.kernel.tables import Table
from livecore.kernel.time import Millis
from livecore_server.metrics import Metrics
from livecore_server.storage.ports import Executor

__all__ = ["Pulse", "Readiness", "StoreWatch"]

_log = logging.getLogger("livecore.store")
_REMIND_SECONDS: Final = 60.0
_FLICKER_SECONDS: Final = 10.0
"""Failures that follow so soon on the end of the last ones are not told of again: connections that keep breaking, say."""


@record
class StoreProbe:
    """The one row that a store is tried with after it had failed."""

    name: str
    at: Millis


STORE_PROBES: Final = Table("store_probes", StoreProbe, key=("name",))


@attrs.define(eq=False)
class Pulse:
    """A loop's heartbeat: noted on each turn. It is stalled when it has not for `most_seconds`."""

    name: str
    most_seconds: float
    clock: Callable[[], float] = time.monotonic
    last: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.beat()

    def beat(self) -> None:
        """Note a turn."""
        self.last = self.clock()

    @property
    def silent_seconds(self) -> float:
        """How long ago the loop last came round."""
        return self.clock() - self.last

    @property
    def stalled(self) -> bool:
        """Whether the loop has stopped coming round."""
        return self.silent_seconds > self.most_seconds


class StoreWatch:
    """Hears from the executor how batches end: counts them, tells the log, and knows whether the latest was committed."""

    def __init__(self, metrics: Metrics, clock: Callable[[], float] = time.monotonic) -> None:
        self._metrics = metrics
        self._clock = clock
        self.failing = False
        self._told = False
        """Whether the log says now that the store fails."""
        self._since = self._told_at = -math.inf
        self._refused = 0

    def committed(self, *, units: int, run_seconds: float, commit_seconds: float) -> None:
        """A batch was committed."""
        if self.failing:
            self._recovered()
        self._metrics.committed(units=units, run_seconds=run_seconds, commit_seconds=commit_seconds)

    def failed(self, *, units: int, error: BaseException) -> None:
        """A batch could not be committed, or the store could not be read."""
        now = self._clock()
        if not self.failing:
            self.failing = self._metrics.store_failing = True
            self._since, self._refused = now, 0
        self._refused += units
        self._metrics.failed(units=units, error=error)
        if now - self._told_at > (_REMIND_SECONDS if self._told else _FLICKER_SECONDS):
            self._tell(now, error)

    def _tell(self, now: float, error: BaseException) -> None:
        if self._told:
            _log.error(
                "the store has failed for %.0f s and refused %d times: %s", now - self._since, self._refused, error
            )
        else:
            _log.error("the store fails, and requests are answered 503 until it works again: %s", error)
        self._told, self._told_at = True, now

    def _recovered(self) -> None:
        self.failing = self._metrics.store_failing = False
        now = self._clock()
        if self._told:
            _log.warning("the store works again after %.1f s; it refused %d times", now - self._since, self._refused)
            self._told, self._told_at = False, now


class Readiness:
    """Answers whether the server should be sent requests, and what is in the way."""

    def __init__(self, executor: Executor, watch: StoreWatch, clock: Callable[[], Millis]) -> None:
        self._executor = executor
        self._watch = watch
        self._clock = clock
        self.draining = False
        self.pulses: list[Pulse] = []

    async def checks(self) -> dict[str, str]:
        """Each check with `ok` or what is wrong. The schema was brought up to this code before there was a server."""
        found = {"serving": "draining" if self.draining else "ok", "migrations": "ok", "store": await self._store()}
        found.update({pulse.name: "stalled" if pulse.stalled else "ok" for pulse in self.pulses})
        return found

    async def _store(self) -> str:
        if not self._watch.failing:
            return "ok"
        probe = StoreProbe(name="readiness", at=self._clock())

        def write(tx: Transaction) -> None:
            tx.put(STORE_PROBES, probe)

        try:
            await self._executor.write(DIRECTORY, write)
        except Exception:  # noqa: BLE001 - whatever it is, the answer is the same: not writable
            return "not writable"
        return "ok"

    async def require(self) -> dict[str, str]:
        """The checks, every one of them `ok`. Raises `NotReady`."""
        checks = await self.checks()
        if any(state != "ok" for state in checks.values()):
            raise NotReady(checks)
        return checks

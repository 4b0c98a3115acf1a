"""Readiness: whether the server should get requests. Liveness is separate: any answer of `GET /admin/v1/health` shows it.

The server is not ready while it loads the rankings that were in use before it started, while it drains, while a background
loop is stalled, and while the store cannot commit. The batches
themselves report that, so the check costs a healthy server nothing. Only after a failure does the check try a write, so
that it notices without traffic when the store works again.

Only this module logs failures of the store. Refused callers get 503. The log has one line when the failure begins, one per
minute while it lasts, and one when it is over, however many requests there were.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Final

import attrs

from livecore.kernel.errors import NotReady
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore_server.metrics import Metrics
from livecore_server.storage.host_tables import STORE_PROBES, StoreProbe
from livecore_server.storage.ports import Executor

_log = logging.getLogger("livecore.store")
_REMIND_SECONDS: Final = 60.0
_FLICKER_SECONDS: Final = 10.0
"""A failure this soon after the end of the last one is not logged again, for example when connections keep breaking."""


@attrs.define(eq=False)
class Pulse:
    """A loop's heartbeat, noted on each turn. The loop is stalled if there was none for `most_seconds`."""

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
        """The time since the loop's last turn."""
        return self.clock() - self.last

    @property
    def stalled(self) -> bool:
        """Whether the loop is stalled."""
        return self.silent_seconds > self.most_seconds


class StoreWatch:
    """Gets the results of the executor's batches: counts and logs them, and knows whether the latest was committed."""

    def __init__(self, metrics: Metrics, clock: Callable[[], float] = time.monotonic) -> None:
        self._metrics = metrics
        self._clock = clock
        self.failing = False
        self._logged = False
        """Whether the current failure was logged."""
        self._since = self._logged_at = -math.inf
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
        if now - self._logged_at > (_REMIND_SECONDS if self._logged else _FLICKER_SECONDS):
            self._log_failure(now, error)

    def _log_failure(self, now: float, error: BaseException) -> None:
        if self._logged:
            _log.error(
                "the store has failed for %.0f s and refused %d times: %s", now - self._since, self._refused, error
            )
        else:
            _log.error("the store fails, and requests are answered 503 until it works again: %s", error)
        self._logged, self._logged_at = True, now

    def _recovered(self) -> None:
        self.failing = self._metrics.store_failing = False
        now = self._clock()
        if self._logged:
            _log.warning("the store works again after %.1f s; it refused %d times", now - self._since, self._refused)
            self._logged, self._logged_at = False, now


class Readiness:
    """Checks whether the server should get requests, and what prevents it."""

    def __init__(self, executor: Executor, watch: StoreWatch, clock: Callable[[], Millis]) -> None:
        self._executor = executor
        self._watch = watch
        self._clock = clock
        self.draining = False
        self.loading = False
        """Whether the rankings that were in use before the start are being loaded."""
        self.pulses: list[Pulse] = []

    async def checks(self) -> dict[str, str]:
        """Each check with `ok` or what is wrong. The schema is not checked: it was migrated before the server started."""
        serving = "draining" if self.draining else "loading rankings" if self.loading else "ok"
        found = {"serving": serving, "migrations": "ok", "store": await self._store()}
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

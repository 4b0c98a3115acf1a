"""The background loop that looks at what waits for webhook endpoints, for the gauges of the metrics.

Counting a long backlog is much work, so it happens twice a minute and not when the metrics are read, up to the bound of
`livecore.webhooks.backlog`, and for one endpoint at a time. After each look the loop rests for as long as that took.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from livecore.access.directory import existing
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Vault
from livecore.webhooks.backlog import backlog_of
from livecore.webhooks.outbox import ALL_ENDPOINTS, ENDPOINTS
from livecore_server.backlog_gauges import BacklogGauges, WatchedEndpoint
from livecore_server.readiness import Pulse
from livecore_server.sealed_secrets import fault_of
from livecore_server.storage.ports import Executor

_log = logging.getLogger("livecore.webhooks")
_BACKLOG_SECONDS: Final = 30.0
"""The time between two looks at all endpoints."""
_MOST_REST_SECONDS: Final = 1.0
_STALLED_AFTER_SECONDS: Final = 30.0


class BacklogLoop:
    """Keeps the gauges up to date."""

    def __init__(
        self,
        executor: Executor,
        vault: Vault,
        gauges: BacklogGauges,
        *,
        clock: Callable[[], float] = time.monotonic,
        interval_seconds: float = _BACKLOG_SECONDS,
    ) -> None:
        self._executor = executor
        self._vault = vault
        self._gauges = gauges
        self._clock = clock
        self._interval_seconds = interval_seconds
        self.pulse = Pulse("webhookBacklog", interval_seconds + _STALLED_AFTER_SECONDS)

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            self.pulse.beat()
            try:
                await self.look()
            except Overloaded:
                pass  # the store has logged the failure; the gauges stay as they were
            except Exception:  # noqa: BLE001 - it is logged, and the loop goes on
                _log.exception("what waits for webhook endpoints could not be counted")
            await asyncio.sleep(self._interval_seconds)

    async def look(self) -> None:
        """Look at every endpoint once, and then show all of them."""
        seen: list[WatchedEndpoint] = []
        scopes = await self._executor.scopes((ENDPOINTS,))
        for scope in await self._executor.read(DIRECTORY, lambda tx: existing(tx, scopes)):
            for endpoint in await self._executor.read(scope, lambda tx: tx.scan(ALL_ENDPOINTS)):
                started = self._clock()
                one = await self._executor.read(
                    scope, partial(_watched, scope=scope, endpoint_id=endpoint.endpoint_id, vault=self._vault)
                )
                if one is not None:
                    seen.append(one)
                self.pulse.beat()
                await asyncio.sleep(min(self._clock() - started, _MOST_REST_SECONDS))
            self.pulse.beat()
        self._gauges.seen = seen


def _watched(tx: Transaction, scope: Scope, endpoint_id: str, vault: Vault) -> WatchedEndpoint | None:
    """One endpoint as it is now; `None` if it has been removed."""
    endpoint = tx.get(ENDPOINTS, endpoint_id)
    if endpoint is None:
        return None
    backlog = backlog_of(tx, endpoint_id)
    return WatchedEndpoint(
        labels=(scope.game_id, scope.environment, endpoint_id),
        waiting=backlog.waiting,
        held=backlog.held,
        oldest_at=backlog.oldest_at,
        paused_at=endpoint.paused_at,
        sealed=fault_of(vault, endpoint) is not None,
    )

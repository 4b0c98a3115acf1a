"""The gauges of webhook endpoints: how much waits for each, since when, and which of them cannot be sent anything.

They are about the database and not about this process: every process that works on it gives the same figures, each as old
as its own last look. So the figures of several processes are never added up; the largest stands for all.

An installation has any number of endpoints, and each would be a series. `MOST_ENDPOINTS` are named: those that are paused,
then those for which most waits. The others are summed under the name `other`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from livecore.kernel.time import Millis
from livecore_server.system import now_millis

MOST_ENDPOINTS: Final = 100
_LABELS: Final = ("game", "environment", "endpoint")
_OTHERS: Final = ("other", "other", "other")
_WAITING: Final = "livecore_webhook_deliveries_waiting"
_HELD: Final = "livecore_webhook_deliveries_held"
_OLDEST: Final = "livecore_webhook_oldest_waiting_seconds"
_PAUSED: Final = "livecore_webhook_paused_since_seconds"
_UNSEALABLE: Final = "livecore_webhook_endpoints_unsealable"
GAUGES: Final = (_WAITING, _HELD, _OLDEST, _PAUSED, _UNSEALABLE)
"""The names of the families."""


@attrs.frozen(kw_only=True)
class WatchedEndpoint:
    """What was last seen of one endpoint; `labels` are its game, its environment and its id.

    `sealed` says that no vault key of this process opens its signing secret.
    """

    labels: tuple[str, str, str]
    waiting: int
    held: int
    oldest_at: Millis | None
    paused_at: Millis | None
    sealed: bool


class BacklogGauges:
    """The gauges, of what was last `seen`."""

    def __init__(self, clock: Callable[[], Millis] = now_millis) -> None:
        self._clock = clock
        self.seen: Sequence[WatchedEndpoint] = ()

    def collect(self) -> Iterator[Metric]:
        """The families."""
        waiting = GaugeMetricFamily(_WAITING, "Webhook deliveries that wait, by endpoint.", labels=_LABELS)
        held = GaugeMetricFamily(_HELD, "Those of them that wait for the end of a pause.", labels=_LABELS)
        oldest = GaugeMetricFamily(_OLDEST, "How long the oldest of them has waited.", labels=_LABELS)
        paused = GaugeMetricFamily(_PAUSED, "When the endpoint was paused (Unix time); 0 if it is not.", labels=_LABELS)
        now = self._clock()
        for one in _named(self.seen):
            waiting.add_metric(one.labels, one.waiting)
            held.add_metric(one.labels, one.held)
            # A clock that was set back makes nothing younger than it is.
            oldest.add_metric(one.labels, 0 if one.oldest_at is None else max(now - one.oldest_at, 0) / 1000)
            paused.add_metric(one.labels, 0 if one.paused_at is None else one.paused_at / 1000)
        yield from (waiting, held, oldest, paused)
        sealed = sum(one.sealed for one in self.seen)
        yield GaugeMetricFamily(_UNSEALABLE, "Endpoints whose signing secret no vault key opens.", value=sealed)


def _named(seen: Sequence[WatchedEndpoint]) -> list[WatchedEndpoint]:
    """Those that have a name of their own, and one for all others."""
    ranked = sorted(seen, key=lambda one: (one.paused_at is None, -one.waiting, one.labels))
    named, others = ranked[:MOST_ENDPOINTS], ranked[MOST_ENDPOINTS:]
    return [*named, _together(others)] if others else named


def _together(others: Sequence[WatchedEndpoint]) -> WatchedEndpoint:
    return WatchedEndpoint(
        labels=_OTHERS,
        waiting=sum(one.waiting for one in others),
        held=sum(one.held for one in others),
        oldest_at=min((one.oldest_at for one in others if one.oldest_at is not None), default=None),
        paused_at=min((one.paused_at for one in others if one.paused_at is not None), default=None),
        sealed=any(one.sealed for one in others),
    )

"""The server's Prometheus metrics, with labels of bounded cardinality: operation ids, statuses, kinds of work.

Counting happens on every request, so it is only a dictionary and a bisection; the metric families are built when the
metrics are requested. A path, a player or a key never becomes a label. The name of an SDK, which callers choose, becomes
one only with a valid key, and only for a limited number of different names.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from livecore.api.requests.http import OTHER_SDK
from livecore_server.backlog_gauges import BacklogGauges

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_MOST_SDKS: Final = 100
_UNITS: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)


class _Histogram:
    """Counts by upper bound, and their sum."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float] = _SECONDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def buckets(self) -> list[tuple[str, float]]:
        """Cumulative counts by upper bound, as the exposition format has them."""
        running, found = 0, []
        for bound, count in zip((*self.bounds, float("inf")), self.counts, strict=True):
            running += count
            found.append(("+Inf" if bound == float("inf") else str(bound), float(running)))
        return found


class WebhookCounts:
    """The webhook sender's metrics."""

    def __init__(self) -> None:
        self._results: dict[str, int] = {}
        self._seconds = _Histogram()
        self._under_way = 0
        self._tripped = 0
        self._unsealable = 0

    def attempted(self, *, result: str, seconds: float) -> None:
        """An attempt ended; `result` is one of a few words."""
        self._results[result] = self._results.get(result, 0) + 1
        self._seconds.add(seconds)

    def under_way(self, count: int) -> None:
        """Set the number of attempts that are being made now."""
        self._under_way = count

    def tripped(self) -> None:
        """An endpoint was paused because its deliveries kept failing."""
        self._tripped += 1

    def unsealable(self) -> None:
        """An attempt was not made because no vault key opens the endpoint's secret."""
        self._unsealable += 1

    def collect(self) -> Iterator[Metric]:
        """The families."""
        attempts = CounterMetricFamily("livecore_webhook_attempts", "Webhook attempts.", labels=["result"])
        for result, count in self._results.items():
            attempts.add_metric([result], count)
        yield attempts
        yield _histogram("livecore_webhook_attempt_seconds", "One webhook attempt.", self._seconds)
        yield _gauge("livecore_webhooks_under_way", "Webhook attempts under way.", self._under_way)
        yield _counter("livecore_webhook_endpoints_paused", "Endpoints paused by failures.", self._tripped)
        yield _counter("livecore_webhook_unsealable", "Attempts without a vault key that fits.", self._unsealable)


class Metrics(Collector):
    """The server's metrics. The methods that are named after events are called on the event loop when they happen."""

    def __init__(self) -> None:
        self.in_progress = 0
        """Requests that are being answered."""
        self.open_streams = 0
        """Streams that are being sent."""
        self.queued: Callable[[], int] = lambda: 0
        """How many writes are waiting; set once there is an executor."""
        self.log_bytes: Callable[[], int] = lambda: 0
        """What the write-ahead log of a database file takes on the disk; set once there is a database."""
        self.dropped_lines: Callable[[], int] = lambda: 0
        """How many lines of the log have been dropped; set where there is a log."""
        self.due_lag_seconds = 0.0
        """How long the most overdue piece of work has been waiting."""
        self.store_failing = False
        """Whether the latest use of the store failed."""
        self.silent_seconds: Callable[[], Mapping[str, float]] = dict
        """The time since the last turn of each background loop, by its name; set once there are loops."""
        self.expose: Callable[[CollectorRegistry], bytes] = generate_latest
        """Gives the metrics in the exposition format; in a worker, the metrics of all workers together."""
        self.webhooks = WebhookCounts()
        self.backlogs = BacklogGauges()
        self._requests: dict[tuple[str, int], int] = {}
        self._sdk_requests: dict[str, int] = {}
        self._request_seconds: dict[str, _Histogram] = {}
        self._streams_ended: dict[str, int] = {}
        self._batch_units = _Histogram(_UNITS)
        self._batch_seconds = _Histogram()
        self._commit_seconds = _Histogram()
        self._refused_units = 0
        self._due: dict[tuple[str, str], int] = {}
        self._flushed = 0
        self.registry = CollectorRegistry()
        self.registry.register(self)
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    # -- events

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """A request of this operation (`none`: no route) was answered."""
        key = (operation, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        histogram = self._request_seconds.get(operation)
        if histogram is None:
            histogram = self._request_seconds[operation] = _Histogram()
        histogram.add(seconds)

    def asked_by(self, sdk: str) -> None:
        """A request with a valid key named this SDK; see `livecore.api.requests.http.Request.sdk`."""
        counts = self._sdk_requests
        if sdk not in counts and len(counts) >= _MOST_SDKS:
            sdk = OTHER_SDK
        counts[sdk] = counts.get(sdk, 0) + 1

    def stream_ended(self, ending: str) -> None:
        """A stream ended, in one of a few ways."""
        self._streams_ended[ending] = self._streams_ended.get(ending, 0) + 1

    def committed(self, *, units: int, run_seconds: float, commit_seconds: float) -> None:
        """The executor committed a batch."""
        self._batch_units.add(units)
        self._batch_seconds.add(run_seconds)
        self._commit_seconds.add(commit_seconds)

    def failed(self, *, units: int, error: BaseException) -> None:  # noqa: ARG002 - the executor's port
        """The store could not commit a batch."""
        self._refused_units += units

    def due_ran(self, kind: str, outcome: str) -> None:
        """A piece of due work `ran`, was `stale` (done or moved meanwhile), or `failed` and was postponed."""
        self._due[kind, outcome] = self._due.get((kind, outcome), 0) + 1

    def flushed(self, values: int) -> None:
        """Count values of the ephemeral state that were written."""
        self._flushed += values

    # -- exposition

    def text(self) -> bytes:
        """Everything in the exposition format; see `CONTENT_TYPE`."""
        return self.expose(self.registry)

    def collect(self) -> Iterator[Metric]:
        """The families, for the registry."""
        yield from self._collect_requests()
        yield from self._collect_writes()
        yield from self._collect_work()

    def _collect_requests(self) -> Iterator[Metric]:
        requests = CounterMetricFamily("livecore_requests", "Requests answered.", labels=["operation", "status"])
        for (operation, status), count in self._requests.items():
            requests.add_metric([operation, str(status)], count)
        yield requests
        seconds = HistogramMetricFamily(
            "livecore_request_seconds", "From the request's head to its answer.", labels=["operation"]
        )
        for operation, histogram in self._request_seconds.items():
            seconds.add_metric([operation], histogram.buckets(), histogram.total)
        yield seconds
        by_sdk = CounterMetricFamily(
            "livecore_sdk_requests", "Requests with a key that works, by the SDK that X-Svc-SDK names.", labels=["sdk"]
        )
        for sdk, count in self._sdk_requests.items():
            by_sdk.add_metric([sdk], count)
        yield by_sdk
        yield _gauge("livecore_requests_in_progress", "Requests that are being answered.", self.in_progress)
        yield _gauge("livecore_streams_open", "Streams that are being sent.", self.open_streams)
        ended = CounterMetricFamily("livecore_streams_ended", "Streams, by how they ended.", labels=["ending"])
        for ending, count in self._streams_ended.items():
            ended.add_metric([ending], count)
        yield ended

    def _collect_writes(self) -> Iterator[Metric]:
        yield _histogram("livecore_batch_units", "Units of work in one commit.", self._batch_units)
        yield _histogram("livecore_batch_seconds", "Running the units of one commit.", self._batch_seconds)
        yield _histogram("livecore_commit_seconds", "Making one commit durable.", self._commit_seconds)
        refused = "Units refused because the store could not commit."
        yield _counter("livecore_batch_refused_units", refused, self._refused_units)
        yield _gauge("livecore_writes_queued", "Writes that wait for their batch.", self.queued())
        yield _gauge(
            "livecore_store_failing", "1 while the store cannot be read or written, else 0.", self.store_failing
        )

        yield _gauge(
            "livecore_write_ahead_log_bytes",
            "What a database file's write-ahead log takes on the disk.",
            self.log_bytes(),
        )

    def _collect_work(self) -> Iterator[Metric]:
        due = CounterMetricFamily("livecore_due_work", "Due work, by how it ended.", labels=["kind", "outcome"])
        for (kind, outcome), count in self._due.items():
            due.add_metric([kind, outcome], count)
        yield due
        yield _gauge("livecore_due_lag_seconds", "How overdue the most overdue work is.", self.due_lag_seconds)
        silent = GaugeMetricFamily("livecore_loop_silent_seconds", "Since a loop last came round.", labels=["loop"])
        for name, seconds in self.silent_seconds().items():
            silent.add_metric([name], seconds)
        yield silent
        yield _counter("livecore_log_lines_dropped", "Lines of the log that were dropped.", self.dropped_lines())
        yield _counter("livecore_flushed_facts", "Values of the ephemeral state written.", self._flushed)
        yield from self.webhooks.collect()
        yield from self.backlogs.collect()


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def _histogram(name: str, text: str, histogram: _Histogram) -> Metric:
    return HistogramMetricFamily(name, text, buckets=histogram.buckets(), sum_value=histogram.total)

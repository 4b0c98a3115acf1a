"""Counts of several workers: added up by whichever is asked, and never going back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from livecore_server.backlog_gauges import WatchedEndpoint
from livecore_server.metrics import Metrics
from livecore_server.workers.metrics import SharedCounts, forget_gauges


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Callable[[int], Metrics]]:
    """Makes the metrics of the worker with a number."""
    with ExitStack() as stack:

        def make(number: int) -> Metrics:
            metrics = Metrics()
            metrics.expose = stack.enter_context(closing(SharedCounts(tmp_path, number))).text
            return metrics

        yield make


def samples(metrics: Metrics) -> dict[str, float]:
    """What Prometheus reads of one worker, where names and labels say enough."""
    return {
        " ".join([sample.name, *(value for _, value in sorted(sample.labels.items()))]): sample.value
        for family in text_string_to_metric_families(metrics.text().decode())
        for sample in family.samples
    }


def test_counters_and_histograms_add_up_and_gauges_each_in_their_way(worker: Callable[[int], Metrics]) -> None:
    """Requests in progress are a sum; of delays the worst counts."""
    one, other = worker(1), worker(2)
    for metrics, seconds in ((one, 0.0625), (other, 0.0625), (other, 16.0)):
        metrics.answered("sdk:x", 200, seconds)
    one.in_progress, other.in_progress = 3, 4
    one.due_lag_seconds, other.due_lag_seconds = 1.0, 9.0
    one.log_bytes, other.log_bytes = lambda: 4_000, lambda: 5_000
    one.text()
    found = samples(other)
    assert found["livecore_requests_total sdk:x 200"] == 3
    assert found["livecore_request_seconds_count sdk:x"] == 3
    assert found["livecore_request_seconds_bucket 0.1 sdk:x"] == 2
    assert found["livecore_request_seconds_bucket 10.0 sdk:x"] == 2
    assert found["livecore_request_seconds_bucket +Inf sdk:x"] == 3
    assert found["livecore_request_seconds_sum sdk:x"] == 16.125
    assert found["livecore_requests_in_progress"] == 7
    assert found["livecore_due_lag_seconds"] == 9
    assert found["livecore_write_ahead_log_bytes"] == 5_000


def test_what_else_workers_share_is_no_count(worker: Callable[[int], Metrics], tmp_path: Path) -> None:
    """Their ephemeral state lies in the same folder."""
    one = worker(1)
    (tmp_path / "memory.db").write_bytes(b"SQLite format 3\0" + bytes(4080))
    assert samples(one)["livecore_requests_in_progress"] == 0


def test_a_dead_worker_leaves_its_counters_and_takes_its_gauges(
    worker: Callable[[int], Metrics], tmp_path: Path
) -> None:
    """Whoever gets its number goes on from there."""
    one, other = worker(1), worker(2)
    one.answered("sdk:x", 200, 0.1)
    one.in_progress = 5
    one.text()
    forget_gauges(tmp_path, 1)
    found = samples(other)
    assert found["livecore_requests_total sdk:x 200"] == 1
    assert found["livecore_requests_in_progress"] == 0
    successor = worker(1)
    successor.answered("sdk:x", 200, 0.1)
    successor.text()
    assert samples(other)["livecore_requests_total sdk:x 200"] == 2
    assert samples(successor)["livecore_request_seconds_count sdk:x"] == 2


def test_what_all_workers_read_of_one_database_is_not_added_up(worker: Callable[[int], Metrics]) -> None:
    """Each has looked at another time; an endpoint that is gone for all of them is shown no more."""
    one, other = worker(1), worker(2)

    def seen(metrics: Metrics, **waiting: int) -> None:
        metrics.backlogs.seen = [
            WatchedEndpoint(
                labels=("gam_1", "live", endpoint),
                waiting=count,
                held=count,
                oldest_at=None,
                paused_at=8_000,
                sealed=True,
            )
            for endpoint, count in waiting.items()
        ]
        metrics.text()

    def shown() -> dict[str, float]:
        found, same = (
            {
                name: value
                for name, value in samples(each).items()
                if name.startswith("livecore_webhook_deliveries_held")
            }
            for each in (one, other)
        )
        assert found == same
        return found

    held = "livecore_webhook_deliveries_held whe_{} live gam_1".format
    seen(one, whe_a=40_000, whe_b=3)
    seen(other, whe_a=40_001, whe_b=3)
    assert shown() == {held("a"): 40_001, held("b"): 3}
    assert samples(one)["livecore_webhook_paused_since_seconds whe_a live gam_1"] == 8
    assert samples(one)["livecore_webhook_endpoints_unsealable"] == 2
    seen(one, whe_a=1)
    assert shown() == {held("a"): 40_001, held("b"): 3}
    seen(other, whe_a=1)
    assert shown() == {held("a"): 1}
    seen(other, whe_a=1, whe_b=2)
    assert shown() == {held("a"): 1, held("b"): 2}

"""What progress does to the metrics of an attempt: the laws of each aggregation, thresholds, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.api.configuration.game_config import parse_config
from livecore.events.definition import EventDefinition
from livecore.events.definition_rows import Metric
from livecore.events.scoring import begun, crossed, progressed, score_of
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.leaderboards.scoring import reaches
from tests.competition.games import event
from tests.worlds import config

METRICS: Final = tuple(
    Metric(key=aggregation, aggregation=aggregation) for aggregation in ("sum", "best", "lowest", "last")
)
VALUES: Final = st.lists(st.integers(0, 10**6), min_size=1, max_size=20)
WHOLE: Final[dict[str, Callable[[Sequence[int]], int]]] = {
    "sum": sum, "best": max, "lowest": min, "last": lambda values: values[-1],
}  # fmt: skip
"""What each aggregation makes of all values together."""


def declared(**fields: Any) -> EventDefinition:  # noqa: ANN401 - JSON
    """An event as a game declares it."""
    return parse_config({**config(), "events": [event(**fields)]}).events[0]


@given(VALUES)
def test_progress_in_steps_is_what_all_values_together_are(values: list[int]) -> None:
    """Whatever the aggregation, and all metrics of a call at once."""
    after = reduce(
        lambda before, value: progressed(METRICS, before, {metric.key: value for metric in METRICS}),
        values,
        begun(METRICS),
    )
    assert after == {name: whole(values) for name, whole in WHOLE.items()}


def test_only_a_sum_has_a_value_before_its_first() -> None:
    """An attempt without progress has score 0, or none."""
    assert begun(METRICS) == {"sum": 0}
    assert score_of(declared(), begun(declared().metrics)) == 0
    best = declared(metrics=[{"key": "lap", "aggregation": "lowest"}])
    assert score_of(best, begun(best.metrics)) is None


@pytest.mark.parametrize(
    ("given_", "faults"),
    [
        ({"jumps": 1}, ["metrics.jumps"]),
        ({"sum": -1, "best": -1}, ["metrics.sum"]),
        ({"sum": MAX_AMOUNT}, ["metrics.sum"]),
        ({"last": 1, "jumps": 1, "sum": -5}, ["metrics.jumps", "metrics.sum"]),
    ],
)
def test_what_is_refused_is_named_all_at_once(given_: dict[str, int], faults: list[str]) -> None:
    """And the values before stay what they were."""
    before = {"sum": 1}
    with pytest.raises(ValidationFailed) as refused:
        progressed(METRICS, before, given_)
    assert list(refused.value.fields) == faults
    assert before == {"sum": 1}


@given(st.integers(-100, 100), st.integers(-100, 100))
def test_a_threshold_is_reached_from_the_better_side(score: int, threshold: int) -> None:
    """At the threshold itself in both orders, and beyond it where a better score lies."""
    assert reaches("desc", score, threshold) is not (threshold > score)
    assert reaches("asc", score, threshold) is not (threshold < score)
    for order in ("desc", "asc"):
        assert reaches(order, threshold, threshold)
        assert not reaches(order, None, threshold)


@given(st.permutations([10, 20, 30]), st.lists(st.integers(0, 40), max_size=10), st.sampled_from(["desc", "asc"]))
def test_each_milestone_is_crossed_once_and_the_nearest_first(
    thresholds: list[int], scores: list[int], order: str
) -> None:
    """In whatever order they are declared, and however many one step crosses."""
    milestones = [{"key": f"at-{threshold}", "threshold": threshold} for threshold in thresholds]
    made = declared(milestones=milestones, order=order, metrics=[{"key": "points", "aggregation": "last"}])
    reached: list[str] = []
    for score in scores:
        step = [milestone.threshold for milestone in crossed(made, score, reached)]
        assert step == sorted(step, reverse=order == "asc")
        reached += [f"at-{threshold}" for threshold in step]
    assert len(reached) == len(set(reached))
    best = max(scores, default=0) if order == "desc" else min(scores, default=99)
    expected = {f"at-{at}" for at in thresholds if (best >= at if order == "desc" else best <= at)}
    assert set(reached) == (expected if scores else set())

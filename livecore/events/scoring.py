"""How progress changes an attempt's metrics, and what the score has reached by it: pure functions, no store.

A metric that sums begins at 0. One that keeps the best, the lowest or the last value has none before its first. The score is
the value of one metric; with `order: asc` less is better, so a threshold is reached at or below it, otherwise at or above.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from livecore.events.definition import EventDefinition
from livecore.events.definition_rows import Metric, Milestone
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.quoting import quoted, there_are
from livecore.leaderboards.definition_rows import Order
from livecore.leaderboards.scoring import applied, fault_of, reaches

_NOT_A_METRIC: Final = "is not a metric of this event"


def begun(metrics: Collection[Metric]) -> dict[str, int]:
    """The values of an attempt's metrics when it begins; a metric without a value is left out."""
    return {metric.key: 0 for metric in metrics if metric.aggregation == "sum"}


def progressed(metrics: Collection[Metric], before: Mapping[str, int], given: Mapping[str, int]) -> dict[str, int]:
    """The values after progress, of all metrics that have one.

    Raises `ValidationFailed`, naming each metric that the event does not have, that takes only what is added and is given
    less than nothing, or that would pass 2^53 - 1.
    """
    by_key = {metric.key: metric for metric in metrics}
    faults: dict[str, str] = {}
    words: dict[str, str] = {}
    after = dict(before)
    for key, value in given.items():
        metric = by_key.get(key)
        if metric is None:
            faults[f"metrics.{key}"] = _NOT_A_METRIC
            words[f"metrics.{key}"] = f"{quoted(key)} {_NOT_A_METRIC}: {there_are(by_key)}"
        elif (fault := fault_of(metric.aggregation, before.get(key), value)) is not None:
            faults[f"metrics.{key}"] = fault
        else:
            after[key] = applied(metric.aggregation, before.get(key), value)
    if faults:
        raise ValidationFailed(faults, words=words)
    return after


def score_of(event: EventDefinition, metrics: Mapping[str, int]) -> int | None:
    """The score of an attempt with these values; `None` before its metric has one."""
    return metrics.get(event.score_metric.key)


def crossed(event: EventDefinition, score: int | None, already: Collection[str]) -> list[Milestone]:
    """The milestones of an event that an attempt's score has reached and had not before, the nearest first."""
    return crossed_of(event.milestones, event.order, score, already)


def crossed_of(
    milestones: Iterable[Milestone], order: Order, score: int | None, already: Collection[str]
) -> list[Milestone]:
    """The milestones that a score has reached and that were not reached before, the nearest first."""
    found = [known for known in milestones if known.key not in already and reaches(order, score, known.threshold)]
    return sorted(found, key=lambda milestone: milestone.threshold, reverse=order == "asc")

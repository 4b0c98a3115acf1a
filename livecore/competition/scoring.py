"""How progress changes an attempt's metrics, and what the score has reached by it: pure functions, no store.

A metric that sums begins at 0. One that keeps the best, the lowest or the last value has none before its first. The score is
the value of one metric; with `order: asc` less is better, so a threshold is reached at or below it, otherwise at or above.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from livecore.competition.definition_rows import Aggregation, Metric, Milestone, Order
from livecore.competition.event_config import EventDefinition
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.quoting import quoted, there_are
from livecore.kernel.wire.shapes import MAX_AMOUNT

__all__ = ["applied", "begun", "crossed", "crossed_of", "fault_of", "progressed", "reaches", "score_of"]

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


def fault_of(aggregation: Aggregation, before: int | None, value: int) -> str | None:
    """What is wrong with a new value of something that has this value (`None`: none yet)."""
    if aggregation == "sum" and value < 0:
        return "must be at least 0, because it is added"
    if abs(applied(aggregation, before, value)) > MAX_AMOUNT:
        return f"would make the sum pass {MAX_AMOUNT}"
    return None


def applied(aggregation: Aggregation, before: int | None, value: int) -> int:
    """The value after a new one has been taken."""
    if before is None or aggregation == "last":
        return value
    if aggregation == "sum":
        return before + value
    return max(before, value) if aggregation == "best" else min(before, value)


def score_of(event: EventDefinition, metrics: Mapping[str, int]) -> int | None:
    """The score of an attempt with these values; `None` before its metric has one."""
    return metrics.get(event.score_metric.key)


def reaches(order: Order, score: int | None, threshold: int) -> bool:
    """Whether a score has reached a threshold."""
    if score is None:
        return False
    return score >= threshold if order == "desc" else score <= threshold


def crossed(event: EventDefinition, score: int | None, already: Collection[str]) -> list[Milestone]:
    """The milestones of an event that an attempt's score has reached and had not before, the nearest first."""
    return crossed_of(event.milestones, event.order, score, already)


def crossed_of(
    milestones: Iterable[Milestone], order: Order, score: int | None, already: Collection[str]
) -> list[Milestone]:
    """The milestones that a score has reached and that were not reached before, the nearest first."""
    found = [known for known in milestones if known.key not in already and reaches(order, score, known.threshold)]
    return sorted(found, key=lambda milestone: milestone.threshold, reverse=order == "asc")

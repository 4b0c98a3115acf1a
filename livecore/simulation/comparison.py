"""What differs between two configurations that the same players have played, over several seeds.

For each seed both variants are played with the same keyed draws, so the difference of a figure within one seed is what the
change of the configuration did, and what followed from it. Its range over the seeds says how much of it is chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from livecore.kernel.errors import JsonObject
from livecore.kernel.values import value
from livecore.simulation.figures import Figures


@value
class Range:
    """A figure over the replicas of one configuration."""

    mean: float
    low: float
    high: float


@value
class Difference:
    """A figure of two configurations: the means `a` and `b`, the mean of the differences `b - a`, and their range."""

    a: float
    b: float
    difference: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Whether the difference has the same sign with every seed; otherwise chance explains it."""
        return self.low > 0 or self.high < 0

    def json(self) -> JsonObject:
        """As the JSON of a comparison."""
        return {"a": self.a, "b": self.b, "difference": self.difference, "low": self.low, "high": self.high}


def ranges_of(replicas: Sequence[Figures]) -> dict[str, Range]:
    """Each figure over the replicas; one that a replica does not have counts as 0 there."""
    return {name: _range([figures.get(name, 0) for figures in replicas]) for name in _names(replicas)}


def _names(replicas: Sequence[Figures]) -> list[str]:
    return list(dict.fromkeys(name for figures in replicas for name in figures))


def _range(numbers: Sequence[float]) -> Range:
    return Range(fmean(numbers), min(numbers), max(numbers))


def compare(first: Sequence[Figures], second: Sequence[Figures]) -> dict[str, Difference]:
    """The difference of each figure between two configurations; the replicas of both are in the order of their seeds."""
    compared: dict[str, Difference] = {}
    for name in _names([*first, *second]):
        before, after = ([figures.get(name, 0) for figures in replicas] for replicas in (first, second))
        change = _range([b - a for a, b in zip(before, after, strict=True)])
        compared[name] = Difference(fmean(before), fmean(after), change.mean, change.low, change.high)
    return compared

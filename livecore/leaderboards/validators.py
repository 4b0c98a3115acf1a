"""Validators: limits that every write of a score is held to, as pure functions of what changes.

A validator sees one metric before and after the write, and how much time its rate is measured over. Its limits are
inclusive. The kinds of the configuration are in `KINDS`; a program that embeds the core adds its own with `register`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from livecore.kernel.time import SECOND, Millis
from livecore.kernel.values import keyword_value
from livecore.leaderboards.definition import Validator
from livecore.leaderboards.webhook_events import MetricSnapshot


@keyword_value
class Sample:
    """One metric in one write; `gained` is what a rate counts, over `elapsed` milliseconds.

    The rate is measured over at least a second, so that a report just after the start of an attempt is not infinitely fast;
    `at_least` is shorter where each write has a rate of its own, or who writes more often would gain more.
    """

    metric: str
    before: int | None
    after: int
    gained: int
    elapsed: Millis
    at_least: Millis = SECOND

    @property
    def rate(self) -> float:
        """The mean gain per second."""
        return self.gained * SECOND / max(self.elapsed, self.at_least)

    @property
    def step(self) -> int:
        """How much the value changed, in either direction; a first value is no change."""
        return 0 if self.before is None else abs(self.after - self.before)


@keyword_value
class Finding:
    """A limit that a write is beyond."""

    validator: Validator
    reason: str
    snapshot: MetricSnapshot


Judge: TypeAlias = "Callable[[Validator, Sample], tuple[str, float] | None]"
"""Says what is wrong with a sample, and the limit that it is beyond; `None` where nothing is."""


def _rate(validator: Validator, sample: Sample) -> tuple[str, float] | None:
    limit = validator.limit or 0
    return (f"gains more than {limit} a second", limit) if sample.rate > limit else None


def _step(validator: Validator, sample: Sample) -> tuple[str, float] | None:
    limit = validator.limit or 0
    return (f"changes by more than {limit} at once", limit) if sample.step > limit else None


def _range(validator: Validator, sample: Sample) -> tuple[str, float] | None:
    if validator.min is not None and sample.after < validator.min:
        return f"is below {validator.min}", validator.min
    if validator.max is not None and sample.after > validator.max:
        return f"is above {validator.max}", validator.max
    return None


KINDS: Final[dict[str, Judge]] = {"max_rate": _rate, "max_step": _step, "range": _range}
"""The kinds of validators by their names in the configuration."""
BUILT_IN: Final = tuple(KINDS)
"""The kinds of the service itself."""


def register(kind: str, judge: Judge) -> None:
    """Add a kind of validator, which the configuration may then name. Raises `ValueError` for a name that is taken.

    `judge` is a pure function: it gets the validator as the configuration declares it and what a write changes of one
    metric, and returns `None`, or what is wrong (half of a sentence about the metric) with the limit that was passed.
    A program registers its kinds before it loads a configuration, the same ones in every process.
    """
    if kind in KINDS:
        raise ValueError(f"there is a kind of validator called {kind!r}")
    KINDS[kind] = judge


def judged(validators: Iterable[Validator], samples: Mapping[str, Sample], usual: str) -> Iterator[Finding]:
    """What is found about a write, in the order of the validators.

    `samples` has the metrics that the write changes; a validator without a metric is about the `usual` one.
    """
    for validator in validators:
        sample = samples.get(validator.metric or usual)
        # A window that is open may name a kind that this release does not have: play goes on without it.
        judge = KINDS.get(validator.kind)
        found = None if sample is None or judge is None else judge(validator, sample)
        if sample is not None and found is not None:
            reason, limit = found
            yield Finding(validator=validator, reason=f"{sample.metric} {reason}", snapshot=_snapshot(sample, limit))


def _snapshot(sample: Sample, limit: float) -> MetricSnapshot:
    return MetricSnapshot(
        metric_key=sample.metric,
        before=sample.before or 0,
        after=sample.after,
        elapsed_sec=sample.elapsed / SECOND,
        avg_rate=sample.rate,
        limit=limit,
    )


def rejecting(findings: Iterable[Finding]) -> Finding | None:
    """The first finding that rejects a write; `None` where they all only flag it."""
    for finding in findings:
        if finding.validator.verdict == "reject":
            return finding
    return None

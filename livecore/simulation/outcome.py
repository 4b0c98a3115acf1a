"""The outcome of a simulation: the runs of one configuration, perhaps those of another, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import attrs

from livecore.api.configuration.game_config import GameConfig
from livecore.kernel.errors import Json, JsonObject
from livecore.simulation.comparison import Difference, Range, compare, ranges_of
from livecore.simulation.figures import Figures, figures_of, nested
from livecore.simulation.findings import Finding, findings_of
from livecore.simulation.gates import Gate, Verdict, judge
from livecore.simulation.observed import Observed

_DIGITS = 10
"""Figures are written with so many digits after the point: what lies beyond is the arithmetic's, not the game's."""


@attrs.frozen
class About:
    """What was simulated: enough to do it again."""

    version: str
    """Of Livecore."""
    time_zones: str
    """The version of the zones' data."""
    seeds: tuple[int, ...]
    players: int
    days: int
    start: str
    config_digest: str
    """SHA-256 of the configuration's file."""
    population_digest: str
    other_digest: str | None = None
    """Of the configuration that it was compared with."""

    def json(self) -> JsonObject:
        """As the JSON of an outcome."""
        found: JsonObject = {
            "version": self.version,
            "timeZones": self.time_zones,
            "seeds": list(self.seeds),
            "players": self.players,
            "days": self.days,
            "start": self.start,
            "configDigest": self.config_digest,
            "populationDigest": self.population_digest,
        }
        return found if self.other_digest is None else {**found, "otherConfigDigest": self.other_digest}


@attrs.frozen(slots=False)
class Outcome:
    """All that came out of a simulation.

    `runs` are those of the configuration, in the order of the seeds; `others` are those of the other one, with the same
    seeds; `idle` is the first run once more, with one request more that changes nothing.
    """

    about: About
    config: GameConfig
    runs: Sequence[Observed]
    gates: Sequence[Gate] = ()
    other_config: GameConfig | None = None
    others: Sequence[Observed] = ()
    idle: Observed | None = None

    @cached_property
    def replicas(self) -> Sequence[Figures]:
        """The figures of each run."""
        return [figures_of(run, self.config) for run in self.runs]

    @cached_property
    def ranges(self) -> Mapping[str, Range]:
        """Each figure over the replicas."""
        return ranges_of(self.replicas)

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """The findings of the first run."""
        return findings_of(self.runs[0], self.config)

    def figures(self) -> Figures:
        """The figures: the means over the replicas."""
        return {name: found.mean for name, found in self.ranges.items()}

    def verdicts(self) -> list[Verdict]:
        """How the gates decide."""
        return judge(self.gates, self.figures())

    def differences(self) -> dict[str, Difference]:
        """Each figure of the two configurations: `a` is this one's, `b` the other's; empty without another one."""
        if self.other_config is None:
            return {}
        other = self.other_config
        return compare(self.replicas, [figures_of(run, other) for run in self.others])

    def noise(self) -> dict[str, float]:
        """By how much one idle request changes each figure of the first run: nothing, if all draws are keyed."""
        if self.idle is None:
            return {}
        changed = compare(self.replicas[:1], [figures_of(self.idle, self.config)])
        return {name: found.difference for name, found in changed.items()}

    def json(self) -> JsonObject:
        """The whole outcome as JSON: the figures by their paths, and beside them where they come from."""
        figures = _rounded(self.figures())
        found: JsonObject = {
            **nested(figures),
            "run": self.about.json(),
            "figures": dict(figures),
            "ranges": {name: _numbers(mean=one.mean, low=one.low, high=one.high) for name, one in self.ranges.items()},
            "gates": [{"gate": one.gate.text, "figure": _round(one.figure), "met": one.met} for one in self.verdicts()],
            "findings": [
                {"weight": one.weight, "topic": one.topic, "text": one.text, "path": one.path} for one in self.findings
            ],
        }
        if self.other_config is not None:
            found["against"] = {
                name: {**_numbers(**one.json()), "sure": one.is_sure} for name, one in self.differences().items()
            }
            found["noise"] = dict(_rounded(self.noise()))
        return found


def _rounded(figures: Figures) -> Figures:
    return {name: _round(number) for name, number in figures.items()}


def _round(number: float) -> float:
    """A whole number as one, everything else with few digits."""
    return int(number) if number == int(number) else round(number, _DIGITS)


def _numbers(**numbers: Json) -> dict[str, Json]:
    return {name: _round(number) for name, number in numbers.items() if isinstance(number, int | float)}

"""How the report writes figures, causes and resources, and marks what only the population assumes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from livecore.api.configuration.game_config import GameConfig
from livecore.simulation.observed import Cause, Observed, Resource
from livecore.simulation.report.markup import Markup, joined, tag, text

K = TypeVar("K")
_ASSUMED = ("backend:", "shop:", "purchase:")
_CAUSES = {
    "milestone": "milestone",
    "completion": "completion",
    "rank": "rank",
    "entry": "entry cost",
    "crate": "crate",
    "team_milestone": "team milestone",
    "team_goal": "team goal",
    "team_rank": "team rank",
    "backend": "backend",
    "shop": "shop",
    "purchase": "purchase",
    "gift": "gift",
    "gift_free": "gift that costs nothing",
    "guild_cost": "founding a guild",
    "consumed": "used up",
    "guild_help": "help in a guild",
    "guild_help_free": "help that costs nothing",
    "guild_help_reward": "reward for helping",
}
MARK = "†"
"""Behind what follows from an assumption of the population and not from the configuration."""


def count(number: float) -> str:
    """A number with its thousands apart; few digits after the point."""
    return f"{number:,.0f}" if number == int(number) or abs(number) >= 1_000 else f"{number:,.3g}"


def change(number: float) -> str:
    """A difference with its sign: a large or a whole number with its thousands apart, another one with few digits."""
    return f"{number:+,.0f}" if number == int(number) or abs(number) >= 1_000 else f"{number:+.4g}"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.1f} %"


def money(cents: float) -> str:
    """US cents as dollars."""
    return f"${cents / 100:,.2f}"


def cause_name(cause: Cause) -> str:
    """A cause in words, such as `milestone daily-dash/hot`."""
    kind, _, rest = cause.partition(":")
    name = " ".join(filter(None, (_CAUSES.get(kind, kind), rest)))
    return f"{name} {MARK}" if cause.startswith(_ASSUMED) else name


def is_assumed(cause: Cause) -> bool:
    """Whether a cause is an assumption of the population."""
    return cause.startswith(_ASSUMED)


def names_of(config: GameConfig) -> Mapping[Resource, str]:
    """The names of the resources."""
    named = {f"currency:{entry.key}": entry.name or entry.key for entry in config.economy}
    named |= {f"item:{item.key}": item.name or item.key for item in config.items}
    return named | {f"crate:{crate.key}": crate.name or crate.key for crate in config.crates}


def by_day(flows: Counter[tuple[int, Resource, Cause, str]], resource: Resource, days: int) -> dict[Cause, list[float]]:
    """What flowed, by its cause and the day."""
    found: dict[Cause, list[float]] = {}
    for (day, key, cause, _), amount in flows.items():
        if key == resource and day < days:
            found.setdefault(cause, [0.0] * days)[day] += amount
    return found


def daily(counted: Mapping[tuple[int, K], float], days: int) -> dict[K, list[float]]:
    """Counts by day and something, as a series for each."""
    found: dict[K, list[float]] = {}
    for (day, what), number in sorted(counted.items(), key=lambda item: str(item[0][1])):
        if day < days:
            found.setdefault(what, [0.0] * days)[day] += number
    return found


def day_labels(observed: Observed) -> list[str]:
    """The days as people count them, from 1."""
    return [str(day + 1) for day in range(observed.days)]


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Small facts beside one another."""
    return tag(
        "dl", *(tag("div", tag("dt", text(name)), tag("dd", text(fact))) for name, fact in pairs), class_="facts"
    )


def paragraphs(lines: Sequence[str]) -> Markup:
    """Each line as a paragraph."""
    return joined(tag("p", text(line)) for line in lines)

"""Findings about resources: growth, sinks that nobody uses, wealth, and value that waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import sqrt
from statistics import stdev
from typing import Final

from livecore.api.configuration.game_config import GameConfig
from livecore.simulation.figures import daily_growths, gini, inflation, not_moved
from livecore.simulation.findings.finding import Finding, percent
from livecore.simulation.observed import Cause, Observed

_GROWTH: Final = 0.01
"""Daily growth in the second half of a run from which a currency is said to grow."""
_ERRORS: Final = 2
"""How many standard errors the growth must exceed."""
_WEEK: Final = 7
_GINI: Final = 0.8
_WAITING: Final = 0.25
_SHARE_OF_ONE: Final = 0.5
_CAUSES: Final = {
    "gift_free": "gifts that cost nothing",
    "guild_help_free": "help that costs the donor nothing",
    "guild_help_reward": "rewards for helping",
}
_KINDS: Final = {
    "milestone": "the milestone {}", "completion": "completing {}", "rank": "ranks of {}", "crate": "the crate {}",
    "team_milestone": "team milestones of {}", "team_goal": "the team goal of {}", "team_rank": "team ranks of {}",
    "backend": "{}, which the backend gives (an assumption)", "purchase": "{}, which players buy (an assumption)",
    "shop": "{}, which players buy in the game (an assumption)", "entry": "the entry cost of {}",
}  # fmt: skip


def in_words(cause: Cause) -> str:
    """A cause within a sentence."""
    kind, _, rest = cause.partition(":")
    return _CAUSES.get(cause) or _KINDS.get(kind, kind.replace("_", " ")).format(rest)


def economy_findings(observed: Observed, config: GameConfig) -> Iterator[Finding]:
    """A look at each currency."""
    for place, entry in enumerate(config.economy):
        name, resource, path = entry.name or entry.key, f"currency:{entry.key}", f"economy[{place}]"
        gained, spent = not_moved(observed.gained, resource), not_moved(observed.spent, resource)
        minted, supply = sum(gained.values()), observed.supply.get(resource, [])
        if not minted:
            yield Finding("note", "economy", f"Nobody got any {name}.", path)
            continue
        if entry.kind == "currency":  # a progression is meant to grow
            yield from _growth(observed, name, supply, gained, path)
        if entry.kind == "currency" and not spent:
            yield Finding("warning", "economy", f"Nothing takes {name} out of the game: nobody spent any.", path)
        yield from _wealth(observed, name, resource, path)
        waiting, held = observed.waiting.get(resource, 0), supply[-1] if supply else 0
        if waiting > _WAITING * (held + waiting):
            text = f"{percent(waiting / (held + waiting))} of all {name} waits in grants and gifts that nobody has claimed."
            yield Finding("note", "economy", text, path)


def _growth(observed: Observed, name: str, supply: list[int], gained: Counter[Cause], path: str) -> Iterator[Finding]:
    growth = inflation(supply)
    cause, amount = max(gained.items(), key=lambda item: (item[1], item[0]))
    share = amount / sum(gained.values())
    source = f"{percent(share)} of it comes from {in_words(cause)}"
    if observed.days > _WEEK and growth > max(_GROWTH, _by_chance(supply)):
        rise = (supply[-1] - supply[-1 - _WEEK]) / _WEEK
        doubled = f": at the pace of the last week it doubles in {supply[-1] / rise:.0f} days" if rise > 0 else ""
        text = f"The supply of {name} grows by {percent(growth)} a day{doubled}; {source}."
        yield Finding("warning", "economy", text, path)
    elif share > _SHARE_OF_ONE:
        yield Finding("note", "economy", f"The supply of {name} has one large source: {source}.", path)


def _by_chance(supply: list[int]) -> float:
    """The mean growth up to which the ups and downs from day to day explain it: what few players hold is never steady."""
    growths = daily_growths(supply)
    return _ERRORS * stdev(growths) / sqrt(len(growths)) if len(growths) > 1 else 0


def _wealth(observed: Observed, name: str, resource: str, path: str) -> Iterator[Finding]:
    balances = observed.balances.get(resource, [])
    if gini(balances) > _GINI:
        tenth = balances[-max(1, len(balances) // 10) :]
        text = f"Few players hold {name}: the richest tenth has {percent(sum(tenth) / sum(balances))} of all."
        yield Finding("note", "economy", text, path)

"""When one virtual player is there: arrival, sessions by local time and weekday, leaving and coming back.

It follows from the behaviour and the player's own draws alone, never from what happened in the game. So two variants of a
season have the same players at the same times.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import ceil, fsum
from typing import Literal, TypeAlias, TypeVar

from livecore.kernel.entropy import Entropy
from livecore.kernel.time import MINUTE, Millis
from livecore.kernel.values import value
from livecore.simulation.draws import Draws
from livecore.simulation.traits import Traits
from livecore.simulation.zones import instant, local_day, weekday_of

T = TypeVar("T")
What: TypeAlias = Literal["session", "left", "came_back"]
_HOUR_SECONDS = 3_600
_MOST_SESSIONS = 100


@value
class Attended:
    """Something in the life of a virtual player."""

    at: Millis
    what: What
    length: Millis = 0
    """Of a session."""


def weighted(entropy: Entropy, items: Sequence[T], weights: Sequence[float]) -> T:
    """One item, each with a chance in proportion to its weight."""
    sums = list(accumulate(weights))
    return items[min(bisect(sums, entropy.unit_interval() * sums[-1]), len(items) - 1)]


def zone_of(who: str, traits: Traits, draws: Draws) -> str:
    """The time zone that a player lives in."""
    names = sorted(traits.time_zones)
    return weighted(draws.next(who, "zone"), names, [traits.time_zones[name] for name in names])


def attendance(who: str, traits: Traits, zone: str, draws: Draws, start: Millis, end: Millis) -> Iterator[Attended]:
    """The life of a player from `start` to `end`, in the order of time; it begins with the first session."""
    first = local_day(zone, start)
    arrival = draws.next(who, "arrival")
    comes = first if arrival.unit_interval() < traits.at_start else first + 1 + arrival.below(traits.over_days)
    mean = fsum(traits.weekdays) / 7  # `sum` adds otherwise from Python 3.12 on
    here, before, begun = True, start - 1, False
    for day in range(comes, local_day(zone, end) + 1):
        drawn = draws.next(who, "day")
        returns = not here and drawn.unit_interval() < traits.return_per_day
        if not (here or returns):
            continue
        wanted = traits.sessions_per_day * traits.weekdays[weekday_of(day)] / mean
        for at in _times(drawn, _count(drawn, wanted, least=int(returns or not begun)), traits, zone, day):
            # A session that would begin within another is left out, and so is one of the first day before the start.
            if before < at < end:
                if not here:
                    yield Attended(at, "came_back")
                length = max(round(traits.session_minutes * MINUTE * (0.4 + 1.2 * drawn.unit_interval())), 1)
                yield Attended(at, "session", length)
                here, begun, before = True, True, at + length
        # Whoever would have come back, but for a session that is left out, stays away and does not leave again.
        if here and begun and drawn.unit_interval() < traits.churn_per_day:
            here = False
            yield Attended(min(max(before + 1, instant(zone, day, 0)), end), "left")


def _count(entropy: Entropy, mean: float, least: int) -> int:
    """How many sessions a day has: tries of equal chance, by arithmetic that is the same on every platform."""
    tries = 2 + ceil(3 * mean)
    count = sum(entropy.unit_interval() * tries < mean for _ in range(tries))
    return min(max(count, least), _MOST_SESSIONS)


def _times(entropy: Entropy, count: int, traits: Traits, zone: str, day: int) -> list[Millis]:
    hours = [weighted(entropy, range(24), traits.hours) for _ in range(count)]
    return sorted(instant(zone, day, hour * _HOUR_SECONDS + entropy.below(_HOUR_SECONDS)) for hour in hours)

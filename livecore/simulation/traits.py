"""What one behaviour is like, with every value decided: what `population` makes of a file and of the presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs


@attrs.frozen
class Activities:
    """How inclined a behaviour is to each part of the game, from 0 (never) to 1 (whenever it can)."""

    events: float = 0.7
    guilds: float = 0.5
    lobbies: float = 0.5
    teams: float = 0.5
    crates: float = 1.0


@attrs.frozen
class Traits:
    """What a behaviour does in a day, on the mean."""

    sessions_per_day: float
    session_minutes: float
    churn_per_day: float
    """The chance that a player has left for good, so far, by the end of a day."""
    return_per_day: float
    """The chance that one who has left comes back on a day."""
    friendliness: float
    generosity: float
    skill: float
    spend_per_day: float
    """In US dollars, for each day on which the player is there."""
    time_zones: Mapping[str, float]
    """Weights of IANA time zones."""
    weekdays: tuple[float, ...]
    """Weights of the days from Monday on."""
    hours: tuple[float, ...]
    """Weights of the 24 hours of the local day."""
    at_start: float
    """The part of the players who are there from the first day on."""
    over_days: int
    """The days over which the others arrive."""
    activities: Activities
    griefing: float = 0.0
    """How often a player tries what is refused."""

    def evolved(self, **changes: Any) -> Self:  # noqa: ANN401 - any field
        """The same with some values changed."""
        return attrs.evolve(self, **changes)

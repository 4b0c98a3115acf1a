"""The behaviours that are there without a file: what each does in a day, as data.

The numbers are assumptions, chosen so that a season shows each way to play. Measure your own players and write what you find
into a population's file; a value that a behaviour there leaves out is taken from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from livecore.simulation.traits import Activities, Traits

_EVENINGS: Final = (
    2.0,
    1.0,
    0.5,
    0.3,
    0.3,
    0.5,
    1.5,
    3.0,
    3.5,
    2.5,
    2.5,
    3.0,
    4.5,
    3.5,
    3.0,
    3.0,
    3.5,
    5.0,
    6.5,
    8.0,
    9.0,
    8.5,
    6.5,
    4.0,
)
"""How likely a session begins in each hour of the local day: little at night, most in the evening."""
_ANY_HOUR: Final = (
    4.0,
    3.0,
    2.0,
    1.5,
    1.0,
    1.0,
    2.0,
    3.0,
    3.5,
    3.5,
    4.0,
    4.0,
    4.5,
    4.5,
    4.5,
    5.0,
    5.5,
    6.0,
    6.5,
    7.0,
    7.5,
    7.0,
    6.5,
    5.5,
)
_WEEKEND: Final = (0.9, 0.9, 0.9, 0.95, 1.05, 1.2, 1.1)
"""From Monday on."""
_ZONES: Final = MappingProxyType(
    {"America/New_York": 3.0, "America/Los_Angeles": 2.0, "Europe/London": 2.0, "Europe/Berlin": 3.0, "Asia/Tokyo": 2.0}
)

_CASUAL: Final = Traits(
    sessions_per_day=0.9,
    session_minutes=8,
    churn_per_day=0.08,
    return_per_day=0.004,
    friendliness=0.3,
    generosity=0.25,
    skill=0.35,
    spend_per_day=0.01,
    time_zones=_ZONES,
    weekdays=_WEEKEND,
    hours=_EVENINGS,
    at_start=0.5,
    over_days=14,
    activities=Activities(events=0.6, guilds=0.3, lobbies=0.3, teams=0.4, crates=0.9),
)

PRESETS: Final[Mapping[str, Traits]] = MappingProxyType(
    {
        "casual": _CASUAL,
        "core": _CASUAL.evolved(
            sessions_per_day=1.5, session_minutes=15, churn_per_day=0.04, return_per_day=0.006, friendliness=0.5,
            generosity=0.5, skill=0.55, spend_per_day=0.05,
            activities=Activities(events=0.9, guilds=0.7, lobbies=0.6, teams=0.7, crates=1.0),
        ),
        "collector": _CASUAL.evolved(
            sessions_per_day=1.4, session_minutes=12, churn_per_day=0.035, return_per_day=0.006, friendliness=0.7,
            generosity=0.8, skill=0.45, spend_per_day=0.08,
            activities=Activities(events=0.7, guilds=0.8, lobbies=0.2, teams=0.6, crates=1.0),
        ),
        "competitor": _CASUAL.evolved(
            sessions_per_day=2.0, session_minutes=20, churn_per_day=0.03, return_per_day=0.006, friendliness=0.3,
            generosity=0.2, skill=0.85, spend_per_day=0.1, hours=_ANY_HOUR,
            activities=Activities(events=1.0, guilds=0.6, lobbies=0.9, teams=0.8, crates=1.0),
        ),
        "spender": _CASUAL.evolved(
            sessions_per_day=1.5, session_minutes=15, churn_per_day=0.02, return_per_day=0.006, friendliness=0.4,
            generosity=0.6, skill=0.5, spend_per_day=1.5,
            activities=Activities(events=0.9, guilds=0.7, lobbies=0.6, teams=0.6, crates=1.0),
        ),
        "griefer": _CASUAL.evolved(
            sessions_per_day=1.3, session_minutes=10, churn_per_day=0.06, return_per_day=0.003, friendliness=0.6,
            generosity=0.4, skill=0.5, spend_per_day=0.0, hours=_ANY_HOUR, griefing=0.7,
            activities=Activities(events=0.8, guilds=0.5, lobbies=0.5, teams=0.5, crates=0.8),
        ),
        "lapsed": _CASUAL.evolved(
            sessions_per_day=0.8, session_minutes=8, churn_per_day=0.2, return_per_day=0.04, friendliness=0.3,
            generosity=0.3, skill=0.4, spend_per_day=0.02, at_start=0.8,
            activities=Activities(events=0.5, guilds=0.3, lobbies=0.3, teams=0.3, crates=0.9),
        ),
    }
)  # fmt: skip
"""By name. `lapsed` leaves early and often, and comes back."""

SHARES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "casual": 0.45, "core": 0.2, "collector": 0.1, "competitor": 0.08, "spender": 0.03, "griefer": 0.02, "lapsed": 0.12,
    }
)  # fmt: skip
"""The part that each has of the players where no population is given."""

"""When the periods of a shared leaderboard begin and end: weeks from Monday, months from the 1st, at 00:00 UTC."""

from __future__ import annotations

import datetime as dt
from typing import Literal, TypeAlias

from livecore.kernel.time import DAY, Millis, Timestamp, day_number

Reset: TypeAlias = Literal["never", "weekly", "monthly"]
"""How often a leaderboard begins anew."""
_FIRST_MONDAY = 4
"""1970-01-01, the day number 0, was a Thursday."""


def previous_reset(reset: Reset, moment: Millis) -> Millis:
    """When the period that is regular at a moment began; without resets, the moment itself."""
    if reset == "never":
        return moment
    day = day_number(moment)
    if reset == "weekly":
        return (day - (day - _FIRST_MONDAY) % 7) * DAY
    return int(Timestamp.of(Timestamp(moment).datetime.replace(day=1, hour=0, minute=0, second=0, microsecond=0)))


def next_reset(reset: Reset, moment: Millis) -> Millis | None:
    """The first reset after a moment; `None` where there is none."""
    if reset == "never":
        return None
    began = previous_reset(reset, moment)
    if reset == "weekly":
        return began + 7 * DAY
    month = Timestamp(began).datetime
    return int(Timestamp.of((month + dt.timedelta(days=31)).replace(day=1)))

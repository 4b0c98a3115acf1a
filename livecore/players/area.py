"""The players' area: who there is, how they prove it, and when they were there."""

from __future__ import annotations

from typing import Final

from livecore.kernel.area import Area, refusals_in
from livecore.players import refusals, seen

__all__ = ["AREA"]

AREA: Final = Area(
    name="players",
    refusals=refusals_in(refusals),
    due={seen.STREAK_SWEEP: seen.sweep_streaks},
    recurring=(seen.STREAK_SWEEP,),
    facts={seen.SEEN: seen.flush},
)

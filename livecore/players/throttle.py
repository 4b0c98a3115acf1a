"""Throttles for guessing: so many misses of one kind by one party in a while, then nothing but `rate_limited`.

Secrets and friend codes must not be found by trying. A throttle counts failures only, in the short memory, and its names
are chosen so that nobody can lock somebody else out: wrong player secrets count by address *and* player together.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import RateLimited
from livecore.kernel.time import MINUTE, Millis
from livecore.kernel.unit import Unit

__all__ = ["FAILURES_ALLOWED", "WINDOW", "note_failure", "refuse_when_throttled"]

FAILURES_ALLOWED: Final = {"friend_code": 30, "player_secret": 20}
"""Misses of each kind that one party may have in a window."""
WINDOW: Final[Millis] = 10 * MINUTE


def _name(unit: Unit, kind: str, party: str) -> str:
    return f"throttle:{kind}:{unit.scope.id}:{party}"


def refuse_when_throttled(unit: Unit, kind: str, party: str) -> None:
    """Raises `RateLimited` where the party has used up its misses."""
    state = unit.volatile.peek(_name(unit, kind, party), FAILURES_ALLOWED[kind], WINDOW, unit.now)
    if not state.allowed:
        raise RateLimited(state.reset_seconds)


def note_failure(unit: Unit, kind: str, party: str) -> None:
    """Count a miss; the party's next attempt meets it, whatever process it reaches."""
    unit.volatile.hit(_name(unit, kind, party), FAILURES_ALLOWED[kind], WINDOW, unit.now, told=True)

"""Throttles for guessing: so many misses of one kind by one party in a while, then nothing but `rate_limited`.

Secrets and friend codes must not be found by trying. A throttle counts failures only, in the short memory, and its parties
are chosen so that nobody can lock somebody else out: wrong player secrets count by address *and* player together. Unknown
friend codes count by player, and by address as well, because players cost nothing: whoever runs out of guesses would make
another one.

    refuse_when_throttled ──> compare ──right──> nothing is counted
                                      ──wrong──> note_failure: counted, and answered by the place that it was given

A right answer costs a look into the process's own memory. A wrong one is told that it is wrong only where its place lies
within what is allowed, so many guesses at once learn no more than one after another. Between the look and the count a unit
of work must not wait for anything; then a process never compares more than is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from livecore.kernel.errors import RateLimited
from livecore.kernel.time import MINUTE, Millis
from livecore.kernel.unit import Unit

__all__ = ["FAILURES_ALLOWED", "WINDOW", "Parties", "note_failure", "refuse_when_throttled"]

Kind: TypeAlias = Literal["friend_code", "friend_code_of_address", "player_secret"]
Parties: TypeAlias = Mapping[Kind, str]
"""By whom a guess counts, for each kind of throttle that it concerns."""

FAILURES_ALLOWED: Final[Mapping[Kind, int]] = {
    "friend_code": 30,
    "friend_code_of_address": 120,
    "player_secret": 20,
}
"""Misses of each kind that one party may have in a window."""
WINDOW: Final[Millis] = 10 * MINUTE


def _limits(unit: Unit, parties: Parties) -> dict[str, int]:
    """The throttles' names in the short memory, each with what it allows."""
    return {f"throttle:{kind}:{unit.scope.id}:{party}": FAILURES_ALLOWED[kind] for kind, party in parties.items()}


def refuse_when_throttled(unit: Unit, parties: Parties) -> None:
    """Raises `RateLimited` where one of the parties has used up its misses."""
    for name, allowed in _limits(unit, parties).items():
        # A transaction that runs again meets its own miss, which has been counted.
        if name not in unit.misses:
            state = unit.volatile.peek(name, allowed, WINDOW, unit.now)
            if not state.allowed:
                raise RateLimited(state.reset_seconds)


def note_failure(unit: Unit, parties: Parties) -> None:
    """Count a miss; the parties' next attempts meet it, whatever process they reach.

    Raises `RateLimited` where others came first at the same moment and left none: then the guess is not answered either.
    """
    limits = {name: allowed for name, allowed in _limits(unit, parties).items() if name not in unit.misses}
    if limits:
        unit.misses.update(unit.volatile.hit_told(limits, WINDOW, unit.now))
    for name in _limits(unit, parties):
        state = unit.misses[name]
        if not state.allowed:
            raise RateLimited(state.reset_seconds)

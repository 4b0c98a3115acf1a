"""Throttles against guessing: after a number of failures of one kind by one party in a window, only `rate_limited`.

A throttle counts only failures, in the ephemeral state. Its parties are chosen so that no caller can lock out another: wrong
player secrets count for address *and* player together. Unknown friend codes count for the player, and also for the address,
because an attacker could otherwise make a new player for more guesses.

    codes:    refuse_when_throttled ──> look up ──found──> nothing is counted
                                                ──none───> note_failure: counted, and answered by the place that it was given
    secrets:  compare ──right──> nothing is counted, and nothing refused
                      ──wrong──> refuse_when_throttled, note_failure

Friend codes are short, so they must not be found by guessing: a throttled party gets no answer about any code. A player
secret has 200 random bits, which nobody guesses. So a right one is accepted even while wrong ones from the same address are
throttled: otherwise anybody behind the address of a school could keep a player of that school out. Comparing a secret costs
a read and a hash, which the number of secrets that an address may show bounds. This throttle tells a game that goes on
with a wrong secret to wait, for long.

A right guess costs one read of the process's own memory. A wrong guess gets its answer only if its count is within the
limit, so concurrent guesses reveal no more than successive ones. Between the read and the count a unit of work must not
wait for anything; then a process never compares more codes than allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from livecore.kernel.errors import RateLimited
from livecore.kernel.time import MINUTE, Millis
from livecore.kernel.units.unit import Unit

Kind: TypeAlias = Literal["friend_code", "friend_code_of_address", "player_secret"]
Parties: TypeAlias = Mapping[Kind, str]
"""For each kind of throttle, the party that a guess counts for."""

FAILURES_ALLOWED: Final[Mapping[Kind, int]] = {
    "friend_code": 30,
    "friend_code_of_address": 120,
    "player_secret": 20,
}
"""How many failures of each kind one party may have in a window."""
_WINDOW: Final[Millis] = 10 * MINUTE


def _limits(unit: Unit, parties: Parties) -> dict[str, int]:
    """The throttles' names in the ephemeral state, each with its limit."""
    return {f"throttle:{kind}:{unit.scope.id}:{party}": FAILURES_ALLOWED[kind] for kind, party in parties.items()}


def refuse_when_throttled(unit: Unit, parties: Parties) -> None:
    """Raises `RateLimited` where one of the parties has reached its limit."""
    for name, allowed in _limits(unit, parties).items():
        # A transaction that runs again finds its own failure, which has already been counted.
        if name not in unit.misses:
            state = unit.ephemeral.peek(name, allowed, _WINDOW, unit.now)
            if not state.allowed:
                raise RateLimited(state.reset_seconds)


def note_failure(unit: Unit, parties: Parties) -> None:
    """Count a failure. The parties' next attempts see it in every process.

    Raises `RateLimited` where concurrent failures have used up the limit: then the guess gets no answer either.
    """
    limits = {name: allowed for name, allowed in _limits(unit, parties).items() if name not in unit.misses}
    if limits:
        unit.misses.update(unit.ephemeral.hit_published(limits, _WINDOW, unit.now))
    for name in _limits(unit, parties):
        state = unit.misses[name]
        if not state.allowed:
            raise RateLimited(state.reset_seconds)

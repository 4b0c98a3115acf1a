"""How the populated game is played: its world, its players, and chance with a seed of its own."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import attrs

from livecore.access.member_rows import Role
from livecore.world import Caller, World, WorldOperator, WorldPlayer, WorldRefused
from tests.populated.people import People


def tried(caller: Caller, name: str, /, **arguments: object) -> dict[str, Any] | None:
    """The answer of an operation, or nothing where the game's rules forbid it, such as a second gift within the hour."""
    try:
        return caller.call(name, **arguments)
    except WorldRefused:
        return None


def enter_lobby(player: Caller, key: str) -> str:
    """Start at an event with lobbies; gives the id of the lobby that fills or has filled, or the empty text."""
    try:
        attempt = player.call("events.start", key=key)["attempt"]
    except WorldRefused as refused:
        return str(refused.details.get("lobbyId", ""))
    return str(attempt["lobbyId"]) if isinstance(attempt, dict) else ""


def email_of(role: Role) -> str:
    """The address of the member with a role."""
    return f"{role.lower()}@example.com"


@attrs.define
class Play:
    """A world with players, in its live environment."""

    world: World
    people: People
    """How players, and what the studio and they have made, are called."""
    chance: random.Random
    players: list[WorldPlayer] = attrs.field(factory=list)
    """Who plays; those with ids of `people` come first."""

    def member(self, role: Role = "OWNER") -> WorldOperator:
        """The member of the studio with a role, who has just signed in."""
        return self.world.operator(email_of(role), role)

    def some(self, number: int) -> list[WorldPlayer]:
        """So many players, by chance."""
        return self.chance.sample(self.players, min(number, len(self.players)))

    def below(self, bound: int) -> int:
        """A number by chance."""
        return self.chance.randrange(bound)

    def spread(self, work: Callable[[WorldPlayer], object], number: int, minutes: int) -> None:
        """Have so many players do something, one after another within this time."""
        for player in self.some(number):
            work(player)
            self.world.advance(minutes=minutes / number)

"""What a scene leaves to chance: who, how much, under which key, and now and then something that does not fit.

A *scene* is a few steps that belong together. Half of the scenes make sense; the others are wrong in some way: bad targets,
wrong secrets, old keys, ids of other scopes, amounts at the edge, and idempotency keys that were used before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.entropy import Entropy
from tests.laws.games import Place
from tests.laws.routes import REPEATABLE
from tests.laws.steps import Call, Step

PLAYERS: Final = ("ann", "bob", "cat", "dan")
STRANGER: Final = "zoe"
"""A player who never registers, though the studio may grant her something."""
NOBODY: Final = "(nobody)"
"""Instead of a player, where a request is about none."""
MOST: Final = 2**53 - 1
DAY_MS: Final = 86_400_000


@attrs.frozen
class Draw:
    """Everything that a scene leaves to chance."""

    chance: Entropy
    place: Place

    def one_in(self, number: int) -> bool:
        """True once in so many draws."""
        return self.chance.below(number) == 0

    def of(self, *choices: Any) -> Any:  # noqa: ANN401 - whatever the choices are
        """One of the choices, each as likely as any other."""
        return choices[self.chance.below(len(choices))]

    def one(self) -> str:
        """A player; the last one, who may not have registered yet, more seldom."""
        return PLAYERS[-1] if self.one_in(9) else PLAYERS[self.chance.below(len(PLAYERS) - 1)]

    def two(self) -> tuple[str, str]:
        """Two different players."""
        first, second = self.one(), self.one()
        return (first, second) if first != second else self.two()

    def key(self) -> str | None:
        """Often none or one of its own, else one from a small stock that is met again, mostly with another body."""
        if self.one_in(3):
            return None
        return f"k{self.chance.below(9)}" if self.one_in(4) else f"u{self.chance.below(2**40)}"

    def amount(self) -> int:
        """Amounts of everyday, and now and then one at the edge of what a balance holds."""
        return int(self.of(MOST, MOST - 10, 1)) if self.one_in(12) else 1 + self.chance.below(200)

    def ref(self, kind: str) -> str:
        """One of the latest objects of a kind, seldom one of another scope, or none at all."""
        if self.one_in(12):
            return f"@foreign-{kind}:{self.chance.below(50)}"
        return f"@{kind}:{-1 - self.chance.below(3)}"

    def call(self, name: str, player: str, /, *, key: str | None = None, **arguments: object) -> Call:
        """A call, now and then with credentials that do not fit."""
        call = Call(self.place, name, player, arguments, key if name in REPEATABLE else None)
        if self.one_in(40):
            call = attrs.evolve(call, secret=self.of("stale", "another's", "none"))
        if self.one_in(40):
            call = attrs.evolve(
                call, api_key=self.of("older", "older", "of the other surface", "of the other environment")
            )
        return call

    def operator(self, name: str, player: str, /, **arguments: object) -> Call:
        """A call of somebody who operates the game."""
        return Call(self.place, f"admin:{name}", player, arguments)

    def at(self, event: str, name: str, player: str, /, *, key: str | None = None, **arguments: object) -> Call:
        """A call about the event with this key, which is not the key under which it is made."""
        return attrs.evolve(self.call(name, player, key=key, **arguments), arguments={"key": event, **arguments})

    def target(self, other: str) -> dict[str, Any]:
        """Somebody, by friend code or by id, and seldom nobody."""
        if self.one_in(25):
            return {"friendCode": "AAAAAA"}
        if self.one_in(25):
            return {"externalPlayerId": "nobody"}
        return {"friendCode": f"@code:{other}:-1"} if self.one_in(3) else {"externalPlayerId": other}


Scenes: TypeAlias = tuple[tuple[int, Callable[[Draw], Iterator[Step]]], ...]
"""Kinds of scenes, and how often each is drawn, in proportion to the others."""

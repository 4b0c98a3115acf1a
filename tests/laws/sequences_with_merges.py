"""Sequences in which players are merged, erased, banned and registered anew among everything else that happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from livecore.kernel.entropy import Entropy
from tests.laws.drawing import PLAYERS
from tests.laws.games import Place
from tests.laws.sequences import broad
from tests.laws.steps import Call, Step

_TOOLS: Final = ("merge", "merge", "merge", "merge", "erase", "erase", "ban", "unban", "export", "register", "register")
_EVERY: Final = 7
"""Among so many steps there is one of these."""


def with_merges(seed: int, length: int) -> list[Step]:
    """The sequence of this seed, of `length` scenes, with merges, erasures, bans and new players between its steps."""
    chance = Entropy(b"merges" + seed.to_bytes(8, "big"))
    steps: list[Step] = []
    for step in broad(seed, length):
        steps.append(step)
        if chance.below(_EVERY) == 0:
            steps += _between(chance)
    return steps


def _between(chance: Entropy) -> Iterator[Step]:
    place = chance.choice((Place(0, "test"), Place(0, "test"), Place(0, "live"), Place(1, "test")))
    one, other = chance.choice(PLAYERS), chance.choice(PLAYERS)
    tool, times = chance.choice(_TOOLS), 1 + chance.below(2)
    if tool == "register":
        for name in PLAYERS:
            yield Call(place, "sdk:players.register", name)
            yield Call(place, "sdk:friends.getCode", name)
    elif tool == "merge":
        yield from [Call(place, "server:players.merge", one, {"toExternalId": other})] * times
    elif tool == "ban":
        yield Call(place, "server:players.ban", one, {"reason": "law"})
    else:
        yield from [Call(place, f"server:players.{tool}", one)] * times

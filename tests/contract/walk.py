"""A walk through the whole service in memory: every operation is answered with each of its success statuses at least once.

Each area says its steps in `tests/contract/operations`. What came back, and what was emitted on the way, is held against
what is written there. Rows come with everything that may be left out as well as without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Final

import attrs

from livecore.kernel.errors import JsonObject
from livecore.world import World
from tests.contract.oracle import AREAS
from tests.contract.stories import Step, Walk, in_order
from tests.worlds import LEADERBOARDS, RACES, world

STEPS: Final[dict[str, Step[Walk]]] = in_order({name: area.walk for name, area in AREAS.items()})
"""The steps in their order, such as `friends.meet`."""
MONTH: Final = "a month passes"
MONTHLY: Final[JsonObject] = {
    "key": "monthly",
    "name": "Monthly",
    "reset": "monthly",
    "rankRewards": [{"from": 1, "to": 1, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 5}]}],
}
"""A leaderboard of which no month ends by itself while one walks."""


@attrs.frozen
class Walked(Walk):
    """The walk when it is over: also which events each of its steps has caused."""

    emitted: dict[str, Counter[str]] = attrs.field(factory=dict)

    def note(self, step: str) -> None:
        """Put what was emitted since the last step down to this one."""
        before = sum(sum(counts.values()) for counts in self.emitted.values())
        self.emitted[step] = Counter(event.kind for event in self.world.events[before:])


@cache
def walked() -> Walked:
    """The walk, made once."""
    return walk_through()


def walk_through(prepare: Callable[[World], None] = lambda _: None) -> Walked:
    """Make the walk, through a world that was prepared for it."""
    walk = Walked(world(exchangeRates={"EUR": "1.08"}, events=RACES, leaderboards=[*LEADERBOARDS, MONTHLY]))
    prepare(walk.world)
    for name, step in STEPS.items():
        if step.phase == "leave" and MONTH not in walk.emitted:
            walk.world.advance(days=30)
            walk.note(MONTH)
        step.story(walk)
        walk.note(name)
    return walk

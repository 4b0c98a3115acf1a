"""A crowd of players that is there before anything is measured, and a cast chosen from all over it.

Whoever registered early lies far from whoever registered late, in every table and index. A cast that has just been
registered would lie on the same few pages however large the game is, and would tell nothing about its size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from tests.programs.bench import game
from tests.programs.bench.databases import Database
from tests.programs.bench.inside import inside
from tests.programs.bench.players import Pair
from tests.programs.bench.processes import Made
from tests.programs.bench.scenarios import FRIENDS, Cast

_SAMPLE = 1_000
_STRIDE = 389
"""Has no divisor in common with the sample's size: neighbours in the sample registered far from one another."""
_READERS = 64
_GIVERS = 256


@attrs.frozen
class Crowd:
    """A thousand players out of all, and their secrets."""

    sample: Sequence[str]
    secrets: dict[str, str]

    @property
    def friends(self) -> Sequence[str]:
        """Those whom every reader is friends with."""
        return self.sample[_READERS : _READERS + FRIENDS]

    def cast(self, strangers: int) -> Cast:
        """Parts for the sample; so many pairs do not know each other."""
        rest = self.sample[_READERS + FRIENDS :]
        givers, takers, others = rest[:_GIVERS], rest[_GIVERS : 2 * _GIVERS], rest[2 * _GIVERS :]
        return Cast(
            readers=self.sample[:_READERS],
            givers=list(zip(givers, takers, strict=True)),
            strangers=[_pair(others, number) for number in range(strangers)],
        )


def _pair(others: Sequence[str], number: int) -> Pair:
    """Each asks their next neighbour, then each the one after that, and so on: no pair comes twice."""
    turn, at = divmod(number, len(others))
    return others[at], others[(at + turn + 1) % len(others)]


def gather(database: Database, made: Made, size: int, progress: Callable[[int], None] = lambda _: None) -> Crowd:
    """Register players through the application until there are `size` of them, at least a thousand."""
    step = max(1, size // _SAMPLE)
    secrets: dict[str, str] = {}
    wires = (game.register(made.client_key, f"crowd-{number}") for number in range(size))
    with inside(database) as asked:
        for number, data in enumerate(asked.ask_all(wires)):
            if number % step == 0:
                secrets[f"crowd-{number}"] = data["playerSecret"]
            if number % 10_000 == 0:
                progress(number)
    names = list(secrets)[:_SAMPLE]
    return Crowd([names[at * _STRIDE % len(names)] for at in range(len(names))], secrets)

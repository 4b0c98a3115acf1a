"""A season as one text: what everybody was answered and what was emitted, in order.

python -m tests.simulation.digesting
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from typing import Any

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from livecore.simulation.season import play_season
from livecore.simulation.watching import Nobody
from livecore.world import Emitted


class Digesting(Nobody):
    """Makes a digest of all that a watcher is told."""

    def __init__(self) -> None:
        self.digest = blake2b(digest_size=16)
        self.told = 0

    def _take(self, *told: object) -> None:
        self.told += 1
        self.digest.update(repr(told).encode())

    def session(self, player: str, behaviour: str) -> None:
        """A session counts."""
        self._take(player, behaviour)

    def called(self, operation: str, behaviour: str, status: int, code: str | None, answer: Any) -> None:  # noqa: ANN401 - any row
        """An answer counts, with all its ids."""
        shown = answer if code is None else dict(answer.details)
        self._take(operation, behaviour, status, code, shown)

    def event(self, emitted: Emitted) -> None:
        """An event counts."""
        self._take(emitted)


def digest_of_a_season(seed: int = 5) -> str:
    """The digest of a small season of the demo game."""
    watch = Digesting()
    play_season(load_config(DEMO), players=25, days=2, seed=seed, watch=watch)
    return f"{watch.told} {watch.digest.hexdigest()}"


if __name__ == "__main__":
    sys.stdout.write(digest_of_a_season())

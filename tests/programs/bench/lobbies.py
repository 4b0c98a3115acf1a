"""What is measured of lobbies: starting into one, which fills up or starts with the request.

Everybody is registered before the clock starts, under names that no other run has.
"""

from __future__ import annotations

import itertools

from tests.programs.bench import game
from tests.programs.bench.load import Result
from tests.programs.bench.players import Players

_numbers = itertools.count()


async def start(players: Players, _: object, count: int) -> Result:
    """Each request is of a player of their own; every eighth one fills a lobby, and has an attempt at once."""
    names = [f"waiting-{next(_numbers)}" for _ in range(count)]
    await players.register(names)
    return await players.load(
        [game.start(players.client_key, name, players.secrets[name], event="arena") for name in names]
    )

"""Many players who do the same at once, in two processes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from livecore.api.maintenance import system_unit
from livecore.kernel.errors import Refusal
from livecore.kernel.storage.store import Store, StoreConflict, Transaction
from livecore.kernel.units.unit import Actor, Unit
from livecore.players.player import require
from tests.added_game import AddedGame


def as_player(game: AddedGame, work: Callable[[Unit], object], tx: Transaction, name: str) -> object:
    """Do something as a player."""
    unit = system_unit(tx, game.made.game, game.now, name.encode())
    unit.player_id = require(unit, name).player_id
    unit.actor = Actor("player", unit.player_id)
    return work(unit)


def at_once(
    game: AddedGame, stores: Sequence[Any], names: Sequence[str], work: Callable[[Unit], object]
) -> Counter[str]:
    """Have each player do something, every other one in the second process; counts what came of it.

    A unit that another one was quicker than runs again, as on a server.
    """

    def take(store: Store, mine: Sequence[str]) -> list[str]:
        ended, waiting = [], deque(mine)
        while waiting:
            try:
                store.write(game.scope, partial(as_player, game, work, name=waiting[0]))
            except StoreConflict:
                continue
            except Refusal as refusal:
                ended.append(refusal.code)
            else:
                ended.append("done")
            waiting.popleft()
        return ended

    with ThreadPoolExecutor(2) as pool:
        return Counter(code for codes in pool.map(take, stores, (names[::2], names[1::2])) for code in codes)

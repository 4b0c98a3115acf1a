"""Worlds that live in a database which commands work on as well: of a file, or of PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from livecore import World
from livecore.api.maintenance import system_unit
from livecore.kernel.scope import DIRECTORY, scope_of
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import BY_EXTERNAL_ID, Player
from livecore_server.games import all_games
from livecore_server.storage.database import open_store, store_at
from livecore_server.system import draw_seed, now_millis
from tests.player_tools.marked import game
from tests.workers.far_world import races_of_this_week


@contextmanager
def world_in(url: str) -> Iterator[World]:
    """A world of this moment in a new database, which is written and closed at the end."""
    with closing(open_store(url, create=True)) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr("livecore.world.game.MemoryStore", lambda: store)
        now = round(time.time() * 1000)
        world = World(game(events=races_of_this_week(now)), start=Timestamp(now))
        yield world
        world.flush()


def find_player(url: str, game_id: str, external_id: str) -> Player | None:
    """The row of a player, if there is one under this id."""
    with store_at(url) as store:
        return store.read(scope_of(game_id, "test"), lambda tx: tx.find(BY_EXTERNAL_ID, external_id))


def in_game(url: str, game_id: str, work: Callable[[Unit], object]) -> None:
    """A unit of work in the game's test environment, as of now."""
    with store_at(url) as store:
        game = next(game for game in store.read(DIRECTORY, all_games) if game.game_id == game_id)
        now, seed = now_millis(), draw_seed()
        store.write(scope_of(game_id, "test"), lambda tx: work(system_unit(tx, game, now, seed)))

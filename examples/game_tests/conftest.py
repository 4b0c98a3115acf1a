"""Fixtures of the game's tests: the game's own configuration file, and players of the test's world.

`livecore_world` is a fixture of Livecore's pytest plugin; it is made from `livecore_config`, which is defined here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from livecore import World, WorldPlayer


@pytest.fixture
def livecore_config() -> str:
    """The same file that the game's server uses."""
    return Path(__file__).with_name("game.json").read_text("utf-8")


@pytest.fixture
def players(livecore_world: World) -> dict[str, WorldPlayer]:
    """Five players; Alice is a friend of each of the others, and has seven units of oil."""
    alice = livecore_world.player("alice")
    others = {name: livecore_world.player(name) for name in ("bob", "cleo", "dara", "eli")}
    for name, player in others.items():
        alice.friends.send_request(external_player_id=name)
        player.friends.send_request(external_player_id="alice")
    livecore_world.server.wallet.credit("alice", "oil", amount=7)
    return {"alice": alice, **others}

"""Fixtures of the game's tests: the game's own configuration file, and clients whose server is the test's world.

`livecore_world` is a fixture of Livecore's pytest plugin; it is made from `livecore_config`, which is defined here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from livecore import World
from livecore_client import LocalTransport, SdkClient, ServerClient


@pytest.fixture
def livecore_config() -> str:
    """The same file that the game's server uses."""
    return Path(__file__).with_name("game.json").read_text("utf-8")


@pytest.fixture
def backend(livecore_world: World) -> ServerClient:
    """The studio's backend."""
    key = livecore_world.keys["server"]
    return ServerClient(base_url="http://world", api_key=key, transport=LocalTransport(livecore_world))


@pytest.fixture
def players(livecore_world: World, backend: ServerClient) -> dict[str, SdkClient]:
    """The game's client on five devices; Alice is a friend of each of the others, and has seven units of oil."""
    key, transport = livecore_world.keys["client"], LocalTransport(livecore_world)
    clients = {
        name: SdkClient(base_url="http://world", api_key=key, external_player_id=name, transport=transport)
        for name in ("alice", "bob", "cleo", "dara", "eli")
    }
    for name, client in clients.items():
        client.players.register()
        if name != "alice":
            clients["alice"].friends.send_request(external_player_id=name)
            client.friends.send_request(external_player_id="alice")
    backend.wallet.credit("alice", "oil", amount=7)
    return clients

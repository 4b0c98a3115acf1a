"""A service in one process and clients that talk to it, for the tests of clients against the service itself."""

from __future__ import annotations

from livecore.world import World
from livecore_client import NO_RETRIES, LocalTransport, SdkClient

CONFIG = {
    "name": "Demo",
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency", "public": True}],
    "items": [{"key": "potion", "name": "Potion"}],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 86400,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
}
ADDRESS = "http://game.local"


def game_client(world: World, name: str) -> SdkClient:
    """The client of a player's game."""
    return SdkClient(
        base_url=ADDRESS,
        api_key=world.keys["client"],
        external_player_id=name,
        transport=LocalTransport(world),
        retries=NO_RETRIES,
    )


def gold_of(client: SdkClient) -> int:
    """How much gold a player has."""
    return client.wallet.get().balance("gold")

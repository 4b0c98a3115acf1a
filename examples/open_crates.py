"""A player opens chests whose chances anybody can read, until one of them holds a sword.

    $ python -m examples.open_crates            # in a world, without a server

The same program plays against a server that runs already, such as `livecore dev`, with its address and its two keys:

    $ python -m examples.open_crates http://127.0.0.1:8787 lc_test_client_… lc_test_server_…

The studio gives the chests, one after another. What is in a chest waits in a grant of its own, which the player claims. With
the chest's *pity*, the twentieth has a sword at the latest.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from decimal import Decimal

import httpx

from livecore import World
from livecore.demo import DEMO
from livecore_client import LocalTransport, SdkClient, ServerClient
from livecore_client.rows import RewardEntry

CRATE = "starter-chest"
MOST = 20
"""Nineteen chests without a sword, and the next one has it."""


def play(base_url: str, client_key: str, server_key: str, transport: httpx.BaseTransport | None = None) -> int:
    """Print the chances, and open chests until there is a sword; gives the number of chests."""
    name = f"carla-{secrets.token_hex(3)}"  # a new name, so that it can be repeated on one server
    studio = ServerClient(base_url=base_url, api_key=server_key, transport=transport)
    player = SdkClient(base_url=base_url, api_key=client_key, external_player_id=name, transport=transport)
    with studio, player:
        player.players.register()
        print_odds(player)
        for number in range(1, MOST + 1):
            if open_one(studio, player, name, number):
                return number
    raise AssertionError(f"there was no sword in {MOST} chests")


def print_odds(player: SdkClient) -> None:
    """What a chest always holds, and the chance of all else; only the client key is needed."""
    odds = player.crates.odds(CRATE)
    print(f"A {CRATE} always holds {in_words(odds.guaranteed)}, and one of these:")
    for roll in odds.rolls:
        assert sum(Decimal(row.probability) for row in roll.rows) == 1
        for row in roll.rows:
            print(f"  {in_words(row.entries)}, with a chance of {row.probability}")


def open_one(studio: ServerClient, player: SdkClient, name: str, number: int) -> bool:
    """Give, open and claim one chest; says whether it held a sword."""
    chest = RewardEntry(type="crate", resource_key=CRATE, amount=1)
    studio.grants.create(name, kind="crate", entries=[chest], idempotency_key=f"{name}, chest {number}")
    (held,) = player.crates.list().crates
    opened = player.crates.open(held.crate_id)
    player.grants.claim(opened.grant.grant_id)
    print(f"chest {number} holds {in_words(opened.grant.entries)}")
    return any(item.item_key == "sword" for item in player.inventory.get().items)


def in_words(entries: Sequence[RewardEntry]) -> str:
    """Entries for people."""
    return " and ".join(f"{entry.amount} {entry.resource_key}" for entry in entries)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        address, client_key, server_key = sys.argv[1:]
        play(address, client_key, server_key)
    else:
        world = World(DEMO)
        play("http://world", world.keys["client"], world.keys["server"], LocalTransport(world))

"""A player opens chests whose chances anybody can read, until one of them holds a sword.

    $ python -m examples.open_crates            # in a world, without a server

The same program plays against a server that runs already, such as `livecore dev`, with its address and its two keys:

    $ python -m examples.open_crates http://127.0.0.1:8787 lc_test_client_… lc_test_server_…

The studio gives the chests, one after another. What is in a chest waits in a grant of its own, which the player claims. With
the chest's *pity*, the twentieth has a sword at the latest.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from decimal import Decimal

from examples.on_a_server import players_of, studio_of
from livecore import World
from livecore.demo import DEMO
from livecore.surfaces import SdkSurface, ServerSurface
from livecore_client.rows import RewardEntry

CRATE = "starter-chest"
MOST = 20
"""Nineteen chests without a sword, and the next one has it."""


def play(studio: ServerSurface, player: SdkSurface) -> int:
    """Print the chances, and open chests until there is a sword; gives the number of chests."""
    print_odds(player)
    for number in range(1, MOST + 1):
        if open_one(studio, player, number):
            return number
    raise AssertionError(f"there was no sword in {MOST} chests")


def print_odds(player: SdkSurface) -> None:
    """What a chest always holds, and the chance of all else; only the client key is needed."""
    odds = player.crates.odds(CRATE)
    print(f"A {CRATE} always holds {in_words(odds.guaranteed)}, and one of these:")
    for roll in odds.rolls:
        assert sum(Decimal(row.probability) for row in roll.rows) == 1
        for row in roll.rows:
            print(f"  {in_words(row.entries)}, with a chance of {row.probability}")


def open_one(studio: ServerSurface, player: SdkSurface, number: int) -> bool:
    """Give, open and claim one chest; says whether it held a sword."""
    name = player.external_player_id
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
        with studio_of(address, server_key) as studio, players_of(address, client_key, ["carla"]) as (carla,):
            play(studio, carla)
    else:
        world = World(DEMO)
        play(world.server, world.player("carla"))

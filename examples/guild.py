"""A guild is founded, grows, helps a member, and gets another leader.

    $ python -m examples.guild            # in a world, without a server

The same program plays against a server that runs already, such as `livecore dev`, with its address and its two keys:

    $ python -m examples.guild http://127.0.0.1:8787 lc_test_client_… lc_test_server_…

Founding costs gold in the demo game. Wilma asks for potions, and Vera gives two of her own: they wait for Wilma in a grant,
and a reward for Vera in another one.
"""

from __future__ import annotations

import sys

from examples.on_a_server import players_of, studio_of
from livecore import World
from livecore.demo import DEMO
from livecore.errors import GuildRoleRequired
from livecore.surfaces import SdkSurface, ServerSurface

NAMES = ("ursula", "vera", "wilma")


def play(studio: ServerSurface, ursula: SdkSurface, vera: SdkSurface, wilma: SdkSurface) -> None:
    """Play from the founding to the next leader."""
    studio.wallet.credit(ursula.external_player_id, "gold", amount=10)
    studio.inventory.grant(vera.external_player_id, "potion", quantity=2)
    guild_id = found(ursula, f"Night Owls {ursula.external_player_id}")
    ask_to_join(ursula, vera, guild_id)
    ask_to_join(ursula, wilma, guild_id)
    give_help(wilma, vera)
    hand_over(ursula, vera)
    show(wilma, guild_id)


def found(leader: SdkSurface, name: str) -> str:
    """Found a guild that takes members by request."""
    guild = leader.guilds.create(name=name, description="We play late.", join_type="request").guild
    print(f"{named(guild.leader)} founds a guild of up to {guild.max_members}")
    return guild.guild_id


def ask_to_join(leader: SdkSurface, player: SdkSurface, guild_id: str) -> None:
    """Ask, and be let in."""
    player.guilds.join(guild_id, message="May I?")
    (request,) = leader.guilds.list_requests().incoming
    guild = leader.guilds.accept_request(request.request_id).guild
    print(f"{named(request.player)} joins; there are {guild.member_count} members")


def give_help(asking: SdkSurface, giving: SdkSurface) -> None:
    """Ask for potions, and give some."""
    asking.guilds.request_help(type="item", resource_key="potion", amount=5)
    (request,) = giving.guilds.list_help().requests
    donation = giving.guilds.donate(request.request_id, amount=2).donation
    asking.grants.claim(donation.grant_id)
    (held,) = asking.inventory.get().items
    print(f"{named(request.player)} asked for {request.amount} potions and has {held.quantity}")
    if donation.reward_grant_id is not None:
        giving.grants.claim(donation.reward_grant_id)


def hand_over(leader: SdkSurface, other: SdkSurface) -> None:
    """Hand the lead over; the old leader is a co-leader then, who promotes nobody."""
    leader.guilds.transfer(other.external_player_id)
    assert other.guilds.get_own().role == "leader"
    try:
        leader.guilds.promote(other.external_player_id)
    except GuildRoleRequired as refused:
        print(f"a {refused.details['role']} cannot promote: that takes a {refused.details['needed']}")


def show(player: SdkSurface, guild_id: str) -> None:
    """The members as everybody sees them."""
    for member in player.guilds.get(guild_id).guild.members:
        print(f"  {member.external_player_id.partition('-')[0]}: {member.role}")


def named(player: object) -> str:
    """A player's name, as it began."""
    return str(getattr(player, "external_player_id", "nobody")).partition("-")[0]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        address, client_key, server_key = sys.argv[1:]
        with studio_of(address, server_key) as studio, players_of(address, client_key, NAMES) as players:
            play(studio, *players)
    else:
        world = World(DEMO)
        play(world.server, *(world.player(name) for name in NAMES))

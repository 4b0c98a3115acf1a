"""What the tests of guilds share: players in a guild, in all roles."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import Json
from livecore.world import World, WorldPlayer
from tests.worlds import GUILDS, ask, world

NAMES: Final = ("lea", "cole", "mia", "max")
"""A leader, a co-leader, and two members."""


def game(**changes: Json) -> World:
    """A game with guilds, and changes to what it says of them."""
    return world(guilds={**GUILDS, **changes})


def found(leader: WorldPlayer, name: str = "Night Owls", **more: object) -> str:
    """Found a guild; gives its id."""
    founded = ask(leader, "guilds.create", name=name, **more)
    assert founded.status == 201, founded.body
    return founded.text("guild.guildId")


def club(here: World, *names: str) -> tuple[str, list[WorldPlayer]]:
    """An open guild of these players, `NAMES` by default, who came a second after one another; the second is co-leader."""
    players = [here.player(name) for name in names or NAMES]
    guild_id = found(players[0], join_type="open")
    for player in players[1:]:
        here.advance(seconds=1)
        assert ask(player, "guilds.join", guild_id=guild_id).status == 200
    if not names:
        ask(players[0], "guilds.promote", member_external_id=NAMES[1])
    return guild_id, players


def members(here: World, guild_id: str) -> list[tuple[str, str]]:
    """Who is in a guild, each with the role, in the order of lists."""
    rows = ask(here.server, "guilds.get", guild_id=guild_id).list("guild.members")
    return [(str(row["externalPlayerId"]), str(row["role"])) for row in rows]


def own(player: WorldPlayer) -> str | None:
    """The guild of a player."""
    guild = ask(player, "guilds.getOwn").data["guild"]
    return None if not isinstance(guild, dict) else str(guild["guildId"])

"""Two guilds play against each other: the studio's backend makes a team of each, and their members score for it.

    $ python -m examples.guild_war        # in a world, without a server

The same program plays against a server that runs already, such as `livecore dev`, with its address and its two keys:

    $ python -m examples.guild_war http://127.0.0.1:8787 lc_test_client_… lc_test_server_…

At the event `guild-war` of the demo game a guild is paid at 50 points, and at 100 points for each member. Then Zoe changes
to the other guild. Her points stay with the old one, and she plays for the new one as soon as both rosters are written.
"""

from __future__ import annotations

import sys

from examples.on_a_server import players_of, studio_of
from livecore import World
from livecore.demo import DEMO
from livecore.errors import LockedElsewhere
from livecore.surfaces import SdkSurface, ServerSurface
from livecore_client.rows import TeamRow

NAMES = ("ursula", "vera", "yann", "zoe")


def play(studio: ServerSurface, ursula: SdkSurface, vera: SdkSurface, yann: SdkSurface, zoe: SdkSurface) -> None:
    """Play from the rosters to the ranks."""
    for leader in (ursula, yann):
        studio.wallet.credit(leader.external_player_id, "gold", amount=10)
    owls, birds = found(ursula, vera, "Night Owls"), found(yann, zoe, "Early Birds")
    for guild_id in (owls, birds):
        show_team(write_roster(studio, guild_id))
    for name, player, points in (("ursula", ursula, 120), ("zoe", zoe, 90), ("vera", vera, 80)):
        score(name, player, points)
    show_paid("vera", vera)
    change_guild(studio, zoe, birds, owls)
    score("zoe", zoe, 30)
    show_rank(studio, ursula)
    show_rank(studio, yann)


def found(leader: SdkSurface, member: SdkSurface, name: str) -> str:
    """Found a guild of two. Its name is taken once on a server, so it ends with who leads."""
    guild_id = leader.guilds.create(name=f"{name} #{leader.external_player_id}", join_type="open").guild.guild_id
    member.guilds.join(guild_id)
    return guild_id


def write_roster(studio: ServerSurface, guild_id: str) -> TeamRow:
    """Give the team of a guild the members that the guild has now; to be repeated when they change."""
    guild = studio.guilds.get(guild_id).guild
    name, _, _ = guild.name.partition(" #")
    members = [member.external_player_id for member in guild.members]
    return studio.teams.put_roster("guild-war", guild_id, external_player_ids=members, name=name).team


def score(name: str, player: SdkSurface, points: int) -> None:
    """Add points to the player's own attempt, and so to the team."""
    attempt = player.events.start("guild-war").attempt
    player.events.progress("guild-war", attempt.attempt_id, metrics={"points": points})
    team = player.teams.get_own("guild-war").team
    assert team is not None
    print(f"{name} scores {points}, which makes {team.score} of {team.goal} for the {team.name}")


def show_paid(name: str, player: SdkSurface) -> None:
    """What the team has won, as a member gets it."""
    for grant in sorted(player.grants.list_pending().grants, key=lambda grant: grant.source_kind):
        player.grants.claim(grant.grant_id)
        print(f"{name} is paid {grant.entries[0].amount} {grant.entries[0].resource_key} ({grant.source_kind})")


def change_guild(studio: ServerSurface, player: SdkSurface, old: str, new: str) -> None:
    """Go to another guild. The old team's roster is to be written first: nobody is in two teams."""
    player.guilds.leave()
    player.guilds.join(new)
    try:
        write_roster(studio, new)
    except LockedElsewhere as refused:
        print(f"a roster is refused: {refused.code}")
    for guild_id in (old, new):
        show_team(write_roster(studio, guild_id))


def show_team(team: TeamRow) -> None:
    """How large a team is, and how far."""
    print(f"{team.name}, members: {team.member_count}, points: {team.score} of {team.goal}")


def show_rank(studio: ServerSurface, player: SdkSurface) -> None:
    """Where the team of a player is on the leaderboard of teams, and who did how much."""
    (window,) = (event.window for event in player.events.list().events if event.event_key == "guild-war")
    assert window is not None
    board, name = str(window.team_leaderboard_id), player.external_player_id
    (entry,) = player.leaderboards.get_event(board, limit=1, around=name).entries
    print(f"{entry.rank}. {entry.name}, {entry.score} points")
    for member in studio.teams.get("guild-war", str(entry.team_key)).team.members:
        print(f"   {member.external_player_id.partition('-')[0]}: {member.contribution}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        address, client_key, server_key = sys.argv[1:]
        with studio_of(address, server_key) as studio, players_of(address, client_key, NAMES) as players:
            play(studio, *players)
    else:
        world = World(DEMO)
        play(world.server, *(world.player(name) for name in NAMES))

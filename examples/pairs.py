"""A player finds a partner, they play as a pair, and both win what the pair wins.

    $ python -m examples.pairs            # in a world, without a server

The same program plays against a server that runs already, such as `livecore dev`, with its address and a client key:

    $ python -m examples.pairs http://127.0.0.1:8787 lc_test_client_…

At the event `tandem` of the demo game a pair has to drive ten laps, whoever of the two drives them.
"""

from __future__ import annotations

import sys

from examples.on_a_server import players_of
from livecore import World
from livecore.demo import DEMO
from livecore.errors import TeamRequired
from livecore.surfaces import SdkSurface

NAMES = ("rosa", "sven", "till")


def play(rosa: SdkSurface, sven: SdkSurface, till: SdkSurface) -> None:
    """Invite, accept, and reach the goal together."""
    try:
        rosa.events.start("tandem")
    except TeamRequired as refused:
        print(f"rosa cannot start alone: {refused.code}")
    rosa.partners.invite("tandem", sven.external_player_id)
    rosa.partners.invite("tandem", till.external_player_id)
    pair_up(sven)
    print(f"till has {len(till.partners.list_invites('tandem').incoming)} invitations left")
    drive("rosa", rosa, 4)
    drive("sven", sven, 6)
    for name, player in (("rosa", rosa), ("sven", sven)):
        for grant in player.grants.list_pending().grants:
            player.grants.claim(grant.grant_id)
            print(f"{name} is paid {grant.entries[0].amount} {grant.entries[0].resource_key}")


def pair_up(player: SdkSurface) -> None:
    """Accept the only invitation."""
    (invite,) = player.partners.list_invites("tandem").incoming
    pair = player.partners.accept("tandem", invite.invite_id).team
    print("a pair: " + " and ".join(member.external_player_id.partition("-")[0] for member in pair.members))


def drive(name: str, player: SdkSurface, laps: int) -> None:
    """Add laps to the player's own attempt, and so to the pair."""
    attempt = player.events.start("tandem").attempt
    player.events.progress("tandem", attempt.attempt_id, metrics={"laps": laps})
    pair = player.teams.get_own("tandem").team
    assert pair is not None
    print(f"{name} drives {laps}: the pair has {pair.score} of {pair.goal}, {pair.status}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        address, client_key = sys.argv[1:]
        with players_of(address, client_key, NAMES) as players:
            play(*players)
    else:
        world = World(DEMO)
        play(*(world.player(name) for name in NAMES))

"""Two players wait in a lobby, bots take the free seats, and they play until one of them wins.

    $ python -m examples.lobby            # in a world, without a server

The same program plays against a server that runs already, such as `livecore dev`, with its address and a client key:

    $ python -m examples.lobby http://127.0.0.1:8787 lc_test_client_…

The demo game fills a lobby of the event `arena` for eight seconds. The session ends at once when somebody has 100 points:
then the ranks are paid, and the lobby is closed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from examples.on_a_server import players_of
from livecore import World
from livecore.demo import DEMO
from livecore.errors import AttemptFrozen, LobbyForming
from livecore.surfaces import SdkSurface

NAMES = ("xenia", "yann")
MOST_TRIES = 60


def play(xenia: SdkSurface, yann: SdkSurface, wait: Callable[[float], object]) -> None:
    """Wait together, play, and be paid. `wait` lets so many seconds pass, on a server or in a world."""
    lobby_id = come(xenia)
    assert come(yann) == lobby_id
    hers, his = begin(xenia, wait), begin(yann, wait)
    show(xenia, lobby_id)
    yann.events.progress("arena", his, metrics={"points": 40})
    wait(4)  # by then the bots have scored too
    won = xenia.events.progress("arena", hers, metrics={"points": 100})
    print(f"xenia has {won.attempt.score} points and rank {won.rank}, and the session is over")
    try:
        yann.events.progress("arena", his, metrics={"points": 60})
    except AttemptFrozen:
        print("yann is refused: his attempt is frozen")
    finish(xenia, yann, lobby_id)


def come(player: SdkSurface) -> str:
    """Ask to start; the lobby still fills."""
    try:
        player.events.start("arena")
    except LobbyForming as forming:
        there, seats = forming.details["participantCount"], forming.details["capacity"]
        print(f"{there} of {seats} seats are taken")
        return str(forming.details["lobbyId"])
    raise RuntimeError("the lobby has started already")


def begin(player: SdkSurface, wait: Callable[[float], object]) -> str:
    """Start as soon as the lobby has; gives the attempt's id."""
    for _ in range(MOST_TRIES):
        try:
            return player.events.start("arena").attempt.attempt_id
        except LobbyForming:
            wait(1)
    raise TimeoutError("the lobby did not start")


def show(player: SdkSurface, lobby_id: str) -> None:
    """Who plays."""
    lobby = player.lobbies.get(lobby_id).lobby
    print(f"the lobby starts, because of its {lobby.promotion_reason}:")
    for one in lobby.participants:
        kind = "a bot" if one.is_bot else str(one.external_player_id).partition("-")[0]
        print(f"  {kind}, called {one.display_identity.name}")


def finish(xenia: SdkSurface, yann: SdkSurface, lobby_id: str) -> None:
    """The final board, and what its ranks have won."""
    lobby = xenia.lobbies.get(lobby_id).lobby
    assert lobby.status == "closed"
    for entry in xenia.leaderboards.get_event(lobby.leaderboard_id).entries:
        print(f"  {entry.rank}. {entry.name}: {entry.score}{' (bot)' if entry.is_bot else ''}")
    for player, name in ((xenia, "xenia"), (yann, "yann")):
        for grant in player.grants.list_pending().grants:
            player.grants.claim(grant.grant_id)
            print(f"{name} is paid {grant.entries[0].amount} {grant.entries[0].resource_key}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        address, client_key = sys.argv[1:]
        with players_of(address, client_key, NAMES) as (xenia, yann):
            play(xenia, yann, time.sleep)
    else:
        world = World(DEMO)
        play(world.player("xenia"), world.player("yann"), lambda seconds: world.advance(seconds=seconds))

"""What the tests of lobbies share: a game whose event has them, and short ways to come into one."""

from __future__ import annotations

from typing import Any, Final

from livecore.kernel.errors import JsonObject
from livecore.world import World, WorldPlayer
from tests.competition.games import event, with_events
from tests.competition.playing import begin
from tests.worlds import Reply, Since, ask, scope_of

FILL_SECONDS: Final = 60
BOTS: Final[JsonObject] = {
    "names": ["Bolt", "Cog", "Dial"],
    "scoreAt": [
        {"afterSeconds": 10, "min": 5, "max": 9},
        {"afterSeconds": 60, "min": 40, "max": 80},
        {"afterSeconds": 300, "min": 100, "max": 400},
    ],
}


def arena(lobby: JsonObject | None = None, *, capacity: int = 3, **fields: Any) -> World:  # noqa: ANN401 - JSON
    """A game with an event `race` that is played in lobbies."""
    rules: JsonObject = {"capacity": capacity, "fillSeconds": FILL_SECONDS, **(lobby or {})}
    return with_events(event(lobby=rules, **fields))


def waiting(player: WorldPlayer, **more: Any) -> str:  # noqa: ANN401 - as `begin`
    """Start, and be told that the lobby is forming; gives its id."""
    reply = begin(player, **more)
    assert reply.refusal == (202, "lobby_forming"), reply.body
    return str(reply["details.lobbyId"])


def came(here: World, *names: str) -> tuple[str, list[WorldPlayer]]:
    """Players who come into one forming lobby, a second after one another; gives its id."""
    players = [here.player(name) for name in names]
    lobbies = []
    for player in players:
        here.advance(seconds=1)
        lobbies.append(waiting(player))
    (lobby,) = set(lobbies)
    return lobby, players


def filled(here: World, *names: str) -> tuple[str, list[tuple[WorldPlayer, str]]]:
    """Players who fill a lobby, each with an attempt that has begun; gives the lobby's id."""
    lobby, players = came(here, *names[:-1])
    last = here.player(names[-1])
    here.advance(seconds=1)
    attempts = [(last, begin(last)), *((player, begin(player)) for player in players)]
    assert {reply.status for _, reply in attempts} == {201}
    assert {reply["attempt.lobbyId"] for _, reply in attempts} == {lobby}
    return lobby, [(player, reply.text("attempt.attemptId")) for player, reply in attempts]


def lobby_of(here: World, lobby_id: str) -> dict[str, Any]:
    """A lobby as anybody with the client key reads it."""
    reply = ask(here.player("reader"), "lobbies.get", lobby_id=lobby_id)
    assert reply.status == 200, reply.body
    found: Any = reply.data["lobby"]
    return dict(found)


def row_of(lobby: dict[str, Any], *names: str) -> list[Any]:
    """Some members of a lobby."""
    return [lobby[name] for name in names]


def lobby_kinds(since: Since) -> list[str]:
    """The kinds of events about lobbies and sessions, sorted."""
    return [kind for kind in since.kinds if kind.startswith(("lobby.", "session."))]


def push(here: World, key: str, *names: str, event: str = "race", **more: object) -> Reply:
    """Make a lobby as the studio's backend."""
    game_id = scope_of(here).game_id
    return ask(
        here.server, "lobbies.push", game_id=game_id, event_key=event, key=key, external_player_ids=list(names), **more
    )

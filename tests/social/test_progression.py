"""`progression`: which balances may be read along with players, whose, and how many at once."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.world import WorldPlayer
from tests.worlds import Reply, ask, befriend, give, http, world

ROUTES: Final = {
    "friends": "friends.0.progression",
    "friends/suggestions": "suggestions.0.progression",
    "friends/search": "players.0.progression",
    "friends/requests": "outgoing.0.progression",
    "friends/code": "progression",
}


def _scene() -> WorldPlayer:
    """Anna, who has a friend, a stranger and an open request, each with 5 gold, 6 gems and 7 XP, as she has herself."""
    game = world()
    anna, friend, stranger, asked = (game.player(name) for name in ("anna", "friend", "stranger", "asked"))
    for player in (anna, friend, stranger, asked):
        for key, amount in (("gold", 5), ("gems", 6), ("xp", 7)):
            give(player, key, amount)
    ask(stranger, "players.setIdentity", name="Findme")
    befriend(anna, friend)
    ask(anna, "friends.sendRequest", external_player_id="asked")
    return anna


def _read(player: WorldPlayer, route: str, progression: str) -> Reply:
    query = f"progression={progression}" + ("&q=findme" if route == "friends/search" else "")
    return http(player, "GET", f"/sdk/v1/players/anna/{route}", query=query)


@pytest.mark.parametrize(("route", "path"), ROUTES.items())
def test_each_route_reads_what_was_asked_for(route: str, path: str) -> None:
    """One parameter, keys separated by commas; of others the public keys, of oneself all."""
    reply = _read(_scene(), route, "gold,gems,xp,sessions,login_streak")
    own = route == "friends/code"
    assert reply[path] == {"gold": 5, "gems": 6 if own else 0, "xp": 7, "sessions": 1, "login_streak": 1}


@pytest.mark.parametrize("route", ROUTES)
def test_without_the_parameter_nothing_is_read(route: str) -> None:
    """Left out, the rows have no such member."""
    query = "q=findme" if route == "friends/search" else ""
    reply = http(_scene(), "GET", f"/sdk/v1/players/anna/{route}", query=query)
    assert b"progression" not in reply.response.body


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("keys", ["silver", "gold,silver", "a,b,c,d,e,f,g,h,i"])
def test_unknown_keys_and_more_than_eight_are_refused(route: str, keys: str) -> None:
    """400, naming the parameter."""
    reply = _read(_scene(), route, keys)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["progression"]


def test_eight_keys_are_allowed() -> None:
    keys = [f"key{number}" for number in range(9)]
    anna = world(economy=[{"key": key} for key in keys], crates=[], gifting={}, guilds={}).player("anna")
    code = "/sdk/v1/players/anna/friends/code"
    assert http(anna, "GET", code, query=f"progression={','.join(keys[:8])}")["progression"] == dict.fromkeys(
        keys[:8], 0
    )
    assert http(anna, "GET", code, query=f"progression={','.join(keys)}").status == 400


def test_a_key_never_earned_reads_nothing() -> None:
    """0, not absent and not null."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    assert ask(anna, "friends.list", progression=["xp"])["friends.0.progression"] == {"xp": 0}


def test_the_studio_reads_every_key() -> None:
    """The server's social reads use the client's shapes, and a key that is not public is no secret to the studio."""
    server = _scene().world.server
    reply = ask(server, "friends.list", external_id="anna", progression=["gold", "gems", "sessions"])
    assert reply["friends.0.progression"] == {"gold": 5, "gems": 6, "sessions": 1}
    reply = ask(server, "friends.listRequests", external_id="anna", progression=["gems"])
    assert reply["outgoing.0.progression"] == {"gems": 6}

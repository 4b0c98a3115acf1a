"""Suggestions: who may be drawn, how many, and that the recently active are drawn more often."""

from __future__ import annotations

from collections import Counter

import pytest

from livecore.world import WorldPlayer
from tests.worlds import ask, ban, befriend, grant, http, world


def _draw(player: WorldPlayer, **more: object) -> list[str]:
    return [str(row["externalPlayerId"]) for row in ask(player, "friends.suggestions", **more).list("suggestions")]


def test_who_is_left_out() -> None:
    """The caller, friends, requests either way, blocks either way, the banned, and who has only ever been granted to."""
    game = world()
    anna = game.player("anna")
    names = ("friend", "asked", "asker", "blocked", "blocker", "banned", "stranger")
    players = {name: game.player(name) for name in names}
    befriend(anna, players["friend"])
    ask(anna, "friends.sendRequest", external_player_id="asked")
    ask(players["asker"], "friends.sendRequest", external_player_id="anna")
    ask(anna, "friends.block", external_player_id="blocked")
    ask(players["blocker"], "friends.block", external_player_id="anna")
    ban(players["banned"])
    grant(anna, named="other")
    game.server.call(
        "grants.create", external_id="never_there", idempotency_key="n",
        entries=[{"type": "currency", "resourceKey": "gold", "amount": 1}],
    )  # fmt: skip
    assert _draw(anna, limit=25) == ["stranger"]


def test_a_row_has_the_friend_rows_fields_without_the_friendships() -> None:
    """No `friendsSince` and no `giftCooldownUntil`; presence is shown."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    ask(bert, "presence.heartbeat", status="Around")
    (row,) = ask(anna, "friends.suggestions").list("suggestions")
    assert set(row) == {"externalPlayerId", "displayIdentity", "online", "lastActiveAt", "status"}
    assert (row["online"], row["status"]) == (True, "Around")


@pytest.mark.parametrize(
    ("limit", "drawn"), [("", 5), ("1", 1), ("25", 25), ("26", 25), ("0", 1), ("-7", 1), ("1000000", 25)]
)
def test_the_limit_is_moved_into_its_bounds(limit: str, drawn: int) -> None:
    """Five by default; less than one is one, more than 25 is 25."""
    game = world()
    anna, *_ = [game.player(name) for name in ("anna", *(f"p{number}" for number in range(30)))]
    query = f"limit={limit}" if limit else ""
    reply = http(anna, "GET", "/sdk/v1/players/anna/friends/suggestions", query=query)
    assert len(reply.list("suggestions")) == drawn


@pytest.mark.parametrize("limit", ["", "five", "1.5", "--5", "+5", "5 "])
def test_a_limit_is_an_integer(limit: str) -> None:
    """Anything else is refused."""
    anna = world().player("anna")
    reply = http(anna, "GET", "/sdk/v1/players/anna/friends/suggestions", query=f"limit={limit}")
    assert reply.refusal == (400, "validation_failed")


def test_every_call_draws_anew() -> None:
    """The sample differs from call to call, has nobody twice, and equal seeds give equal draws."""
    runs = []
    for _ in range(2):
        game = world()
        anna, *_ = [game.player(name) for name in ("anna", *(f"p{number}" for number in range(20)))]
        runs.append([tuple(_draw(anna)) for _ in range(10)])
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 5
    assert all(len(set(drawn)) == 5 for drawn in runs[0])


def test_the_recently_active_are_drawn_more_often() -> None:
    """Of two players, the one seen just now comes first far more often than the one seen a day ago."""
    game = world()
    anna = game.player("anna")
    game.player("yesterday")
    game.advance(hours=24)
    game.player("today")
    firsts = Counter(_draw(anna, limit=1)[0] for _ in range(200))
    assert firsts["today"] > 150
    assert firsts["yesterday"] > 0


def test_players_of_the_other_environment_are_never_drawn() -> None:
    """A sample is of one scope."""
    game = world()
    anna = game.player("anna")
    live = {"authorization": f"Bearer {game.all_keys['live_client']}"}
    assert http(game, "POST", "/sdk/v1/players/elsewhere/register", headers=live).status == 201
    assert _draw(anna) == []

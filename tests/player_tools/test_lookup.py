"""A player at a glance, as the studio's backend reads it."""

from __future__ import annotations

import attrs
import pytest

from livecore.kernel.errors import JsonObject
from livecore.kernel.time import Timestamp
from tests.worlds import ask, ban, grant, http, player_row, world


def test_everything_that_is_known_about_a_player() -> None:
    """Identity, what the client last sent, sessions and streak, ban and debug flag."""
    game = world(platforms=["arcade"])
    started = str(Timestamp(game.now))
    anna = game.player("anna")
    context = {"country": "SE", "level": 7}
    again = {"authorization": f"Bearer {game.keys['client']}"}
    registered = http(
        game, "POST", "/sdk/v1/players/anna/register", {"playerContext": context}, query="force=true", headers=again
    )
    anna = attrs.evolve(anna, headers={**anna.headers, "x-player-secret": registered.text("playerSecret")})
    ask(anna, "players.setIdentity", name="Anna", avatar="fox")
    game.advance(hours=1)
    phone = {**anna.headers, "x-svc-platform": "arcade", "x-svc-app-version": "1.4.0 (88)"}
    ask(attrs.evolve(anna, headers=phone), "presence.heartbeat")
    ban(anna)
    ask(game.server, "players.flagDebug", external_id="anna")
    shown = ask(game.server, "players.get", external_id="anna")
    now = str(Timestamp(game.now))
    row = player_row(anna)
    assert shown["player"] == {
        "id": row.player_id,
        "externalPlayerId": "anna",
        "firstSeenAt": started,
        "lastSeenAt": now,
        "lastContextSnapshot": context,
        "displayIdentity": {"name": "Anna", "avatar": "fox", "country": "SE"},
        "anonymizedIdentity": {"name": row.pool_name, "avatar": row.pool_avatar, "country": "SE"},
        "country": "SE",
        "platform": {"key": "arcade", "registered": True},
        "appVersion": "1.4.0 (88)",
        "sessions": 2,
        "loginStreak": {"current": 1, "best": 1},
        "ban": {"reason": "cheating", "bannedAt": now},
        "debug": True,
    }


def test_a_platform_that_nobody_declared_is_shown_raw_and_flagged() -> None:
    """So that a typo in a build is seen."""
    game = world()
    anna = game.player("anna")
    ask(attrs.evolve(anna, headers={**anna.headers, "x-svc-platform": "toaster"}), "presence.heartbeat")
    shown = ask(game.server, "players.get", external_id="anna")
    assert shown["player.platform"] == {"key": "toaster", "registered": False}


def test_a_player_of_whom_little_is_known() -> None:
    """Somebody who was only ever given something has an empty snapshot, no platform and no ban."""
    game = world()
    entry = {"type": "currency", "resourceKey": "gold", "amount": 5}
    ask(game.server, "grants.create", external_id="erik", idempotency_key="g1", entries=[entry])
    shown = ask(game.server, "players.get", external_id="erik")
    player = shown["player"]
    assert isinstance(player, dict)
    expected: JsonObject = {
        "lastContextSnapshot": {},
        "platform": None,
        "appVersion": None,
        "sessions": 0,
        "ban": None,
        "debug": False,
    }
    assert {name: player[name] for name in expected} == expected


def test_grants_come_newest_first_whatever_became_of_them() -> None:
    """Capped by `limit`; the summary counts all."""
    game = world()
    anna = game.player("anna")
    ids = []
    for place in range(4):
        ids.append(grant(anna, named=f"g{place}").text("grant.grantId"))
        game.advance(seconds=1)
    ask(anna, "grants.claim", grant_id=ids[1])
    shown = ask(game.server, "players.get", external_id="anna")
    assert [row["grantId"] for row in shown.list("grants")] == ids[::-1]
    assert [row["status"] for row in shown.list("grants")] == ["pending", "pending", "claimed", "pending"]
    assert shown["summary"] == {
        "attemptCount": 0, "attemptsCompleted": 0, "attemptsExpired": 0, "grantsPending": 3, "grantsClaimed": 1,
        "lobbiesActive": 0,
    }  # fmt: skip
    few = http(game.server, "GET", "/server/v1/players/anna", query="limit=2")
    assert [row["grantId"] for row in few.list("grants")] == ids[:1:-1]


@pytest.mark.parametrize("limit", ["0", "201", "many", "-1", ""])
def test_a_limit_is_1_to_200(limit: str) -> None:
    """Anything else is refused by name."""
    game = world()
    game.player("anna")
    reply = http(game.server, "GET", "/server/v1/players/anna", query=f"limit={limit}")
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["limit"]


def test_it_is_the_backends_route() -> None:
    """A client key is refused before anything is looked up, and another environment's player is not there."""
    game = world()
    anna = game.player("anna")
    assert http(anna, "GET", "/server/v1/players/anna").refusal == (403, "wrong_permission_set")
    live = {"authorization": f"Bearer {game.all_keys['live_server']}"}
    assert http(game, "GET", "/server/v1/players/anna", headers=live).refusal == (404, "player_not_found")

"""Ban, unban and the debug flag: transitions, what they tell, and what they refuse."""

from __future__ import annotations

from typing import cast

import pytest

from livecore.kernel.errors import JsonObject
from livecore.kernel.time import Timestamp
from livecore.players.moderation import DEBUG_ACCOUNTS
from livecore.players.player import PLAYERS
from livecore.world import WorldPlayer
from tests.worlds import Reply, Since, ask, http, player_row, rows_of, world


def _ban(player: WorldPlayer, reason: str = "cheating", **more: object) -> Reply:
    return ask(player.world.server, "players.ban", external_id=player.external_id, reason=reason, **more)


def _unban(player: WorldPlayer) -> Reply:
    return ask(player.world.server, "players.unban", external_id=player.external_id)


def test_a_ban_is_told_once_with_who_and_why() -> None:
    """The event names the player by both ids, and the key that banned by its prefix."""
    game = world()
    anna = game.player("anna")
    seen = Since(game)
    now = str(Timestamp(game.now))
    assert _ban(anna).data == {"applied": True, "banned": True, "reason": "cheating", "bannedAt": now}
    assert seen.kinds == ["player.banned"]
    (payload,) = seen.of("player.banned")
    assert payload == {
        "playerId": player_row(anna).player_id,
        "externalPlayerId": "anna",
        "reason": "cheating",
        "bannedAt": now,
        "actor": {"kind": "api_key", "prefix": ask(game.server, "ping")["apiKeyPrefix"]},
    }


def test_banning_again_refreshes_the_reason_only() -> None:
    """The ban keeps its time, `applied` is false, and nobody is told."""
    game = world()
    anna = game.player("anna")
    first = _ban(anna)
    game.advance(hours=1)
    seen = Since(game)
    again = _ban(anna, "botting")
    assert again.data == {"applied": False, "banned": True, "reason": "botting", "bannedAt": first["bannedAt"]}
    assert seen.kinds == []


def test_an_unban_is_told_only_when_there_was_a_ban() -> None:
    """Lifting none answers `applied: false`; the next ban is a transition again."""
    game = world()
    anna = game.player("anna")
    lifted = {"banned": False, "reason": None, "bannedAt": None}
    seen = Since(game)
    assert _unban(anna).data == {"applied": False, **lifted}
    assert seen.kinds == []
    _ban(anna)
    assert _unban(anna).data == {"applied": True, **lifted}
    assert _ban(anna)["applied"] is True
    assert seen.kinds == ["player.banned", "player.banned", "player.unbanned"]


def test_a_banned_player_reads_but_does_not_write_nor_register() -> None:
    """Until the ban is lifted; the studio's backend may go on as before."""
    game = world()
    anna = game.player("anna")
    _ban(anna)
    assert ask(anna, "presence.heartbeat").refusal == (403, "player_banned")
    assert ask(anna, "players.getProfile").status == 200
    key = {"authorization": f"Bearer {game.keys['client']}"}
    assert http(game, "POST", "/sdk/v1/players/anna/register", {}, headers=key).refusal == (403, "player_banned")
    assert ask(game.server, "players.setIdentity", external_id="anna", name="Anna").status == 200
    _unban(anna)
    assert ask(anna, "presence.heartbeat").status == 200


@pytest.mark.parametrize("reason", [None, "", "x" * 501, 7, "a\x00b"])
def test_a_reason_has_1_to_500_characters(reason: object) -> None:
    """Without one nobody is banned."""
    game = world()
    anna = game.player("anna")
    body = {} if reason is None else {"reason": reason}
    reply = http(game.server, "POST", "/server/v1/players/anna/ban", body)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["reason"]
    assert not player_row(anna).banned


def test_a_retried_ban_has_one_effect() -> None:
    """The kept answer says `applied: true` again, and no second event is emitted."""
    game = world()
    anna = game.player("anna")
    seen = Since(game)
    replies = [_ban(anna, idempotency_key="ban-1") for _ in range(2)]
    assert replies[0].data == replies[1].data
    assert seen.kinds == ["player.banned"]


@pytest.mark.parametrize("operation", ["players.ban", "players.unban", "players.flagDebug", "players.unflagDebug"])
def test_an_unknown_player_is_not_made(operation: str) -> None:
    """404, and no row."""
    game = world()
    arguments = {"reason": "cheating"} if operation == "players.ban" else {}
    assert ask(game.server, operation, external_id="nobody", **arguments).refusal == (404, "player_not_found")
    assert rows_of(game, PLAYERS) == []


def test_the_debug_flag_is_set_and_lifted() -> None:
    """`applied` tells a change from a repetition; no event belongs to it."""
    game = world()
    game.player("anna")
    seen = Since(game)

    def asked(operation: str) -> object:
        return ask(game.server, operation, external_id="anna").data

    assert asked("players.unflagDebug") == {"applied": False, "debug": False}
    assert asked("players.flagDebug") == {"applied": True, "debug": True}
    assert asked("players.flagDebug") == {"applied": False, "debug": True}
    assert ask(game.server, "players.get", external_id="anna")["player.debug"] is True
    assert asked("players.unflagDebug") == {"applied": True, "debug": False}
    assert seen.kinds == []


def test_why_an_account_is_for_debugging_stands_beside_the_flag() -> None:
    """The latest reason that was given, until the flag is lifted."""
    game = world()
    anna = game.player("anna")
    told = []
    for arguments in ({}, {"reason": "QA device 7"}, {}, {"reason": "QA device 8"}, {}):
        told.append(ask(game.server, "players.flagDebug", external_id="anna", **arguments).data.get("reason"))
        shown = [ask(game.server, name, external_id="anna")["player"] for name in ("players.get", "players.export")]
        assert [cast(JsonObject, player).get("debugReason") for player in shown] == [told[-1]] * 2
    assert told == [None, "QA device 7", "QA device 7", "QA device 8", "QA device 8"]
    (account,) = rows_of(game, DEBUG_ACCOUNTS)
    assert (account.player_id, account.reason) == (player_row(anna).player_id, "QA device 8")
    assert ask(game.server, "players.unflagDebug", external_id="anna").data == {"applied": True, "debug": False}
    assert "debugReason" not in cast(JsonObject, ask(game.server, "players.get", external_id="anna")["player"])
    assert rows_of(game, DEBUG_ACCOUNTS) == []

"""Attacks by wrong secrets, from the address that players share: they keep nobody out."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.api.requests.counting import ProvenLately
from livecore.api.requests.limits import RateLimits
from livecore.world import World
from tests.worlds import Reply, ask, http, world

ATTACKER: Final = "198.51.100.7"
ELSEWHERE: Final = "203.0.113.9"
BOTH: Final = pytest.mark.parametrize("per_player", [False, True], ids=["by key", "by player"])


def _key_alone(game: World, method: str, path: str, remote: str = ATTACKER, **body: object) -> Reply:
    headers = {"authorization": f"Bearer {game.keys['client']}"}
    return http(game, method, f"/sdk/v1/{path}", body or b"", headers=headers, remote=remote)


@BOTH
def test_wrong_secrets_do_not_keep_the_right_one_out(per_player: bool) -> None:
    """Both come from the address of one school, and the wrong ones go on being refused."""
    game = world(limits=RateLimits(per_player=per_player))
    anna = game.player("anna")
    wrong = {"x-player-secret": "lcs_guess"}
    guesses = [ask(anna, "wallet.get", headers=wrong, remote=ATTACKER) for _ in range(700)]
    assert {reply.refusal for reply in guesses[:20]} == {(401, "player_secret_invalid")}
    assert {reply.refusal for reply in guesses[20:]} == {(429, "rate_limited")}
    assert ask(anna, "wallet.get", remote=ATTACKER).status == 200
    assert ask(anna, "presence.heartbeat", remote=ATTACKER).status == 200


@BOTH
def test_no_number_of_wrong_secrets_uses_up_the_requests_of_an_address(per_player: bool) -> None:
    """More of them than the address has requests: its players go on, and new players register."""
    limits = RateLimits(per_minute={"sdk_write": 12, "sdk_read": 12}, per_player=per_player, address_per_minute=20)
    game = world(limits=limits)
    anna, bert = game.player("anna"), game.player("bert")
    game.advance(minutes=1)
    wrong = {"x-player-secret": "lcs_guess"}
    for operation in ("wallet.get", "presence.heartbeat"):
        guesses = [ask(anna, operation, headers=wrong, remote=ATTACKER) for _ in range(60)]
        assert guesses[-1].refusal == (429, "rate_limited")
    for player in (anna, bert):
        assert ask(player, "wallet.get", remote=ATTACKER).status == 200
        assert ask(player, "presence.heartbeat", remote=ATTACKER).status == 200
    assert _key_alone(game, "POST", "players/cleo/register").status == 201


@BOTH
def test_requests_without_a_secret_use_up_nothing_of_the_players_beside_them(per_player: bool) -> None:
    """On routes that need none and on those that do, from the address of a school; half of `sdk_address` is theirs."""
    game = world(limits=RateLimits(per_player=per_player, address_per_minute=20))
    anna = game.player("anna")
    game.advance(minutes=1)
    replies = [_key_alone(game, "GET", path) for path in ("leaderboards/none", "players/anna/friends") * 10]
    assert [reply.status for reply in replies] == [404, 401] * 5 + [429] * 10
    assert [ask(anna, "wallet.get", remote=ATTACKER).status for _ in range(21)] == [200] * 20 + [429]
    assert _key_alone(game, "POST", "players/cleo/register").status == 201


@BOTH
def test_an_address_shows_so_many_secrets(per_player: bool) -> None:
    """Ten for each request that it may have; then only those are compared that were right lately, until the minute ends."""
    game = world(limits=RateLimits(per_player=per_player, address_per_minute=4))
    anna, bert = game.player("anna"), game.player("bert")
    wrong = {"x-player-secret": "lcs_guess"}
    game.advance(minutes=1)
    assert ask(anna, "wallet.get", remote=ATTACKER).status == 200
    for _ in range(39):
        ask(anna, "wallet.get", headers=wrong, remote=ATTACKER)
    assert [ask(anna, "wallet.get", remote=ATTACKER).status for _ in range(4)] == [200] * 3 + [429]
    assert ask(bert, "wallet.get", remote=ATTACKER).refusal == (429, "rate_limited")
    assert ask(bert, "wallet.get", remote=ELSEWHERE).status == 200
    game.advance(minutes=1)
    assert [ask(player, "wallet.get", remote=ATTACKER).status for player in (anna, bert)] == [200] * 2


def test_a_secret_that_was_replaced_is_wrong_also_where_it_was_right_lately() -> None:
    """What an address is known for saves no check."""
    game = world(limits=RateLimits(per_player=True, address_per_minute=4))
    anna = game.player("anna")
    assert ask(anna, "wallet.get", remote=ATTACKER).status == 200
    game.server.call("players.rotateSecret", external_id="anna")
    for _ in range(50):
        assert ask(anna, "wallet.get", remote=ATTACKER).status in {401, 429}


def test_the_memory_of_right_secrets_is_bounded() -> None:
    """Those that were shown last are known."""
    known = ProvenLately(capacity=3)
    for name in ("a", "b", "c", "a", "d", "e"):
        known.note((name,))
    assert [known.has((name,)) for name in "abcde"] == [True, False, False, True, True]


@BOTH
def test_registrations_are_limited_by_address(per_player: bool) -> None:
    """As many as a bucket has, apart from all other requests."""
    game = world(limits=RateLimits(per_minute={"sdk_write": 6}, per_player=per_player))
    game.player("anna")
    game.advance(minutes=1)
    assert [_key_alone(game, "POST", "players/anna/register").status for _ in range(7)] == [409] * 6 + [429]
    assert _key_alone(game, "POST", "players/nobody/presence").status == 404
    assert _key_alone(game, "POST", "players/bert/register", ELSEWHERE).status == 201

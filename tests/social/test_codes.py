"""Friend codes: six unambiguous characters, the same for life, never given out twice, and not to be guessed."""

from __future__ import annotations

import re

import pytest

from livecore.kernel.entropy import Entropy
from livecore.kernel.units.unit import Unit
from livecore.social.codes import ALPHABET, USED_CODES, UsedCode, code_of, normalise
from tests.worlds import ask, http, player_row, put, rows_of, world


def test_alphabet_has_no_lookalikes() -> None:
    """A to Z and 2 to 9 without I, L and O: 31 characters."""
    assert sorted(ALPHABET) == sorted(set("ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789") - set("ILO"))
    assert len(ALPHABET) == 31


def test_a_code_is_minted_once_and_stays() -> None:
    """The first friends call makes the code; later calls, days on and after a rotation, give the same."""
    anna = world().player("anna")
    first = ask(anna, "friends.getCode").text("friendCode")
    assert re.fullmatch(f"[{ALPHABET}]{{6}}", first)
    anna.world.advance(days=40)
    assert ask(anna, "friends.getCode").text("friendCode") == first
    assert [row.code for row in rows_of(anna.world, USED_CODES)] == [first]


def test_codes_of_two_players_differ() -> None:
    """A code is unique in its scope."""
    game = world()
    codes = {ask(game.player(f"p{number}"), "friends.getCode").text("friendCode") for number in range(50)}
    assert len(codes) == 50


def test_a_code_that_was_ever_given_out_is_not_drawn_again() -> None:
    """Minting draws again where the drawn code is taken, also by somebody who is no longer there."""
    game = world()
    anna = game.player("anna")
    seed = bytes(32)
    taken = Entropy(seed).text(ALPHABET, 6)
    put(game, USED_CODES, UsedCode(code=taken))

    def mint(unit: Unit) -> str | None:
        unit.entropy = Entropy(seed)
        return code_of(unit, player_row(anna)).friend_code

    assert game.unit_of_work(mint) != taken


@pytest.mark.parametrize("typed", [" abc234 ", "ABC234", "aBc234"])
def test_typing_is_forgiven(typed: str) -> None:
    """Case and spaces around a code do not matter."""
    assert normalise(typed) == "ABC234"


def test_the_same_code_means_nobody_in_the_other_environment() -> None:
    """A code is known in its own scope only."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    code = ask(anna, "friends.getCode").text("friendCode")
    live = {"authorization": f"Bearer {game.all_keys['live_client']}"}
    registered = http(game, "POST", "/sdk/v1/players/bert/register", headers=live)
    live["x-player-secret"] = registered.text("playerSecret")
    reply = http(game, "POST", "/sdk/v1/players/bert/friends/requests", {"friendCode": code}, headers=live)
    assert reply.refusal == (404, "friend_code_invalid")
    assert ask(bert, "friends.sendRequest", friend_code=code).status == 201


def test_misses_are_throttled() -> None:
    """After thirty misses in ten minutes codes are no longer looked up for this player, right ones neither."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    code = ask(bert, "friends.getCode").text("friendCode")
    for number in range(30):
        operation = ("friends.sendRequest", "friends.block")[number % 2]
        assert ask(anna, operation, friend_code="000000").status == 404
    refused = ask(anna, "friends.sendRequest", friend_code=code)
    assert refused.refusal == (429, "rate_limited")
    assert refused.header("Retry-After") == "600"
    # Ids are no codes, and other players have misses of their own.
    assert ask(anna, "friends.sendRequest", external_player_id="bert").status == 201
    assert ask(bert, "friends.sendRequest", friend_code="000000").status == 404
    game.advance(minutes=10)
    assert ask(anna, "friends.block", friend_code=code).status == 201


def test_misses_of_many_players_of_one_address_add_up() -> None:
    """Players cost nothing, so an address has 120 misses in ten minutes, whoever makes them; elsewhere codes still work."""
    game = world()
    code = ask(game.player("anna"), "friends.getCode").text("friendCode")
    for number in range(120):
        guesser = game.player(f"guesser-{number // 29}")
        assert ask(guesser, "friends.block", friend_code="000000", remote="198.51.100.1").status == 404
    fresh = game.player("fresh")
    refused = ask(fresh, "friends.sendRequest", friend_code=code, remote="198.51.100.1")
    assert refused.refusal == (429, "rate_limited")
    assert ask(fresh, "friends.sendRequest", friend_code=code, remote="203.0.113.1").status == 201

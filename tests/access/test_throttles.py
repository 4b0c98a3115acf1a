"""Guessing player secrets is throttled by address and player together, and a right one passes: nobody locks a player out."""

from __future__ import annotations

import pytest

from livecore.kernel.scope import DIRECTORY
from livecore.players.refusals import PlayerSecretInvalid
from livecore.players.throttle import FAILURES_ALLOWED
from livecore.world import WorldPlayer
from tests.worlds import Reply, ask, world

WRONG = {"x-player-secret": "lcs_guess"}
GUESSER, HOME = "198.51.100.1", "203.0.113.1"


def _guess(player: WorldPlayer, times: int, remote: str = GUESSER) -> list[Reply]:
    return [ask(player, "wallet.get", headers=WRONG, remote=remote) for _ in range(times)]


def _exhausted(player: WorldPlayer) -> None:
    replies = _guess(player, FAILURES_ALLOWED["player_secret"])
    assert {reply.refusal for reply in replies} == {(401, "player_secret_invalid")}


def test_too_many_guesses_are_throttled() -> None:
    """After the allowed misses a further one of the address hears 429 for this player, and when to come back."""
    anna = world().player("anna")
    _exhausted(anna)
    (reply,) = _guess(anna, 1)
    assert reply.refusal == (429, "rate_limited")
    assert reply.header("Retry-After") == "600"


def test_the_right_secret_passes_where_wrong_ones_are_throttled() -> None:
    """Whoever is at the player's own address, a school's or a carrier's, cannot keep the player out by guessing."""
    anna = world().player("anna")
    _exhausted(anna)
    for _ in range(3):
        assert _guess(anna, 1)[0].refusal == (429, "rate_limited")
        assert ask(anna, "wallet.get", remote=GUESSER).status == 200
        assert ask(anna, "presence.heartbeat", remote=GUESSER).status == 200


def test_the_player_is_not_locked_out() -> None:
    """From any other address the player goes on playing."""
    anna = world().player("anna")
    _exhausted(anna)
    assert ask(anna, "wallet.get", remote=HOME).status == 200


def test_other_players_of_the_address_are_not_locked_out() -> None:
    """A household behind one address shares no fate."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    _exhausted(anna)
    assert ask(bert, "wallet.get", remote=GUESSER).status == 200


def test_a_missing_secret_counts_as_a_guess() -> None:
    """Leaving the header out is no way around."""
    anna = world().player("anna")
    bare = {name: value for name, value in anna.headers.items() if name != "x-player-secret"}
    for _ in range(FAILURES_ALLOWED["player_secret"]):
        request = anna.request("wallet.get")
        reply = Reply(anna.world.handle(type(request)("GET", request.path, "", bare, b"", GUESSER)))
        assert reply.refusal == (401, "player_secret_invalid")
    assert _guess(anna, 1)[0].refusal == (429, "rate_limited")


def test_successes_do_not_count() -> None:
    """Only misses are counted, however many requests succeed between them."""
    anna = world().player("anna")
    for _ in range(FAILURES_ALLOWED["player_secret"] - 1):
        _guess(anna, 1)
        assert ask(anna, "wallet.get", remote=GUESSER).status == 200
    assert ask(anna, "wallet.get", remote=GUESSER).status == 200


@pytest.mark.parametrize(("minutes", "status"), [(9.99, 429), (10, 401)])
def test_the_throttle_ends(minutes: float, status: int) -> None:
    """Ten minutes after the first miss everything is as before."""
    anna = world().player("anna")
    _exhausted(anna)
    anna.world.advance(minutes=minutes)
    assert _guess(anna, 1)[0].status == status


def test_environments_count_apart() -> None:
    """Guessing at the test player leaves the live player of the same id alone."""
    game = world()
    anna = game.player("anna")
    live = {"authorization": f"Bearer {game.all_keys['live_client']}"}
    request = anna.request("players.register")
    made = Reply(game.handle(type(request)("POST", request.path, "", live, b"", HOME)))
    _exhausted(anna)
    reply = ask(anna, "wallet.get", headers={**live, "x-player-secret": made.text("playerSecret")}, remote=GUESSER)
    assert reply.status == 200


def test_a_transaction_that_runs_again_counts_its_miss_once() -> None:
    """A guess that the store has run twice is answered the second time as the first, and has used up one miss."""
    anna = world().player("anna")
    application, store = anna.world.application, anna.world.store
    _guess(anna, FAILURES_ALLOWED["player_secret"] - 1)
    request = anna.request("wallet.get")
    guess = type(request)("GET", request.path, "", {**request.headers, **WRONG}, b"", GUESSER)
    prepared = store.read(DIRECTORY, lambda tx: application.prepare(guess, tx))
    for _ in range(2):
        with pytest.raises(PlayerSecretInvalid):
            store.read(prepared.scope, lambda tx: application.run(prepared, tx))
    assert _guess(anna, 1)[0].refusal == (429, "rate_limited")

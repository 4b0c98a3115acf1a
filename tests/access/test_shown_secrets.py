"""Secrets that an answer shows once: never stored, and shown again to who repeats the request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from livecore.kernel.time import DAY
from tests.added_game import STORES, AddedGame, Said, headers_for, signed_in

DEPLOYMENT: Final = b"a secret of the deployment"
KEY: Final = "0123456789012345678901"
"""Long enough not to be guessed."""


@pytest.fixture(params=sorted(STORES))
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over each of the stores."""
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store, secrets=[DEPLOYMENT])


def ask_key(game: AddedGame, cookie: str, key: str | None, *, name: str = "script") -> Said:
    """Ask for a personal key under an idempotency key."""
    body: dict[str, object] = {"name": name, "expiresInDays": 7}
    if key is not None:
        body["idempotencyKey"] = key
    path = f"/admin/v1/studios/{game.made.game.studio_id}/personal-keys"
    return game.ask("POST", path, body, headers=signed_in(cookie))


def test_a_repetition_shows_the_same_secret(game: AddedGame) -> None:
    """For a day, marked as a replay, with one effect; and the secret is in no row."""
    cookie = game.member("owner@example.com")
    first = ask_key(game, cookie, KEY)
    before = game.store.dump()
    again = ask_key(game, cookie, KEY)
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json
    assert again.response.header("Idempotent-Replay") == "true"
    assert game.store.dump() == before
    secret = first.json["data"]["key"]
    assert secret.rpartition("_")[0].rpartition("_")[2] not in repr(before)


def test_another_request_under_the_key_is_refused(game: AddedGame) -> None:
    """It is no repetition."""
    cookie = game.member("owner@example.com")
    ask_key(game, cookie, KEY)
    assert ask_key(game, cookie, KEY, name="another").code == "idempotency_conflict"


def test_the_key_of_a_colleague_shows_nothing(game: AddedGame) -> None:
    """Whoever learns the idempotency key of somebody else makes a secret of their own."""
    owner, bea = game.member("owner@example.com"), game.member("bea@example.com", "VIEWER")
    mine, theirs = ask_key(game, owner, KEY), ask_key(game, bea, KEY)
    assert (mine.status, theirs.status) == (201, 201)
    assert mine.json["data"]["key"] != theirs.json["data"]["key"]


def rotate(game: AddedGame, headers: dict[str, str], *, surface: str = "server") -> Said:
    """Give a player a new secret under the idempotency key."""
    row = game.made.game
    below = "/server/v1" if surface == "server" else f"/admin/v1/studios/{row.studio_id}/games/{row.game_id}"
    query = "" if surface == "server" else "environment=test"
    path, body = f"{below}/players/anna/rotate-secret", {"idempotencyKey": KEY}
    return game.ask("POST", path, body, query=query, headers=headers)


def test_who_rotates_a_player_s_secret_at_the_same_instant_makes_another(game: AddedGame) -> None:
    """Members and the studio's backend have keys of their own, so nobody is shown what somebody else was."""
    game.register("anna")
    members = [signed_in(game.member(f"{name}@example.com")) for name in ("ann", "bea")]
    secrets = [rotate(game, headers, surface="admin").json["data"]["playerSecret"] for headers in members]
    secrets.append(rotate(game, headers_for(game.key("server"))).json["data"]["playerSecret"])
    assert len(set(secrets)) == 3
    again = rotate(game, headers_for(game.key("server")))
    assert (again.json["data"]["playerSecret"], again.response.header("Idempotent-Replay")) == (secrets[2], "true")
    # What a member was shown has been replaced since.
    assert rotate(game, members[1], surface="admin").code == "idempotency_conflict"


def test_without_a_key_each_request_makes_a_secret(game: AddedGame) -> None:
    """Nothing says that the second is the first again."""
    cookie = game.member("owner@example.com")
    texts = {ask_key(game, cookie, None).json["data"]["key"] for _ in range(2)}
    assert len(texts) == 2


def test_a_key_that_could_be_guessed_shows_nothing_again(game: AddedGame) -> None:
    """It has one effect like every key; who repeats the request is told that the secret cannot be shown again."""
    cookie = game.member("owner@example.com")
    first = ask_key(game, cookie, KEY[:-1])
    before = game.store.dump()
    assert first.status == 201
    assert ask_key(game, cookie, KEY[:-1]).code == "idempotency_conflict"
    assert game.store.dump() == before


def test_after_a_day_the_request_is_a_new_one(game: AddedGame) -> None:
    """Like every request under a key."""
    cookie = game.member("owner@example.com")
    first = ask_key(game, cookie, KEY)
    game.now += DAY
    second = ask_key(game, game.member("other@example.com"), KEY)
    assert first.json["data"]["key"] != second.json["data"]["key"]


def test_a_deployment_s_older_secret_still_shows_it(tmp_path: Path) -> None:
    """And without the one by which it was made, the caller is told that it cannot be shown."""
    with STORES["memory"](tmp_path) as store:
        game = AddedGame(store, secrets=[DEPLOYMENT])
        cookie = game.member("owner@example.com")
        first = ask_key(game, cookie, KEY)
        game.application.deployment = attrs.evolve(game.application.deployment, secrets=(b"a newer one", DEPLOYMENT))
        assert ask_key(game, cookie, KEY).json == first.json
        game.application.deployment = attrs.evolve(game.application.deployment, secrets=(b"a newer one",))
        assert ask_key(game, cookie, KEY).code == "idempotency_conflict"

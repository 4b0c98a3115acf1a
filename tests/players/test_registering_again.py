"""Registering again with the same key: the same secret, for a day, for whoever may have it, and never from a store."""

from __future__ import annotations

from itertools import count

import pytest

from livecore import World
from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.requests.http import Request
from livecore.api.requests.idempotency import ANSWERS
from livecore.api.requests.limits import RateLimits
from livecore.kernel.entropy import derive_seed
from livecore.kernel.time import DAY
from livecore.players.derived import LEAST_KEY
from livecore.players.player import PLAYERS
from tests.worlds import Reply, Since, ask, ban, http, rows_of, scope_of, world

KEY = "5f2c8e11a0d94b7c8e6f0a1b2c3d4e5f"
OTHER = KEY[::-1]


def register(game: World, *, key: str | None = KEY, force: bool = False, permission: str = "test_client", body: object = b"",
             name: str = "anna") -> Reply:  # fmt: skip
    """Ask to register under a key."""
    headers = {"authorization": f"Bearer {game.all_keys[permission]}", "idempotency-key": key}
    query = "force=true" if force else ""
    return http(game, "POST", f"/sdk/v1/players/{name}/register", body, query=query, headers=headers)


def _is_replay_of(first: Reply, again: Reply) -> bool:
    same = (again.status, again.data) == (first.status, first.data)
    return same and again.header("Idempotent-Replay") == "true"


def test_a_lost_answer_is_told_again() -> None:
    """The same secret, status and player; no row changes and nobody is told. The secret works."""
    game = world()
    first = register(game)
    assert (first.status, first.header("Idempotent-Replay")) == (201, None)
    game.advance(hours=1)
    before, seen = game.store.dump(), Since(game)
    assert _is_replay_of(first, register(game))
    assert (game.store.dump(), seen.kinds) == (before, [])
    secret = {"x-player-secret": first.text("playerSecret"), "authorization": f"Bearer {game.keys['client']}"}
    assert http(game, "GET", "/sdk/v1/players/anna/profile", headers=secret).status == 200


def test_the_key_may_come_in_the_body() -> None:
    """It is the same key."""
    game = world()
    assert _is_replay_of(register(game), register(game, key=None, body={"idempotencyKey": KEY}))


def test_another_key_or_none_is_refused() -> None:
    """409, as for everybody who has not registered this player."""
    game = world()
    register(game)
    for key in (OTHER, None, KEY[:LEAST_KEY], "k"):
        assert register(game, key=key).refusal == (409, "player_already_registered")


@pytest.mark.parametrize(("length", "again"), [(LEAST_KEY - 1, 409), (LEAST_KEY, 201)])
def test_a_key_that_could_be_guessed_repeats_nothing(length: int, again: int) -> None:
    """It has at least as many characters as 16 random bytes have in base64; a shorter one registers once."""
    game = world()
    assert register(game, key=KEY[:length]).status == 201
    assert register(game, key=KEY[:length]).status == again
    assert len(rows_of(game, ANSWERS)) == (again == 201)


@pytest.mark.parametrize(("wait", "again"), [(DAY - 1, 201), (DAY, 409)])
def test_it_may_be_repeated_for_a_day(wait: int, again: int) -> None:
    """To the millisecond."""
    game = world()
    register(game)
    game.now += wait
    assert register(game).status == again


def test_what_else_the_request_says_must_be_the_same() -> None:
    """409 `idempotency_conflict` for another context, and for `force` that was not there; the secret stays."""
    game = world()
    first = register(game, body={"playerContext": {"level": 1}})
    assert register(game).refusal == (409, "idempotency_conflict")
    assert register(game, body={"playerContext": {"level": 2}}).refusal == (409, "idempotency_conflict")
    assert register(game, force=True, body={"playerContext": {"level": 1}}).refusal == (409, "idempotency_conflict")
    assert _is_replay_of(first, register(game, body={"playerContext": {"level": 1.0}}))


def test_a_forced_registration_rotates_once_for_each_key() -> None:
    """200 and again 200 with the same secret, and one event."""
    game = world()
    register(game)
    game.advance(hours=1)
    seen = Since(game)
    rotated = register(game, key=OTHER, force=True)
    assert rotated.status == 200
    assert _is_replay_of(rotated, register(game, key=OTHER, force=True))
    assert seen.kinds == ["player.secret_rotated"]


@pytest.mark.parametrize("forced", [False, True])
def test_a_secret_that_was_rotated_away_does_not_come_back(forced: bool) -> None:
    """Neither by a repetition of what made it, nor when its key is used once more after its day."""
    game = world()
    first = register(game, force=forced)
    game.server.call("players.rotateSecret", external_id="anna")
    assert register(game, force=forced).refusal == (409, "player_already_registered")
    game.advance(days=1)
    if forced:
        assert register(game, force=forced)["playerSecret"] != first["playerSecret"]


def test_a_ban_comes_first() -> None:
    """Who was banned meanwhile is told so, and is given no secret."""
    game = world()
    register(game)
    ban(game.player("bert"))
    ask(game.server, "players.ban", external_id="anna", reason="cheating")
    assert register(game).refusal == (403, "player_banned")


def test_a_live_key_repeats_but_does_not_force() -> None:
    """A live player is who would be locked out."""
    game = world()
    first = register(game, permission="live_client")
    assert _is_replay_of(first, register(game, permission="live_client"))
    assert register(game, permission="live_client", force=True).refusal == (403, "test_environment_only")


def test_everybody_has_secrets_of_their_own() -> None:
    """The same key for two players, in two environments, or for who comes after somebody gone, is not the same secret."""
    game = world()
    secrets = [
        register(game)["playerSecret"],
        register(game, permission="live_client")["playerSecret"],
        register(game, name="bert")["playerSecret"],
    ]
    ask(game.server, "players.erase", external_id="anna")
    secrets.append(register(game)["playerSecret"])
    ask(game.server, "players.merge", external_id="anna", to_external_id="bert")
    secrets.append(register(game)["playerSecret"])
    assert len(set(secrets)) == 5


def test_after_a_merge_the_target_may_still_repeat() -> None:
    """The target keeps its secret, and the source's is dead: its id is free."""
    game = world()
    register(game, name="guest")
    first = register(game)
    game.server.call("players.merge", external_id="guest", to_external_id="anna")
    assert _is_replay_of(first, register(game))


def test_who_registers_a_player_of_the_studios_may_repeat_it() -> None:
    """First contact by a grant made the row; the secret is new all the same."""
    game = world()
    entries = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    game.server.call("grants.create", external_id="anna", idempotency_key="g", entries=entries)
    assert _is_replay_of(register(game), register(game))


def test_nothing_that_is_stored_makes_a_secret() -> None:
    """Neither the secret nor the key is in any row, and what is kept goes with the player."""
    game = world()
    first = register(game)
    (kept,) = rows_of(game, ANSWERS)
    assert (kept.body, kept.player_id) == ("", first["player.playerId"])
    stored = repr(game.store.dump())
    assert first.text("playerSecret") not in stored
    assert KEY not in stored
    ask(game.server, "players.erase", external_id="anna")
    assert rows_of(game, ANSWERS) == []


def test_equal_worlds_give_equal_secrets() -> None:
    """A world's own secret follows from its seed."""
    assert register(world())["playerSecret"] == register(world())["playerSecret"]
    assert register(World(seed=1))["playerSecret"] != register(world())["playerSecret"]


# -- several secrets of the deployment ------------------------------------------------------------------------------------


def _served_with(game: World, *secrets: bytes) -> None:
    """Serve the same rows from now on by a process that has these secrets."""
    numbers = count()
    game.application = Application(
        game.store,
        clock=lambda: game.now,
        seeds=lambda: derive_seed(secrets[0] if secrets else b"none", "process", next(numbers)),
        deployment=new_deployment(ephemeral=game.ephemeral, secrets=secrets),
        limits=RateLimits.off(),
    )


def test_what_any_secret_of_the_deployment_derived_is_told_again() -> None:
    """A key that was put in front derives from then on, and the one behind it still repeats; one that is gone does not."""
    game = world()
    _served_with(game, b"old")
    first = register(game)
    _served_with(game, b"new", b"old")
    assert _is_replay_of(first, register(game))
    second = register(game, name="bert")
    _served_with(game, b"new")
    assert _is_replay_of(second, register(game, name="bert"))
    assert register(game).refusal == (409, "player_already_registered")


def test_without_a_secret_of_the_deployment_every_secret_is_random() -> None:
    """Registering works, and repeating it does not."""
    game = world()
    _served_with(game)
    assert register(game).status == 201
    assert register(game).refusal == (409, "player_already_registered")
    assert rows_of(game, ANSWERS) == []


def test_a_refused_repetition_changes_no_row() -> None:
    """Whichever guard it was."""
    game = world()
    register(game)
    before = game.store.dump()[scope_of(game).id]
    for reply in (register(game, key=OTHER), register(game, body={"playerContext": {}}), register(game, key=None)):
        assert reply.status == 409
    assert game.store.dump()[scope_of(game).id] == before
    assert len(rows_of(game, PLAYERS)) == 1
    assert game.handle(Request("GET", "/sdk/v1/players/anna/register", "", {}, b"", "127.0.0.1")).status == 405


# -- rotation by the studio -----------------------------------------------------------------------------------------------


def rotate(game: World, key: str | None = KEY, name: str = "anna") -> Reply:
    """Ask for another secret, as the studio's backend."""
    return ask(game.server, "players.rotateSecret", external_id=name, idempotency_key=key)


def test_a_rotation_under_the_same_key_is_one_rotation() -> None:
    """The same secret and time, one event, and no row changes; another key rotates again."""
    game = world()
    game.player("anna")
    game.advance(hours=1)
    seen = Since(game)
    first = rotate(game)
    game.advance(hours=1)
    before = game.store.dump()
    assert _is_replay_of(first, rotate(game))
    assert game.store.dump() == before
    assert seen.kinds == ["player.secret_rotated"]
    assert rotate(game, OTHER)["playerSecret"] != first["playerSecret"]


def test_a_rotation_that_was_followed_by_another_is_not_repeated() -> None:
    """409: its secret is dead, and to run again would kill the one in use."""
    game = world()
    game.player("anna")
    rotate(game)
    second = rotate(game, OTHER)
    assert rotate(game).refusal == (409, "idempotency_conflict")
    assert _is_replay_of(second, rotate(game, OTHER))


def test_a_rotations_key_is_good_for_nothing_else() -> None:
    """409 for another player's rotation and for any other write of the backend's, in either order; secrets stay."""
    game = world()
    for name in ("anna", "bert"):
        game.player(name)
    rotated = rotate(game)
    before = game.store.dump()
    assert rotate(game, name="bert").refusal == (409, "idempotency_conflict")
    assert credit(game, KEY).refusal == (409, "idempotency_conflict")
    assert game.store.dump() == before
    assert _is_replay_of(rotated, rotate(game))
    assert credit(game, OTHER).status == 200
    assert rotate(game, OTHER).refusal == (409, "idempotency_conflict")


def credit(game: World, key: str) -> Reply:
    """Ask for another write of the studio's backend."""
    return ask(game.server, "wallet.credit", external_id="anna", economy_key="gold", amount=1, idempotency_key=key)


def test_any_secret_of_the_deployment_repeats_a_rotation() -> None:
    """As it repeats a registration; where the one that derived is gone, 409 and no second rotation."""
    game = world()
    game.player("anna")
    _served_with(game, b"old")
    first = rotate(game)
    _served_with(game, b"new", b"old")
    assert _is_replay_of(first, rotate(game))
    _served_with(game, b"new")
    assert rotate(game).refusal == (409, "idempotency_conflict")


def test_a_rotation_and_a_registration_under_one_key_are_two_requests() -> None:
    """A studio's key never meets a player's."""
    game = world()
    first = register(game)
    assert rotate(game)["playerSecret"] != first["playerSecret"]
    assert register(game).refusal == (409, "player_already_registered")

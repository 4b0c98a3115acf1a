"""Registering, secrets, their rotation, and first contact of every sort."""

from __future__ import annotations

import hashlib
import re

import pytest

from livecore.access.audit import AUDIT
from livecore.api.requests.idempotency import ANSWERS
from livecore.kernel.errors import Json
from livecore.kernel.time import Timestamp
from livecore.players.player import PLAYERS
from livecore.world import World
from tests.worlds import Reply, Since, ask, ban, grant, http, player_row, rows_of, world

SECRET = re.compile(r"lcs_[a-z2-7]{40}")


def _register(
    game: World,
    name: str,
    *,
    query: str = "",
    key: str = "test_client",
    body: object = b"",
    remote: str = "127.0.0.1",
    idempotency_key: str | None = None,
) -> Reply:
    headers = {"authorization": f"Bearer {game.all_keys[key]}", "idempotency-key": idempotency_key}
    path = f"/sdk/v1/players/{name}/register"
    return http(game, "POST", path, body, query=query, headers=headers, remote=remote)


def test_the_answer_of_a_first_registration() -> None:
    """201 with the secret, both ids, the country and the three identity envelopes."""
    game = world()
    seen = Since(game)
    reply = _register(game, "anna", body={"playerContext": {"country": "SE", "level": 3}})
    (row,) = rows_of(game, PLAYERS)
    identity = {"name": row.pool_name, "avatar": row.pool_avatar, "country": "SE"}
    assert reply.status == 201
    assert reply.data == {
        "playerSecret": reply["playerSecret"],
        "player": {"playerId": row.player_id, "externalPlayerId": "anna"},
        "country": "SE",
        "syntheticIdentity": identity,
        "displayIdentity": identity,
        "anonymizedIdentity": identity,
    }
    now = Timestamp(game.now).wire
    assert seen.kinds == ["player.registered", "player.secret_set"]
    assert seen.of("player.registered") == [
        {
            "playerId": row.player_id,
            "externalPlayerId": "anna",
            "firstSeenAt": now,
            "contextSnapshot": {"country": "SE", "level": 3},
        }
    ]
    assert seen.of("player.secret_set") == [
        {
            "playerId": row.player_id,
            "externalPlayerId": "anna",
            "secretPrefix": reply.text("playerSecret")[:8],
            "registeredAt": now,
            "secretRotatedAt": None,
            "via": "sdk_register",
        }
    ]


def test_only_a_hash_of_the_secret_is_stored() -> None:
    """At least 160 random bits; no row of the store holds the text."""
    game = world()
    secret = _register(game, "anna").text("playerSecret")
    assert SECRET.fullmatch(secret)
    (row,) = rows_of(game, PLAYERS)
    assert row.secret_hash == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in repr(game.store.dump())


def test_a_registered_player_is_not_registered_again() -> None:
    """409, and the secret in use stays."""
    game = world()
    anna = game.player("anna")
    assert _register(game, "anna").refusal == (409, "player_already_registered")
    assert ask(anna, "players.getProfile").status == 200


def test_a_forced_registration_replaces_the_secret() -> None:
    """200, the old secret is dead, `player.secret_rotated` is told with `force_rotate`, and the player stays the same."""
    game = world()
    anna = game.player("anna")
    game.advance(minutes=1)
    seen = Since(game)
    reply = _register(game, "anna", query="force=true")
    assert reply.status == 200
    assert reply["player.playerId"] == anna.player_id
    assert ask(anna, "players.getProfile").refusal == (401, "player_secret_invalid")
    assert ask(anna, "players.getProfile", headers={"x-player-secret": reply.text("playerSecret")}).status == 200
    assert seen.kinds == ["player.secret_rotated"]
    (payload,) = seen.of("player.secret_rotated")
    assert (payload["via"], payload["secretRotatedAt"]) == ("force_rotate", Timestamp(game.now).wire)
    assert payload["registeredAt"] == Timestamp(game.now - 60_000).wire


def test_forcing_a_first_registration_just_registers() -> None:
    """`force=true` for a player without a secret is 201."""
    assert _register(world(), "anna", query="force=true").status == 201


@pytest.mark.parametrize("registered", [False, True])
def test_a_live_key_cannot_force(registered: bool) -> None:
    """403, before anything is looked at; `force=false` is as good as nothing."""
    game = world()
    if registered:
        assert _register(game, "anna", key="live_client", query="force=false").status == 201
    reply = _register(game, "anna", key="live_client", query="force=true")
    assert reply.refusal == (403, "test_environment_only")


def test_a_banned_player_is_told_so_first() -> None:
    """`player_banned` comes before `player_already_registered`, forced or not."""
    game = world()
    ban(game.player("anna"))
    assert _register(game, "anna").refusal == (403, "player_banned")
    assert _register(game, "anna", query="force=true").refusal == (403, "player_banned")


def test_the_same_id_is_two_players_in_the_two_environments() -> None:
    """Registered with the test key and again with the live key: two rows, two secrets."""
    game = world()
    test, live = _register(game, "anna"), _register(game, "anna", key="live_client")
    assert (test.status, live.status) == (201, 201)
    assert test["player.playerId"] != live["player.playerId"]
    crossed = {"authorization": f"Bearer {game.keys['client']}", "x-player-secret": live.text("playerSecret")}
    assert http(game, "GET", "/sdk/v1/players/anna/profile", headers=crossed).status == 401


def test_a_server_grant_is_first_contact() -> None:
    """The row is made without a secret; the player registers later as 201, with `player.registered` told once."""
    game = world()
    seen = Since(game)
    game.server.call(
        "grants.create", external_id="anna", idempotency_key="g",
        entries=[{"type": "currency", "resourceKey": "gold", "amount": 1}],
    )  # fmt: skip
    assert seen.kinds == ["grant.created", "player.registered"]
    headers = {"authorization": f"Bearer {game.keys['client']}", "x-player-secret": "lcs_guess"}
    assert http(game, "GET", "/sdk/v1/players/anna/profile", headers=headers).status == 401
    assert _register(game, "anna", body={"playerContext": {"country": "SE"}})["country"] == "SE"
    assert seen.kinds == ["grant.created", "player.registered", "player.secret_set"]


@pytest.mark.parametrize("context", [[], "text", 1, {"a": "x" * 17_000}])
def test_a_player_context_is_an_object_of_at_most_16_kib(context: Json) -> None:
    """Anything else is refused."""
    reply = _register(world(), "anna", body={"playerContext": context})
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["playerContext"]


@pytest.mark.parametrize("value", ["1", "yes", "", "TRUE"])
def test_force_is_true_or_false(value: str) -> None:
    """Nothing else is read as either."""
    reply = _register(world(), "anna", query=f"force={value}")
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["force"]


# -- rotation by the studio -----------------------------------------------------------------------------------------------


def test_the_studio_rotates_a_secret() -> None:
    """200 with the new secret, its prefix and the time; the old one is dead; the audit entry has the address."""
    game = world()
    anna = game.player("anna")
    game.advance(minutes=1)
    seen = Since(game)
    reply = ask(game.server, "players.rotateSecret", external_id="anna", remote="203.0.113.9")
    secret = reply.text("playerSecret")
    now = Timestamp(game.now).wire
    assert reply.data == {"playerSecret": secret, "secretPrefix": secret[:8], "secretRotatedAt": now}
    assert ask(anna, "players.getProfile").refusal == (401, "player_secret_invalid")
    assert ask(anna, "players.getProfile", headers={"x-player-secret": secret}).status == 200
    (payload,) = seen.of("player.secret_rotated")
    assert (payload["via"], payload["secretRotatedAt"], payload["secretPrefix"]) == ("server_rotate", now, secret[:8])
    entry = rows_of(game, AUDIT)[-1]
    assert (entry.action, entry.address) == ("server:players.rotateSecret", "203.0.113.9")
    assert entry.actor_ref == game.keys["server"][: len(entry.actor_ref)]


def test_registering_leaves_the_address() -> None:
    """The audit trail says where a registration came from."""
    game = world()
    _register(game, "anna", remote="203.0.113.7")
    (entry,) = rows_of(game, AUDIT)
    assert (entry.action, entry.address, entry.at) == ("sdk:players.register", "203.0.113.7", game.now)
    assert entry.player_id == rows_of(game, PLAYERS)[0].player_id


def test_answers_with_a_secret_are_never_stored() -> None:
    """Register and rotation accept an idempotency key and keep no answer: the next try is another try."""
    game = world()
    assert _register(game, "anna", idempotency_key="k").status == 201
    again = _register(game, "anna", body={"idempotencyKey": "k"})
    assert again.refusal == (409, "player_already_registered")
    first, second = (
        ask(game.server, "players.rotateSecret", external_id="anna", idempotency_key="k") for _ in range(2)
    )
    assert first["playerSecret"] != second["playerSecret"]
    assert second.header("Idempotent-Replay") is None
    assert rows_of(game, ANSWERS) == []


def test_a_grant_before_registration_is_kept() -> None:
    """What was granted before the player came waits for them."""
    game = world()
    anna = game.player("anna")
    assert grant(anna).status == 201
    assert player_row(anna).registered_at == game.now
    assert len(ask(anna, "grants.listPending").list("grants")) == 1


def _brought(game: World, *names: str) -> None:
    """Players whom the backend has brought: moved in, and given something before their first start."""
    moved, granted = names
    game.server.call("migrate.players", rows=[{"idempotencyKey": "m", "externalPlayerId": moved}])
    entries = [{"type": "currency", "resourceKey": "gold", "amount": 50_000}]
    game.server.call("grants.create", external_id=granted, idempotency_key="g", entries=entries)


@pytest.mark.parametrize("query", ["", "force=true"])
def test_whom_the_backend_has_brought_the_backend_registers(query: str) -> None:
    """403 for whoever knows the id, forced or not, and nothing changes; the secret that the studio hands out works."""
    game = world(registration={"knownPlayers": "backend"})
    _brought(game, "steam-7656", "granted")
    before = game.store.dump()
    for name in ("steam-7656", "granted"):
        reply = _register(game, name, query=query, idempotency_key="a-key-of-a-stranger-0001")
        assert reply.refusal == (403, "registration_by_backend")
    assert game.store.dump() == before
    seen = Since(game)
    secret = str(game.server.call("players.rotateSecret", external_id="granted")["playerSecret"])
    assert seen.kinds == ["player.secret_set"]
    headers = {"authorization": f"Bearer {game.keys['client']}", "x-player-secret": secret}
    assert http(game, "GET", "/sdk/v1/players/granted/profile", headers=headers).status == 200
    assert _register(game, "granted").refusal == (409, "player_already_registered")


def test_who_is_not_known_registers_as_ever() -> None:
    """Ids that nobody has brought are the clients' to register, and a lost answer is told again."""
    game = world(registration={"knownPlayers": "backend"})
    key = "a-key-of-anna-herself-0001"
    first, again = (_register(game, "anna", idempotency_key=key) for _ in range(2))
    assert (first.status, again.status) == (201, 201)
    assert first.text("playerSecret") == again.text("playerSecret")


def test_a_ban_is_told_before_that_the_backend_registers() -> None:
    """Of somebody who was banned before the first start."""
    game = world(registration={"knownPlayers": "backend"})
    _brought(game, "steam-7656", "granted")
    game.server.call("players.ban", external_id="granted", reason="spam")
    assert _register(game, "granted").refusal == (403, "player_banned")


@pytest.mark.parametrize("registration", [None, {}, {"knownPlayers": "client"}])
def test_by_default_whoever_comes_first_is_the_player(registration: Json) -> None:
    """As the specification has it."""
    game = world(registration=registration)
    _brought(game, "steam-7656", "granted")
    assert (_register(game, "steam-7656").status, _register(game, "granted").status) == (201, 201)

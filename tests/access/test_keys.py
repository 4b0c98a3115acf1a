"""API keys: their form, rotation, revocation, what is stored and what is remembered of their use."""

from __future__ import annotations

import hashlib
import json
import re
import zlib

import pytest

from livecore.access.audit import AUDIT, KEY_USAGE, KeyUsage, note_use
from livecore.access.directory import API_KEYS, ApiKey
from livecore.access.keys import GRACE, KeyOnce, revoke_key, rotate_key
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import DAY, Timestamp
from livecore.world import World
from tests.worlds import Reply, ask, http, rows_of, world


def _keys(game: World) -> list[ApiKey]:
    rows = game.store.dump()[DIRECTORY.id][API_KEYS.name]
    return [row for row in rows if isinstance(row, ApiKey)]


def _key(game: World, permission: str = "server") -> ApiKey:
    return next(key for key in _keys(game) if (key.environment, key.permission) == ("test", permission))


def _rotate(game: World, key_id: str) -> KeyOnce:
    return game.store.write(
        DIRECTORY, lambda tx: rotate_key(tx, game.game.game_id, key_id, game.now, Entropy(key_id.encode()))
    )


def _revoke(game: World, key_id: str) -> None:
    game.store.write(DIRECTORY, lambda tx: revoke_key(tx, game.game.game_id, key_id, game.now))


def _ping(game: World, text: str) -> Reply:
    return http(game, "GET", "/server/v1/ping", headers={"authorization": f"Bearer {text}"})


def test_a_game_has_four_keys() -> None:
    """A client and a server key for each environment, told apart by their beginning."""
    game = world()
    assert sorted(game.all_keys) == ["live_client", "live_server", "test_client", "test_server"]
    for name, text in game.all_keys.items():
        assert re.fullmatch(rf"lc_{name}_[a-z2-7]{{40}}_[0-9a-f]{{8}}", text)
        assert int(text.rpartition("_")[2], 16) == zlib.crc32(text.rpartition("_")[0].encode())


def test_only_hashes_of_keys_are_stored() -> None:
    """The store holds the hash and a prefix, no text."""
    game = world()
    stored = repr(game.store.dump())
    for text in game.all_keys.values():
        assert text not in stored
        assert hashlib.sha256(text.encode()).hexdigest() in stored


def test_ping_tells_what_a_key_opens() -> None:
    """Game, environment, the key's prefix and the server's time."""
    game = world()
    reply = _ping(game, game.keys["server"])
    assert reply.data == {
        "ok": True,
        "gameId": game.game.game_id,
        "environment": "test",
        "apiKeyPrefix": _key(game).prefix,
        "serverTime": "2026-01-01T00:00:00.000Z",
    }
    assert _ping(game, game.all_keys["live_server"])["environment"] == "live"
    assert game.keys["server"].startswith(_key(game).prefix)


def test_revocation_holds_on_the_next_request() -> None:
    """At once, also within the grace of a rotation, and for good."""
    game = world()
    old = _key(game)
    successor = _rotate(game, old.key_id)
    assert _ping(game, game.keys["server"]).status == 200
    _revoke(game, old.key_id)
    assert _ping(game, game.keys["server"]).refusal == (401, "api_key_revoked")
    assert _ping(game, successor.text).status == 200
    _revoke(game, successor.key.key_id)
    assert _ping(game, successor.text).refusal == (401, "api_key_revoked")


def test_rotation_mints_a_successor_at_once() -> None:
    """Same game, environment and permissions, another text; the old one ends sixty days later."""
    game = world()
    old = _key(game)
    successor = _rotate(game, old.key_id)
    (rotated,) = (key for key in _keys(game) if key.key_id == old.key_id)
    assert successor.text != game.keys["server"]
    assert (successor.key.environment, successor.key.permission) == ("test", "server")
    assert rotated.ends_at == game.now + GRACE == game.now + 60 * DAY
    assert _ping(game, successor.text).status == 200


def test_a_key_ends_once() -> None:
    """Revoking again, and revoking after the grace, leaves the moment at which the key ended."""
    game = world()
    key_id, start = _key(game).key_id, game.now
    _revoke(game, key_id)
    game.now += 1_000
    _revoke(game, key_id)
    assert _key(game).ends_at == start
    client = _key(game, "client").key_id
    _rotate(game, client)
    rotated = game.now
    game.now += GRACE + 1
    _revoke(game, client)
    assert _key(game, "client").ends_at == rotated + GRACE


@pytest.mark.parametrize("ended", ["rotated", "revoked"])
def test_what_has_ended_is_not_rotated(ended: str) -> None:
    """A key has one successor, and a revoked one has none."""
    game = world()
    key_id = _key(game).key_id
    _rotate(game, key_id) if ended == "rotated" else _revoke(game, key_id)
    with pytest.raises(Refusal) as caught:
        _rotate(game, key_id)
    assert caught.value.code == "api_key_ended"


def test_a_key_in_its_grace_is_not_called_revoked() -> None:
    """Whoever rotates it once more hears until when it works, and what to rotate instead."""
    game = world()
    key_id = _key(game).key_id
    _rotate(game, key_id)
    with pytest.raises(Refusal) as caught:
        _rotate(game, key_id)
    until = Timestamp(game.now + GRACE).wire
    assert caught.value.message == (
        f"This API key was rotated before and works until {until}: rotate its successor instead."
    )


def test_keys_of_another_game_cannot_be_touched() -> None:
    game = world()
    with pytest.raises(Refusal) as caught:
        game.store.write(DIRECTORY, lambda tx: revoke_key(tx, "gam_other", _key(game).key_id, game.now))
    assert caught.value.code == "api_key_not_found"


def test_client_calls_leave_the_time_and_operation_of_the_last_use() -> None:
    """One row for each key, written with the other short-lived values, not one for each request."""
    game = world()
    anna = game.player("anna")
    game.advance(minutes=1)
    ask(anna, "friends.list")
    game.flush()
    usage = {row.key_id: row for row in game.store.dump()[DIRECTORY.id][KEY_USAGE.name]}
    used = usage[_key(game, "client").key_id]
    assert (used.operation, used.at, used.sdk) == ("sdk:friends.list", game.now, None)


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("my-game/1.4.0", "my-game/1.4.0"),
        ("Engine_2.sdk/v2023.1-beta+5", "Engine_2.sdk/v2023.1-beta+5"),
        (f"{'a' * 40}/{'1' * 23}", f"{'a' * 40}/{'1' * 23}"),
        (f"{'a' * 41}/1", None),
        (f"a/{'1' * 40}", None),
        ("my-game", None),
        ("my-game/", None),
        ("/1.0", None),
        ("a/b/1", None),
        ("my game/1.0", None),
        ("my-game/1.0\n", None),
        ("sp\xefel/1.0", None),
        ("", None),
    ],
)
def test_the_sdk_of_a_keys_last_use_is_kept(said: str, noted: str | None) -> None:
    """A name and a version of bounded length, or nothing: whoever calls may write what he likes into the header."""
    game = world()
    headers = {"authorization": f"Bearer {game.keys['server']}", "x-svc-sdk": said}
    assert http(game, "GET", "/server/v1/ping", headers=headers).status == 200
    game.flush()
    usage = {row.key_id: row for row in game.store.dump()[DIRECTORY.id][KEY_USAGE.name]}
    assert usage[_key(game).key_id].sdk == noted


def test_changes_by_the_studio_leave_an_entry_with_the_keys_prefix() -> None:
    """Each succeeded write of the server surface does; reads, refusals and replays do not."""
    game = world()
    game.player("anna")
    before = len(rows_of(game, AUDIT))
    server = game.server
    for _ in range(2):
        ask(server, "wallet.credit", external_id="anna", economy_key="gold", amount=1, idempotency_key="k")
    ask(server, "wallet.debit", external_id="anna", economy_key="gold", amount=5)
    ask(server, "friends.list", external_id="anna")
    (entry,) = rows_of(game, AUDIT)[before:]
    assert (entry.actor_kind, entry.actor_ref, entry.action) == ("api_key", _key(game).prefix, "server:wallet.credit")


def test_players_own_changes_leave_no_entry() -> None:
    """Client calls are remembered by the key's last use alone, but for registering."""
    game = world()
    anna = game.player("anna")
    before = len(rows_of(game, AUDIT))
    ask(anna, "players.setIdentity", name="Anna")
    assert len(rows_of(game, AUDIT)) == before


@pytest.mark.parametrize(
    ("operation", "sdk", "wait", "noted"),
    [
        ("sdk:friends.list", "a/1", 9_999, False),
        ("sdk:friends.list", "a/1", 10_000, True),
        ("sdk:wallet.get", "a/1", 1, True),
        ("sdk:friends.list", "a/2", 1, True),
        ("sdk:friends.list", None, 1, True),
    ],
)
def test_a_last_use_is_noted_sparingly(operation: str, sdk: str | None, wait: int, noted: bool) -> None:
    """The same operation by the same SDK within ten seconds is no news, another one is; a clock set back is."""
    usage = KeyUsage(key_id="key_1", at=50_000, operation="sdk:friends.list", sdk="a/1")
    found = note_use(usage, "key_1", operation, sdk, 50_000 + wait)
    assert found == (KeyUsage(key_id="key_1", at=50_000 + wait, operation=operation, sdk=sdk) if noted else None)
    assert note_use(usage, "key_1", "sdk:friends.list", "a/1", 49_999) is not None
    assert note_use(None, "key_1", operation, sdk, 0) == KeyUsage(key_id="key_1", at=0, operation=operation, sdk=sdk)


def test_making_a_game_leaves_an_entry() -> None:
    """With who did it, and what was made."""
    game = world()
    (entry,) = game.store.dump()[DIRECTORY.id][AUDIT.name]
    assert (entry.action, entry.actor_kind, entry.address) == ("games.create", "system", None)
    assert (entry.studio_id, entry.game_id) == (game.game.studio_id, game.game.game_id)
    assert (entry.target_kind, entry.target_id) == ("game", game.game.game_id)
    assert json.loads(entry.after) == {"name": game.game.name}
    game.player("anna")
    assert (rows_of(game, AUDIT)[0].studio_id, rows_of(game, AUDIT)[0].metadata) == (None, None)

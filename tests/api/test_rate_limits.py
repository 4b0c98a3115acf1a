"""Rate limits: the buckets, their headers on every answer, who shares one, and what strangers may do."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.access.directory import API_KEYS, ApiKey
from livecore.access.keys import rotate_key
from livecore.api.requests.limits import DEFAULT_PER_MINUTE, RateLimits
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.world import World
from tests.worlds import Reply, ask, http, world

HEADERS: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


def _told(reply: Reply) -> tuple[str | None, ...]:
    return tuple(reply.header(name) for name in HEADERS)


def _limited(**buckets: int) -> World:
    return world(limits=RateLimits(per_minute=buckets, unauthenticated_per_minute=None))  # type: ignore[arg-type] # names of buckets


def test_the_defaults_are_the_specifications() -> None:
    """600 reads and 120 writes of clients, 1000 of the server, 600 of an operator, a minute."""
    assert DEFAULT_PER_MINUTE == {"sdk_read": 600, "sdk_write": 120, "server_api": 1000, "admin": 600}


@pytest.mark.parametrize(("bucket", "limit"), [("sdk_read", 600), ("sdk_write", 120), ("server_api", 1000)])
def test_a_bucket_ends_at_its_limit(bucket: str, limit: int) -> None:
    """The last request within the limit is answered, the next is 429 with `Retry-After`, until the minute is over."""
    game = world(limits=RateLimits())
    anna = game.player("anna")
    game.advance(minutes=1)

    def one() -> Reply:
        if bucket == "server_api":
            return ask(game.server, "ping")
        if bucket == "sdk_read":
            return ask(anna, "gifts.catalog")
        return ask(anna, "friends.remove", friend_external_id="nobody")

    first = one()
    assert _told(first) == (str(limit), str(limit - 1), "60")
    replies = [one() for _ in range(limit - 1)]
    assert _told(replies[-1]) == (str(limit), "0", "60")
    assert not any(reply.status == 429 for reply in replies)
    game.now += 58_001
    refused = one()
    assert refused.refusal == (429, "rate_limited")
    assert _told(refused) == (str(limit), "0", "2")
    assert refused.header("Retry-After") == "2"
    game.now += 1_999
    assert _told(one()) == (str(limit), str(limit - 1), "60")


def test_seconds_are_whole_and_at_least_one() -> None:
    """A millisecond before the window ends, `RateLimit-Reset` and `Retry-After` still say 1."""
    game = _limited(server_api=1)
    ask(game.server, "ping")
    game.now += 59_999
    reply = ask(game.server, "ping")
    assert (reply.header("RateLimit-Reset"), reply.header("Retry-After")) == ("1", "1")


def test_reads_and_writes_count_apart() -> None:
    """Reading is not stopped by having written too much."""
    game = _limited(sdk_read=5, sdk_write=2)
    anna = game.player("anna")
    ask(anna, "presence.heartbeat")
    assert ask(anna, "presence.heartbeat").status == 429
    assert ask(anna, "friends.list").status == 200


def test_the_environments_count_apart() -> None:
    """The test key's requests do not use up the live key's."""
    game = _limited(server_api=1)
    ask(game.server, "ping")
    assert ask(game.server, "ping").status == 429
    live = {"authorization": f"Bearer {game.all_keys['live_server']}"}
    assert http(game, "GET", "/server/v1/ping", headers=live).status == 200


def test_a_rotated_key_and_its_successor_share_a_bucket() -> None:
    """Rotating is no way to have the limit twice."""
    game = _limited(server_api=2)
    keys = [row for row in game.store.dump()[DIRECTORY.id][API_KEYS.name] if isinstance(row, ApiKey)]
    old = next(key for key in keys if (key.environment, key.permission) == ("test", "server"))
    successor = game.store.write(
        DIRECTORY, lambda tx: rotate_key(tx, old.game_id, old.key_id, game.now, Entropy(b"rotate"))
    )
    headers = {"authorization": f"Bearer {successor.text}"}
    assert ask(game.server, "ping").header("RateLimit-Remaining") == "1"
    assert http(game, "GET", "/server/v1/ping", headers=headers).header("RateLimit-Remaining") == "0"
    assert ask(game.server, "ping").status == 429


@pytest.mark.parametrize("per_player", [False, True])
def test_a_deployment_may_count_per_key_and_player(per_player: bool) -> None:
    """By default all players of a game share the client's bucket; a deployment may give each its own."""
    game = world(limits=RateLimits(per_minute={"sdk_read": 1, "server_api": 1}, per_player=per_player))
    anna, bert = game.player("anna"), game.player("bert")
    assert ask(anna, "friends.list").status == 200
    assert ask(anna, "friends.list").status == 429
    assert ask(bert, "friends.list").status == (200 if per_player else 429)
    assert ask(game.server, "friends.list", external_id="anna").status == 200
    assert ask(game.server, "friends.list", external_id="bert").status == 429


def test_refused_requests_carry_the_headers_too() -> None:
    """400, 401 for the secret, 403, 404, 405 and 409: every answer says how the caller stands."""
    game = world(limits=RateLimits())
    anna, bert = game.player("anna"), game.player("bert")
    ask(bert, "friends.block", external_player_id="anna")
    base = "/sdk/v1/players/anna"
    replies = [
        http(anna, "PUT", f"{base}/identity", b"{"),
        http(anna, "GET", f"{base}/profile", headers={"x-player-secret": None}),
        ask(anna, "friends.sendRequest", external_player_id="bert"),
        ask(anna, "friends.remove", friend_external_id="nobody"),
        ask(anna, "players.register"),
        http(game, "GET", f"{base}/profile"),
        http(game, "GET", f"{base}/profile", headers={"authorization": "Bearer x"}),
        http(game, "GET", f"{base}/profile", headers={"authorization": f"Bearer {game.keys['server']}"}),
        http(anna, "GET", "/nowhere"),
        http(anna, "PATCH", f"{base}/profile"),
    ]
    assert [reply.status for reply in replies] == [400, 401, 403, 404, 409, 401, 401, 403, 404, 405]
    for reply in replies:
        assert None not in _told(reply), reply.body


def test_requests_refused_at_the_entrance_use_up_the_callers_share() -> None:
    """A bad body counts: refusing costs the service, too."""
    game = _limited(sdk_write=3)
    anna = game.player("anna")
    for status in (400, 400, 429):
        assert http(anna, "PUT", "/sdk/v1/players/anna/identity", b"{").status == status


@pytest.mark.parametrize("kind", ["no key", "unknown key", "unknown route", "wrong method", "wrong permission set"])
def test_strangers_are_limited_by_address(kind: str) -> None:
    """Whoever shows no key that opens the route hears 429 after 120 requests a minute, and only their address does."""
    game = world(limits=RateLimits())
    path = "/nowhere" if kind == "unknown route" else "/server/v1/ping"
    method = "POST" if kind == "wrong method" else "GET"
    keys = {"unknown key": "Bearer lc_test_server_x", "wrong permission set": f"Bearer {game.keys['client']}"}
    headers = {"authorization": keys.get(kind)}
    replies = [http(game, method, path, headers=headers, remote="192.0.2.1") for _ in range(121)]
    assert {reply.status for reply in replies[:-1]} <= {401, 403, 404, 405}
    assert _told(replies[0]) == ("120", "119", "60")
    assert replies[-1].refusal == (429, "rate_limited")
    assert http(game, method, path, headers=headers, remote="192.0.2.2").status != 429
    assert ask(game.server, "ping", remote="192.0.2.1").status == 200


def test_a_bucket_that_is_off_sets_no_headers() -> None:
    """With limits off no answer has any of the three."""
    game = world(limits=RateLimits.off())
    anna = game.player("anna")
    replies = [ask(game.server, "ping"), ask(anna, "friends.list"), http(game, "GET", "/nowhere")]
    for reply in replies:
        assert _told(reply) == (None, None, None)
    only = _limited(server_api=5)
    assert _told(ask(only.player("anna"), "friends.list")) == (None, None, None)
    assert _told(ask(only.server, "ping"))[0] == "5"

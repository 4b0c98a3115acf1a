"""Attacks from one address with the public client key: many players, the limit of others, and full disks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.api.requests.limits import (
    ADDRESS_PER_MINUTE,
    DEFAULT_PER_MINUTE,
    NEW_PLAYERS_PER_HOUR,
    STORED_BYTES_PER_DAY,
    RateLimits,
)
from livecore.kernel.scope import Scope
from livecore.players.player import PLAYERS
from livecore.players.stored_bytes import FEW, STORED_BYTES
from livecore.world import World, WorldPlayer
from tests.server.serving import Reply as HttpReply
from tests.server.serving import Server, serving
from tests.worlds import Reply, ask, http, world

ATTACKER: Final = "198.51.100.7"
ELSEWHERE: Final = "203.0.113.9"
BOTH: Final = pytest.mark.parametrize("per_player", [False, True], ids=["by key", "by player"])


def _rows(game: World, table: str) -> list[Any]:
    return [*game.store.dump()[Scope(game.game.game_id, "test").id].get(table, [])]


def _key_alone(game: World, method: str, path: str, remote: str = ATTACKER, **body: object) -> Reply:
    headers = {"authorization": f"Bearer {game.keys['client']}"}
    return http(game, method, f"/sdk/v1/{path}", body or b"", headers=headers, remote=remote)


# -- the bucket of an address ---------------------------------------------------------------------------------------------


def test_the_limits_of_an_address_are_on_where_players_are_counted_apart() -> None:
    """A deployment that counts by key has them only if it says so."""
    apart = RateLimits(per_player=True)
    assert (apart.address_per_minute, apart.new_players_per_hour) == (ADDRESS_PER_MINUTE, NEW_PLAYERS_PER_HOUR)
    shared = RateLimits()
    assert (shared.address_per_minute, shared.new_players_per_hour) == (None, None)
    assert shared.stored_bytes_per_day == apart.stored_bytes_per_day == STORED_BYTES_PER_DAY


@BOTH
def test_many_players_of_one_address_have_one_limit_together(per_player: bool) -> None:
    """Players are made up easily, so each with a bucket of its own is no limit. Other addresses notice nothing."""
    game = world(limits=RateLimits(per_player=per_player, address_per_minute=6, new_players_per_hour=None))
    players = [game.player(f"p{number}") for number in range(3)]
    game.advance(minutes=1)
    replies = [ask(player, "wallet.get", remote=ATTACKER) for player in players * 3]
    assert [reply.status for reply in replies] == [200] * 6 + [429] * 3
    assert replies[0].header("RateLimit-Limit") == "6"
    assert replies[0].header("RateLimit-Remaining") == "5"
    assert replies[6].refusal == (429, "rate_limited")
    assert replies[6].header("Retry-After") == replies[6].header("RateLimit-Reset") == "60"
    assert ask(players[0], "wallet.get", remote=ELSEWHERE).status == 200


def test_an_answer_tells_of_the_limit_that_is_nearest() -> None:
    """A player with few requests left is told of these, whatever the address has left."""
    game = world(limits=RateLimits(per_minute={"sdk_read": 3}, per_player=True, address_per_minute=100))
    reply = ask(game.player("anna"), "wallet.get", remote=ATTACKER)
    assert (reply.header("RateLimit-Limit"), reply.header("RateLimit-Remaining")) == ("3", "2")
    assert len([name for name, _ in reply.response.headers if name.lower().startswith("ratelimit-")]) == 3


def test_a_network_of_addresses_is_one_address() -> None:
    """Who owns an IPv6 network of 64 bits has no limit more than anybody else."""
    game = world(limits=RateLimits(per_player=True, address_per_minute=3, new_players_per_hour=2))
    made = [_key_alone(game, "POST", f"players/p{n}/register", f"2001:db8:1:2::{n:x}").status for n in range(5)]
    assert made == [201, 201, 429, 429, 429]
    assert _key_alone(game, "POST", "players/p9/register", "2001:db8:1:3::1").status == 201


def test_a_line_of_many_networks_makes_eight_times_as_many_new_players() -> None:
    """A home connection has up to 65,536 networks of 64 bits, all in one of 48; a full one uses up nothing of the others."""
    game = world(limits=RateLimits(per_player=True, new_players_per_hour=2))
    for number in range(20):
        _key_alone(game, "POST", f"players/full{number}/register", "2001:db8:1::1")
    made = [_key_alone(game, "POST", f"players/p{n}/register", f"2001:db8:1:{n + 1:x}::1").status for n in range(20)]
    assert made == [201] * 14 + [429] * 6
    assert _key_alone(game, "POST", "players/a/register", "2001:db8:2::1").status == 201
    shared = [_key_alone(game, "POST", f"players/q{n}/register", f"::ffff:192.0.2.{n}").status for n in range(20)]
    assert shared == [201] * 20
    game.advance(minutes=60)
    assert _key_alone(game, "POST", "players/z/register", "2001:db8:1:ffff::1").status == 201


@BOTH
def test_a_line_of_many_networks_sends_eight_times_as_much_without_a_secret(per_player: bool) -> None:
    """And keeps no player of it out: right secrets are counted by the network of 64 bits alone."""
    game = world(limits=RateLimits(per_minute={"sdk_write": 2, "sdk_read": 2}, per_player=per_player))
    anna = game.player("anna")
    game.advance(minutes=1)
    for path, status in (("nobody/presence", 404), ("anna/register", 409)):
        for _ in range(20):
            _key_alone(game, "POST", f"players/{path}", "2001:db8:1::1")
        replies = [_key_alone(game, "POST", f"players/{path}", f"2001:db8:1:{n + 1:x}::1").status for n in range(20)]
        assert replies == [status] * 14 + [429] * 6
        assert _key_alone(game, "POST", f"players/{path}", "2001:db8:2::1").status == status
    assert ask(anna, "presence.heartbeat", remote="2001:db8:1:ffff::1").status == 200


def test_an_address_of_many_networks_is_told_of(tmp_path: Path) -> None:
    """With the network that is used up, and its number."""

    async def scenario() -> None:
        settings: dict[str, Any] = {"rate_limits_per_player": True, "trusted_proxies": 1}
        async with serving(tmp_path, rate_limits="sdk_address=2", **settings) as server:
            for number in range(9):
                await _beat_alone(server, f"2001:db8:1:{number:x}::1")
            (told,) = [line for line in server.log.getvalue().splitlines() if "used up sdk_address" in line]
            assert "2001:db8:1::/48" in told
            assert "8 requests a minute without a right player secret" in told

    asyncio.run(scenario())


def test_the_backend_is_no_client() -> None:
    """The studio's backend sends the requests of all players from one address."""
    game = world(limits=RateLimits(per_player=True, address_per_minute=1))
    assert [ask(game.server, "ping", remote=ATTACKER).status for _ in range(3)] == [200] * 3


# -- new players ----------------------------------------------------------------------------------------------------------


def test_an_address_makes_so_many_new_players_in_an_hour() -> None:
    """A refused registration makes no row. After the hour, and from elsewhere, registering goes on."""
    game = world(limits=RateLimits(per_player=True, new_players_per_hour=3))
    made = [_key_alone(game, "POST", f"players/p{number}/register") for number in range(5)]
    assert [reply.status for reply in made] == [201, 201, 201, 429, 429]
    assert made[3].refusal == (429, "rate_limited")
    assert made[3].header("Retry-After") == "3600"
    assert len(_rows(game, PLAYERS.name)) == 3
    assert _key_alone(game, "POST", "players/p9/register", ELSEWHERE).status == 201
    game.advance(minutes=60)
    assert _key_alone(game, "POST", "players/p4/register").status == 201


def test_only_registrations_that_make_a_player_count() -> None:
    """Not the repetition of one whose answer was lost, nor that of a registered player, nor a player of the backend's."""
    game = world(limits=RateLimits(per_player=True, new_players_per_hour=2))
    entry = {"type": "currency", "resourceKey": "gold", "amount": 1}
    game.server.call("grants.create", external_id="known", idempotency_key="g", entries=[entry])
    key = "k" * 32
    assert _key_alone(game, "POST", "players/p0/register", idempotencyKey=key).status == 201
    again = [_key_alone(game, "POST", "players/p0/register", idempotencyKey=key) for _ in range(3)]
    assert [reply.status for reply in again] == [201] * 3
    assert [_key_alone(game, "POST", "players/p0/register").status for _ in range(3)] == [409] * 3
    assert _key_alone(game, "POST", "players/known/register").status == 201
    assert _key_alone(game, "POST", "players/p1/register").status == 201
    assert _key_alone(game, "POST", "players/p2/register").status == 429
    assert _key_alone(game, "POST", "players/p0/register", idempotencyKey=key).status == 201


# -- the limit of others --------------------------------------------------------------------------------------------------


def _flood(game: World, number: int, remote: str) -> None:
    """Everything that needs no secret: new players, wrong and missing secrets, unknown players, boards."""
    _key_alone(game, "POST", f"players/made-{number}/register", remote)
    _key_alone(game, "POST", "players/anna/presence", remote)
    _key_alone(game, "POST", f"players/nobody-{number}/presence", remote)
    _key_alone(game, "PUT", "players/anna/identity", remote, name="x" * 70_000)
    _key_alone(game, "GET", "players/anna/friends", remote)
    _key_alone(game, "GET", "players/anna/events", remote)
    _key_alone(game, "GET", "crates/none/odds", remote)


@BOTH
@pytest.mark.parametrize("remotes", [1, 200], ids=["from one address", "from two hundred"])
def test_a_flood_with_the_key_alone_keeps_no_player_out(per_player: bool, remotes: int) -> None:
    """Whoever has no secret uses up a tenth of the limit that players share, and nothing of what a player has alone."""
    game = world(limits=RateLimits(per_player=per_player, new_players_per_hour=None))
    anna = game.player("anna")
    game.advance(minutes=1)
    for number in range(200):
        _flood(game, number, f"192.0.2.{number % remotes}")
    beats = [ask(anna, "presence.heartbeat", remote=ELSEWHERE).status for _ in range(121)]
    reads = [ask(anna, "friends.list", remote=ELSEWHERE).status for _ in range(601)]
    shared = 0 if per_player else 1
    assert (beats.count(200), beats.count(429)) == (120 - 12 * shared, 1 + 12 * shared)
    assert (reads.count(200), reads.count(429)) == (600 - 60 * shared, 1 + 60 * shared)


@BOTH
def test_who_has_no_secret_is_limited_by_address(per_player: bool) -> None:
    """By as many requests as a bucket has, and told so on every answer."""
    limits = RateLimits(per_minute={"sdk_write": 30, "sdk_read": 30}, per_player=per_player)
    game = world(limits=limits)
    for method, path in (("POST", "players/nobody/presence"), ("GET", "leaderboards/none")):
        replies = [_key_alone(game, method, path) for _ in range(31)]
        assert [reply.status for reply in replies] == [404] * 30 + [429]
        assert replies[0].header("RateLimit-Limit") == "30"
        assert replies[0].header("RateLimit-Remaining") == "29"
        assert _key_alone(game, method, path, ELSEWHERE).status == 404


@BOTH
def test_who_has_no_secret_is_answered_where_players_have_used_up_the_key(per_player: bool) -> None:
    """Someone new may register while the others play much."""
    game = world(limits=RateLimits(per_minute={"sdk_write": 20}, per_player=per_player))
    anna = game.player("anna")
    while ask(anna, "presence.heartbeat").status != 429:
        pass
    assert _key_alone(game, "POST", "players/bert/register").status == 201


@BOTH
def test_a_recognised_player_is_counted_as_the_player(per_player: bool) -> None:
    """Where the secret is optional, whoever sends the right one does not share a limit with the address."""
    game = world(limits=RateLimits(per_minute={"sdk_read": 5}, per_player=per_player))
    anna = game.player("anna")
    while _key_alone(game, "GET", "players/anna/events").status != 429:
        pass
    assert ask(anna, "events.list", remote=ATTACKER).status == 200


# -- what stays -----------------------------------------------------------------------------------------------------------


def _buy(player: WorldPlayer, number: int, size: int) -> Reply:
    """A purchase with so many bytes of metadata, the transaction's id among them."""
    metadata = {"a": "x" * (size - len(f't{number}{{"a":""}}'))}
    return ask(
        player, "purchases.track", transaction_id=f"t{number}", store="s", product_id="p", product_type="x",
        amount_minor=1, currency="USD", metadata=metadata, idempotency_key=f"k{number}",
    )  # fmt: skip


def _limited(most: int) -> World:
    return world(limits=RateLimits(stored_bytes_per_day=most))


def test_a_player_stores_so_much_metadata_a_day() -> None:
    """What is refused stays out, and tells when there is room again; without metadata a purchase is reported."""
    game = _limited(3_000)
    anna, bert = game.player("anna"), game.player("bert")
    assert [_buy(anna, number, 1_000).status for number in range(3)] == [200] * 3
    before = game.store.dump()
    refused = _buy(anna, 3, 1_000)
    assert refused.refusal == (409, "storage_limit_reached")
    assert refused.details == {"limitBytes": 3_000, "usedBytes": 3_000, "resetsAt": "2026-01-02T00:00:00.000Z"}
    assert game.store.dump() == before
    assert _buy(anna, 4, FEW - 1).status == 200
    assert _buy(bert, 5, 1_000).status == 200
    game.advance(days=1)
    assert _buy(anna, 3, 1_000).status == 200


@pytest.mark.parametrize("page", ["security.md", "how-to/size-a-deployment.md"])
def test_the_pages_say_how_much_small_requests_store(page: str) -> None:
    """Those below the size that is counted are bounded by the rate limit alone."""
    a_day = DEFAULT_PER_MINUTE["sdk_write"] * 24 * 60 * (FEW - 1)
    text = (Path(__file__).parents[2] / "docs" / page).read_text("utf-8")
    assert f"{round(a_day / 1e6)} MB a day" in text
    assert f"less than {FEW} bytes" in text


def test_repetitions_and_refusals_are_not_counted() -> None:
    """Only what is stored."""
    game = _limited(1_500)
    anna = game.player("anna")
    assert [_buy(anna, 0, 1_000).status for _ in range(5)] == [200] * 5
    for number in range(5):
        body = {"transactionId": "t", "store": "s", "productId": "p", "productType": "x", "amountMinor": 1}
        stated = {**body, "currency": "XAU", "metadata": {"a": "x" * 900}, "idempotencyKey": f"x{number}"}
        refused = http(anna, "POST", "/sdk/v1/players/anna/purchases", stated)
        assert refused.refusal == (400, "unknown_currency")
    (row,) = _rows(game, STORED_BYTES.name)
    assert row.used == 1_000


def test_bytes_are_counted_and_not_characters() -> None:
    """An emoji has four."""
    game = _limited(4_000)
    anna = game.player("anna")
    assert ask(anna, "players.setIdentity", name="Anna", avatar="😀" * 400).status == 200
    assert [row.used for row in _rows(game, STORED_BYTES.name)] == [1_600]


def test_contexts_and_guilds_count_together() -> None:
    """Whatever a client may fill: the context of registering and of an attempt, a guild's description and metadata."""
    game = _limited(10_000)
    context = {"a": "x" * 992}
    made = _key_alone(game, "POST", "players/anna/register", playerContext=context)
    assert [row.used for row in _rows(game, STORED_BYTES.name)] == [1_000]
    headers = {"authorization": f"Bearer {game.keys['client']}", "x-player-secret": made.text("playerSecret")}
    guild = {"name": "The guild", "description": "d" * 300, "metadata": {"a": "x" * 992}}
    assert http(game, "POST", "/sdk/v1/players/anna/guild", guild, headers=headers).status == 201
    assert [row.used for row in _rows(game, STORED_BYTES.name)] == [2_300]


def test_the_backend_stores_without_this_limit() -> None:
    """The studio knows what it stores."""
    game = _limited(100)
    game.player("anna")
    metadata = {"a": "x" * 5_000}
    reply = ask(
        game.server, "purchases.track", external_id="anna", transaction_id="t", store="s", product_id="p",
        product_type="x", amount_minor=1, currency="USD", metadata=metadata,
    )  # fmt: skip
    assert reply.status == 200
    assert _rows(game, STORED_BYTES.name) == []


# -- over HTTP ------------------------------------------------------------------------------------------------------------


def test_the_server_limits_as_the_library_does(tmp_path: Path) -> None:
    """By the addresses that a trusted proxy names: new players, all requests, and what a player stores."""

    async def scenario() -> None:
        settings: dict[str, Any] = {"rate_limits_per_player": True, "trusted_proxies": 1}
        async with serving(tmp_path, rate_limits="sdk_address=5,new_players=2,player_bytes=1000", **settings) as server:
            made = [await _register(server, f"p{number}", ATTACKER) for number in range(3)]
            assert [reply.status for reply in made] == [201, 201, 429]
            secret = made[0].json["data"]["playerSecret"]
            buys = [await _buy_there(server, "p0", secret, number, ATTACKER) for number in range(3)]
            assert [reply.status for reply in buys] == [200, 409, 409]
            assert {reply.code for reply in buys[1:]} == {"storage_limit_reached"}
            beats = [await _beat(server, "p0", secret, ATTACKER) for _ in range(3)]
            assert [reply.status for reply in beats] == [200, 200, 429]
            assert (await _beat(server, "p0", secret, ELSEWHERE)).status == 200
            assert (await _register(server, "p3", ELSEWHERE)).status == 201

    asyncio.run(scenario())


async def _post(server: Server, path: str, secret: str, address: str, body: object = None) -> HttpReply:
    headers = {"Authorization": f"Bearer {server.key('client')}", "X-Player-Secret": secret, "X-Forwarded-For": address}
    return await server.ask("POST", f"/sdk/v1/players/{path}", body, headers=headers)


async def _register(server: Server, name: str, address: str) -> HttpReply:
    return await _post(server, f"{name}/register", "", address)


async def _beat(server: Server, name: str, secret: str, address: str) -> HttpReply:
    return await _post(server, f"{name}/presence", secret, address, {})


async def _beat_alone(server: Server, address: str) -> HttpReply:
    headers = {"Authorization": f"Bearer {server.key('client')}", "X-Forwarded-For": address}
    return await server.ask("POST", "/sdk/v1/players/anna/presence", {}, headers=headers)


async def _buy_there(server: Server, name: str, secret: str, number: int, address: str) -> HttpReply:
    body = {"transactionId": f"t{number}", "store": "s", "productId": "p", "productType": "x", "amountMinor": 1}
    return await _post(
        server, f"{name}/purchases", secret, address, {**body, "currency": "USD", "metadata": {"a": "x" * 600}}
    )


def test_an_address_that_floods_without_a_secret_is_told_of(tmp_path: Path) -> None:
    """With the number that holds for such requests."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="sdk_address=4", rate_limits_per_player=True) as server:
            for _ in range(4):
                await server.sdk("GET", "/anna/wallet")
            (told,) = [line for line in server.log.getvalue().splitlines() if "used up sdk_address" in line]
            assert "2 requests a minute without a right player secret" in told

    asyncio.run(scenario())


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded"])
def test_a_proxy_that_nobody_told_of_is_told_of_once(tmp_path: Path, name: str) -> None:
    """With the setting's name, because otherwise all players would share the limits of one address."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            await server.ask("GET", "/nowhere")
            assert "--trusted-proxies" not in server.log.getvalue()
            for number in range(3):
                await server.ask("GET", "/nowhere", headers={name: f"192.0.2.{number}"})
            (told,) = [line for line in server.log.getvalue().splitlines() if "--trusted-proxies" in line]
            assert f"has the header {name}" in told
            assert "LIVECORE_TRUSTED_PROXIES" in told

    asyncio.run(scenario())


def test_a_proxy_that_is_trusted_is_not_told_of(tmp_path: Path) -> None:
    """Nor is an address that goes through it."""

    async def scenario() -> None:
        async with serving(tmp_path, trusted_proxies=1) as server:
            await server.ask("GET", "/nowhere", headers={"X-Forwarded-For": "192.0.2.1"})
            assert "--trusted-proxies" not in server.log.getvalue()

    asyncio.run(scenario())


def test_an_address_that_is_used_up_is_told_of_once_an_hour(tmp_path: Path) -> None:
    """Because it may be a school or a proxy, and the line says what to set."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="sdk_address=2", rate_limits_per_player=True) as server:
            secret = await server.register("anna")
            for _ in range(6):
                await server.sdk("GET", "/anna/wallet", secret=secret)
            (told,) = [line for line in server.log.getvalue().splitlines() if "used up sdk_address" in line]
            assert "2 requests a minute with the right player secret" in told
            assert "--trusted-proxies" in told

    asyncio.run(scenario())

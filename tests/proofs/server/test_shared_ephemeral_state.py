"""Two whole servers, one ephemeral state: what the one counts or is told, the other knows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

from livecore.kernel.client_network import SITE_TIMES
from livecore.kernel.scope import Scope
from livecore.players.player import BY_EXTERNAL_ID
from livecore.players.throttle import FAILURES_ALLOWED
from tests.postgres.server import ready_database
from tests.server.serving import Server, make_game, serving, shared_in

LIMIT = 12


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database that several servers may serve here."""
    if request.param == "SQLite":
        (tmp_path / "shared").mkdir()
        yield f"sqlite:///{tmp_path / 'game.db'}"
    else:
        with ready_database() as url:
            yield url


@asynccontextmanager
async def two(database: str, folder: Path, **settings: Any) -> AsyncIterator[tuple[Server, Server]]:  # noqa: ANN401 - passed on
    """Two servers of one game."""
    game = await asyncio.to_thread(make_game, database)
    async with (
        serving(folder, game=game, database=database, shared=shared_in(folder / "shared", 0), **settings) as one,
        serving(folder, game=game, database=database, shared=shared_in(folder / "shared", 1), **settings) as other,
    ):
        yield one, other


@pytest.mark.parametrize("at_once", [False, True])
def test_of_twice_the_limit_exactly_half_pass(database: str, tmp_path: Path, *, at_once: bool) -> None:
    """Of requests that alternate between two servers, one after another and all together; each is told its own place."""

    async def scenario() -> None:
        async with two(database, tmp_path, rate_limits=f"sdk_read={LIMIT}") as servers:
            secret = await servers[0].register("ann")
            asking = [servers[n % 2].sdk("GET", "/ann/profile", secret=secret) for n in range(2 * LIMIT)]
            replies = await asyncio.gather(*asking) if at_once else [await one for one in asking]
            assert sorted(reply.status for reply in replies) == [200] * LIMIT + [429] * LIMIT
            left = sorted(int(reply.headers["ratelimit-remaining"]) for reply in replies)
            assert left == [0] * LIMIT + list(range(LIMIT))

    asyncio.run(scenario())


def test_a_player_who_is_counted_apart_is_counted_once_for_all_servers(database: str, tmp_path: Path) -> None:
    """Such hits are counted in the unit of work, once the secret has told who it is."""

    async def scenario() -> None:
        settings = {"rate_limits": f"sdk_read={LIMIT},sdk_write=4", "rate_limits_per_player": True}
        async with two(database, tmp_path, **settings) as servers:
            secrets = {name: await servers[0].register(name) for name in ("ann", "bob")}
            for name, secret in secrets.items():
                replies = [await servers[n % 2].sdk("GET", f"/{name}/profile", secret=secret) for n in range(LIMIT + 2)]
                assert [reply.status for reply in replies] == [200] * LIMIT + [429] * 2
                beats = [
                    await servers[n % 2].sdk("POST", f"/{name}/presence", {"status": f"s{n}"}, secret=secret)
                    for n in range(5)
                ]
                assert [reply.status for reply in beats] == [200] * 4 + [429]

    asyncio.run(scenario())


def test_an_address_is_counted_once_for_all_servers(database: str, tmp_path: Path) -> None:
    """New players in an hour, and all requests of the client surface in a minute; another address has its own."""

    async def scenario() -> None:
        limits = {"rate_limits": f"sdk_address={LIMIT},new_players=5", "rate_limits_per_player": True}
        async with two(database, tmp_path, trusted_proxies=1, **limits) as servers:

            async def register(number: int, address: str) -> int:
                server = servers[number % 2]
                headers = {"Authorization": f"Bearer {server.key('client')}", "X-Forwarded-For": address}
                return (await server.ask("POST", f"/sdk/v1/players/p{number}/register", headers=headers)).status

            made = [await register(number, "192.0.2.1") for number in range(LIMIT)]
            assert made == [201] * 5 + [429] * (LIMIT - 5)
            at_once = await asyncio.gather(*(register(number, "192.0.2.2") for number in range(20, 26 + LIMIT)))
            assert sorted(at_once) == [201] * 5 + [429] * (LIMIT + 1)
            assert await register(99, "192.0.2.3") == 201

    asyncio.run(scenario())


def test_a_line_of_many_networks_is_counted_once_for_all_servers(database: str, tmp_path: Path) -> None:
    """Requests without a secret and new players, from one network of 64 bits after the other."""

    async def scenario() -> None:
        limits = {"rate_limits": "sdk_read=1,new_players=1", "rate_limits_per_player": True}
        async with two(database, tmp_path, trusted_proxies=1, **limits) as servers:

            async def ask(method: str, path: str, number: int) -> int:
                server, address = servers[number % 2], f"2001:db8:1:{number:x}::1"
                headers = {"Authorization": f"Bearer {server.key('client')}", "X-Forwarded-For": address}
                return (await server.ask(method, f"/sdk/v1/{path}", headers=headers)).status

            reads = [await ask("GET", "leaderboards/none", number) for number in range(10)]
            assert reads == [404] * SITE_TIMES + [429] * 2
            made = [await ask("POST", f"players/p{number}/register", number) for number in range(10)]
            assert made == [201] * SITE_TIMES + [429] * 2

    asyncio.run(scenario())


def test_wrong_secrets_of_an_address_keep_no_player_out_of_any_server(database: str, tmp_path: Path) -> None:
    """More of them than the address has requests; those with the right secret are counted together."""

    async def scenario() -> None:
        limits = {"rate_limits": f"sdk_address={LIMIT}", "rate_limits_per_player": True}
        async with two(database, tmp_path, **limits) as servers:
            secret = await servers[0].register("ann")
            for number in range(LIMIT * 2):
                assert (await servers[number % 2].sdk("GET", "/ann/profile", secret="lcs_guess")).status in {401, 429}
            reads = [await servers[n % 2].sdk("GET", "/ann/profile", secret=secret) for n in range(LIMIT + 2)]
            assert [reply.status for reply in reads] == [200] * LIMIT + [429] * 2

    asyncio.run(scenario())


def test_callers_without_a_secret_use_up_a_tenth_of_a_key_for_all_servers(database: str, tmp_path: Path) -> None:
    """However many addresses they have; the players' own count is what it would be with one server."""

    async def scenario() -> None:
        async with two(database, tmp_path, rate_limits="sdk_read=40", trusted_proxies=1) as servers:
            secret = await servers[0].register("ann")
            for number in range(20):
                server = servers[number % 2]
                headers = {"Authorization": f"Bearer {server.key('client')}", "X-Forwarded-For": f"192.0.2.{number}"}
                assert (await server.ask("GET", "/sdk/v1/players/ann/profile", headers=headers)).status == 401
            reads = [await servers[n % 2].sdk("GET", "/ann/profile", secret=secret) for n in range(40)]
            assert [reply.status for reply in reads] == [200] * 36 + [429] * 4

    asyncio.run(scenario())


def test_a_heartbeat_is_seen_at_once_by_the_other_server(database: str, tmp_path: Path) -> None:
    """Online, and every label after another, in the friend's very next request of the other server."""

    async def scenario() -> None:
        async with two(database, tmp_path) as servers:
            ann, bob = [await servers[0].register(name) for name in ("ann", "bob")]
            for name, secret, friend in (("ann", ann, "bob"), ("bob", bob, "ann")):
                await servers[1].sdk("POST", f"/{name}/friends/requests", {"externalPlayerId": friend}, secret=secret)
            shown = []
            for turn in range(6):
                beating, looking = servers[turn % 2], servers[1 - turn % 2]
                await beating.sdk("POST", "/bob/presence", {"status": f"level {turn}"}, secret=bob)
                row = (await looking.sdk("GET", "/ann/friends", secret=ann)).json["data"]["friends"][0]
                shown.append((row["online"], row["status"]))
            assert shown == [(True, f"level {turn}") for turn in range(6)]

    asyncio.run(scenario())


def test_misses_at_both_servers_add_up(database: str, tmp_path: Path) -> None:
    """Whoever guesses a secret here and there has no more guesses than whoever asks one server."""

    async def scenario() -> None:
        async with two(database, tmp_path) as servers:
            secret = await servers[0].register("ann")
            allowed = FAILURES_ALLOWED["player_secret"]
            wrong = [await servers[n % 2].sdk("GET", "/ann/profile", secret="guess") for n in range(allowed + 2)]
            right = [await server.sdk("GET", "/ann/profile", secret=secret) for server in servers]
            assert [reply.code for reply in wrong] == ["player_secret_invalid"] * allowed + ["rate_limited"] * 2
            assert [reply.status for reply in right] == [200] * 2

    asyncio.run(scenario())


def test_of_a_hundred_guesses_at_once_as_many_are_told_that_they_are_wrong_as_may_miss(
    database: str, tmp_path: Path
) -> None:
    """However many are under way together, at both servers: nobody learns more by guessing in parallel."""

    async def scenario() -> None:
        async with two(database, tmp_path, rate_limits="off") as servers:
            secret = await servers[0].register("ann")
            allowed = FAILURES_ALLOWED["player_secret"]
            guesses = [servers[n % 2].sdk("GET", "/ann/profile", secret=f"guess {n}") for n in range(100)]
            replies = await asyncio.gather(*guesses)
            expected = ["player_secret_invalid"] * allowed + ["rate_limited"] * (100 - allowed)
            assert sorted(str(reply.code) for reply in replies) == expected
            assert (await servers[1].sdk("GET", "/ann/profile", secret=secret)).status == 200

    asyncio.run(scenario())


def test_a_hundred_requests_at_once_with_the_right_secret_pass(database: str, tmp_path: Path) -> None:
    """Who knows the secret is counted nowhere, also where misses have used up all of those allowed."""

    async def scenario() -> None:
        async with two(database, tmp_path, rate_limits="off") as servers:
            secret = await servers[0].register("ann")
            for n in range(FAILURES_ALLOWED["player_secret"] + 1):
                await servers[n % 2].sdk("GET", "/ann/profile", secret="guess")
            asking = [servers[n % 2].sdk("GET", "/ann/profile", secret=secret) for n in range(100)]
            assert {reply.status for reply in await asyncio.gather(*asking)} == {200}

    asyncio.run(scenario())


@pytest.mark.parametrize(("players", "allowed"), [(1, "friend_code"), (20, "friend_code_of_address")])
def test_of_many_codes_at_once_as_many_are_looked_up_as_may_miss(
    database: str, tmp_path: Path, players: int, allowed: Literal["friend_code", "friend_code_of_address"]
) -> None:
    """By one player as many as a player may, and by many players of one address as many as an address may."""

    async def scenario() -> None:
        # Two hundred at once may wait long on a busy machine, and how long they wait is another test's subject.
        async with two(database, tmp_path, rate_limits="off", queue_seconds=60.0) as servers:
            secrets = {f"p{n}": await servers[0].register(f"p{n}") for n in range(players)}
            unknown = {"friendCode": "000000"}
            guesses = [
                servers[n % 2].sdk("POST", f"/{name}/friends/requests", unknown, secret=secret)
                for n in range(200 // players)
                for name, secret in secrets.items()
            ]
            codes = [reply.code for reply in await asyncio.gather(*guesses)]
            missed = FAILURES_ALLOWED[allowed]
            assert sorted(codes) == ["friend_code_invalid"] * missed + ["rate_limited"] * (200 - missed)

    asyncio.run(scenario())


def test_a_visit_to_both_servers_is_one_session(database: str, tmp_path: Path) -> None:
    """And what both flush to the row is what they know together."""

    async def scenario() -> None:
        async with two(database, tmp_path, flush_seconds=60.0) as servers:
            secret = await servers[0].register("ann")
            for server in servers:
                await server.sdk("GET", "/ann/profile", secret=secret)
                await server.sdk("POST", "/ann/presence", {"status": "here"}, secret=secret)
            await servers[1].sdk("POST", "/ann/presence", {"status": "there"}, secret=secret)
            for server in servers:
                await server.service._flush.flush()
            scope = Scope(servers[0].game.game.game_id, "test")
            row = await servers[0].service.executor.read(scope, lambda tx: tx.find(BY_EXTERNAL_ID, "ann"))
            assert row is not None
            assert (row.sessions, row.streak, row.presence_status) == (1, 1, "there")

    asyncio.run(scenario())


def test_what_a_server_knew_is_known_to_one_that_starts_later(database: str, tmp_path: Path) -> None:
    """Its misses, and the presence that nobody has flushed."""

    async def scenario() -> None:
        game = await asyncio.to_thread(make_game, database)
        settings: dict[str, Any] = {"game": game, "database": database, "flush_seconds": 60.0}
        async with serving(tmp_path, shared=shared_in(tmp_path / "shared", 0), **settings) as first:
            ann, bob = [await first.register(name) for name in ("ann", "bob")]
            for _ in range(FAILURES_ALLOWED["player_secret"]):
                await first.sdk("GET", "/ann/profile", secret="guess")
            await first.sdk("POST", "/bob/presence", {"status": "here"}, secret=bob)
            async with serving(tmp_path, shared=shared_in(tmp_path / "shared", 1), **settings) as second:
                assert (await second.sdk("GET", "/ann/profile", secret="guess")).code == "rate_limited"
                assert (await second.sdk("GET", "/ann/profile", secret=ann)).status == 200
                beat = await second.sdk("POST", "/bob/presence", {}, secret=bob)
                assert beat.json["data"]["status"] == "here"

    asyncio.run(scenario())

"""How large a body may be: each route has its limit, and the core and HTTP hold the same one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Final

import pytest
from aiohttp import StreamReader
from aiohttp.base_protocol import BaseProtocol

from livecore.api.operations import OPERATIONS
from livecore.kernel.errors import Json
from livecore_server.http.exchange import MOST_LINGERING, Leftovers
from tests.server.serving import Reply, Server, http, serving
from tests.worlds import http as ask_core
from tests.worlds import world

KIB: Final = 1024
MIGRATE: Final = "/server/v1/migrate/players"
SURFACES: Final = {"sdk": 64 * KIB, "server": 1024 * KIB, "admin": 1024 * KIB}
PAGES: Final = ("/admin/v1/health", "/admin/v1/ready", "/metrics", "/sdk/v1/openapi.json", "/server/v1/openapi.json")


def _authorized(server: Server, permission: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.key(permission)}"}


def _large_rows(bytes_in_all: int) -> dict[str, Json]:
    """A migration body of a hundred rows, with so many bytes in their contexts."""
    context: Json = {"text": "x" * (bytes_in_all // 100)}
    return {
        "rows": [
            {"idempotencyKey": f"m{number}", "externalPlayerId": f"p{number}", "playerContext": context}
            for number in range(100)
        ]
    }


def test_every_operation_has_the_limit_of_its_kind() -> None:
    """Nothing on GET and without a credential, 8 MiB for moving players in, and what fits the surface everywhere else."""
    for entry in OPERATIONS:
        if entry.method == "GET" or entry.credential == "none":
            expected = 0
        else:
            expected = 8192 * KIB if entry.name.startswith("migrate.") else SURFACES[entry.surface]
        assert (entry.id, entry.most_body_bytes) == (entry.id, expected)


@pytest.mark.parametrize(
    ("permission", "method", "path", "limit"),
    [
        ("client", "PUT", "/sdk/v1/players/ann/identity", 64 * KIB),
        ("client", "POST", "/sdk/v1/players/ann/register", 64 * KIB),
        ("client", "DELETE", "/sdk/v1/players/ann/friends/bert", 64 * KIB),
        ("server", "PUT", "/server/v1/players/ann/identity", 1024 * KIB),
        ("server", "POST", MIGRATE, 8192 * KIB),
    ],
)
def test_a_longer_body_is_refused_before_it_is_sent(
    tmp_path: Path, permission: str, method: str, path: str, limit: int
) -> None:
    """The announced length is enough, and the core says the same of a body that it is given."""

    async def scenario() -> Reply:
        async with serving(tmp_path) as server, server.connect() as connection:
            headers = {**_authorized(server, permission), "Content-Length": str(limit + 1)}
            await connection.send(http(method, path, headers=headers))
            return await connection.reply()

    reply = asyncio.run(scenario())
    assert (reply.status, reply.code) == (413, "body_too_large")
    assert reply.json["error"]["details"] == {"limitBytes": limit}
    game = world()
    key = {"authorization": f"Bearer {game.keys[permission]}"}
    refused = ask_core(game, method, path, b"x" * (limit + 1), headers=key)
    assert (refused.refusal, refused["details"]) == ((413, "body_too_large"), {"limitBytes": limit})


def test_a_migration_body_of_mebibytes_is_taken(tmp_path: Path) -> None:
    """What the core takes comes in over HTTP as well."""

    async def scenario() -> Reply:
        async with serving(tmp_path) as server:
            return await server.studio("POST", "/migrate/players", _large_rows(1_500 * KIB))

    reply = asyncio.run(scenario())
    assert (reply.status, reply.json["data"]["applied"]) == (200, 100)


def test_a_deployment_may_take_less(tmp_path: Path) -> None:
    """`body_limit_bytes` lowers every limit that is higher, and raises none."""

    async def scenario() -> list[Reply]:
        async with serving(tmp_path, body_limit_bytes=1000 * KIB) as server:
            return [
                await server.studio("POST", "/migrate/players", _large_rows(1_100 * KIB)),
                await server.sdk("PUT", "/ann/identity", {"name": "x" * 64 * KIB}),
            ]

    limits = [reply.json["error"]["details"] for reply in asyncio.run(scenario())]
    assert limits == [{"limitBytes": 1000 * KIB}, {"limitBytes": 64 * KIB}]


@pytest.mark.parametrize("announced", ["Content-Length: 500000", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("path", [*PAGES, "/server/v1/ping"])
def test_a_body_that_nobody_takes_is_not_waited_for(tmp_path: Path, path: str, announced: str) -> None:
    """On GET, and on what needs no credential, to announce a body is enough to be refused: not a byte of it is read."""

    async def scenario() -> tuple[Reply, bool]:
        async with serving(tmp_path) as server, server.connect() as connection:
            key = f"Authorization: Bearer {server.key('server')}\r\n"
            await connection.send(f"GET {path} HTTP/1.1\r\nHost: test\r\n{key}{announced}\r\n\r\n".encode())
            return await connection.reply(), await connection.closed()

    reply, closed = asyncio.run(scenario())
    assert (reply.status, reply.code, closed) == (413, "body_too_large", True)
    assert reply.json["error"]["details"] == {"limitBytes": 0}


@pytest.mark.parametrize("path", PAGES)
def test_an_empty_body_is_none(tmp_path: Path, path: str) -> None:
    """A length of 0 announces nothing, and the connection goes on."""

    async def scenario() -> list[int]:
        async with serving(tmp_path) as server, server.connect() as connection:
            await connection.send(http("GET", path, headers={"Content-Length": "0"}) * 2)
            return [(await connection.reply()).status for _ in range(2)]

    assert asyncio.run(scenario()) == [200, 200]


def test_the_core_takes_no_body_where_http_takes_none() -> None:
    """A world refuses what a server would refuse, after the key and before the player."""
    game = world()
    anna = game.player("anna")
    for caller, path in ((anna, "/sdk/v1/players/anna/friends"), (anna, "/sdk/v1/players/nobody/friends")):
        assert ask_core(caller, "GET", path, json.dumps({}).encode()).refusal == (413, "body_too_large")
    assert ask_core(game, "GET", "/admin/v1/health", b"{}").refusal == (413, "body_too_large")


_LONG: Final = 60 * KIB
_IDENTITY: Final = "/sdk/v1/players/ann/identity"


@pytest.mark.parametrize("per_player", [False, True], ids=["by key", "by player"])
@pytest.mark.parametrize(
    "length", [{"Content-Length": str(_LONG)}, {"Transfer-Encoding": "chunked"}], ids=["announced", "chunked"]
)
@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        ("unknown", (404, "player_not_found")),
        ("unproven", (401, "player_secret_invalid")),
        ("banned", (403, "player_banned")),
    ],
)
def test_a_long_body_is_received_from_players_alone(
    tmp_path: Path, standing: str, expected: tuple[int, str], length: dict[str, str], per_player: bool
) -> None:
    """A client key is public: whoever has only that is answered, and counted, before any of the body has come."""

    async def scenario() -> Reply:
        async with (
            serving(tmp_path, rate_limits="on", rate_limits_per_player=per_player) as server,
            server.connect() as connection,
        ):
            secret = "" if standing == "unknown" else await server.register("ann")
            if standing == "banned":
                await server.studio("POST", "/players/ann/ban", {"reason": "cheating"})
            proof = {"X-Player-Secret": "wrong" if standing == "unproven" else secret}
            await connection.send(http("PUT", _IDENTITY, headers={**_authorized(server, "client"), **proof, **length}))
            return await connection.reply()

    reply = asyncio.run(scenario())
    assert (reply.status, reply.code) == expected
    assert int(reply.headers["ratelimit-remaining"]) < int(reply.headers["ratelimit-limit"])


@pytest.mark.parametrize("per_player", [False, True], ids=["by key", "by player"])
def test_a_body_that_is_too_long_is_counted(tmp_path: Path, per_player: bool) -> None:
    """Whoever sends it is not known yet, so it counts for the address, where registrations have a count of their own."""

    async def scenario() -> list[Reply]:
        async with serving(tmp_path, rate_limits="sdk_write=3", rate_limits_per_player=per_player) as server:
            await server.register("ann")
            headers = {**_authorized(server, "client"), "Content-Length": str(64 * KIB + 1)}
            replies = []
            for _ in range(4):
                async with server.connect() as connection:
                    await connection.send(http("PUT", _IDENTITY, headers=headers))
                    replies.append(await connection.reply())
            return replies

    replies = asyncio.run(scenario())
    assert [reply.code for reply in replies] == ["body_too_large"] * 3 + ["rate_limited"]
    assert [reply.headers["ratelimit-remaining"] for reply in replies] == ["2", "1", "0", "0"]


def test_a_player_who_sends_a_long_body_is_counted_once(tmp_path: Path) -> None:
    """Also where it is made sure of the player before the body comes."""
    body = json.dumps({"name": "Ann", "avatar": None}).ljust(_LONG).encode()

    async def scenario() -> tuple[Reply, Reply]:
        async with (
            serving(tmp_path, rate_limits="on", rate_limits_per_player=True) as server,
            server.connect() as connection,
        ):
            secret = await server.register("ann")
            headers = {
                **_authorized(server, "client"),
                "X-Player-Secret": secret,
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                "Expect": "100-continue",
            }
            await connection.send(http("PUT", _IDENTITY, headers=headers))
            assert (await connection.reply()).status == 100
            await connection.send(body)
            return await connection.reply(), await server.sdk("PUT", "/ann/identity", {"name": "Ann"}, secret=secret)

    first, second = asyncio.run(scenario())
    left = [int(reply.headers["ratelimit-remaining"]) for reply in (first, second)]
    assert (first.status, second.status, left[0] - left[1]) == (200, 200, 1)
    assert left[0] == int(first.headers["ratelimit-limit"]) - 1


def test_the_rest_of_few_refused_bodies_is_read() -> None:
    """To read what nobody takes costs time: some senders get it, so that they see their answer, and no more at once."""

    async def scenario() -> None:
        loop, leftovers = asyncio.get_running_loop(), Leftovers()
        protocol = BaseProtocol(loop)
        protocol.connection_made(asyncio.Transport())
        bodies = [StreamReader(protocol, 1024, loop=loop) for _ in range(MOST_LINGERING + 1)]
        dropping = [asyncio.ensure_future(leftovers.drop(body)) for body in bodies]
        await asyncio.sleep(0)
        assert [task.done() for task in dropping] == [False] * MOST_LINGERING + [True]
        for body in bodies:
            body.feed_eof()
        await asyncio.gather(*dropping)
        late = StreamReader(protocol, 1024, loop=loop)
        again = asyncio.ensure_future(leftovers.drop(late))
        await asyncio.sleep(0)
        assert not again.done()
        late.feed_eof()
        await again

    asyncio.run(scenario())

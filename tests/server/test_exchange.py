"""HTTP on the wire: what comes in is read within its limits, and every answer has the envelope, whatever went wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.server.serving import Server, http, serving


def auth(server: Server) -> dict[str, str]:
    """The client key as a header."""
    return {"Authorization": f"Bearer {server.key('client')}"}


def test_a_player_registers_and_reads_the_own_profile(tmp_path: Path) -> None:
    """A write is committed before its answer, so the read that follows sees it."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            secret = await server.register("ann")
            profile = await server.sdk("GET", "/ann/profile", secret=secret)
            assert profile.status == 200
            assert profile.headers["content-type"] == "application/json"
            assert profile.json["data"]["externalPlayerId"] == "ann"

    asyncio.run(scenario())


def test_one_connection_carries_many_requests(tmp_path: Path) -> None:
    """Requests that are sent ahead are answered in their order, on the same connection."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            pages = ["/admin/v1/health", "/nothing/here", "/admin/v1/health"]
            await connection.send(b"".join(http("GET", page) for page in pages))
            assert [(await connection.reply()).status for _ in pages] == [200, 404, 200]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("version", "header", "kept"),
    [("1.1", {}, True), ("1.1", {"Connection": "close"}, False), ("1.0", {}, False),
     ("1.0", {"Connection": "keep-alive"}, True)],
)  # fmt: skip
def test_a_connection_is_kept_or_closed_as_the_caller_asks(
    tmp_path: Path, version: str, header: dict[str, str], kept: bool
) -> None:
    """HTTP/1.1 keeps connections unless told otherwise, HTTP/1.0 the other way round."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            await connection.send(http("GET", "/admin/v1/health", headers=header, version=version))
            reply = await connection.reply()
            assert (reply.headers.get("connection") == "close") is not kept
            if not kept:
                assert await connection.closed()

    asyncio.run(scenario())


def test_head_is_refused_without_a_body(tmp_path: Path) -> None:
    """An answer to HEAD never has a body; the method is none of ours and Allow says which are."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            await connection.send(http("HEAD", "/admin/v1/health") + http("GET", "/admin/v1/health"))
            reply = await connection.reply(head_only=True)
            assert (reply.status, reply.headers["allow"]) == (405, "GET")
            assert (await connection.reply()).status == 200

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "data",
    [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", b"GET / HTTP/9.9.9\r\n\r\n", b"GET /\x00 HTTP/1.1\r\n\r\n",
     b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: test\r\n\r\n",
     b"GET / HTTP/1.1\r\nHost: test\r\nX-Long: " + b"a" * 40_000 + b"\r\n\r\n",
     b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: many\r\n\r\n"],
    ids=["tls", "version", "nul", "header", "long path", "long header", "length"],
)  # fmt: skip
def test_what_is_not_http_gets_the_envelope_too(tmp_path: Path, data: bytes) -> None:
    """A stranger's bytes are answered with 400, an error code and a request id, and the connection is closed."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            async with server.connect() as connection:
                await connection.send(data)
                reply = await connection.reply()
                assert (reply.status, reply.code) == (400, "malformed_request")
                assert reply.headers["x-request-id"].startswith("req_")
                assert await connection.closed()
            assert (await server.ask("GET", "/admin/v1/health")).status == 200
            assert "Traceback" not in server.log.getvalue()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/", 404, "route_not_found"), ("GET", "/sdk/v1/players//friends", 404, "route_not_found"),
     ("PATCH", "/sdk/v1/players/ann/friends", 405, "method_not_allowed"),
     ("OPTIONS", "*", 404, "route_not_found"), ("POST", "/metrics", 405, "method_not_allowed"),
     ("GET", "/sdk/v1/players/ann/profile", 401, "api_key_missing"),
     ("GET", "/sdk/v1/players/a%2Fb/profile", 400, "validation_failed"),
     ("GET", "/sdk/v1/players/%00/profile", 400, "validation_failed"),
     ("GET", "/sdk/v1/players/../profile", 400, "validation_failed")],
)  # fmt: skip
def test_paths_reach_the_application_as_they_were_sent(
    tmp_path: Path, method: str, path: str, status: int, code: str
) -> None:
    """Nothing between the socket and the rules decodes, joins or cleans a path."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            headers = auth(server) if status == 400 else {}
            reply = await server.ask(method, path, headers=headers)
            assert (reply.status, reply.code) == (status, code)

    asyncio.run(scenario())


@pytest.mark.parametrize("target", ["http://game.example/admin/v1/health", "http://game.example/admin/v1/health?"])
def test_an_absolute_target_is_understood(tmp_path: Path, target: str) -> None:
    """Whoever talks to a proxy sends a whole URL, and a server has to take it."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            assert (await server.ask("GET", target)).status == 200
            assert (await server.ask("GET", "http://game.example")).status == 404

    asyncio.run(scenario())


def test_a_wish_to_upgrade_is_answered_as_if_it_were_not_there(tmp_path: Path) -> None:
    """There is nothing to upgrade to, and the connection goes on."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
            await connection.send(http("GET", "/admin/v1/health", headers=upgrade) + http("GET", "/admin/v1/health"))
            assert (await connection.reply()).status == 200

    asyncio.run(scenario())


def test_a_body_that_says_it_is_too_large_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    """The length is enough to refuse: nothing of the body needs to arrive."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            head = http("PUT", "/sdk/v1/players/ann/identity", headers={**auth(server), "Content-Length": "65537"})
            await connection.send(head)
            reply = await connection.reply()
            assert (reply.status, reply.code) == (413, "body_too_large")
            assert reply.json["error"]["details"] == {"limitBytes": 65_536}
            assert reply.headers["connection"] == "close"

    asyncio.run(scenario())


def test_a_body_that_turns_out_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    """A body in chunks is cut off when it passes the limit, here one that the deployment has lowered."""

    async def scenario() -> None:
        async with serving(tmp_path, body_limit_bytes=1000) as server, server.connect() as connection:
            proof = {**auth(server), "X-Player-Secret": await server.register("ann")}
            chunked = {**proof, "Transfer-Encoding": "chunked", "Content-Type": "application/json"}
            await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=chunked))
            for _ in range(3):
                await connection.send(b"190\r\n" + b" " * 400 + b"\r\n")
            reply = await connection.reply()
            assert (reply.status, reply.code) == (413, "body_too_large")

    asyncio.run(scenario())


def test_a_body_in_chunks_is_read(tmp_path: Path) -> None:
    """Where the body is cut does not matter."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            secret = await server.register("ann")
            headers = {**auth(server), "X-Player-Secret": secret, "Transfer-Encoding": "chunked"}
            headers["Content-Type"] = "application/json"
            await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=headers))
            await connection.send(b'9\r\n{"name": \r\n')
            await connection.send(b'5\r\n"Ann"\r\n11\r\n, "avatar": null}\r\n0\r\n\r\n')
            reply = await connection.reply()
            assert reply.status == 200, reply
            assert reply.json["data"]["displayIdentity"]["name"] == "Ann"

    asyncio.run(scenario())


def test_a_stranger_is_refused_before_the_body_is_read(tmp_path: Path) -> None:
    """Without a key the answer comes at once, and the connection ends, because the body would be taken for a request."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers={"Content-Length": "500000"}))
            reply = await connection.reply()
            assert (reply.status, reply.code) == (401, "api_key_missing")
            assert reply.headers["connection"] == "close"

    asyncio.run(scenario())


def test_a_caller_who_asks_first_is_told_to_continue(tmp_path: Path) -> None:
    """`Expect: 100-continue` is granted to those who were admitted, and to nobody else."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            secret = await server.register("ann")
            asking = {"Expect": "100-continue", "Content-Type": "application/json", "Content-Length": "30"}
            async with server.connect() as connection:
                known = {**asking, **auth(server), "X-Player-Secret": secret}
                await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=known))
                assert (await connection.reply()).status == 100
                await connection.send(b'{"name":"Ann","avatar":null}  ')
                assert (await connection.reply()).status == 200
            async with server.connect() as connection:
                await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=asking))
                assert (await connection.reply()).status == 401

    asyncio.run(scenario())


def test_a_compressed_body_is_refused(tmp_path: Path) -> None:
    """Bodies are small, and a small compressed body can be a large one."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            headers = {**auth(server), "Content-Encoding": "gzip", "Content-Length": "3"}
            await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=headers) + b"abc")
            reply = await connection.reply()
            assert (reply.status, reply.code) == (415, "unsupported_media_type")

    asyncio.run(scenario())


def test_a_body_that_does_not_arrive_is_given_up(tmp_path: Path) -> None:
    """Slow callers hold a connection for a while, and then hear why it ends."""

    async def scenario() -> None:
        async with serving(tmp_path, body_seconds=0.05) as server, server.connect() as connection:
            headers = {**auth(server), "Content-Type": "application/json", "Content-Length": "30"}
            await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=headers) + b"{")
            reply = await connection.reply()
            assert (reply.status, reply.code) == (408, "body_timeout")
            assert reply.headers["connection"] == "close"

    asyncio.run(scenario())


def test_a_caller_who_leaves_within_the_body_does_no_harm(tmp_path: Path) -> None:
    """The broken request changes nothing, and the next one is served."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            async with server.connect() as connection:
                headers = {**auth(server), "Content-Type": "application/json", "Content-Length": "30"}
                await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=headers) + b"{")
            assert (await server.ask("GET", "/admin/v1/health")).status == 200
            assert "Traceback" not in server.log.getvalue()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "path", ["/admin/v1/ready", "/metrics", "/admin/v1/health", "/sdk/v1/openapi.json", "/nowhere"]
)
def test_every_answer_carries_a_request_id(tmp_path: Path, path: str) -> None:
    """The caller's own is echoed, on the host's own pages as well; otherwise there is a new one each time."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            echoed = await server.ask("GET", path, headers={"X-Request-Id": "my-request"})
            assert echoed.headers["x-request-id"] == "my-request"
            minted = {(await server.ask("GET", path)).headers["x-request-id"] for _ in range(3)}
            assert len(minted) == 3

    asyncio.run(scenario())

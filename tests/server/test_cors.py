"""Web games: what a browser is told about calls from pages of other origins; by default nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest

from livecore_server.http.cors import ALLOWED_HEADERS, EXPOSED_HEADERS
from livecore_server.http.origins import parse_origins
from livecore_server.settings import Settings
from tests.server.serving import Reply, Server, serving

PAGE: Final = "https://play.example.com"
OTHER: Final = "http://localhost:5173"
PATH: Final = "/sdk/v1/players/ann/friends"
_ASKS: Final = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "authorization",
}


def _names(reply: Reply) -> set[str]:
    return {name for name in reply.headers if name.startswith("access-control-")}


def _is_open(reply: Reply, origin: str = PAGE) -> bool:
    """Whether a script of a page of this origin may read the answer and the headers of ours."""
    exposed = reply.headers.get("access-control-expose-headers")
    return (
        reply.headers.get("access-control-allow-origin") == origin
        and exposed == ", ".join(EXPOSED_HEADERS)
        and "access-control-allow-credentials" not in reply.headers
    )


def test_by_default_nothing_is_said(tmp_path: Path) -> None:
    """A preflight is a method that no route has, and no answer names an origin."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            reply = await server.ask("OPTIONS", PATH, headers=_ASKS)
            assert (reply.status, reply.code, reply.headers["allow"]) == (405, "method_not_allowed", "GET")
            for answer in (reply, await server.ask("GET", "/sdk/v1/openapi.json", headers={"Origin": PAGE})):
                assert _names(answer) == set()
                assert "vary" not in answer.headers

    asyncio.run(scenario())


def test_a_preflight_is_answered_before_anything_is_looked_up(tmp_path: Path) -> None:
    """It needs no key and no route, has no body, and lists what the client surface takes."""

    async def scenario() -> None:
        async with serving(tmp_path, cors_origins=f"{PAGE},{OTHER}") as server:

            def looked_up(*_: object) -> Any:  # noqa: ANN401 - it never returns
                raise AssertionError

            server.service.application.prepare = looked_up  # type: ignore[assignment,method-assign] # the seam of this test
            for origin in (PAGE, OTHER):
                headers = {**_ASKS, "Origin": origin, "X-Request-Id": "mine"}
                reply = await server.ask("OPTIONS", PATH, headers=headers)
                assert (reply.status, reply.body) == (204, b"")
                assert "content-length" not in reply.headers
                assert _is_open(reply, origin)
                assert reply.headers["access-control-allow-methods"] == "DELETE, GET, PATCH, POST, PUT"
                assert reply.headers["access-control-allow-headers"] == ", ".join(ALLOWED_HEADERS)
                assert int(reply.headers["access-control-max-age"]) > 0
                assert (reply.headers["vary"], reply.headers["x-request-id"]) == ("Origin", "mine")

    asyncio.run(scenario())


@pytest.mark.parametrize("origin", ["https://evil.example", f"{PAGE}.evil.example", "http://play.example.com", "null"])
def test_pages_of_other_origins_are_told_nothing(origin: str, tmp_path: Path) -> None:
    """For them it is as if nothing were allowed, but that caches learn that the origin matters."""

    async def scenario() -> None:
        async with serving(tmp_path, cors_origins=PAGE) as server:
            reply = await server.ask("OPTIONS", PATH, headers={**_ASKS, "Origin": origin})
            assert (reply.status, reply.code) == (405, "method_not_allowed")
            for answer in (
                reply,
                await server.ask("GET", "/sdk/v1/openapi.json", headers={"Origin": origin}),
                await server.ask("GET", "/sdk/v1/openapi.json"),
            ):
                assert _names(answer) == set()
                assert answer.headers["vary"] == "Origin"

    asyncio.run(scenario())


def test_every_answer_of_the_client_surface_may_be_read(tmp_path: Path) -> None:
    """Refusals too: a game that cannot read why it was refused cannot do anything about it."""

    async def scenario() -> None:
        async with serving(tmp_path, cors_origins=PAGE) as server:
            secret = await server.register("ann")
            key = {"Authorization": f"Bearer {server.key('client')}", "X-Player-Secret": secret, "Origin": PAGE}
            plain = {"Origin": PAGE}
            answers = [
                (200, await server.ask("GET", PATH, headers=key)),
                (201, await server.ask("POST", "/sdk/v1/players/bert/register", headers=key)),
                (400, await _malformed_json(server, key)),
                (401, await server.ask("GET", PATH, headers=plain)),
                (404, await server.ask("GET", "/sdk/v1/nothing", headers=plain)),
                (405, await server.ask("DELETE", PATH, headers=plain)),
                (405, await server.ask("OPTIONS", PATH, headers=plain)),
                (413, await server.ask("PUT", "/sdk/v1/players/ann/identity", "x" * 70_000, headers=key)),
            ]
            server.service.application.run = None  # type: ignore[assignment] # the seam of this test
            answers.append((500, await server.ask("GET", PATH, headers=key)))
            for status, reply in answers:
                assert reply.status == status
                assert _is_open(reply), reply
                assert reply.headers["vary"] == "Origin"

    asyncio.run(scenario())


async def _malformed_json(server: Server, headers: dict[str, str]) -> Reply:
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    head = (
        f"PUT /sdk/v1/players/ann/identity HTTP/1.1\r\nHost: test\r\n{''.join(lines)}Content-Type: application/json\r\n"
    )
    async with server.connect() as connection:
        await connection.send(f"{head}Content-Length: 1\r\n\r\n{{".encode())
        return await connection.reply()


@pytest.mark.parametrize("origins", [PAGE, "*"])
@pytest.mark.parametrize(
    "path", ["/server/v1/ping", "/admin/v1/health", "/admin/v1/ready", "/sdk/v2/x", "/metrics", "/"]
)
def test_only_the_client_surface_is_open(path: str, origins: str, tmp_path: Path) -> None:
    """A server key must never be in a browser, and the operator's pages are none of a game's business."""

    async def scenario() -> None:
        async with serving(tmp_path, cors_origins=origins) as server:
            for method in ("OPTIONS", "GET"):
                reply = await server.ask(method, path, headers=_ASKS)
                assert reply.status != 204
                assert _names(reply) == set()
                assert "vary" not in reply.headers

    asyncio.run(scenario())


def test_every_origin_may_be_let_in(tmp_path: Path) -> None:
    """The same answer for all of them, also without an origin, so that caches may keep it."""

    async def scenario() -> None:
        async with serving(tmp_path, cors_origins="*") as server:
            preflight = await server.ask("OPTIONS", PATH, headers={**_ASKS, "Origin": "null"})
            assert preflight.status == 204
            for reply in (preflight, await server.ask("GET", "/sdk/v1/openapi.json")):
                assert _is_open(reply, "*")
                assert "vary" not in reply.headers

    asyncio.run(scenario())


def test_preflights_are_counted_by_address(tmp_path: Path) -> None:
    """Like everything that shows no key; the refusal can be read."""

    async def scenario() -> None:
        async with serving(tmp_path, cors_origins=PAGE, rate_limits="unauthenticated=2") as server:
            replies = [await server.ask("OPTIONS", PATH, headers=_ASKS) for _ in range(3)]
            assert [reply.status for reply in replies] == [204, 204, 429]
            assert [reply.headers["ratelimit-remaining"] for reply in replies] == ["1", "0", "0"]
            assert replies[2].code == "rate_limited"
            assert all(_is_open(reply) for reply in replies)

    asyncio.run(scenario())


def test_a_preflight_has_a_line_in_the_log(tmp_path: Path) -> None:
    """Under a name of its own, in the metrics as well."""

    async def scenario() -> None:
        async with serving(tmp_path, cors_origins=PAGE) as server:
            await server.ask("OPTIONS", PATH, headers=_ASKS)
            metrics = (await server.ask("GET", "/metrics")).body.decode()
            assert 'operation="preflight",status="204"' in metrics
        assert "preflight" in server.log.getvalue()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", set()),
        (" , ", set()),
        ("*", {"*"}),
        ("https://Play.Example.com, http://localhost:5173", {PAGE, OTHER}),
        ("https://play.example.com:443,http://10.0.0.1:80", {PAGE, "http://10.0.0.1"}),
        ("http://[::1]:8080", {"http://[::1]:8080"}),
        ("capacitor://localhost", {"capacitor://localhost"}),
    ],
)
def test_origins_are_read_as_browsers_send_them(text: str, origins: set[str]) -> None:
    """In lower case, without the scheme's own port."""
    assert parse_origins(text) == origins
    assert Settings(cors_origins=text).origins == origins


@pytest.mark.parametrize(
    "text",
    [
        "play.example.com", "https://", f"{PAGE}/", f"{PAGE}/game", f"{PAGE}?x", "https://me@example.com", "null",
        "https://*.example.com", f"{PAGE}:0", f"{PAGE}:65536", f"{PAGE}:", f"*,{PAGE}", "https://a b.com", "https://bücher.example",
    ],
)  # fmt: skip
def test_what_is_no_origin_is_refused_at_the_start(text: str) -> None:
    """A path, a pattern or a name that no browser sends would silently let nobody in."""
    with pytest.raises(ValueError, match="origin"):
        parse_origins(text)

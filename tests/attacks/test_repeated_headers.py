"""Attacks by a header that stands twice: who reads the first and who reads the last would see two different callers."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Final

import pytest

from livecore.api.requests.prepared import Prepared
from tests.server.serving import Server, serving

SURFACES: Final = (
    "GET /sdk/v1/players/anna/wallet", "POST /sdk/v1/players/anna/register", "GET /sdk/v1/openapi.json",
    "GET /server/v1/ping", "POST /server/v1/migrate/players", "GET /admin/v1/session", "POST /admin/v1/sign-out",
    "GET /admin/v1/health", "GET /admin/v1/ready", "GET /metrics", "POST /mcp", "GET /nowhere", "GET /portal/",
    "POST /portal/sign-out", "GET /admin/v1/sign-in",
)  # fmt: skip


async def answers(server: Server, route: str, *lines: str) -> tuple[int, bytes, dict[str, str]]:
    """The status, body and headers of the answer to a request with these header lines."""
    head = "\r\n".join((f"{route} HTTP/1.1", "Host: localhost", *lines, "Content-Length: 0", "", ""))
    async with server.connect() as connection:
        await connection.send(head.encode())
        reply = await connection.reply()
    return reply.status, reply.body, dict(reply.headers)


def entered(server: Server, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the requests that the service begins to look at."""
    seen: list[str] = []
    application = server.service.application
    for name in ("prepare", "meet", "meet_key_holder"):

        def step(
            request: object, directory: object, of: object = getattr(application, name), **more: object
        ) -> Prepared:
            seen.append(str(getattr(request, "path", "")))
            assert callable(of)
            found = of(request, directory, **more)
            assert isinstance(found, Prepared)
            return found

        monkeypatch.setattr(application, name, step)
    return seen


@pytest.mark.parametrize("second", ["{key}", "Bearer bad", "", "Basic YTpi"])
def test_a_second_authorization_is_refused_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str
) -> None:
    """On every surface, in either order, also where both say the same; nobody is looked for."""

    async def attack() -> None:
        async with serving(tmp_path) as server:
            seen = entered(server, monkeypatch)
            for route in SURFACES:
                key = f"Bearer {server.key('client' if 'sdk' in route else 'server')}"
                lines = [f"Authorization: {key}", f"authorization: {second.format(key=key)}"]
                for order in (lines, lines[::-1]):
                    status, body, headers = await answers(server, route, *order)
                    error = json.loads(body)["error"]
                    assert (status, error["code"]) == (400, "validation_failed"), (route, body)
                    assert error["details"]["fields"] == {"Authorization": "must be given once"}
                    assert headers["x-request-id"]
            assert set(seen) == {""}
            assert (await server.sdk("POST", "/anna/register")).status == 201

    asyncio.run(attack())


@pytest.mark.parametrize(
    "header",
    ["X-Player-Secret", "Idempotency-Key", "Content-Type", "Origin", "Sec-Fetch-Site", "Last-Event-ID", "Host"],
)
def test_two_values_of_what_decides_are_refused(tmp_path: Path, header: str) -> None:
    """Whose request it is, what a repetition of it is, how its body is read, and which page has caused it."""

    async def attack() -> None:
        async with serving(tmp_path) as server:
            key = f"Authorization: Bearer {server.key('client')}"
            register = "POST /sdk/v1/players/anna/register"
            status, body, _ = await answers(server, register, key, f"{header}: one", f"{header.upper()}: two")
            assert status == 400, body
            assert header.encode() in body or b"malformed_request" in body
            assert (await server.studio("GET", "/players/anna")).status == 404

    asyncio.run(attack())


def test_requests_with_a_second_header_are_counted_by_address(tmp_path: Path) -> None:
    """Like all without a valid key, on whatever path; players of that address are not concerned."""

    async def attack() -> None:
        async with serving(tmp_path, rate_limits="unauthenticated=3", trusted_proxies=1) as server:
            key = f"Authorization: Bearer {server.key('client')}"
            here, elsewhere = "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2"
            statuses = [(await answers(server, route, key, key, here))[0] for route in SURFACES[:5]]
            assert statuses == [400] * 3 + [429] * 2
            assert (await answers(server, SURFACES[0], key, key, elsewhere))[0] == 400
            assert (await answers(server, "POST /sdk/v1/players/anna/register", key, here))[0] == 201

    asyncio.run(attack())


def test_the_same_value_twice_and_headers_that_decide_nothing_are_taken(tmp_path: Path) -> None:
    """A proxy may repeat what it passes on."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            key = f"Authorization: Bearer {server.key('client')}"
            register = "POST /sdk/v1/players/anna/register"
            twice = ("Idempotency-Key: a-key-of-22-characters", "Idempotency-Key: a-key-of-22-characters")
            assert (await answers(server, register, key, *twice, "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: x"))[
                0
            ] == 201

    asyncio.run(scenario())


def test_a_country_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    """A caller would name one before the proxy's own, and the first is read."""

    async def attack() -> None:
        async with serving(tmp_path, country_header="CF-IPCountry", trust_country_header=True) as server:
            key = f"Authorization: Bearer {server.key('client')}"
            lines = (key, "CF-IPCountry: NZ", "CF-IPCountry: DE")
            assert (await answers(server, "POST /sdk/v1/players/anna/register", *lines))[0] == 400

    asyncio.run(attack())

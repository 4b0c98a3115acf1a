"""The portal on a whole server: over a socket, with a real file, and with the session of the database."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from jinja2 import Environment

from livecore.access.directory import STUDIOS
from livecore.access.members import add_member
from livecore.access.sessions import start_session
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.portal import environment, rendering
from livecore_server.system import draw_seed, now_millis
from tests.server.serving import Server, serving


async def sign_in(server: Server) -> str:
    """The cookie of a new owner's session."""

    def enter(tx: Transaction) -> str:
        studio = tx.get(STUDIOS, server.game.game.studio_id)
        assert studio is not None
        entropy = Entropy(draw_seed())
        member, _ = add_member(tx, studio, "owner@example.com", "OWNER", now_millis(), entropy)
        return start_session(tx, member.member_id, now_millis(), entropy).token

    return f"livecore={await server.service.executor.write(DIRECTORY, enter)}"


def test_the_portal_is_served(tmp_path: Path) -> None:
    """Strangers are sent to sign in, members see their games, and another origin's form is refused."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            bare = await server.ask("GET", "/")
            assert (bare.status, bare.code) == (404, "route_not_found")
            sent = await server.ask("GET", "/portal/")
            assert (sent.status, sent.headers["location"]) == (303, "/admin/v1/sign-in?return=%2Fportal%2F")
            cookie = await sign_in(server)
            page = await server.ask("GET", "/portal/", headers={"Cookie": cookie})
            assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
            assert "Test studio" in page.body.decode()
            assert page.headers["x-request-id"]
            head = await server.ask("HEAD", "/portal/", headers={"Cookie": cookie})
            assert (head.status, head.body) == (200, b"")
            style = await server.ask("GET", "/portal/style.css")
            assert (style.status, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
            forged = await server.ask(
                "POST", "/portal/sign-out", {}, headers={"Cookie": cookie, "Origin": "http://evil"}
            )
            assert (forged.status, forged.headers["content-type"]) == (403, "text/html; charset=utf-8")
            assert (await server.ask("GET", "/portal/", headers={"Cookie": cookie})).status == 200
            large = await server.ask(
                "POST", "/portal/sign-out", "x" * 5_000_000, headers={"Cookie": cookie, "Origin": "http://localhost"}
            )
            assert (large.status, large.headers["content-type"]) == (413, "text/html; charset=utf-8")
            assert "The form is too large" in large.body.decode()
            assert large.headers["x-request-id"] in large.body.decode()
            assert (await server.ask("GET", "/portal/", headers={"Cookie": cookie})).status == 200
            out = await server.ask("POST", "/portal/sign-out", headers={"Cookie": cookie, "Origin": "http://localhost"})
            assert (out.status, out.headers["location"]) == (303, "/portal/signed-out")
            assert (await server.ask("GET", "/portal/", headers={"Cookie": cookie})).status == 303

    asyncio.run(scenario())


def test_a_server_that_listens_compiles_no_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are compiled before anybody can ask, so the first view of a page is as quick as the others."""
    compiled: list[str] = []
    compile_one = Environment.compile

    def compiling(self: Environment, source: str, name: str, filename: str) -> object:
        compiled.append(name)
        return compile_one(self, source, name, filename)

    monkeypatch.setattr(environment, "TEMPLATES", environment._environment())
    monkeypatch.setattr(rendering, "_compiled", set())
    monkeypatch.setattr(Environment, "compile", compiling)

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            assert sorted(compiled) == environment.TEMPLATES.list_templates(extensions=["html"])
            compiled.clear()
            headers = {"Cookie": await sign_in(server)}
            game = f"/portal/studios/{server.game.game.studio_id}/games/{server.game.game.game_id}"
            pages = [
                "/portal/",
                "/portal/signed-out",
                "/portal/nothing",
                *(game + path for path in ("/players", "/settings")),
            ]
            statuses = [(await server.ask("GET", page, headers=headers)).status for page in pages]
            assert statuses == [200, 200, 404, 200, 200]
            assert compiled == []

    asyncio.run(scenario())

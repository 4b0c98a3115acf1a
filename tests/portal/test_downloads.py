"""The export of a player with very much: sent in pieces while it is read, the same as the whole, and never half a file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from livecore_server.http.pieces import PiecedResponse
from livecore_server.portal import downloads
from livecore_server.portal.asking import Refused
from livecore_server.portal.here import Here
from tests.patience import PATIENCE_SECONDS
from tests.portal.test_served import sign_in
from tests.server.serving import Server, serving

ROWS = 23


async def fill(server: Server) -> None:
    """A player with many entries, and with values that only a studio would choose."""
    secret = await server.register("ann")
    for number in range(ROWS):
        entries = [{"type": "currency", "resourceKey": "gold", "amount": number + 1}]
        body = {"idempotencyKey": f"k{number}", "entries": entries, "metadata": {"huge": 2**70 + number, "text": "é"}}
        answer = await server.studio("POST", "/players/ann/grants", body)
        assert answer.status < 300, answer
    assert (await server.sdk("GET", "/ann/wallet", secret=secret)).status == 200


async def downloaded(server: Server, cookie: str) -> httpx.Response:
    """What a browser gets that sends the form."""
    game = server.game.game
    address = f"/portal/studios/{game.studio_id}/games/{game.game_id}/players/ann/export?environment=test"
    headers = {"Cookie": cookie, "Origin": "http://localhost", "Host": "localhost"}
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{server.port}", headers=headers, timeout=PATIENCE_SECONDS
    ) as browser:
        return await browser.post(address, data={"sent": "yes"})


def test_a_long_export_comes_in_pieces_and_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every list is read on to its end; only how it is sent differs from one that is short."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            await fill(server)
            cookie = await sign_in(server)
            short = await downloaded(server, cookie)
            monkeypatch.setattr("livecore.player_tools.export.MOST_ROWS", 4)
            long = await downloaded(server, cookie)
            assert (short.status_code, long.status_code) == (200, 200), short.text
            assert "content-length" in short.headers
            assert long.headers["transfer-encoding"] == "chunked"
            assert long.headers["content-disposition"] == 'attachment; filename="player.json"'
            first, second = json.loads(short.content), json.loads(long.content)
            assert len(first["grants"]) == ROWS
            assert second["truncated"] == first["truncated"]
            assert not any(second["truncated"].values())
            # The first export is an entry of the audit trail by then, and so is each page of the second.
            assert all(entry in second["auditEntries"] for entry in first["auditEntries"])
            apart = {"cursors": {}, "exportedAt": "", "auditEntries": []}
            assert {**second, **apart} == {**first, **apart}

    asyncio.run(scenario())


def test_a_page_that_fails_breaks_the_file_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser says that the download failed; nobody takes half a file for a whole one. The server goes on.

    A refusal, as when the member's session ends, is no fault of the server's, so its log has no traceback.
    """

    async def fails(*_: object) -> None:
        raise Refused(503, {"code": "overloaded", "message": "Later."}, None)

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            await fill(server)
            monkeypatch.setattr("livecore.player_tools.export.MOST_ROWS", 4)
            monkeypatch.setattr(downloads, "_read_on", fails)
            with pytest.raises(httpx.RemoteProtocolError):
                await downloaded(server, await sign_in(server))
            assert server.service.metrics.in_progress == 0
            (line,) = [line for line in server.log.getvalue().splitlines() if "breaks off" in line]
            assert "overloaded" in line
            assert "Traceback" not in server.log.getvalue()
            assert (await server.ask("GET", "/admin/v1/ready")).status == 200

    asyncio.run(scenario())


class Reading:
    """A reader of operations, which refuses the second read until somebody has waited."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waited: list[int] = []
        self.reads = 0
        monkeypatch.setattr("livecore_server.portal.downloads.asyncio.sleep", self.sleep)

    async def sleep(self, seconds: int) -> None:
        """Note how long somebody waits."""
        self.waited.append(seconds)

    async def read(self, _: str, /, *, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A page with one row."""
        self.reads += 1
        if self.reads == 2:
            raise Refused(429, {"code": "rate_limited", "message": "Slower."}, "7")
        return {"rows": [self.reads], "truncated": {"rows": query is None}, "cursors": {"rows": "c"}}


def test_a_file_waits_where_its_reader_reads_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member's limit of reads makes a long file slower, and not shorter."""
    reading = Reading(monkeypatch)

    async def scenario() -> bytes:
        answer = await downloads.download(cast(Here, reading), "players.export", "player.json")
        assert isinstance(answer, PiecedResponse)
        return b"".join([piece async for piece in answer.pieces])

    whole = json.loads(asyncio.run(scenario()))
    assert whole == {"rows": [1, 3], "truncated": {"rows": False}, "cursors": {"rows": "c"}}
    assert reading.waited == [7]

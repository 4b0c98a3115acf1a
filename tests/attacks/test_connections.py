"""Attacks on the connection: bytes that two parsers read differently, and callers who hold on to what is not theirs."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

import pytest
from aiohttp import HttpVersion11, web

from livecore_server.http.exchange import Answer
from tests.server.serving import Connection, Server, http, serving

HEALTH: Final = "GET /admin/v1/health HTTP/1.1\r\nHost: test\r\n"
REGISTER: Final = "POST /sdk/v1/players/anna/register HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\n"

AMBIGUOUS: Final = {
    "a length and chunks": REGISTER + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
    "two lengths": REGISTER + "Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello",
    "a negative length": REGISTER + "Content-Length: -5\r\n\r\nhello",
    "a length with a sign": REGISTER + "Content-Length: +0\r\n\r\n",
    "an unknown coding": REGISTER + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunks that are not the last coding": REGISTER + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "a chunk of endless size": REGISTER + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nhello",
    "a space before the colon": HEALTH + "Content-Length : 5\r\n\r\nhello",
    "a folded header": HEALTH + "X-A: b\r\n c\r\n\r\n",
    "a NUL in a header": HEALTH + "X-A: b\0c\r\n\r\n",
    "lines that end in a line feed alone": "GET /admin/v1/health HTTP/1.1\nHost: test\n\n",
    "a header of forty thousand bytes": HEALTH + f"X-A: {'a' * 40_000}\r\n\r\n",
    "three thousand headers": HEALTH + "".join(f"X{number}: a\r\n" for number in range(3_000)) + "\r\n",
    "a path of forty thousand bytes": f"GET /{'a' * 40_000} HTTP/1.1\r\nHost: test\r\n\r\n",
    "an unknown method": "FOO /admin/v1/health HTTP/1.1\r\nHost: test\r\n\r\n",
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a TLS greeting": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}


async def _closed(connection: Connection) -> bool:
    """Whether the server ends the connection, be it because it left something unread."""
    try:
        return await connection.closed()
    except ConnectionError:
        return True


async def _refuse_all(server: Server) -> dict[str, str]:
    """What each of the ambiguous messages is answered, where that is not a 400 and the end of the connection."""
    surprises = {}
    for name, text in AMBIGUOUS.items():
        async with server.connect() as connection:
            await connection.send(text.format(key=server.key("client")).encode("latin-1"))
            reply = await connection.reply()
            if (reply.status, reply.code) != (400, "malformed_request") or not await _closed(connection):
                surprises[name] = f"{reply.status} {reply.body!r}"
    return surprises


def test_what_could_be_read_in_two_ways_is_not_read_at_all(tmp_path: Path) -> None:
    """Ambiguous framing, which smuggles requests past a proxy, is 400 in the envelope and ends the connection."""

    async def attack() -> dict[str, str]:
        async with serving(tmp_path) as server:
            return await _refuse_all(server)

    assert asyncio.run(attack()) == {}


@pytest.mark.parametrize("path", ["/admin/v1/health", "/admin/v1/ready", "/nowhere", "/sdk/v1/openapi.json"])
def test_a_body_where_none_belongs_is_no_further_request(tmp_path: Path, path: str) -> None:
    """A request hidden in the body of a GET is never taken for one of its own."""
    hidden = http("GET", "/server/v1/ping").decode()

    async def attack() -> str:
        async with serving(tmp_path) as server, server.connect() as connection:
            await connection.send(
                f"GET {path} HTTP/1.1\r\nHost: t\r\nContent-Length: {len(hidden)}\r\n\r\n{hidden}".encode()
            )
            await connection.reply()
            with suppress(ConnectionError, asyncio.IncompleteReadError):  # closed, where the body was not read
                await connection.send(http("GET", "/admin/v1/health"))
                await connection.reply()
        return server.log.getvalue()

    assert "server:ping" not in asyncio.run(attack())


def test_requests_sent_at_once_are_answered_in_order(tmp_path: Path) -> None:
    """A hundred requests in one write have a hundred answers, each with its own request id, in their order."""

    async def attack() -> list[str]:
        async with serving(tmp_path) as server, server.connect() as connection:
            ids = [f"id-{number}" for number in range(100)]
            await connection.send(b"".join(http("GET", "/nowhere", headers={"X-Request-Id": given}) for given in ids))
            return [(await connection.reply()).headers["x-request-id"] for _ in ids]

    assert asyncio.run(attack()) == [f"id-{number}" for number in range(100)]


@pytest.mark.parametrize("start", ["", "GET /admin", HEALTH + "X-A: b"], ids=["nothing", "half a line", "half a head"])
def test_who_does_not_finish_a_head_is_cut_off(tmp_path: Path, start: str) -> None:
    """A connection on which no whole request arrives is closed after the idle time, as if it were idle."""

    async def attack() -> bool:
        async with serving(tmp_path, idle_seconds=0.05) as server, server.connect() as connection:
            await connection.send(start.encode())
            return await connection.closed()

    assert asyncio.run(attack())


class _Unread:
    """A request whose caller has stopped reading: what is written to it waits for ever."""

    method, version, keep_alive = "GET", HttpVersion11, True

    def __init__(self) -> None:
        self.transport = self.protocol = self.writer = self.content = self
        self.writing_paused = True
        self.dropped = False

    def is_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return self.dropped

    def write(self, _: bytes) -> None:
        return None

    async def drain(self) -> None:
        await asyncio.Event().wait()

    def abort(self) -> None:
        self.dropped = True


def test_who_does_not_take_an_answer_is_cut_off() -> None:
    """A caller who asks and never reads is dropped in time, with the rest of the answer, which nobody waits for."""
    request = _Unread()

    async def attack() -> None:
        answer = Answer(cast(web.BaseRequest, request), 200, (), b"much", most_seconds=0)
        await answer.prepare(cast(web.BaseRequest, request))

    with pytest.raises(ConnectionResetError):
        asyncio.run(attack())
    assert request.dropped

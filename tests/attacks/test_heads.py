"""Attacks by request heads: whoever sends one has shown no key, so it is bounded as a whole and not only by its lines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from aiohttp.http_parser import HttpRequestParser

from livecore_server.http.head_limits import MOST_HEAD_BYTES, HeadWatch
from tests.server.serving import Connection, Reply, serving

START: Final = b"GET /admin/v1/health HTTP/1.1\r\nHost: test\r\n"
END: Final = b"\r\n"


def _lines(bytes_in_all: int, line_bytes: int) -> bytes:
    """Header lines of one length, and a last one that fills up the rest."""
    line = b"X-Filling: " + b"x" * (line_bytes - 13) + END
    whole, rest = divmod(bytes_in_all, line_bytes)
    return line * (whole - 1) + b"X-Filling: " + b"x" * (line_bytes + rest - 13) + END


def _head(bytes_in_all: int, line_bytes: int = 1_000) -> bytes:
    head = START + _lines(bytes_in_all - len(START) - len(END), line_bytes) + END
    assert len(head) == bytes_in_all
    return head


async def _send_all(connection: Connection, pieces: Sequence[bytes]) -> None:
    with suppress(ConnectionError):  # the server has closed before the last piece, which is its right
        for piece in pieces:
            await connection.send(piece)


def _answer(folder: Path, pieces: Sequence[bytes]) -> Reply:
    async def attack() -> Reply:
        async with serving(folder) as server, server.connect() as connection:
            await _send_all(connection, pieces)
            return await connection.reply()

    return asyncio.run(attack())


@pytest.mark.parametrize("line_bytes", [300, 1_000, 10_000])
@pytest.mark.parametrize("cut", [1_000, 20_000, 40_000])
def test_a_head_has_at_most_32_kib(tmp_path: Path, line_bytes: int, cut: int) -> None:
    """One byte more is 400, however the bytes are spread over lines and however they arrive."""
    told = []
    for size in (MOST_HEAD_BYTES, MOST_HEAD_BYTES + 1):
        head = _head(size, line_bytes)
        folder = tmp_path / str(size)
        folder.mkdir()
        told.append(_answer(folder, [head[at : at + cut] for at in range(0, len(head), cut)]))
    assert [reply.status for reply in told] == [200, 400]
    assert told[1].code == "malformed_request"
    assert str(MOST_HEAD_BYTES) in told[1].json["error"]["message"]


def test_a_head_without_an_end_is_cut_off(tmp_path: Path) -> None:
    """Header lines that never end are refused as soon as there are too many of them, and the connection is closed."""

    async def attack() -> tuple[Reply, bool]:
        async with serving(tmp_path) as server, server.connect() as connection:
            await connection.send(START)
            for _ in range(MOST_HEAD_BYTES // 1_000 + 1):
                await connection.send(_lines(1_000, 1_000))
            return await connection.reply(), await connection.closed()

    reply, closed = asyncio.run(attack())
    assert (reply.status, reply.code, closed) == (400, "malformed_request", True)


REGISTER: Final = "POST /sdk/v1/players/ann/register HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {key}\r\n"
JSON: Final = "Content-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("first", "status"),
    [
        (START.decode() + "\r\n", 200),
        (REGISTER + JSON + "Content-Length: 2\r\n\r\n{{}}", 201),
        (REGISTER + JSON + "Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n", 201),
    ],
    ids=["no body", "a body", "a body in chunks"],
)
def test_a_second_head_on_a_connection_is_bounded_too(tmp_path: Path, first: str, status: int) -> None:
    """Behind a request that was in order, and is answered, a long head is refused."""

    async def attack() -> list[int]:
        async with serving(tmp_path) as server, server.connect() as connection:
            await connection.send(first.format(key=server.key("client")).encode())
            answer = await connection.reply()
            await _send_all(connection, [_head(MOST_HEAD_BYTES + 5_000)])
            return [answer.status, (await connection.reply()).status]

    assert asyncio.run(attack()) == [status, 400]


def test_many_requests_at_once_are_no_long_head(tmp_path: Path) -> None:
    """What is sent ahead is measured one head at a time, and a body of many bytes is none."""

    async def attack() -> set[int]:
        async with serving(tmp_path) as server, server.connect() as connection:
            one = _head(2_000)
            await connection.send(one * 50)
            return {(await connection.reply()).status for _ in range(50)}

    assert asyncio.run(attack()) == {200}


def test_the_watch_is_a_whole_parser() -> None:
    """A connection may ask of it whatever it asks of aiohttp's parser, such as to pause in the middle of a long body."""
    members = {name for name in dir(HttpRequestParser) if not name.startswith("_")}
    methods = {name for name in members if callable(getattr(HttpRequestParser, name))}
    assert methods - set(dir(HeadWatch)) == set()

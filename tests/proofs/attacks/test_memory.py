"""Attacks on memory: what was refused or broken off is let go at once, and does not wait for the collector.

The collector of a server comes seldom (`livecore_server.running.settle_process`), and counts objects, not bytes: a thousand
bodies that only it can free are a gigabyte. So it is switched off here, and nothing of a request may be left.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from aiohttp import StreamReader, web

from livecore.api.requests.http import Request
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import Server, http, serving

ATTEMPTS: Final = 20


@contextmanager
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _alive(kind: type) -> int:
    # Not `isinstance`, which asks an object for its class: somebody's lazy one in the same process may fail at that.
    return sum(issubclass(type(one), kind) for one in gc.get_objects())


async def _until_gone(kind: type, most: int) -> None:
    """Wait until no more of a kind are left; fails when that takes for ever."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while _alive(kind) > most:  # noqa: ASYNC110 - nobody tells when an object goes
            await asyncio.sleep(0)


def _client(server: Server) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.key('client')}"}


@pytest.mark.parametrize(
    ("framing", "start"), [({"Content-Length": "60000"}, b""), ({"Transfer-Encoding": "chunked"}, b"c000\r\n")]
)
def test_uploads_that_are_broken_off_leave_nothing(tmp_path: Path, framing: dict[str, str], start: bytes) -> None:
    """A body that does not come to its end is let go with its connection."""

    async def attack() -> None:
        async with serving(tmp_path) as server:
            before = _alive(StreamReader)
            upload = http("PUT", "/sdk/v1/players/ann/identity", headers={**_client(server), **framing})
            with _no_collector():
                for _ in range(ATTEMPTS):
                    async with server.connect() as connection:
                        await connection.send(upload + start + b"x" * 40_000)
                await _until_gone(StreamReader, before)

    asyncio.run(attack())


def test_refused_bodies_that_are_broken_off_leave_nothing(tmp_path: Path) -> None:
    """The rest of a body that was refused is read and dropped, and leaves nothing when it does not come."""

    async def attack() -> None:
        async with serving(tmp_path) as server:
            before = _alive(StreamReader)
            upload = http("PUT", "/sdk/v1/players/ann/identity", headers={"Content-Length": "500000"})
            with _no_collector():
                for _ in range(ATTEMPTS):
                    async with server.connect() as connection:
                        await connection.send(upload + b"x" * 40_000)
                        await connection.reply()
                await _until_gone(StreamReader, before)

    asyncio.run(attack())


def test_a_read_takes_32_kib_and_no_more(tmp_path: Path) -> None:
    """What all connections that are ready bring in one turn of the loop is bounded by this, times their number."""

    async def attack() -> set[int]:
        sizes: set[int] = set()
        received = web.RequestHandler.data_received

        def watched(self: web.RequestHandler, data: bytes) -> None:
            sizes.add(len(data))
            received(self, data)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(web.RequestHandler, "data_received", watched)
            async with serving(tmp_path) as server, server.connect() as connection:
                headers = {**_client(server), "Content-Length": "65000"}
                await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=headers) + b"x" * 65_000)
                await connection.reply()
        return sizes

    assert max(asyncio.run(attack())) <= 32 * 1024


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PUT", "/sdk/v1/players/nobody/identity", 404),
        ("PUT", "/sdk/v1/players/ann/identity", 401),
        ("POST", "/sdk/v1/players/new/register", 400),
    ],
)
def test_refused_writes_leave_nothing(tmp_path: Path, method: str, path: str, status: int) -> None:
    """A refused write is let go with its answer, body and all, whatever it was refused for."""

    async def attack() -> list[int]:
        async with serving(tmp_path) as server:
            await server.register("ann")
            before = _alive(Request)
            with _no_collector():
                body = {"playerContext": "x" * 30_000}
                told = [(await server.ask(method, path, body, headers=_client(server))).status for _ in range(ATTEMPTS)]
                await _until_gone(Request, before)
        return told

    assert asyncio.run(attack()) == [status] * ATTEMPTS

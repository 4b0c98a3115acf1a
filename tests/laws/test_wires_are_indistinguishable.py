"""The law: over real HTTP, through the in-process transport and by a direct call, the same requests get the same answers.

Status, body and every header that the service sets are compared. Over HTTP the whole server is between: aiohttp, the host,
the executor with its grouped commits, SQLite on a real file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread

import httpx

from livecore.api.http import Request, Response
from livecore.kernel.unit import Event
from livecore_client import LocalTransport
from livecore_server.exchange import HttpServer
from livecore_server.executor import SqliteExecutor
from livecore_server.host import Host
from livecore_server.metrics import Metrics
from livecore_server.sqlite import SqliteStore
from tests.laws.arena import Arena
from tests.laws.lawful import seeds
from tests.laws.playing import Play, play
from tests.laws.sequences import seeded

_SCENES = 50


class Wire:
    """Answers the requests of a sequence through an httpx client; events do not travel with answers."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def perform(self, request: Request) -> tuple[Response, Sequence[Event]]:
        """Send a request and wait for its answer."""
        url = f"{request.path}?{request.query}" if request.query else request.path
        answer = self._client.request(request.method, url, headers=dict(request.headers), content=request.body)
        return Response(answer.status_code, tuple(answer.headers.multi_items()), answer.content), ()


@contextmanager
def served(arena: Arena, store: SqliteStore) -> Iterator[str]:
    """The arena's application behind the server's host, on a port of this machine; gives the address.

    The server runs in a thread of its own; nothing else touches the store while a request is under way.
    """
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> tuple[asyncio.Server, HttpServer, SqliteExecutor]:
        executor = SqliteExecutor(store)
        host = Host(arena.application, executor, metrics=Metrics())
        http = HttpServer(host.handle, host.malformed, idle_seconds=60.0)
        return await loop.create_server(http, "127.0.0.1", 0), http, executor

    async def stop() -> None:
        server.close()
        await http.shutdown(1.0)
        await executor.close()

    server, http, executor = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def compare(one: Play, other: Play) -> None:
    """Every answer of one play is the other's, but for headers that a wire adds."""
    for (asked, expected), (_, found) in zip(one.journal, other.journal, strict=True):
        assert (found.status, found.response.body) == (expected.status, expected.response.body), asked
        for name, value in expected.response.headers:
            assert found.response.header(name) == value, (asked, name)


@seeds
def test_the_transport_in_the_process_answers_like_a_direct_call(seed: int) -> None:
    """`LocalTransport` hands requests and answers on as they are."""
    steps = seeded(3_000 + seed, _SCENES)
    arena = Arena()
    with httpx.Client(transport=LocalTransport(arena.application), base_url="http://game.local") as client:
        compare(play(steps), play(steps, arena=arena, through=Wire(client)))


@seeds
def test_http_answers_like_a_direct_call(seed: int, tmp_path: Path) -> None:
    """So does the server, over a socket, and leaves the same rows."""
    steps = seeded(3_000 + seed, _SCENES)
    with closing(SqliteStore(tmp_path / "laws.db")) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        arena = Arena(store)
        with served(arena, store) as address, httpx.Client(base_url=address) as client:
            expected, found = play(steps), play(steps, arena=arena, through=Wire(client))
            compare(expected, found)
            assert store.dump() == expected.arena.store.dump()

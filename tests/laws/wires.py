"""Ways to an arena's application that are not a direct call: an httpx client, and the real server on a port."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Final

import httpx

from livecore.api.requests.http import Request, Response
from livecore.kernel.units.unit import Event
from livecore.world import World
from livecore_server.http.dispatch import Dispatch
from livecore_server.http.exchange import HttpServer
from livecore_server.http.host import Host
from livecore_server.metrics import Metrics
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from tests.laws.arena import Arena
from tests.patience import PATIENCE_SECONDS

_NEVER: Final = 1024**4


def shared_store(path: Path) -> SqliteStore:
    """A store that a test uses beside the server, between requests.

    Its log is not copied into the file: the server would do that after it has answered, while the test is at the store.
    """
    store = SqliteStore(path, checkpoint_after_writes=_NEVER, checkpoint_bytes=_NEVER)
    store.connections.writing.execute("PRAGMA synchronous = OFF")
    return store


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
def served(arena: Arena | World, store: SqliteStore | PostgresStore) -> Iterator[str]:
    """The application of an arena or a world behind the server's host, on a port of this machine; gives the address.

    The server runs in a thread of its own; nothing else touches the store while a request is under way.
    """
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> tuple[asyncio.Server, HttpServer, SqliteExecutor | PostgresExecutor]:
        executor = SqliteExecutor(store) if isinstance(store, SqliteStore) else PostgresExecutor(store)
        host = Host(Dispatch(arena.application, executor), metrics=Metrics())
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
        thread.join(PATIENCE_SECONDS)
        loop.close()

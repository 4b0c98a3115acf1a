"""A network that fails when it is told to: a proxy before a PostgreSQL server, in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

from psycopg.conninfo import conninfo_to_dict

from tests.patience import PATIENCE_SECONDS

_CHUNK: Final = 65_536


class _Link:
    """One connection through the proxy."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.client = client
        self.server = server
        self.deaf = False
        """Whether the client hears nothing more of what the server says."""

    def cut(self) -> None:
        for writer in (self.client, self.server):
            writer.transport.abort()


class Proxy:
    """Passes bytes on between any number of clients and one server. Its methods may be called from any thread."""

    def __init__(self, url: str) -> None:
        self._target = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        self._links: set[_Link] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._mark: bytes | None = None
        self._loses_mark = False
        self.marked = Event()
        """Set when the bytes that were waited for have come by."""
        self._loop = asyncio.new_event_loop()
        self._open = asyncio.Event()
        self._open.set()
        self._closing = asyncio.Event()
        self._port = 0
        listening = Event()
        self._thread = Thread(target=self._run, args=(listening,), daemon=True)
        self._thread.start()
        assert listening.wait(PATIENCE_SECONDS)

    @property
    def url(self) -> str:
        """The database's URL, through the proxy."""
        return f"postgresql://{self._target.get('user', 'postgres')}@127.0.0.1:{self._port}/{self._target['dbname']}"

    # -- faults

    def cut(self) -> None:
        """Break every connection that there is."""
        self._call(self._cut)

    def be_silent(self) -> None:
        """Pass nothing on any more, and close nothing: neither side learns that the other is gone."""
        self._call(self._open.clear)

    def speak(self) -> None:
        """Pass everything on again."""
        self._call(self._open.set)

    def lose_answer_to(self, mark: bytes) -> None:
        """The next bytes with this mark reach the server, and what it answers reaches nobody."""
        self._mark, self._loses_mark = mark, False
        self.marked.clear()

    def cut_before(self, mark: bytes) -> None:
        """The next bytes with this mark do not reach the server; their connection breaks."""
        self._mark, self._loses_mark = mark, True
        self.marked.clear()

    def close(self) -> None:
        """End the proxy with all its connections."""
        self._call(self._closing.set)
        self._thread.join(PATIENCE_SECONDS)

    # -- in the thread

    def _call(self, step: object) -> None:
        assert callable(step)
        done = Event()

        def stepped() -> None:
            step()
            done.set()

        self._loop.call_soon_threadsafe(stepped)
        assert done.wait(PATIENCE_SECONDS)

    def _run(self, listening: Event) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._pass_on(listening))

    async def _pass_on(self, listening: Event) -> None:
        async with await asyncio.start_server(self._serve, "127.0.0.1", 0) as server:
            self._port = server.sockets[0].getsockname()[1]
            listening.set()
            await self._closing.wait()
            self._open.set()
            self._cut()
            await asyncio.gather(*self._serving, return_exceptions=True)

    def _cut(self) -> None:
        for link in list(self._links):
            link.cut()

    async def _serve(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._link(from_client, to_client))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        await task

    async def _link(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await self._connect()
        except OSError:
            to_client.transport.abort()
            return
        link = _Link(to_client, to_server)
        self._links.add(link)
        with suppress(OSError):
            await asyncio.gather(self._ask(link, from_client), self._answer(link, from_server))
        link.cut()
        self._links.discard(link)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = self._target.get("host", "127.0.0.1"), self._target.get("port", "5432")
        if host.startswith("/"):
            return await asyncio.open_unix_connection(Path(host) / f".s.PGSQL.{port}")
        return await asyncio.open_connection(host, int(port))

    async def _ask(self, link: _Link, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(_CHUNK):
            await self._open.wait()
            if self._mark is not None and self._mark in data:
                self._mark, link.deaf = None, True
                if self._loses_mark:
                    link.cut()
                    self.marked.set()
                    return
                self.marked.set()
            link.server.write(data)
            await link.server.drain()
        link.cut()

    async def _answer(self, link: _Link, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(_CHUNK):
            await self._open.wait()
            if not link.deaf:
                link.client.write(data)
                await link.client.drain()
        link.cut()


@contextmanager
def proxy_before(url: str) -> Iterator[Proxy]:
    """A proxy before the database of a URL."""
    proxy = Proxy(url)
    try:
        yield proxy
    finally:
        proxy.close()

"""The reader of a stream over a real socket, and a server that has the stream of the tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from livecore.api.operations import OPERATIONS
from livecore.kernel.scope import Scope
from tests.boards import BOARD, TELL, TOPIC, notice
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import Connection, Server, http, make_game, serving

ALL: Final = (*OPERATIONS, BOARD, TELL)
PATH: Final = "/sdk/v1/boards/{}/stream"


@attrs.frozen
class Event:
    """One message as it came over the wire."""

    event: str
    data: Any
    id: str | None = None


class Reader:
    """The reader of a stream."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.status = 0
        self.headers: dict[str, str] = {}
        self.heartbeats = 0
        self.retry: int | None = None
        self._before: Event | None = None

    async def begin(self) -> None:
        """Read the head."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            head = (await self.connection.reader.readuntil(b"\r\n\r\n")).decode()
        status, *lines = head.split("\r\n")[:-2]
        self.status = int(status.split(" ")[1])
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}

    async def block(self) -> str | None:
        """The next lines up to an empty one; nothing where the stream has ended."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            try:
                return (await self.connection.reader.readuntil(b"\n\n")).decode()[:-2]
            except (asyncio.IncompleteReadError, ConnectionResetError):
                return None

    async def next(self) -> Event | None:
        """The next message; nothing where the stream has ended.

        A stream says how things stand once more where it may have missed something, as when its process has just come to
        hear of others: a repetition of that, with nothing between the two, is left out.
        """
        while (event := await self._next()) is not None and event == self._before and event.event == "ready":
            pass
        self._before = event
        return event

    async def _next(self) -> Event | None:
        while (block := await self.block()) is not None:
            if block == ":":
                self.heartbeats += 1
                continue
            fields = dict(line.split(": ", 1) for line in block.split("\n"))
            if "retry" in fields:
                self.retry = int(fields["retry"])
            else:
                return Event(fields["event"], json.loads(fields["data"]), fields.get("id"))
        return None


@asynccontextmanager
async def reading(
    server: Server,
    board: str = "main",
    *,
    key: str | None = None,
    last: str | None = None,
    address: str | None = None,
) -> AsyncIterator[Reader]:
    """A reader who has had the head of the answer; a trusted proxy may say from which address."""
    headers = {"Authorization": f"Bearer {key or server.key('client')}"}
    if last is not None:
        headers["Last-Event-ID"] = last
    if address is not None:
        headers["X-Forwarded-For"] = address
    async with server.connect() as connection:
        await connection.send(http("GET", PATH.format(board), headers=headers))
        reader = Reader(connection)
        await reader.begin()
        yield reader


def publish(
    server: Server, revision: int, player: str = "ann", text: str = "", *, times: int = 1, environment: str = "test"
) -> None:
    """Publish a notice of the board, as a unit of work does after its commit."""
    scope = Scope(server.game.game.game_id, environment)
    server.service.executor.notices.publish([notice(scope, revision, player, text, times)])


def listening(server: Server) -> int:
    """How many topics of the board somebody has subscribed to."""
    return sum(topic == TOPIC for _, topic in server.service.executor.notices._subscriptions)


def run(
    database: str,
    folder: Path,
    scenario: Callable[[Server], Awaitable[None]],
    **settings: Any,  # noqa: ANN401 - any of the settings
) -> str:
    """Run a scenario on a server; gives the log, once the server has stopped."""

    async def whole() -> str:
        game = make_game(database)
        async with serving(folder, game=game, operations=ALL, database=database, **settings) as server:
            await scenario(server)
            if not server.service.readiness.draining:
                await server.service.stop()
            assert listening(server) == 0
            assert server.service.metrics.open_streams == 0
        return server.log.getvalue()

    return asyncio.run(whole())


READY: Final = Event("ready", {"revision": 0, "resync": False}, "0")

LARGE: Final = 60_000


async def stuck(server: Server) -> None:
    """Send so much that the connection does not take it all, as long as nobody reads."""
    for number in range(1, 801):
        publish(server, number, text="x", times=LARGE)
        await asyncio.sleep(0)
        (opened,) = server.service._streams._open
        if opened.follower._waiting:
            return
        await asyncio.sleep(0)
    raise AssertionError("the connection takes everything")


async def until_open(server: Server, count: int) -> None:
    """Wait until so many streams are open."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while server.service.metrics.open_streams != count:  # noqa: ASYNC110 - it is a count, and tells nobody
            await asyncio.sleep(0)

"""A whole server on a real socket and a real file, and a client of plain bytes that hides nothing of the wire."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import load_config
from livecore.api.maintenance import NewGame
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Operation
from livecore.demo import DEMO
from livecore.kernel.declarations.area import Areas
from livecore_server.cli.new_games import create_game
from livecore_server.logs import LogFormat, LogWriter
from livecore_server.service import Service
from livecore_server.settings import Settings
from livecore_server.storage.database import store_at
from tests.patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from livecore_server.workers.sharing import Shared


@attrs.frozen
class Reply:
    """One response as it came over the wire; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the body holds
        """The body, read."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The error's code."""
        code: str = self.json["error"]["code"]
        return code


class Connection:
    """One connection to the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self, *, head_only: bool = False) -> Reply:
        """Read one response."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status_line, *lines = head.split("\r\n")[:-2]
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            length = 0 if head_only else int(headers.get("content-length", "0"))
            return Reply(int(status_line.split(" ")[1]), headers, await self.reader.readexactly(length))

    async def closed(self) -> bool:
        """Whether the server closes the connection without sending more."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.reader.read(1) == b""


@attrs.define(eq=False)
class Server:
    """A running server with the demo game."""

    service: Service
    game: NewGame
    log: io.StringIO
    port: int

    def key(self, permission: str, environment: str = "test") -> str:
        """An API key's text."""
        return self.game.keys[environment, permission].text

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Connection]:
        """A connection, closed at the end."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield Connection(reader, writer)
        finally:
            writer.close()

    async def ask(
        self, method: str, path: str, body: object = None, *, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send one request on a connection of its own."""
        async with self.connect() as connection:
            await connection.send(http(method, path, body, headers=headers))
            return await connection.reply(head_only=method == "HEAD")

    async def sdk(self, method: str, path: str, body: object = None, *, secret: str = "") -> Reply:
        """Call the client surface, below `/sdk/v1/players`."""
        headers = {"Authorization": f"Bearer {self.key('client')}", "X-Player-Secret": secret}
        return await self.ask(method, f"/sdk/v1/players{path}", body, headers=headers)

    async def studio(self, method: str, path: str, body: object = None) -> Reply:
        """Call the studio's surface."""
        headers = {"Authorization": f"Bearer {self.key('server')}"}
        return await self.ask(method, f"/server/v1{path}", body, headers=headers)

    async def register(self, name: str) -> str:
        """Register a player; gives the secret."""
        reply = await self.sdk("POST", f"/{name}/register")
        assert reply.status == 201, reply
        secret: str = reply.json["data"]["playerSecret"]
        return secret


def http(
    method: str, path: str, body: object = None, *, headers: Mapping[str, str] | None = None, version: str = "1.1"
) -> bytes:
    """The bytes of a request; a body is sent as JSON."""
    raw = b"" if body is None else json.dumps(body).encode()
    host = [] if "Host" in (headers or {}) else ["Host: localhost"]
    lines = [f"{method} {path} HTTP/{version}", *host]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(raw)}"]
    return "\r\n".join([*lines, "", ""]).encode() + raw


def make_game(database: str) -> NewGame:
    """A database with the demo game."""
    with store_at(database, create=True) as store:
        return create_game(store, load_config(DEMO), "Test studio")


def shared_in(folder: Path, number: int) -> Shared | None:
    """What the worker `number` shares with others in the folder; nothing if there is no such folder."""
    if not folder.exists():
        return None
    from livecore_server.workers.sharing import Shared  # noqa: PLC0415 - its locks are not on Windows

    return Shared.within(folder, number)


@asynccontextmanager
async def serving(
    folder: Path,
    *,
    log_format: LogFormat = "text",
    game: NewGame | None = None,
    operations: Sequence[Operation] = OPERATIONS,
    areas: Areas = AREAS,
    shared: Shared | None = None,
    **settings: Any,  # noqa: ANN401 - any of the settings
) -> AsyncIterator[Server]:
    """A server over a file in `folder`, made unless `game` says that it is there; stopped at the end.

    `shared` makes it one of several workers.
    """
    database = f"sqlite:///{folder / 'game.db'}"
    game = game or make_game(database)
    log = io.StringIO()
    chosen = Settings(**{"database": database, "port": 0, "rate_limits": "off", "drain_seconds": 5, **settings})
    writer = LogWriter(log, log_format)
    logging.getLogger("livecore").addHandler(writer)
    service = Service(chosen, writer, operations=operations, areas=areas, shared=shared)
    await service.start()
    if service.carrier is not None:
        # Once it listens, subscribers are told that they may have missed something, which must not come in between a test.
        async with asyncio.timeout(PATIENCE_SECONDS):
            await service.carrier.listening.wait()
    server = Server(service, game, log, int(service.addresses[0].rpartition(":")[2]))
    try:
        yield server
    finally:
        if not service.readiness.draining:
            await service.stop()
        logging.getLogger("livecore").removeHandler(writer)
        writer.close()

"""A world whose requests are answered by the workers of a running server, in turn, so that a story can be told to them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from itertools import cycle
from typing import Any, Final, cast

import pytest

from livecore import World
from livecore.api.maintenance import NewGame
from livecore.api.requests.http import Request, Response
from livecore.kernel.errors import Json
from livecore.kernel.time import DAY, Timestamp
from livecore_server.storage.database import open_store
from tests.player_tools.marked import game
from tests.server.serving import Connection
from tests.workers.cluster import Cluster, serving_workers
from tests.worlds import RACES

_WRITTEN_FOR: Final = Timestamp.parse("2026-01-01T00:00:00.000Z")


def races_of_this_week(now: int) -> list[Json]:
    """The events of `tests.worlds`, whose first window is open now."""
    days = (now - _WRITTEN_FOR) // DAY

    def moved(value: Any) -> Any:  # noqa: ANN401 - JSON of any shape
        if isinstance(value, dict):
            return {
                key: Timestamp(Timestamp.parse(member) + days * DAY).wire
                if key in ("startsAt", "endsAt")
                else moved(member)
                for key, member in value.items()
            }
        return [moved(member) for member in value] if isinstance(value, list) else value

    return cast("list[Json]", moved(RACES))


class FarWorld(World):
    """A game in a database that a server serves; only members are made by this process."""

    cluster: Cluster
    _runner: asyncio.Runner
    _connections: Iterator[Connection]

    def serve(self, cluster: Cluster, runner: asyncio.Runner, connections: Sequence[Connection]) -> None:
        """From now on send requests to these connections, in turn."""
        self.cluster = cluster
        self._runner = runner
        self._connections = cycle(connections)

    def handle(self, request: Request) -> Response:
        """Send a request to the next worker."""
        lines = [f"{request.method} {request.path}?{request.query} HTTP/1.1", "host: localhost"]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        lines += [f"content-length: {len(request.body)}"] if request.body else []
        connection = next(self._connections)
        self._runner.run(connection.send("\r\n".join([*lines, "", ""]).encode() + request.body))
        reply = self._runner.run(connection.reply())
        return Response(reply.status, tuple(reply.headers.items()), reply.body)


@contextmanager
def far_world(url: str, *options: str, workers: int = 2) -> Iterator[FarWorld]:
    """A world in the database of a URL, which these workers serve, with one connection to each."""
    now = Timestamp(round(time.time() * 1000))
    with closing(open_store(url, create=True)) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr("livecore.world.game.MemoryStore", lambda: store)
        world = FarWorld(game(events=races_of_this_week(now)), start=now)
        made = NewGame(world.game, {})
        with serving_workers(url, *options, workers=workers, game=made) as cluster, asyncio.Runner() as runner:
            stack = AsyncExitStack()
            connections = [
                runner.run(stack.enter_async_context(cluster.connect(pid))) for pid in cluster.workers.values()
            ]
            world.serve(cluster, runner, connections)
            try:
                yield world
            finally:
                runner.run(stack.aclose())

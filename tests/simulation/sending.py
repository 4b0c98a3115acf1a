"""Sends a recorded season to a real server, whose clock and seeds are the season's, and compares answer by answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

import attrs
import httpx
import pytest

from livecore.api.configuration.game_config import GameConfig
from livecore.world import World
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.laws.wires import Wire, served, shared_store
from tests.postgres.server import fresh_database, own_server
from tests.simulation.recording import RecordedWorld, Sent


@attrs.frozen
class Stores:
    """A database, as the test sees it, and as the server does."""

    beside: SqliteStore | PostgresStore
    of_server: SqliteStore | PostgresStore


@contextmanager
def _sqlite(folder: Path) -> Iterator[Stores]:
    with closing(shared_store(folder / "season.db")) as store:
        yield Stores(store, store)


@contextmanager
def _postgres(_: Path) -> Iterator[Stores]:
    with ExitStack() as stack:
        # Tens of thousands of commits need not wait for the disk: what a crash would do to them is tested elsewhere.
        server = stack.enter_context(own_server(settings="-c fsync=off"))
        url = stack.enter_context(fresh_database(server.url))
        # The server closes its own.
        yield Stores(stack.enter_context(closing(PostgresStore(url))), PostgresStore(url))


STORES: Final[dict[str, Callable[[Path], AbstractContextManager[Stores]]]] = {
    "postgresql": _postgres,
    "sqlite": _sqlite,
}


@attrs.frozen
class Compared:
    """How much was compared."""

    answers: int
    refusals: int


def send(recorded: RecordedWorld, config: GameConfig, store: str, folder: Path, patch: pytest.MonkeyPatch) -> Compared:
    """Send the requests in their order, and let time pass as it did; the answers and the rows must be those recorded."""
    with ExitStack() as stack:
        stores = stack.enter_context(STORES[store](folder))
        with patch.context() as over_the_store:
            over_the_store.setattr("livecore.world.game.MemoryStore", lambda: stores.beside)
            world = World(
                config,
                seed=recorded.seed,
                environment=recorded.environment,
                flush_seconds=recorded.flush_seconds,
            )
        address = stack.enter_context(served(world, stores.of_server))
        wire = Wire(stack.enter_context(httpx.Client(base_url=address)))
        compared = _compare(recorded, world, wire)
        assert stores.beside.dump() == recorded.store.dump()
        return compared


def _compare(recorded: RecordedWorld, world: World, wire: Wire) -> Compared:
    answers = refusals = 0
    for line in recorded.lines:
        if not isinstance(line, Sent):
            world.advance_to(line.until)
            continue
        answer, _ = wire.perform(line.request)
        expected = (line.answer.status, json.loads(line.answer.body))
        assert (answer.status, json.loads(answer.body)) == expected, (answers, line.request)
        answers += 1
        refusals += answer.status >= 400
    return Compared(answers, refusals)

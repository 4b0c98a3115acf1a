"""More clients than the store can serve: nobody waits without bound, some hear 503, and afterwards everybody is served.

Time is counted in commits: the store makes one after the other, and with each the loop's clock goes on by as much as a slow
commit takes. So the outcome is the same on a fast machine and on a busy one. An answer must not come more commits after its
request than the bound allows.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import attrs
import pytest

from livecore_server.storage.postgres.batches.batch import Batch
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.postgres.units import BEGIN_WRITE
from tests.faults.siege import pause
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database
from tests.server.executing import store_of
from tests.server.serving import Reply, Server, make_game, serving

_CLIENTS: Final = 240
_COMMIT_SECONDS: Final = 1.5
_ANSWER_SECONDS: Final = 60.0
_BOUND: Final = round(_ANSWER_SECONDS / _COMMIT_SECONDS)
_PATIENT: Final = 3_600.0
"""A request waits in the queue for as long as for its answer."""
_SLACK: Final = 10
"""Commits that a request may wait on top: for its connection, and for the loop to come to it."""


class Commits:
    """How many commits the store has made so far; each takes its time by the clock of the running loop."""

    def __init__(self) -> None:
        self.count = 0
        self._passed = 0.0
        loop = asyncio.get_running_loop()
        real = loop.time
        loop.time = lambda: real() + self._passed  # type: ignore[method-assign] # the loop ends with the test

    def wait(self) -> None:
        """Let a commit's time pass."""
        self._passed += _COMMIT_SECONDS


@asynccontextmanager
async def slow_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Server, Commits]]:
    """A server on a disk that takes its time, and has four writes in a commit."""
    commits = Commits()
    async with serving(folder, queue_seconds=_PATIENT) as server:
        executor = server.service.executor
        connections = store_of(executor).connections
        commit = connections.commit

        def slowly() -> None:
            commits.wait()
            commit()
            commits.count += 1

        monkeypatch.setattr(connections, "commit", slowly)
        monkeypatch.setattr(executor, "_limits", attrs.evolve(executor._limits, units=4))  # type: ignore[attr-defined] # SQLite's
        yield server, commits


@asynccontextmanager
async def slow_postgres(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Server, Commits]]:
    """A server on a PostgreSQL that takes its time, with four units in a batch."""
    commits, run = Commits(), Batch.run

    async def slowly(batch: Batch) -> None:
        if batch._begin is BEGIN_WRITE and batch._scope.environment == "test":
            commits.wait()
            await run(batch)
            commits.count += 1
        else:
            await run(batch)

    with ready_database() as url:
        game = await asyncio.to_thread(make_game, url)
        async with serving(folder, game=game, database=url, queue_seconds=_PATIENT) as server:
            executor = server.service.executor
            assert isinstance(executor, PostgresExecutor)
            for lanes in (executor._reading, executor._writing):
                monkeypatch.setattr(lanes, "_limits", attrs.evolve(lanes._limits, units=4))
            monkeypatch.setattr(Batch, "run", slowly)
            yield server, commits


@pytest.mark.parametrize("slow", [slow_file, slow_postgres], ids=["SQLite", "PostgreSQL"])
def test_nobody_waits_without_bound(
    slow: Callable[..., AsyncIterator[tuple[Server, Commits]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of so many that come at once, the first are served, the others hear soon when to come back; so it is a second time."""

    async def scenario() -> None:
        async with slow(tmp_path, monkeypatch) as (server, commits):  # type: ignore[attr-defined] # both are context managers
            monkeypatch.setattr(server.service._host._dispatch, "_answer_seconds", _ANSWER_SECONDS)

            async def register(name: str) -> tuple[Reply, int]:
                began = commits.count
                return await server.sdk("POST", f"/{name}/register"), commits.count - began

            for turn in range(2):
                answers = await asyncio.gather(*(register(f"player-{turn}-{at}") for at in range(_CLIENTS)))
                statuses = Counter(reply.status for reply, _ in answers)
                assert set(statuses) == {201, 503}
                assert statuses[201] >= 4
                assert max(waited for _, waited in answers) <= _BOUND + _SLACK
                refused = [reply for reply, _ in answers if reply.status == 503]
                assert all(reply.code == "overloaded" and int(reply.headers["retry-after"]) >= 1 for reply in refused)
            await until_quiet(server)
            assert (await register("late"))[0].status == 201

    asyncio.run(scenario())


async def until_quiet(server: Server) -> None:
    """Wait until nothing is queued any more."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while server.service.executor.queued:
            await pause()

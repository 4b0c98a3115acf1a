"""What would wait too long is told so at once, as far as the settings allow it to wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore_server.metrics import Metrics
from livecore_server.readiness import StoreWatch
from livecore_server.running_store import run_store
from livecore_server.settings import Settings
from livecore_server.storage.database import open_store
from livecore_server.storage.host_tables import STORE_PROBES, StoreProbe
from livecore_server.storage.limits import QueueLimits
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.sqlite.executor import SqliteExecutor
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database
from tests.server.executing import HeldCommit, store_of
from tests.server.serving import Reply, Server, serving


async def without_loops(server: Server) -> None:
    """End the background loops, whose own writes wait in the same queue."""
    for task in server.service._tasks:
        task.cancel()
    await asyncio.gather(*server.service._tasks, return_exceptions=True)


async def _with_two_waiting(
    server: Server, *body: JsonObject
) -> tuple[HeldCommit, asyncio.Future[StoreProbe], list[asyncio.Future[Reply]]]:
    """A commit that is held, the write in it, and two requests that wait behind it."""
    executor = server.service.executor
    await without_loops(server)
    held = HeldCommit(store_of(executor))
    probe = StoreProbe(name="overload", at=0)
    first = asyncio.ensure_future(executor.write(DIRECTORY, lambda tx: tx.put(STORE_PROBES, probe)))
    await held.begun()
    asked: list[asyncio.Future[Reply]] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (waiting := executor.queued) < 2:
            asked.append(asyncio.ensure_future(server.sdk("POST", f"/player-{waiting}/register", *body)))
            while executor.queued == waiting:  # noqa: ASYNC110 - an executor tells nobody
                await asyncio.sleep(0)
    return held, first, asked


def test_beyond_the_queues_limit_requests_are_refused_at_once(tmp_path: Path) -> None:
    """While the disk is waited for, as many writes wait as the setting says; the next one hears 503 and when to return."""

    async def scenario() -> tuple[list[Reply], Reply]:
        async with serving(tmp_path, queue_limit=2) as server:
            held, first, asked = await _with_two_waiting(server)
            refused = await server.sdk("POST", "/one-more/register")
            held.let_go()
            await first
            return list(await asyncio.gather(*asked)), refused

    served, refused = asyncio.run(scenario())
    assert {reply.status for reply in served} == {201}
    assert (refused.status, refused.code) == (503, "overloaded")
    assert int(refused.headers["retry-after"]) >= 1


def test_beyond_the_queues_bytes_requests_are_refused_at_once(tmp_path: Path) -> None:
    """Bodies of waiting requests are counted as well: one more is 503, one without a body waits, and later all is well."""
    long: JsonObject = {"playerContext": {"a": "x" * 3_000}}

    async def scenario() -> tuple[list[Reply], Reply, Reply]:
        async with serving(tmp_path, queue_bytes=8_000) as server:
            held, first, asked = await _with_two_waiting(server, long)
            refused = await server.sdk("POST", "/one-more/register", long)
            asked.append(asyncio.ensure_future(server.sdk("POST", "/small/register")))
            held.let_go()
            await first
            served = list(await asyncio.gather(*asked))
            return served, refused, await server.sdk("POST", "/one-more/register", long)

    served, refused, again = asyncio.run(scenario())
    assert {reply.status for reply in served} == {201}
    assert (refused.status, refused.code) == (503, "overloaded")
    assert int(refused.headers["retry-after"]) >= 1
    assert again.status == 201


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_both_stores_have_the_patience_of_the_settings(kind: str, tmp_path: Path) -> None:
    """How many may wait, and for how long."""
    settings = Settings(queue_limit=7, queue_seconds=0.5)
    assert settings.queue_limits == QueueLimits(queue=7, wait_seconds=0.5)

    async def limits_at(url: str) -> tuple[int, float]:
        store = open_store(url, create=True)
        executor = run_store(store, StoreWatch(Metrics()), settings.queue_limits).executor
        try:
            if isinstance(executor, SqliteExecutor):
                return executor._limits.queue, executor._limits.wait_seconds
            assert isinstance(executor, PostgresExecutor)
            held = executor._writing._limits
            return held.queue, held.wait_seconds
        finally:
            await executor.close()

    if kind == "sqlite":
        assert asyncio.run(limits_at(f"sqlite:///{tmp_path / 'game.db'}")) == (7, 0.5)
    else:
        with ready_database() as url:
            assert asyncio.run(limits_at(url)) == (7, 0.5)

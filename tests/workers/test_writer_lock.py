"""The lock of workers who write to one file: who waits comes next, a dead process waits no longer, the log stays short."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import SqliteLimits
from livecore_server.storage.sqlite.executor import SqliteExecutor
from livecore_server.storage.sqlite.log_file import CHECKPOINT_BYTES
from livecore_server.workers.writer_lock import WriterLock
from tests.patience import PATIENCE_SECONDS, let_pass
from tests.server.executing import SCOPE, count, executing
from tests.stores.tables import HEROES, Hero


@pytest.fixture
def locks(tmp_path: Path) -> Iterator[list[WriterLock]]:
    """The lock as three processes know it."""
    with ExitStack() as stack:
        yield [stack.enter_context(closing(WriterLock(tmp_path))) for _ in range(3)]


def await_queue(folder: Path) -> None:
    """Wait until somebody stands at the head of the queue."""
    until = time.monotonic() + PATIENCE_SECONDS
    with (folder / "head-of-queue").open() as file:
        while time.monotonic() < until:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            fcntl.flock(file, fcntl.LOCK_UN)
            os.sched_yield()
    raise AssertionError("nobody came")


def test_who_waits_comes_before_who_has_just_written(locks: list[WriterLock], tmp_path: Path) -> None:
    """However quick the last writer is to want the lock again."""
    writer, waiting, third = locks
    with ThreadPoolExecutor(1) as thread:
        assert writer.attempt()
        assert not third.attempt()
        came = thread.submit(waiting.acquire)
        await_queue(tmp_path)
        writer.release()
        assert not writer.attempt()
        came.result(30)
        assert not writer.attempt()
        waiting.release()
    assert writer.attempt()


def test_the_lock_of_a_process_that_is_gone_is_free(locks: list[WriterLock], tmp_path: Path) -> None:
    """The kernel closes what a dead process had open, and so gives its locks back."""
    dead = WriterLock(tmp_path)
    dead.acquire()
    assert not locks[0].attempt()
    dead.close()
    assert locks[0].attempt()


@asynccontextmanager
async def two_executors(
    folder: Path,
    locks: list[WriterLock],
    *,
    after_writes: int = 50,
    after_bytes: int = CHECKPOINT_BYTES,
    **options: Any,  # noqa: ANN401 - passed on
) -> AsyncIterator[list[SqliteExecutor]]:
    """Executors on one file as two workers have them, within one event loop."""
    path = folder / "game.db"
    stores = [
        SqliteStore(path, tables=[HEROES], checkpoint_after_writes=after_writes, checkpoint_bytes=after_bytes)
        for _ in range(2)
    ]
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        executing(stores[0], writer_lock=locks[0], **options) as one,
        executing(stores[1], writer_lock=locks[1], **options) as other,
    ):
        yield [one, other]


def climb(tx: Transaction) -> int:
    """Raise a hero's level by one: lost wherever two writers do not see one another."""
    hero = tx.get(HEROES, "ann") or Hero(id="ann")
    tx.put(HEROES, evolve(hero, level=hero.level + 1))
    return hero.level + 1


def test_two_workers_that_write_at_once_see_each_other(locks: list[WriterLock], tmp_path: Path) -> None:
    """Each step is made by one of them and none is lost; both get to write."""

    async def scenario() -> list[int]:
        async with two_executors(tmp_path, locks) as executors:
            steps = [executor.write(SCOPE, climb) for _ in range(100) for executor in executors]
            return sorted(await asyncio.gather(*steps))

    assert asyncio.run(scenario()) == list(range(1, 201))


async def look(idle: SqliteExecutor) -> None:
    """Read a row."""
    assert await idle.read(SCOPE, count) == 1


async def list_scopes(idle: SqliteExecutor) -> None:
    """Read which scopes there are."""
    assert await idle.scopes() == [SCOPE]


async def do_nothing(_: SqliteExecutor) -> None:
    """Have only opened the file."""


@pytest.mark.parametrize("reads_on", [False, True])
@pytest.mark.parametrize("reads", [look, list_scopes, do_nothing])
def test_a_worker_that_only_reads_does_not_keep_the_log_growing(
    locks: list[WriterLock], tmp_path: Path, reads: Callable[[SqliteExecutor], Awaitable[None]], *, reads_on: bool
) -> None:
    """It has read once and never again, or all the time, while the other writes: the log starts over all the same."""

    async def scenario() -> tuple[int, int]:
        async with two_executors(tmp_path, locks) as (writer, idle):
            await writer.write(SCOPE, climb)
            await reads(idle)
            sizes = []
            for _ in range(8):
                for _ in range(60):
                    await writer.write(SCOPE, climb)
                    if reads_on:
                        await reads(idle)
                sizes.append((tmp_path / "game.db-wal").stat().st_size)
            assert await idle.read(SCOPE, lambda tx: cast(Hero, tx.get(HEROES, "ann")).level) == 481
            return sizes[1], sizes[-1]

    early, late = asyncio.run(scenario())
    assert late <= 2 * early


def test_a_worker_that_keeps_the_lock_is_not_waited_for_without_end(locks: list[WriterLock], tmp_path: Path) -> None:
    """Writes of the other are refused after a while, and go on once it is free."""

    async def scenario() -> None:
        async with two_executors(tmp_path, locks, limits=SqliteLimits(disk_seconds=60)) as (_, executor):
            locks[2].acquire()
            refused = asyncio.ensure_future(executor.write(SCOPE, climb))
            await asyncio.to_thread(await_queue, tmp_path)
            let_pass(60)
            with pytest.raises(Overloaded):
                await refused
            assert await executor.read(SCOPE, count) == 0
            locks[2].release()
            while True:
                with suppress(Overloaded):
                    assert await executor.write(SCOPE, climb) == 1
                    return
                await asyncio.to_thread(await_free, tmp_path)

    asyncio.run(scenario())


def await_free(folder: Path) -> None:
    """Wait until nobody has the lock."""
    with (folder / "writer-lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def test_the_log_of_two_workers_who_write_and_read_at_once_stays_short(locks: list[WriterLock], tmp_path: Path) -> None:
    """By its bytes, whoever has written them: the rows of one alone would not make a checkpoint due."""
    limit, log = 512 * 1024, tmp_path / "game.db-wal"

    async def load(executor: SqliteExecutor, name: str) -> None:
        for at in range(150):
            hero = Hero(id=f"{name}{at % 20}", level=at, name="x" * 20_000)
            await executor.write(SCOPE, partial(Transaction.put, table=HEROES, row=hero))
            await executor.read(SCOPE, count)
            sizes.append(log.stat().st_size)

    async def scenario() -> None:
        async with two_executors(tmp_path, locks, after_writes=10**9, after_bytes=limit) as (one, other):
            await asyncio.gather(load(one, "a"), load(other, "b"))

    sizes: list[int] = []
    asyncio.run(scenario())
    assert max(sizes) < 6 * limit

"""The executor refuses what it cannot do, loses nothing by it, and recovers by itself."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.storage.store import Transaction, UniqueViolation
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import SqliteLimits
from livecore_server.storage.sqlite.executor import SqliteExecutor
from tests.patience import PATIENCE_SECONDS, let_pass
from tests.server.executing import (
    SCOPE,
    Batches,
    HeldCommit,
    add,
    count,
    executing,
    refuse_if_there,
    tasks,
    turn,
)
from tests.stores.tables import BY_LEVEL, COUNTERS, HEROES, STORE_TABLES, Counter, Hero


def test_a_unit_that_cannot_be_applied_fails_alone(store: SqliteStore) -> None:
    """The others are run again, each of them takes effect once, and the batch still has one commit."""
    batches = Batches()
    runs: list[str] = []

    def noted(name: str) -> Callable[[Transaction], str]:
        def work(tx: Transaction) -> str:
            runs.append(name)
            tx.insert(COUNTERS, Counter(key=f"{name}{len(tx.scan(BY_LEVEL))}"))
            return add(name)(tx)

        return work

    async def scenario() -> list[Any]:
        async with executing(store, observer=batches) as executor:
            await executor.write(SCOPE, add("taken"))
            works = [noted("a"), add("taken"), noted("b"), add("taken"), noted("c")]
            return await asyncio.gather(*(executor.write(SCOPE, work) for work in works), return_exceptions=True)

    a, first, b, second, c = asyncio.run(scenario())
    assert (a, b, c) == ("a", "b", "c")
    assert isinstance(first, UniqueViolation)
    assert isinstance(second, UniqueViolation)
    assert runs == ["a", "a", "b", "a", "b", "c"]
    assert batches.units == [1, 3]


def test_a_full_disk_refuses_and_the_executor_recovers(tmp_path: Path) -> None:
    """No unit of the batch is half there; with space again, writing goes on."""
    batches = Batches()
    store = SqliteStore(tmp_path / "a.db", tables=STORE_TABLES)
    (pages,) = store.connections.writing.execute("PRAGMA page_count").fetchone()

    def much(tx: Transaction) -> None:
        for at in range(500):
            tx.insert(HEROES, Hero(id=f"much{at}", name="x" * 200))

    async def scenario() -> None:
        async with executing(store, observer=batches) as executor:
            store.connections.writing.execute(f"PRAGMA max_page_count = {pages + 2}")
            outcomes = await asyncio.gather(
                executor.write(SCOPE, add("a")), executor.write(SCOPE, much), return_exceptions=True
            )
            assert [type(outcome) for outcome in outcomes] == [Overloaded, Overloaded]
            assert await executor.read(SCOPE, count) == 0
            store.connections.writing.execute("PRAGMA max_page_count = 100000")
            assert await executor.write(SCOPE, add("a")) == "a"
            assert await executor.read(SCOPE, count) == 1

    asyncio.run(scenario())
    assert batches == Batches(units=[1], failures=[2])


def test_a_commit_that_fails_refuses_the_whole_batch(store: SqliteStore) -> None:
    """Also the refusal that rested on it; nothing of it is seen, then or later."""
    error = sqlite3.OperationalError("disk I/O error")
    held = HeldCommit(store, error)
    held.let_go()

    async def scenario() -> list[Any]:
        async with executing(store) as executor:
            outcomes = await asyncio.gather(
                executor.write(SCOPE, add("a")), executor.write(SCOPE, refuse_if_there("a")), return_exceptions=True
            )
            assert await executor.read(SCOPE, lambda tx: (tx.get(HEROES, "a"), tx.count(BY_LEVEL))) == (None, 0)
            await executor.write(SCOPE, refuse_if_there("a"))
            assert await executor.write(SCOPE, add("a")) == "a"
            return list(outcomes)

    for outcome in asyncio.run(scenario()):
        assert isinstance(outcome, Overloaded)
        assert outcome.__cause__ is error


class _Breakable(sqlite3.Connection):
    """A connection whose transaction can, once it is broken, neither be committed nor rolled back."""

    broken = False

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:  # noqa: ANN401 - passed on
        """Fail, as with a device that is gone."""
        if self.broken and sql in {"COMMIT", "ROLLBACK"}:
            raise _failure(sqlite3.SQLITE_IOERR, "disk I/O error")
        return super().execute(sql, *values)


def _failure(code: int, message: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    return error


def test_a_connection_that_cannot_be_replaced_at_once_is_replaced_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile requests are refused as for a failing disk; with the first connection that opens, everything goes on."""
    refused: list[str] = []

    def out_of_handles(path: Path, **_: object) -> sqlite3.Connection:
        refused.append(path.name)
        raise _failure(sqlite3.SQLITE_CANTOPEN, "unable to open database file")

    async def is_refused(request: Awaitable[object]) -> bool:
        try:
            await request
        except Overloaded:
            return True
        return False

    async def scenario(store: SqliteStore) -> None:
        async with executing(store, limits=SqliteLimits(busy_seconds=0)) as executor:
            await executor.write(SCOPE, add("before"))
            with monkeypatch.context() as broken:
                store.connections.writing.broken = True  # type: ignore[attr-defined] # of the factory above
                broken.setattr(sqlite3, "connect", out_of_handles)
                requests = [executor.write(SCOPE, add("lost")), executor.write(SCOPE, add("refused"))]
                assert [await is_refused(request) for request in requests] == [True, True]
                assert await is_refused(executor.read(SCOPE, count))
            assert await executor.read(SCOPE, count) == 1
            await executor.write(SCOPE, add("after"))
            assert await executor.read(SCOPE, count) == 2

    with monkeypatch.context() as opened:
        opened.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=_Breakable))
        store = SqliteStore(tmp_path / "a.db", tables=STORE_TABLES)
    asyncio.run(scenario(store))
    assert set(refused) == {"a.db"}


def test_a_long_queue_refuses_at_once(store: SqliteStore) -> None:
    """Beyond the bound a write is not accepted, and what was accepted is done."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store, limits=SqliteLimits(queue=2)) as executor:
            accepted = tasks(executor.write(SCOPE, add("a")))
            await held.begun()
            accepted += tasks(executor.write(SCOPE, add("b")), executor.write(SCOPE, add("c")))
            await turn()
            with pytest.raises(Overloaded):
                await executor.write(SCOPE, add("d"))
            held.let_go()
            assert await asyncio.gather(*accepted) == ["a", "b", "c"]

    asyncio.run(scenario())


def test_a_slow_disk_refuses_with_the_time_to_come_back(store: SqliteStore) -> None:
    """The estimated wait follows units and commits; an idle executor takes a write all the same, to find out."""
    seconds = iter(range(0, 10_000, 100))

    async def scenario() -> str:
        async with executing(store, clock=lambda: float(next(seconds))) as executor:
            await executor.write(SCOPE, add("a"))
            accepted = tasks(executor.write(SCOPE, add("b")))
            await asyncio.sleep(0)
            with pytest.raises(Overloaded) as caught:
                await executor.write(SCOPE, add("c"))
            assert await asyncio.gather(*accepted) == ["b"]
            return caught.value.headers["Retry-After"]

    # By this clock the unit took 200 s and the commit 100 s, and each weighs a tenth in its average: two units, one commit.
    assert asyncio.run(scenario()) == "51"


def test_another_process_s_write_is_waited_for_without_stopping_the_loop(store: SqliteStore) -> None:
    """Reads go on while somebody else has the write lock; the write goes through once it is free."""

    async def scenario() -> None:
        async with executing(store) as executor:
            with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                (write,) = tasks(executor.write(SCOPE, add("a")))
                await turn()
                assert await executor.read(SCOPE, count) == 0
                assert not write.done()
                other.execute("ROLLBACK")
            assert await write == "a"

    asyncio.run(scenario())


def test_a_write_lock_that_is_never_given_back_refuses_the_waiting(store: SqliteStore) -> None:
    """They get `Overloaded`, and the executor goes on once the lock is free."""

    async def scenario() -> None:
        async with executing(store, limits=SqliteLimits(busy_seconds=0)) as executor:
            with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(Overloaded):
                    await executor.write(SCOPE, add("a"))
            assert await executor.write(SCOPE, add("a")) == "a"

    asyncio.run(scenario())


def test_a_disk_that_does_not_come_back_is_not_waited_for(store: SqliteStore) -> None:
    """Who waits is refused, and who comes meanwhile at once; what the disk then did after all is there, once."""
    batches, held = Batches(), HeldCommit(store)

    async def scenario() -> None:
        async with executing(store, limits=SqliteLimits(disk_seconds=PATIENCE_SECONDS), observer=batches) as executor:
            (first,) = tasks(executor.write(SCOPE, add("a")))
            await held.begun()
            (queued,) = tasks(executor.write(SCOPE, add("b")))
            await turn()
            let_pass(PATIENCE_SECONDS)
            outcomes = await asyncio.gather(first, queued, return_exceptions=True)
            assert [type(outcome) for outcome in outcomes] == [Overloaded, Overloaded]
            with pytest.raises(Overloaded):
                await executor.write(SCOPE, add("c"))
            held.let_go()
            async with asyncio.timeout(PATIENCE_SECONDS):
                assert await _insist(executor, "b") == "b"
            names = await executor.read(SCOPE, lambda tx: {row.id for row in tx.scan(BY_LEVEL)})
            assert names == {"a", "b"}

    asyncio.run(scenario())
    assert batches == Batches(units=[1, 1], failures=[2])


async def _insist(executor: SqliteExecutor, name: str) -> str:
    while True:
        try:
            return await executor.write(SCOPE, add(name))
        except Overloaded:
            await turn()

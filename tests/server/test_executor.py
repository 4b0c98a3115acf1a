"""The executor answers a write only when it is durable, and one commit serves all that were waiting."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from livecore.kernel.storage.store import Transaction
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import SqliteLimits
from tests.patience import PATIENCE_SECONDS
from tests.server.executing import (
    SCOPE,
    Batches,
    HeldCommit,
    Refused,
    add,
    count,
    executing,
    refuse,
    refuse_if_there,
    tasks,
    turn,
)
from tests.stores.tables import BY_LEVEL, COUNTERS, HEROES, STORE_TABLES, Counter, Hero


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_waiting_writes_share_one_commit(store: SqliteStore, run: Callable[[Any], Any]) -> None:
    """Everything that is ready in one turn of the loop goes into one batch, on either loop."""
    batches = Batches()

    async def scenario() -> list[str]:
        async with executing(store, observer=batches) as executor:
            return await asyncio.gather(*(executor.write(SCOPE, add(f"h{at}")) for at in range(20)))

    assert run(scenario()) == [f"h{at}" for at in range(20)]
    assert batches.units == [20]


def test_no_write_is_answered_before_its_commit(store: SqliteStore) -> None:
    """While the disk is busy nobody is answered; what comes meanwhile goes into the next commit."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store) as executor:
            first = tasks(*(executor.write(SCOPE, add(name)) for name in "ab"))
            await held.begun()
            second = tasks(executor.write(SCOPE, add("c")))
            await turn()
            assert not any(task.done() for task in first + second)
            assert executor.queued == 1
            held.let_go()
            assert await asyncio.gather(*first, *second) == ["a", "b", "c"]

    asyncio.run(scenario())
    assert held.count == 2


def test_reads_see_the_state_before_a_pending_commit(store: SqliteStore) -> None:
    """They are served while the disk is busy, and see nothing that could still be lost."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store) as executor:
            (write,) = tasks(executor.write(SCOPE, add("a")))
            await held.begun()
            assert await executor.read(SCOPE, count) == 0
            assert await executor.read(SCOPE, lambda tx: tx.get(HEROES, "a")) is None
            assert await executor.scopes() == []
            held.let_go()
            await write
            assert await executor.read(SCOPE, count) == 1
            assert await executor.read(SCOPE, lambda tx: tx.get(HEROES, "a")) == Hero(id="a")

    asyncio.run(scenario())


def test_an_answer_that_rests_on_uncommitted_rows_waits_with_them(store: SqliteStore) -> None:
    """A refusal and a bare look alike; what looked elsewhere is answered at once."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store) as executor:
            write, refused, looked, elsewhere, failed = tasks(
                executor.write(SCOPE, add("a")),
                executor.write(SCOPE, refuse_if_there("a")),
                executor.write(SCOPE, count),
                executor.write(SCOPE, refuse_if_there("b")),
                executor.write(SCOPE, refuse),
            )
            await held.begun()
            assert await elsewhere is None
            with pytest.raises(Refused):
                await failed
            assert not any(task.done() for task in (write, refused, looked))
            held.let_go()
            assert await write == "a"
            assert await looked == 1
            with pytest.raises(Refused):
                await refused

    asyncio.run(scenario())


def test_a_batch_without_writes_commits_nothing(store: SqliteStore) -> None:
    """And its units are answered all the same."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store) as executor:
            assert await executor.write(SCOPE, count) == 0
            with pytest.raises(Refused):
                await executor.write(SCOPE, refuse)

    asyncio.run(scenario())
    assert held.count == 0


def test_a_unit_that_puts_a_row_as_it_was_is_answered(store: SqliteStore) -> None:
    """There is nothing to write then, and an answer all the same; what comes after it is served."""

    def put_again(tx: Transaction) -> str:
        return tx.put(HEROES, Hero(id="a")).id

    async def scenario() -> None:
        async with executing(store) as executor, asyncio.timeout(PATIENCE_SECONDS):
            await executor.write(SCOPE, add("a"))
            assert await executor.write(SCOPE, put_again) == "a"
            assert await executor.write(SCOPE, add("b")) == "b"

    asyncio.run(scenario())


def test_units_of_a_batch_see_those_before_them(store: SqliteStore) -> None:
    """A counter that all of them raise ends at their number."""

    def rise(tx: Transaction) -> int:
        counter = tx.get(COUNTERS, "k") or Counter(key="k")
        return tx.put(COUNTERS, Counter(key="k", order=counter.order + 1)).order

    async def scenario() -> list[int]:
        async with executing(store) as executor:
            return await asyncio.gather(*(executor.write(SCOPE, rise) for _ in range(10)))

    assert asyncio.run(scenario()) == list(range(1, 11))


def test_a_batch_ends_at_its_bound(store: SqliteStore) -> None:
    """The rest goes into the next ones, in order."""
    batches = Batches()

    async def scenario() -> list[str]:
        async with executing(store, limits=SqliteLimits(units=4), observer=batches) as executor:
            return await asyncio.gather(*(executor.write(SCOPE, add(f"h{at}")) for at in range(10)))

    assert asyncio.run(scenario()) == [f"h{at}" for at in range(10)]
    assert batches.units == [4, 4, 2]


def test_closing_closes_the_file(store: SqliteStore) -> None:
    """Nothing of the process holds it then."""

    async def scenario() -> None:
        async with executing(store) as executor:
            await executor.write(SCOPE, add("a"))

    asyncio.run(scenario())
    with pytest.raises(sqlite3.ProgrammingError):
        store.connections.writing.execute("SELECT 1")


def test_a_write_whose_caller_went_away_before_its_turn_does_not_run(store: SqliteStore) -> None:
    """One that had run by then takes effect, also where it ran ahead."""
    held = HeldCommit(store)

    async def scenario() -> list[Hero]:
        async with executing(store, limits=SqliteLimits(units=1)) as executor:
            (running,) = tasks(executor.write(SCOPE, add("running")))
            await held.begun()
            ahead, waiting = tasks(executor.write(SCOPE, add("ahead")), executor.write(SCOPE, add("waiting")))
            await turn()
            for task in (running, ahead, waiting):
                task.cancel()
            await turn()
            held.let_go()
            await executor.write(SCOPE, add("last"))
            return await executor.read(SCOPE, lambda tx: tx.scan(BY_LEVEL))

    assert [hero.id for hero in asyncio.run(scenario())] == ["ahead", "last", "running"]


def test_the_log_is_merged_beside_and_between_batches(tmp_path: Path) -> None:
    """Nothing is lost, and the log starts over: from then on writing does not make its file longer."""
    store = SqliteStore(tmp_path / "a.db", tables=STORE_TABLES, checkpoint_after_writes=50)
    log = tmp_path / "a.db-wal"

    def put(name: str, level: int) -> Callable[[Transaction], object]:
        return lambda tx: tx.put(HEROES, Hero(id=name, level=level))

    async def scenario() -> None:
        sizes: list[int] = []
        async with executing(store) as executor:
            while len(sizes) < 2 or sizes[-1] > sizes[-2]:
                assert len(sizes) < 2_000, "the log has never started over"
                await asyncio.gather(*(executor.write(SCOPE, put(f"h{at}", len(sizes))) for at in range(50)))
                sizes.append(log.stat().st_size)
            heroes = await executor.read(SCOPE, lambda tx: tx.scan(BY_LEVEL))
            assert [hero.level for hero in heroes] == [len(sizes) - 1] * 50

    asyncio.run(scenario())
    assert not log.exists()


def test_a_merge_beside_the_writes_may_fail(store: SqliteStore, caplog: pytest.LogCaptureFixture) -> None:
    """The rest is then the whole, and is done between two writes as ever."""
    store._checkpoint_after_writes = 1
    merge, merged = store.connections.checkpoint, threading.Event()

    def refuse_to_copy() -> None:
        raise sqlite3.OperationalError("disk I/O error")

    def merge_all() -> None:
        merge()
        merged.set()

    store.connections.copy_log = refuse_to_copy  # type: ignore[method-assign] # a disk that fails
    store.connections.checkpoint = merge_all  # type: ignore[method-assign] # takes note

    async def scenario() -> None:
        async with executing(store) as executor:
            for at in range(2_000):
                await executor.write(SCOPE, add(f"h{at}"))
                if merged.is_set():
                    return
        raise AssertionError("the log has never been merged")

    asyncio.run(scenario())
    assert "beside the writes" in caplog.text


def test_a_log_that_cannot_be_merged_is_told_of_once_a_minute(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Every write meets the full disk again. The line has the reason; where in the code it was met helps no operator."""
    store._checkpoint_after_writes = 1
    refused = threading.Event()

    def refuse() -> None:
        raise sqlite3.OperationalError("database or disk is full")

    def refuse_and_note() -> None:
        refused.set()
        refuse()

    store.connections.copy_log = refuse  # type: ignore[method-assign] # a disk that is full
    store.connections.checkpoint = refuse_and_note  # type: ignore[method-assign] # the same

    async def scenario() -> None:
        async with executing(store) as executor:
            for at in range(5):
                await executor.write(SCOPE, add(f"h{at}"))

    asyncio.run(scenario())
    assert refused.is_set()
    (told,) = [record for record in caplog.records if "could not checkpoint" in record.message]
    assert told.message.endswith(": database or disk is full")
    assert told.exc_info is None


def test_reads_keep_off_while_the_log_waits_to_be_merged(tmp_path: Path) -> None:
    """From the moment a merge is asked for, reads leave the writing connection to it: a merge refuses to share it."""
    store = SqliteStore(tmp_path / "a.db", tables=STORE_TABLES, checkpoint_after_writes=1)
    merge, begun = store.connections.checkpoint, threading.Event()

    def merge_later() -> None:
        assert begun.wait(timeout=PATIENCE_SECONDS)
        merge()

    store.connections.checkpoint = merge_later  # type: ignore[method-assign] # stands for a thread that is slow to start

    async def scenario() -> list[str]:
        asked: list[str] = []
        async with executing(store) as executor:
            for at in range(2_000):
                await executor.write(SCOPE, add(f"h{at}"))
                if store._batch_open:
                    break
            assert store._batch_open
            store.connections.writing.set_trace_callback(asked.append)
            assert await executor.read(SCOPE, count) == at + 1
            store.connections.writing.set_trace_callback(None)
            begun.set()
        return asked

    assert asyncio.run(scenario()) == []

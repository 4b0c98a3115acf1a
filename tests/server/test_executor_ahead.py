"""While a batch is being committed, the next one's units run ahead: over what will be there, and never beyond what holds."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.storage.store import Transaction, UniqueViolation
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import SqliteLimits
from livecore_server.storage.sqlite.read_ahead import AheadReader
from livecore_server.storage.sqlite.reader import CommittedReader
from tests.server.executing import (
    SCOPE,
    Batches,
    HeldCommit,
    Refused,
    add,
    count,
    executing,
    refuse_if_there,
    tasks,
    turn,
)
from tests.stores.tables import BY_CODE, BY_LEVEL, COUNTERS, HEROES, IN_GUILD, STORE_TABLES, Counter, Hero


class Noted:
    """Units that take note of each run."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def __call__(self, name: str, work: Callable[[Transaction], object]) -> Callable[[Transaction], object]:
        """The same work, noted when it begins."""

        def noted(tx: Transaction) -> object:
            self.runs.append(name)
            return work(tx)

        return noted


def rise(tx: Transaction) -> int:
    """A counter, one more than before."""
    counter = tx.get(COUNTERS, "k") or Counter(key="k")
    return tx.put(COUNTERS, Counter(key="k", order=counter.order + 1)).order


def test_units_run_ahead_of_the_commit_under_way_and_are_answered_after_their_own(store: SqliteStore) -> None:
    """They see what it commits, and each other; all of them share the next commit."""
    held, batches, noted = HeldCommit(store), Batches(), Noted()

    async def scenario() -> None:
        async with executing(store, observer=batches) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            second = tasks(*(executor.write(SCOPE, noted(name, rise)) for name in "ab"))
            await turn()
            assert noted.runs == ["a", "b"]
            assert not any(task.done() for task in (first, *second))
            assert await executor.read(SCOPE, lambda tx: tx.get(COUNTERS, "k")) is None
            held.let_go()
            assert await asyncio.gather(first, *second) == [1, 2, 3]
            assert await executor.read(SCOPE, lambda tx: tx.get(COUNTERS, "k")) == Counter(key="k", order=3)

    asyncio.run(scenario())
    assert noted.runs == ["a", "b"]
    assert batches.units == [1, 2]


def test_nothing_that_ran_ahead_is_answered_before_the_commit_under_way(store: SqliteStore) -> None:
    """Refusals and bare looks, by key and by unique values; no commit is made for them."""
    store.write(SCOPE, lambda tx: tx.insert(HEROES, Hero(id="old", code="y")))
    held, noted = HeldCommit(store), Noted()

    async def scenario() -> None:
        async with executing(store) as executor:
            (write,) = tasks(executor.write(SCOPE, lambda tx: tx.insert(HEROES, Hero(id="a", code="x"))))
            await held.begun()
            refused, found, elsewhere = tasks(
                executor.write(SCOPE, noted("refused", refuse_if_there("a"))),
                executor.write(SCOPE, noted("found", lambda tx: tx.find(BY_CODE, "x"))),
                executor.write(SCOPE, noted("elsewhere", lambda tx: (tx.get(HEROES, "old"), tx.find(BY_CODE, "y")))),
            )
            await turn()
            assert noted.runs == ["refused", "found", "elsewhere"]
            assert not any(task.done() for task in (write, refused, found, elsewhere))
            held.let_go()
            assert await found == Hero(id="a", code="x")
            assert await elsewhere == (Hero(id="old", code="y"), Hero(id="old", code="y"))
            with pytest.raises(Refused):
                await refused

    asyncio.run(scenario())
    assert noted.runs == ["refused", "found", "elsewhere"]
    assert held.count == 1


def test_what_saw_nothing_that_could_be_lost_does_not_wait_for_its_own_commit(store: SqliteStore) -> None:
    """It is answered once its batch has begun, and found that nobody else has written."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store) as executor:
            (write,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            again, elsewhere = tasks(executor.write(SCOPE, rise), executor.write(SCOPE, lambda tx: tx.get(HEROES, "a")))
            await turn()
            next_one = HeldCommit(store)
            held.let_go()
            await next_one.begun()
            assert await elsewhere is None
            assert not again.done()
            next_one.let_go()
            assert [await write, await again] == [1, 2]

    asyncio.run(scenario())


@pytest.mark.parametrize("look", [count, lambda tx: len(tx.scan(BY_LEVEL))], ids=["count", "scan"])
def test_a_look_through_rows_under_way_runs_again_after_their_commit(
    store: SqliteStore, look: Callable[[Transaction], int]
) -> None:
    """Nobody else may overtake it; what looks through an index that nothing touches runs at once."""
    held, noted = HeldCommit(store), Noted()

    async def scenario() -> None:
        async with executing(store) as executor:
            (write,) = tasks(executor.write(SCOPE, add("a")))
            await held.begun()
            elsewhere, looks, after = tasks(
                executor.write(SCOPE, noted("elsewhere", lambda tx: tx.scan(IN_GUILD, "g"))),
                executor.write(SCOPE, noted("look", lambda tx: (look(tx), add("b")(tx)))),
                executor.write(SCOPE, noted("after", look)),
            )
            await turn()
            assert noted.runs == ["elsewhere", "look"]
            held.let_go()
            assert await elsewhere == []
            assert [await write, await looks, await after] == ["a", (1, "b"), 2]

    asyncio.run(scenario())
    assert noted.runs == ["elsewhere", "look", "look", "after"]


def test_every_read_is_thought_of_ahead() -> None:
    """A read that the reader of committed rows answers must not pass the rows under way by."""
    reads = {name for name in vars(CommittedReader) if not name.startswith("_")} - {"load"}
    beside = {"uncommitted"}  # of the rows under way alone
    assert reads | beside == {name for name in vars(AheadReader) if not name.startswith("_")}


def test_what_changes_rows_that_nobody_names_neither_runs_ahead_nor_is_run_ahead_of(store: SqliteStore) -> None:
    """Nobody knows its rows before it is written."""
    store.write(SCOPE, lambda tx: tx.insert(HEROES, Hero(id="a", guild="g")))
    held, noted = HeldCommit(store), Noted()

    async def scenario() -> None:
        async with executing(store) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            rewrite, look = tasks(
                executor.write(SCOPE, noted("rewrite", lambda tx: tx.rewrite(IN_GUILD, ("g",), {"rank": "knight"}))),
                executor.write(SCOPE, noted("look", lambda tx: tx.get(HEROES, "a"))),
            )
            await turn()
            assert noted.runs == ["rewrite"]
            held.let_go()
            assert await first == 1
            await rewrite
            assert await look == Hero(id="a", guild="g", rank="knight")

    asyncio.run(scenario())
    assert noted.runs == ["rewrite", "rewrite", "look"]


def test_nothing_runs_ahead_of_changes_to_rows_that_nobody_names(store: SqliteStore) -> None:
    """It waits in the queue for their commit."""
    store.write(SCOPE, lambda tx: tx.insert(HEROES, Hero(id="a", guild="g")))
    held, noted = HeldCommit(store), Noted()

    async def scenario() -> None:
        async with executing(store) as executor:
            (first,) = tasks(executor.write(SCOPE, lambda tx: tx.clear(IN_GUILD, "g")))
            await held.begun()
            (look,) = tasks(executor.write(SCOPE, noted("look", lambda tx: tx.get(HEROES, "a"))))
            await turn()
            assert noted.runs == []
            held.let_go()
            await first
            assert await look is None

    asyncio.run(scenario())


def test_a_look_through_what_ran_ahead_waits_as_well(store: SqliteStore) -> None:
    """Rows that are not even written down cannot be selected."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store) as executor:
            (write,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            ahead = tasks(executor.write(SCOPE, add("a")), executor.write(SCOPE, count))
            await turn()
            held.let_go()
            assert await asyncio.gather(write, *ahead) == [1, "a", 1]

    asyncio.run(scenario())


def test_what_ran_ahead_of_a_commit_that_fails_runs_again(store: SqliteStore) -> None:
    """On the rows that are really there, in its order; only the failed batch is refused."""
    held, noted, batches = HeldCommit(store, sqlite3.OperationalError("disk I/O error")), Noted(), Batches()

    async def scenario() -> None:
        async with executing(store, observer=batches) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            refused, second, third = tasks(
                executor.write(SCOPE, noted("refused", refuse_if_counted)),
                executor.write(SCOPE, noted("second", rise)),
                executor.write(SCOPE, noted("third", rise)),
            )
            await turn()
            assert noted.runs == ["refused", "second", "third"]
            held.let_go()
            with pytest.raises(Overloaded):
                await first
            assert [await refused, await second, await third] == [None, 1, 2]
            assert await executor.read(SCOPE, lambda tx: tx.get(COUNTERS, "k")) == Counter(key="k", order=2)

    def refuse_if_counted(tx: Transaction) -> None:
        if tx.get(COUNTERS, "k") is not None:
            raise Refused

    asyncio.run(scenario())
    assert noted.runs == ["refused", "second", "third"] * 2
    assert batches == Batches(units=[2], failures=[1])


def test_a_unit_that_ran_ahead_and_cannot_be_written_fails_alone(store: SqliteStore) -> None:
    """The others are run again, and each of them takes effect once."""
    store.write(SCOPE, add("taken"))
    held, batches = HeldCommit(store), Batches()

    async def scenario() -> list[Any]:
        async with executing(store, observer=batches) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            works: list[Callable[[Transaction], object]] = [add("a"), add("taken"), rise]
            ahead = tasks(*(executor.write(SCOPE, work) for work in works))
            await turn()
            held.let_go()
            return await asyncio.gather(first, *ahead, return_exceptions=True)

    first, a, taken, risen = asyncio.run(scenario())
    assert (first, a, risen) == (1, "a", 2)
    assert isinstance(taken, UniqueViolation)
    assert batches.units == [1, 2]


def test_what_ran_ahead_runs_again_where_another_process_wrote_in_between(store: SqliteStore) -> None:
    """What it saw is not what is there. From then on nothing runs ahead, until a batch finds itself alone again."""
    held, noted = HeldCommit(store), Noted()
    begin = store.connections.begin

    def begin_late() -> None:
        store.connections.begin = begin  # type: ignore[method-assign] # once is enough
        with closing(SqliteStore(store.path, tables=STORE_TABLES)) as other:
            other.write(SCOPE, lambda tx: tx.put(COUNTERS, Counter(key="k", order=10)))
        begin()

    async def scenario() -> None:
        async with executing(store) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            store.connections.begin = begin_late  # type: ignore[method-assign] # another process is quicker
            second = tasks(*(executor.write(SCOPE, noted(name, rise)) for name in "ab"))
            await turn()
            assert noted.runs == ["a", "b"]
            held.let_go()
            assert await asyncio.gather(first, *second) == [1, 11, 12]
            assert not store.alone
            await executor.write(SCOPE, rise)
            assert store.alone

    asyncio.run(scenario())
    assert noted.runs == ["a", "b", "a", "b"]


@pytest.mark.parametrize(("busy_seconds", "refused"), [(30.0, False), (0.0, True)], ids=["given back", "kept"])
def test_what_ran_ahead_waits_for_another_process_s_write(
    store: SqliteStore, busy_seconds: float, refused: bool
) -> None:
    """It stays accepted while somebody else has the lock, and is refused where that takes too long."""
    held = HeldCommit(store)
    begin = store.connections.begin

    def begin_in_vain() -> None:
        store.connections.begin = begin  # type: ignore[method-assign] # the next try finds the lock free
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    async def scenario() -> None:
        async with executing(store, limits=SqliteLimits(busy_seconds=busy_seconds)) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            store.connections.begin = begin_in_vain  # type: ignore[method-assign] # another process has the lock
            (second,) = tasks(executor.write(SCOPE, rise))
            await turn()
            held.let_go()
            assert await first == 1
            if refused:
                with pytest.raises(Overloaded):
                    await second
            assert await executor.write(SCOPE, rise) == (2 if refused else 3)
            assert refused or await second == 2

    asyncio.run(scenario())


def test_a_round_that_runs_ahead_ends_at_its_bound(store: SqliteStore) -> None:
    """The rest waits its turn."""
    held, noted, batches = HeldCommit(store), Noted(), Batches()

    async def scenario() -> None:
        async with executing(store, limits=SqliteLimits(units=2), observer=batches) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            rest = tasks(*(executor.write(SCOPE, noted(name, rise)) for name in "abc"))
            await turn()
            assert noted.runs == ["a", "b"]
            assert executor.queued == 3
            held.let_go()
            assert await asyncio.gather(first, *rest) == [1, 2, 3, 4]

    asyncio.run(scenario())
    assert batches.units == [1, 2, 1]


def test_a_fault_in_what_runs_ahead_leaves_the_commit_alone(store: SqliteStore) -> None:
    """A disk that cannot be read refuses the units ahead; the batch under way is committed and answered."""
    held, batches = HeldCommit(store), Batches()

    def unreadable(_: Transaction) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR
        raise error

    async def scenario() -> None:
        async with executing(store, observer=batches) as executor:
            (first,) = tasks(executor.write(SCOPE, rise))
            await held.begun()
            second, third = tasks(executor.write(SCOPE, rise), executor.write(SCOPE, unreadable))
            for task in (second, third):
                with pytest.raises(Overloaded):
                    await task
            held.let_go()
            assert await first == 1
            assert await executor.write(SCOPE, rise) == 2

    asyncio.run(scenario())
    assert batches == Batches(units=[1, 1], failures=[2])

"""The executor answers a write only when it is durable, and one commit serves all that were waiting."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NoReturn

import attrs
import pytest
import uvloop

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.store import Transaction, UniqueViolation
from livecore_server.executor import BatchLimits, SqliteExecutor
from livecore_server.ports import Executor
from livecore_server.sqlite import SqliteStore
from tests.stores.tables import BY_LEVEL, COUNTERS, HEROES, STORE_TABLES, Counter, Hero

SCOPE = Scope("gam_executor", "test")
_PATIENCE_SECONDS = 30


class Refused(Exception):
    """What a unit raises in these tests."""


@attrs.define
class Batches:
    """Remembers what it is told."""

    units: list[int] = attrs.field(factory=list)
    failures: list[int] = attrs.field(factory=list)

    def committed(self, *, units: int, run_seconds: float, commit_seconds: float) -> None:
        """Take note of a commit."""
        assert run_seconds >= 0
        assert commit_seconds >= 0
        self.units.append(units)

    def failed(self, *, units: int, error: BaseException) -> None:
        """Take note of a failure."""
        assert str(error)
        self.failures.append(units)


class HeldCommit:
    """A commit that stands still before it reaches the disk, until it is let go, and then may fail."""

    def __init__(self, store: SqliteStore, error: Exception | None = None) -> None:
        self._commit = store.connections.commit
        self._error = error
        self._begun = threading.Event()
        self._go = threading.Event()
        self.count = 0
        store.connections.commit = self  # type: ignore[method-assign] # the seam of these tests

    def __call__(self) -> None:
        """Commit, in its time."""
        self.count += 1
        self._begun.set()
        if not self._go.wait(_PATIENCE_SECONDS):
            raise TimeoutError
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        self._commit()

    async def begun(self) -> None:
        """Wait until a commit is on its way."""
        assert await asyncio.to_thread(self._begun.wait, _PATIENCE_SECONDS)

    def let_go(self) -> None:
        """Let this and every later commit through."""
        self._go.set()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store on a new file."""
    with closing(SqliteStore(tmp_path / "a.db", tables=STORE_TABLES)) as store:
        yield store


@asynccontextmanager
async def executing(store: SqliteStore, **options: Any) -> AsyncIterator[SqliteExecutor]:  # noqa: ANN401 - passed on
    """An executor that is closed in the end."""
    executor = SqliteExecutor(store, **options)
    try:
        yield executor
    finally:
        await executor.close()


def add(name: str) -> Callable[[Transaction], str]:
    """A unit that adds a hero."""

    def work(tx: Transaction) -> str:
        tx.insert(HEROES, Hero(id=name))
        return name

    return work


def refuse(tx: Transaction) -> NoReturn:
    """A unit that writes and then raises."""
    tx.insert(HEROES, Hero(id="refused"))
    raise Refused


def refuse_if_there(name: str) -> Callable[[Transaction], None]:
    """A unit that only looks, and raises when the hero is there."""

    def work(tx: Transaction) -> None:
        if tx.get(HEROES, name) is not None:
            raise Refused

    return work


def count(tx: Transaction) -> int:
    """A unit that counts the heroes."""
    return tx.count(BY_LEVEL)


async def turn() -> None:
    """Let everything that is ready run, more than once."""
    for _ in range(5):
        await asyncio.sleep(0)


def tasks(*awaitables: Awaitable[Any]) -> list[asyncio.Future[Any]]:
    """Start them all."""
    return [asyncio.ensure_future(awaitable) for awaitable in awaitables]


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


def test_units_of_a_batch_see_those_before_them(store: SqliteStore) -> None:
    """A counter that all of them raise ends at their number."""

    def rise(tx: Transaction) -> int:
        counter = tx.get(COUNTERS, "k") or Counter(key="k")
        return tx.put(COUNTERS, Counter(key="k", order=counter.order + 1)).order

    async def scenario() -> list[int]:
        async with executing(store) as executor:
            return await asyncio.gather(*(executor.write(SCOPE, rise) for _ in range(10)))

    assert asyncio.run(scenario()) == list(range(1, 11))


def test_a_unit_that_raises_leaves_the_others_alone(store: SqliteStore) -> None:
    """Nothing of it is applied, everything of them is."""

    async def scenario() -> list[Any]:
        async with executing(store) as executor:
            works: list[Callable[[Transaction], object]] = [add("a"), refuse, add("b")]
            outcomes = await asyncio.gather(*(executor.write(SCOPE, work) for work in works), return_exceptions=True)
            assert [hero.id for hero in await executor.read(SCOPE, lambda tx: tx.scan(BY_LEVEL))] == ["a", "b"]
            return outcomes

    first, refused, last = asyncio.run(scenario())
    assert (first, last) == ("a", "b")
    assert isinstance(refused, Refused)


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


def test_a_long_queue_refuses_at_once(store: SqliteStore) -> None:
    """Beyond the bound a write is not accepted, and what was accepted is done."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store, limits=BatchLimits(queue=2)) as executor:
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


def test_a_batch_ends_at_its_bound(store: SqliteStore) -> None:
    """The rest goes into the next ones, in order."""
    batches = Batches()

    async def scenario() -> list[str]:
        async with executing(store, limits=BatchLimits(units=4), observer=batches) as executor:
            return await asyncio.gather(*(executor.write(SCOPE, add(f"h{at}")) for at in range(10)))

    assert asyncio.run(scenario()) == [f"h{at}" for at in range(10)]
    assert batches.units == [4, 4, 2]


def test_closing_finishes_what_was_accepted(store: SqliteStore) -> None:
    """Accepted writes are answered, new ones refused, and the file is closed."""

    async def scenario() -> list[str]:
        executor = SqliteExecutor(store, limits=BatchLimits(units=2))
        accepted = tasks(*(executor.write(SCOPE, add(f"h{at}")) for at in range(5)))
        await asyncio.sleep(0)
        await executor.close()
        with pytest.raises(Overloaded):
            await executor.write(SCOPE, add("late"))
        return [task.result() for task in accepted]

    assert asyncio.run(scenario()) == [f"h{at}" for at in range(5)]
    with pytest.raises(sqlite3.ProgrammingError):
        store.connections.writing.execute("SELECT 1")


def test_a_write_whose_caller_went_away_before_its_turn_does_not_run(store: SqliteStore) -> None:
    """One that had run by then takes effect."""
    held = HeldCommit(store)

    async def scenario() -> list[Hero]:
        async with executing(store) as executor:
            (running,) = tasks(executor.write(SCOPE, add("running")))
            await held.begun()
            (waiting,) = tasks(executor.write(SCOPE, add("waiting")))
            await turn()
            running.cancel()
            waiting.cancel()
            await turn()
            held.let_go()
            await executor.write(SCOPE, add("after"))
            return await executor.read(SCOPE, lambda tx: tx.scan(BY_LEVEL))

    assert [hero.id for hero in asyncio.run(scenario())] == ["after", "running"]


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
        async with executing(store, limits=BatchLimits(busy_seconds=0)) as executor:
            with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(Overloaded):
                    await executor.write(SCOPE, add("a"))
            assert await executor.write(SCOPE, add("a")) == "a"

    asyncio.run(scenario())


def test_checkpoints_happen_between_batches(store: SqliteStore) -> None:
    """The log is merged while writing goes on, and nothing is lost."""

    async def scenario() -> int:
        async with executing(store) as executor:
            for part in range(3):
                await asyncio.gather(*(executor.write(SCOPE, add(f"{part}/{at}")) for at in range(2_000)))
            assert not store.checkpoint_due
            return await executor.read(SCOPE, count)

    assert asyncio.run(scenario()) == 6_000


def test_the_executor_is_what_a_host_expects(store: SqliteStore) -> None:
    """It satisfies the port, also for the type checker."""
    executor: Executor = SqliteExecutor(store)
    assert executor.queued == 0
    asyncio.run(executor.close())

"""Units that share a transaction: as good as one after the other, and none of them spoils another's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import permutations
from typing import Any, Final, NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.pq.abc import PGresult

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import StoreConflict, Transaction
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.batches import batch_scheduler
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.pipeline import Fault, Statement
from livecore_server.storage.postgres.connections.suspension import wait_for
from tests.patience import PATIENCE_SECONDS
from tests.postgres import executing as executors
from tests.postgres.server import fresh_database
from tests.server.executing import Batches, Refused
from tests.stores.law import Sequence as Units
from tests.stores.law import Step, sequences
from tests.stores.suite import fresh_scope
from tests.stores.tables import BY_CODE, BY_LEVEL, COUNTERS, HEROES, OF_LEFT, PAIRS, STORE_TABLES, Counter, Hero, Pair

executing = partial(executors.executing, run_seconds=PATIENCE_SECONDS)
_FEW: Final = 4
"""Attempts before a unit is given up, where a test waits for that."""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """One database for the module; each test has its own scope."""
    with fresh_database() as url, closing(PostgresStore(url, tables=STORE_TABLES)):
        yield url


@pytest.fixture
def scope() -> Scope:
    """A scope of the test's own."""
    return fresh_scope()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_scheduler, "ATTEMPTS", _FEW)
    monkeypatch.setattr(batch_scheduler, "pause_seconds", lambda _: 0.0)


def add(name: str, **fields: Any) -> Callable[[Transaction], str]:  # noqa: ANN401 - a record's fields
    """A unit that adds a hero without looking whether there is one."""

    def work(tx: Transaction) -> str:
        return tx.insert(HEROES, Hero(id=name, **fields)).id

    return work


def count_up(tx: Transaction, key: str = "k") -> int:
    """A unit that others of its kind get in the way of."""
    row = tx.get(COUNTERS, key) or Counter(key=key)
    return tx.put(COUNTERS, Counter(key=key, order=row.order + 1)).order


def names(tx: Transaction) -> list[str]:
    """A unit that lists the heroes."""
    return [hero.id for hero in tx.scan(BY_LEVEL)]


# -- one after the other


def test_units_of_a_batch_see_one_another_in_order(database: str, scope: Scope) -> None:
    """Thirty units in one transaction, each of which wants what those before it wrote, by key, unique value, scan, count."""
    batches = Batches()

    def work(tx: Transaction, at: int) -> object:
        before = tx.get(HEROES, f"{at - 1:02}")
        found = tx.find(BY_CODE, f"code {at - 1}")
        newest = [row.level for row in tx.scan(BY_LEVEL, reverse=True, limit=2)]
        seen = (tx.count(BY_LEVEL), len(tx.scan(BY_LEVEL)), newest)
        tx.insert(HEROES, Hero(id=f"{at:02}", code=f"code {at}", level=at))
        return (before is not None, found == before, *seen)

    async def scenario() -> list[object]:
        async with executing(database, observer=batches) as executor:
            return await asyncio.gather(*(executor.write(scope, partial(work, at=at)) for at in range(30)))

    answers = asyncio.run(scenario())
    assert answers == [(at > 0, True, at, at, [at - 1, at - 2][: min(at, 2)]) for at in range(30)]
    assert batches.units == [30]


def test_a_unit_that_was_overtaken_runs_again(database: str, scope: Scope) -> None:
    """It has read a row, waits for something else, and another changes that row meanwhile."""
    runs: list[int] = []

    async def scenario() -> tuple[int, int]:
        overtaken = asyncio.Event()

        def slow(tx: Transaction) -> int:
            row = tx.get(COUNTERS, "k")
            runs.append(0 if row is None else row.order)
            wait_for(overtaken.wait())
            return count_up(tx)

        def quick(tx: Transaction) -> int:
            result = count_up(tx)
            overtaken.set()
            return result

        async with executing(database) as executor:
            first, second = await asyncio.gather(executor.write(scope, slow), executor.write(scope, quick))
            return first, second

    assert asyncio.run(scenario()) == (2, 1)
    assert runs == [0, 1]


def test_readers_share_a_snapshot_and_keep_nothing(database: str, scope: Scope) -> None:
    """What one of them writes no other sees, and it is dropped."""

    def work(tx: Transaction, at: int) -> list[str]:
        tx.insert(HEROES, Hero(id=f"dropped {at}"))
        return names(tx)

    async def scenario() -> None:
        async with executing(database) as executor:
            await executor.write(scope, add("kept"))
            answers = await asyncio.gather(*(executor.read(scope, partial(work, at=at)) for at in range(10)))
            assert answers == [[f"dropped {at}", "kept"] for at in range(10)]
            assert await executor.read(scope, names) == ["kept"]

    asyncio.run(scenario())


def _slowed(steps: list[Step], refused: bool) -> Callable[[Transaction], list[object]]:
    """A unit that lets others run between any two of its steps."""

    def work(tx: Transaction) -> list[object]:
        answers: list[object] = []
        for step in steps:
            wait_for(asyncio.sleep(0))
            answers.append(_outcome(step, tx))
        if refused:
            raise Refused
        return answers

    return work


def _plain(steps: list[Step], refused: bool) -> Callable[[Transaction], list[object]]:
    def work(tx: Transaction) -> list[object]:
        answers = [_outcome(step, tx) for step in steps]
        if refused:
            raise Refused
        return answers

    return work


def _outcome(step: Step, tx: Transaction) -> object:
    try:
        return step(tx)
    except StoreConflict as error:
        return str(error)


def _in_order(before: Units, units: Units, order: Sequence[int], scope: Scope) -> tuple[list[object], object]:
    """What the store in memory makes of units in this order; the answers are in the order of the units."""
    memory = MemoryStore()
    for steps, refused in before:
        _told(partial(memory.write, scope, _plain(steps, refused)))
    answers: dict[int, object] = {}
    for at in order:
        answers[at] = _told(partial(memory.write, scope, _plain(*units[at])))
    return [answers[at] for at in range(len(units))], memory.dump().get(scope.id, {})


def _told(run: Callable[[], object]) -> object:
    try:
        return run()
    except (Refused, StoreConflict) as error:
        return "in the way" if isinstance(error, StoreConflict) else "refused"


async def _answer(running: Any) -> object:  # noqa: ANN401 - a coroutine
    try:
        return await running
    except Refused:
        return "refused"
    except Overloaded:
        return "in the way"


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(before=sequences(), units=sequences().map(lambda units: units[:4]))
def test_units_at_once_are_units_in_some_order(database: str, before: Units, units: Units) -> None:
    """The law: interleaved as they may be, their answers and rows are those of one after the other."""
    scope = fresh_scope()

    async def scenario() -> tuple[list[object], object]:
        async with executing(database) as executor:
            for steps, refused in before:
                await _answer(executor.write(scope, _plain(steps, refused)))
            answers = await asyncio.gather(*(_answer(executor.write(scope, _slowed(*unit))) for unit in units))
            return list(answers), executor._store.dump().get(scope.id, {})

    found = asyncio.run(scenario())
    orders = permutations(range(len(units)))
    assert any(_in_order(before, units, order, scope) == found for order in orders)


def _copied(source: str, target: str) -> Step:
    """A step whose outcome depends on whatever came before: one counter becomes another's successor."""

    def step(tx: Transaction) -> int:
        row = tx.get(COUNTERS, source) or Counter(key=source)
        return tx.put(COUNTERS, Counter(key=target, order=row.order + 1)).order

    step.__qualname__ = f"copied({source}, {target})"
    return step


_KEYS: Final = st.sampled_from("abc")
_copies: Final = st.lists(st.lists(st.builds(_copied, _KEYS, _KEYS), min_size=2, max_size=3), min_size=2, max_size=4)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(copies=_copies)
def test_units_that_build_on_one_another_are_serialised(database: str, copies: list[list[Step]]) -> None:
    """The same law where every step depends on what the others have done, so that hardly two orders end alike."""
    scope = fresh_scope()
    units: Units = [(steps, False) for steps in copies]

    async def scenario() -> tuple[list[object], object]:
        async with executing(database) as executor:
            answers = await asyncio.gather(*(_answer(executor.write(scope, _slowed(*unit))) for unit in units))
            return list(answers), executor._store.dump().get(scope.id, {})

    found = asyncio.run(scenario())
    orders = permutations(range(len(units)))
    assert any(_in_order([], units, order, scope) == found for order in orders)


# -- whoever is refused


def test_who_is_refused_or_in_the_way_spoils_nobody(database: str, scope: Scope) -> None:
    """A taken key that only the database knows of, two rows of one batch with one value, and refusals, among ten others."""

    def refuse(tx: Transaction) -> NoReturn:
        tx.insert(HEROES, Hero(id="refused"))
        raise Refused

    async def scenario() -> list[object]:
        async with executing(database) as executor:
            await executor.write(scope, add("taken"))
            units: list[Callable[[Transaction], object]] = [add(f"fine {at}") for at in range(10)]
            units[2:2] = [refuse, add("taken"), add("first", code="same"), add("second", code="same")]
            answers = await asyncio.gather(*(_answer(executor.write(scope, unit)) for unit in units))
            assert len(await executor.read(scope, names)) == 12
            return answers

    answers = asyncio.run(scenario())
    assert answers[2:6] == ["refused", "in the way", "first", "in the way"]
    assert answers[:2] + answers[6:] == [f"fine {at}" for at in range(10)]


@pytest.mark.parametrize("taken", [Hero(id="new", name="older"), Hero(id="old", name="older", code="same")])
def test_what_was_taken_unseen_is_not_given_up_within_a_batch(database: str, scope: Scope, taken: Hero) -> None:
    """Who writes over a key or value that the database knows to be taken is refused, whatever the next unit does with it."""

    def give_up(tx: Transaction) -> None:
        tx.delete(HEROES, "new")

    async def scenario() -> list[object]:
        async with executing(database) as executor:
            await executor.write(scope, lambda tx: tx.insert(HEROES, taken))
            units = [_slowed([add("new", code="same")], refused=False), _slowed([names, give_up], refused=False)]
            answers = await asyncio.gather(*(_answer(executor.write(scope, unit)) for unit in units))
            return [answers[0], await executor.read(scope, names)]

    inserted, left = asyncio.run(scenario())
    deleted_first = [["new"], ["new"]] if taken.id == "new" else ["in the way", ["old"]]
    assert [inserted, left] in (["in the way", [] if taken.id == "new" else ["old"]], deleted_first)


def test_batches_of_two_processes_run_again_until_they_fit(
    database: str, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two executors that know nothing of each other, and eighty units that want one row: each has counted once."""
    monkeypatch.undo()

    async def scenario() -> list[int]:
        async with executing(database) as one, executing(database) as other:
            both = (executor.write(scope, count_up) for _ in range(40) for executor in (one, other))
            return await asyncio.gather(*both)

    assert sorted(asyncio.run(scenario())) == list(range(1, 81))


def test_a_value_that_the_database_cannot_take_is_the_fault_of_one_unit(database: str, scope: Scope) -> None:
    """A number beyond eight bytes among other units of the batch: only who brought it hears of it."""

    async def scenario() -> None:
        async with executing(database) as executor:
            units = [add("a"), add("b", level=2**70), add("c")]
            answers = await asyncio.gather(*(executor.write(scope, unit) for unit in units), return_exceptions=True)
            assert (answers[0], answers[2]) == ("a", "c")
            assert isinstance(answers[1], Fault)
            assert await executor.read(scope, names) == ["a", "c"]

    asyncio.run(scenario())


def test_what_a_unit_waits_for_may_fail(database: str, scope: Scope) -> None:
    """It hears of it where it waits; the others of its batch do not."""

    async def broken() -> NoReturn:
        raise Refused

    def work(tx: Transaction) -> str:
        with pytest.raises(Refused):
            wait_for(broken())
        return add("a")(tx)

    async def scenario() -> None:
        async with executing(database) as executor:
            answers = await asyncio.gather(executor.write(scope, work), executor.write(scope, add("b")))
            assert list(answers) == ["a", "b"]

    asyncio.run(scenario())


def test_a_caller_that_goes_away_leaves_the_batch_as_it_is(database: str, scope: Scope) -> None:
    """Before its unit is begun, nothing of it happens; afterwards it ends like the others."""

    async def scenario() -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        def held(tx: Transaction) -> str:
            begun.set()
            wait_for(go.wait())
            return add("held")(tx)

        async with executing(database) as executor:
            gone = asyncio.ensure_future(executor.write(scope, held))
            beside = asyncio.ensure_future(executor.write(scope, add("beside")))
            await begun.wait()
            waiting = asyncio.ensure_future(executor.write(scope, add("never")))
            await asyncio.sleep(0)
            gone.cancel()
            waiting.cancel()
            go.set()
            assert await beside == "beside"
            assert await executor.read(scope, names) == ["beside", "held"]

    asyncio.run(scenario())


# -- failures in the middle


_asks = Connection.ask


class Trouble:
    """At the given statement of the run, something happens once; those before it have reached the server."""

    def __init__(self, at: int, happens: Callable[[Connection], Exception]) -> None:
        self.met = False
        self._left = at
        self._happens = happens

    async def ask(self, line: Connection, statements: Sequence[Statement]) -> list[PGresult]:
        """What replaces `Connection.ask`."""
        if self.met or self._left > len(statements):
            self._left -= len(statements)
            return await _asks(line, statements)
        self.met = True
        if self._left > 1:
            await _asks(line, statements[: self._left - 1])
        raise self._happens(line)


def _instead(trouble: Trouble) -> Callable[[Connection, Sequence[Statement]], Awaitable[list[PGresult]]]:
    def ask(line: Connection, statements: Sequence[Statement]) -> Awaitable[list[PGresult]]:
        return trouble.ask(line, statements)

    return ask


def _unserialisable(_: Connection) -> Exception:
    return Fault("40001", "could not serialize access")


def _cut(line: Connection) -> Exception:
    lost = line._gone("cut")
    lost.refused = True  # the server had said so
    return lost


def _busy_units() -> list[Callable[[Transaction], object]]:
    """Units with several round trips and every sort of write, which get in one another's way."""

    def move(tx: Transaction) -> int:
        first = tx.get(HEROES, "old 0")
        assert first is not None
        tx.put(HEROES, Hero(id="old 0", code=f"moved {first.code}", level=first.level + 1))
        tx.delete(HEROES, "old 1")
        tx.insert(PAIRS, Pair(left="l", right=f"r{first.level}"))
        return len(tx.scan(OF_LEFT, "l")) + count_up(tx)

    return [move, count_up, move, partial(count_up, key="other"), add("new")]


@pytest.mark.parametrize("happens", [_unserialisable, _cut])
def test_trouble_at_any_statement_changes_no_answer_and_no_row(
    happens: Callable[[Connection], Exception], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch is refused, or cut off, at its first statement, then at its second, and so on until it is through."""

    async def scenario(trouble: Trouble | None) -> tuple[list[object], object]:
        scope = fresh_scope()
        async with executing(database) as executor:
            for at in range(2):
                await executor.write(scope, add(f"old {at}", code=f"code {at}"))
            with monkeypatch.context() as patch:
                if trouble is not None:
                    patch.setattr(Connection, "ask", _instead(trouble))
                answers = await asyncio.gather(*(executor.write(scope, unit) for unit in _busy_units()))
            return list(answers), executor._store.dump()[scope.id]

    expected = asyncio.run(scenario(None))
    for at in range(1, 100):
        trouble = Trouble(at, happens)
        assert asyncio.run(scenario(trouble)) == expected, at
        if not trouble.met:
            break
    assert at > 8

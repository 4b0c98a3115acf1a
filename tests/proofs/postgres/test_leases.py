"""Leases between processes: one of them takes on what all can see, and what it leaves undone passes on."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TypeVar

import attrs
import psycopg
import pytest

from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import load_config
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import NewGame, system_unit
from livecore.demo import DEMO
from livecore.kernel.declarations.area import Area
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units import due
from livecore.kernel.units.unit import Unit
from livecore.webhooks.delivery import LEASE
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.outbox import DUE
from livecore.webhooks.outcome import Outcome, answered
from livecore_server.background.loops import DueLoop
from livecore_server.background.webhooks import NetworkRules, Poster, Sender, sender, units
from livecore_server.cli.new_games import create_game
from livecore_server.metrics import Metrics
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.pipeline import Lost, Statement
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.postgres.shared import leases
from livecore_server.system import draw_seed
from tests.patience import PATIENCE_SECONDS
from tests.postgres.hanging import KIND
from tests.postgres.server import fresh_database, own_server
from tests.samples import sample
from tests.stores.tables import COUNTERS, Counter

T = TypeVar("T")
START = 1_767_225_600_000
SCOPE = Scope("gam_leases", "test")
OTHER_SCOPE = Scope("gam_leases", "live")
_HOLDERS = """
    SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_catalog.pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A database for all of these tests; each has a game of its own.

    Its server is its own as well: a process that hangs in the middle of a unit would disturb every other database of it.
    """
    with own_server() as server, fresh_database(server.url) as url:
        yield url


@attrs.define(eq=False)
class Process:
    """What one process has: a store, an executor, and counts."""

    executor: PostgresExecutor
    application: Application
    metrics: Metrics
    game: NewGame
    now: list[int]
    posted: list[str] = attrs.field(factory=list)

    @property
    def scope(self) -> Scope:
        """The game's test scope."""
        return Scope(self.game.game.game_id, "test")

    def due_loop(self) -> DueLoop:
        """A loop that has not yet looked around."""
        return DueLoop(self.executor, self.application, self.metrics)

    def ended(self, result: str) -> int:
        """How many pieces of the tests' work ended so, as this process has counted."""
        return self.metrics._due.get((KIND, result), 0)

    async def unit(self, work: Callable[[Unit], T]) -> T:
        """Run `work` in a unit of the service itself."""
        game, now, seed = self.game.game, self.now[0], draw_seed()
        return await self.executor.write(self.scope, lambda tx: work(system_unit(tx, game, now, seed)))

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Look at the game's test scope."""
        return await self.executor.read(self.scope, work)


def count_run(unit: Unit, ref: str) -> None:
    """Due work that counts, in the transaction that runs it, how often it has run."""
    row = unit.tx.get(COUNTERS, ref) or Counter(key=ref)
    unit.tx.put(COUNTERS, Counter(key=ref, order=row.order + 1))


@asynccontextmanager
async def processes(url: str, number: int = 2) -> AsyncIterator[list[Process]]:
    """Processes that serve one game, with one clock that the test sets."""
    areas = AREAS.plus(Area(name="test", due={KIND: count_run}))
    now = [START]
    stores = [PostgresStore(url) for _ in range(number)]
    game = create_game(stores[0], load_config(DEMO), "Studio")
    async with AsyncExitStack() as stack:
        made = []
        for store in stores:
            application = Application(
                store, clock=lambda: now[0], seeds=lambda: b"seed", deployment=new_deployment(areas=areas)
            )
            executor = PostgresExecutor(store)
            stack.push_async_callback(executor.close)
            made.append(Process(executor, application, Metrics(), game, now))
        yield made


async def schedule(process: Process, items: int) -> list[str]:
    """Have so many pieces of work due now."""
    refs = [f"item-{number:03}" for number in range(items)]

    def work(tx: Transaction) -> None:
        for ref in refs:
            due.schedule(tx, KIND, ref, START, fresh=True)

    await process.executor.write(process.scope, work)
    return refs


async def runs(process: Process, refs: list[str]) -> list[int]:
    """How often each piece has taken effect."""

    def work(tx: Transaction) -> list[int]:
        return [row.order if (row := tx.get(COUNTERS, ref)) else 0 for ref in refs]

    return await process.read(work)


async def terminate_holders(url: str) -> int:
    """End the sessions that hold something and do nothing, as when their process dies."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        row = await (await connection.execute(_HOLDERS)).fetchone()
        assert row is not None
        return int(row[0])


def test_one_process_has_it_until_the_end_of_the_block(database: str) -> None:
    """Another one is told so at once; other things and other scopes are free."""

    async def scenario() -> None:
        async with processes(database) as (one, other):
            async with one.executor.lease(SCOPE, "due") as ours:
                assert ours
                async with other.executor.lease(SCOPE, "due") as also:
                    assert not also
                async with (
                    other.executor.lease(SCOPE, "webhooks") as another_thing,
                    other.executor.lease(OTHER_SCOPE, "due") as another_scope,
                ):
                    assert another_thing
                    assert another_scope
            async with other.executor.lease(SCOPE, "due") as ours:
                assert ours

    asyncio.run(scenario())


def test_who_leaves_the_block_has_let_go(database: str) -> None:
    """The next one never finds it still taken, however soon it comes."""

    async def scenario() -> None:
        async with processes(database) as made:
            refused = 0
            for turn in range(300):
                async with made[turn % 2].executor.lease(SCOPE, "due") as ours:
                    refused += not ours
            assert refused == 0

    asyncio.run(scenario())


def test_a_lease_ends_with_the_connection_that_holds_it(database: str) -> None:
    """Its holder is not told, finishes, and gets a new connection for the next one."""

    async def scenario() -> None:
        async with processes(database) as (one, other):
            async with one.executor.lease(SCOPE, "due") as ours:
                assert ours
                assert await terminate_holders(database) == 1
                async with other.executor.lease(SCOPE, "due") as passed_on:
                    assert passed_on
            async with one.executor.lease(SCOPE, "due") as again:
                assert again

    asyncio.run(scenario())


def test_a_lease_of_a_silent_process_passes_on(database: str) -> None:
    """The server ends a session that holds something and says nothing: after a minute, and here much sooner."""

    async def scenario() -> None:
        async with processes(database) as (one, other):
            async with one.executor.lease(SCOPE, "due"):
                pass
            (line,) = one.executor._leases._idle
            (before,) = await line.ask([Statement(b"SHOW idle_in_transaction_session_timeout")])
            assert before.get_value(0, 0) == b"1min"
            await line.ask([Statement(b"SET idle_in_transaction_session_timeout = 50")])
            async with one.executor.lease(SCOPE, "due") as ours, asyncio.timeout(PATIENCE_SECONDS):
                assert ours
                passed_on = False
                while not passed_on:
                    async with other.executor.lease(SCOPE, "due") as passed_on:
                        pass

    asyncio.run(scenario())


def test_leases_come_again_after_a_crash_of_the_server(database: str) -> None:
    """A crash empties the table, which is unlogged."""

    async def scenario() -> None:
        async with processes(database) as (one, other):
            for _ in range(2):
                async with one.executor.lease(SCOPE, "due") as ours, other.executor.lease(SCOPE, "due") as also:
                    assert (ours, also) == (True, False)
                async with await psycopg.AsyncConnection.connect(database, autocommit=True) as connection:
                    await connection.execute("TRUNCATE livecore_leases")

    asyncio.run(scenario())


def test_an_engine_without_skip_locked_is_told_of_once(
    database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Then every process tries everything itself."""
    monkeypatch.setattr(leases, "_LOCK", leases._LOCK.replace(b"SKIP LOCKED", b"OR PASS BY"))

    async def scenario() -> None:
        async with processes(database) as (one, other):
            for process in (one, one, other):
                async with one.executor.lease(SCOPE, "due"), process.executor.lease(SCOPE, "due") as ours:
                    assert ours

    with caplog.at_level(logging.WARNING, "livecore.postgres"):
        asyncio.run(scenario())
    assert ["SKIP LOCKED" in record.message for record in caplog.records] == [True, True]


def test_a_database_that_is_away_leaves_the_loops_to_try_again(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As everything else does, a lease raises `Overloaded` then."""

    async def scenario() -> None:
        async with processes(database, 1) as (one,):
            monkeypatch.setattr(one.executor._leases._connections, "connection", _gone)
            with pytest.raises(Overloaded):
                async with one.executor.lease(SCOPE, "due"):
                    pytest.fail("there is no connection")

    asyncio.run(scenario())


async def _gone(_: float, *, settings: Sequence[str]) -> None:  # noqa: ARG001 - as the pool is asked
    raise Lost("no connection")


def test_of_two_processes_one_tries_each_piece_of_due_work(database: str) -> None:
    """Both loops turn at the same time over 300 pieces: each takes effect once, and none is tried in vain."""

    async def scenario() -> None:
        async with processes(database) as made:
            refs = await schedule(made[0], 300)
            loops = [process.due_loop() for process in made]
            async with asyncio.timeout(PATIENCE_SECONDS):
                while 0 in await runs(made[0], refs):
                    await asyncio.gather(*(loop.turn() for loop in loops))
                    made[0].now[0] += 1_000
            assert await runs(made[0], refs) == [1] * 300
            assert sum(process.ended("ran") for process in made) == 300
            assert [process.ended(result) for process in made for result in ("stale", "failed")] == [0] * 4

    asyncio.run(scenario())


def test_a_lease_that_is_lost_meanwhile_doubles_nothing(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both processes then work on the same: what decides are the transactions of the pieces."""

    async def scenario() -> None:
        async with processes(database) as made:
            refs = await schedule(made[0], 100)
            for process in made:
                monkeypatch.setattr(process.executor._leases, "_known", False)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while 0 in await runs(made[0], refs):
                    await asyncio.gather(*(process.due_loop().turn() for process in made))
            assert await runs(made[0], refs) == [1] * 100
            assert sum(process.ended("ran") for process in made) == 100

    asyncio.run(scenario())


def test_a_killed_process_passes_its_due_work_on(database: str) -> None:
    """It dies in the middle of a piece; until then nobody else touches that, and a second later somebody does."""

    async def scenario() -> None:
        async with processes(database, 1) as (one,):
            refs = await schedule(one, 3)
            command = [sys.executable, "-m", "tests.postgres.hanging", database, str(START)]
            victim = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
            assert victim.stdout is not None
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    begun = await victim.stdout.readline()
                assert begun.decode().strip() in refs
                loop = one.due_loop()
                await loop.turn()
                assert await runs(one, refs) == [0, 0, 0]
            finally:
                victim.kill()
                await victim.wait()
            async with asyncio.timeout(PATIENCE_SECONDS):
                while 0 in await runs(one, refs):  # the server has to notice the death
                    one.now[0] += 1_000
                    await loop.turn()
            assert await runs(one, refs) == [1, 1, 1]
            assert one.ended("ran") == 3

    asyncio.run(scenario())


class Mailbox(Poster):
    """A poster that keeps what is sent."""

    def __init__(self, process: Process) -> None:
        super().__init__(NetworkRules(), now=lambda: process.now[0])
        self._posted = process.posted

    async def post(self, environment: str, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:  # noqa: ARG002 - as a poster does
        """Deliver at once."""
        self._posted.append(json.loads(body)["id"])
        return answered(200, now=START)


async def emit(process: Process, count: int) -> None:
    """An endpoint that hears everything, and so many events."""
    await process.unit(
        lambda unit: add_endpoint(unit, PlainVault(), key="all", url="https://studio.example/hooks", events=["*"])
    )
    for _ in range(count):
        await process.unit(lambda unit: unit.emit(sample("friend.removed")))


@attrs.define(eq=False)
class Watched:
    """Leases deliveries as the sender's unit does, and watches how many do so at the same time."""

    under_way: int = 0
    most: int = 0

    def lease(self, unit: Unit, most: int) -> units.Leased:
        """Lease what is due."""
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            return units.lease(unit, most)
        finally:
            self.under_way -= 1


def test_of_two_senders_one_leases_deliveries_at_a_time(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both find the same sixty: each is sent once, and neither runs into what the other leases."""
    watched = Watched()
    monkeypatch.setattr(sender, "lease", watched.lease)

    async def scenario() -> None:
        async with processes(database) as made:
            await emit(made[0], 60)
            events = await made[0].read(lambda tx: [row.event_id for row in tx.scan(DUE)])
            senders = [
                Sender(process.executor, PlainVault(), Mailbox(process), now=partial(process.now.__getitem__, 0))
                for process in made
            ]
            await asyncio.gather(*(sending.start() for sending in senders))
            async with asyncio.timeout(PATIENCE_SECONDS):
                while await made[0].read(units.first_due) is not None:
                    made[0].now[0] += 20
            for sending in senders:
                await sending.stop()
            assert sorted(event for process in made for event in process.posted) == sorted(events)
            assert (len(events), watched.most) == (60, 1)

    asyncio.run(scenario())


def test_a_dead_sender_passes_its_deliveries_on(database: str) -> None:
    """What it had leased is another one's after a minute, and not before."""

    async def scenario() -> None:
        async with processes(database) as (one, other):
            await emit(one, 3)
            lost = (await one.unit(partial(units.lease, most=16))).attempts
            other.now[0] += LEASE - 1
            early = await other.unit(partial(units.lease, most=16))
            assert early == units.Leased([], START + LEASE)
            other.now[0] += 1
            assert (await other.unit(partial(units.lease, most=16))).attempts == lost

    asyncio.run(scenario())

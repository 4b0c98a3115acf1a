"""The executor on PostgreSQL: units in batches, a directory that is current, and a server that comes and goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, NoReturn

import psycopg
import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.batches.batch_scheduler import PostgresLimits
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.pipeline import Lost
from livecore_server.storage.postgres.connections.suspension import wait_for
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.postgres.units import COMMIT
from tests.patience import PATIENCE_SECONDS
from tests.postgres.executing import executing
from tests.postgres.server import own_server
from tests.server.executing import SCOPE, Batches, add, count
from tests.stores.tables import BY_CODE, BY_LEVEL, COUNTERS, HEROES, STORE_TABLES, Counter, Hero


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    """A store on a database of the test's own."""
    with closing(PostgresStore(url, tables=STORE_TABLES)) as store:
        yield store


def count_up(tx: Transaction) -> int:
    """A unit that others of its kind get in the way of."""
    row = tx.get(COUNTERS, "k") or Counter(key="k")
    return tx.put(COUNTERS, Counter(key="k", order=row.order + 1)).order


def test_units_run_again_until_they_fit(url: str) -> None:
    """Forty units that all want the same row: each has counted once."""

    async def scenario() -> list[int]:
        async with executing(url) as executor:
            return await asyncio.gather(*(executor.write(SCOPE, count_up) for _ in range(40)))

    assert sorted(asyncio.run(scenario())) == list(range(1, 41))


def test_a_unit_that_never_fits_is_answered_with_overloaded(url: str) -> None:
    """After a bounded number of attempts, and nothing is written."""

    async def scenario() -> None:
        async with executing(url) as executor:
            await executor.write(SCOPE, add("a"))
            with pytest.raises(Overloaded):
                await executor.write(SCOPE, add("a"))
            assert await executor.read(SCOPE, count) == 1

    asyncio.run(scenario())


def test_whoever_watches_hears_of_commits_and_failures(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So readiness and metrics know how the database does."""
    batches = Batches()

    def gone(*_: object) -> NoReturn:
        raise Lost("no connection")

    async def scenario() -> None:
        async with executing(url, observer=batches) as executor:
            await executor.write(SCOPE, add("a"))
            with monkeypatch.context() as patch:
                patch.setattr(Connection, "ask", gone)
                for doing in (executor.write(SCOPE, add("b")), executor.read(SCOPE, count)):
                    with pytest.raises(Overloaded):
                        await doing
            await executor.write(SCOPE, add("c"))

    asyncio.run(scenario())
    assert (batches.units, batches.failures) == ([1, 1], [1, 1])


def test_a_long_queue_refuses_at_once(url: str) -> None:
    """What would wait too long hears so before it waits, and close finishes what was accepted."""

    async def scenario() -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        def held(_: Transaction) -> bool:
            begun.set()
            return wait_for(go.wait())

        async with executing(url, limits=PostgresLimits(reading=1, writing=1, queue=2)) as executor:
            running = asyncio.ensure_future(executor.write(SCOPE, held))
            await begun.wait()
            waiting = [asyncio.ensure_future(executor.write(SCOPE, add(name))) for name in "ab"]
            await asyncio.sleep(0)
            assert executor.queued == 2
            with pytest.raises(Overloaded):
                await executor.write(SCOPE, count)
            go.set()
            assert await asyncio.gather(running, *waiting) == [True, "a", "b"]

    asyncio.run(scenario())


# -- the directory


def by_code(tx: Transaction) -> str | None:
    """Whom a code opens for."""
    row = tx.find(BY_CODE, "code")
    return None if row is None else f"{row.id} {row.level}"


def _put(tx: Transaction, hero: Hero) -> None:
    tx.put(HEROES, hero)


def test_what_the_directory_says_is_current_in_the_next_read(url: str, store: PostgresStore) -> None:
    """Another process adds, changes and removes a row: the very next read knows, whatever was remembered."""

    async def scenario() -> None:
        async with executing(url) as executor:
            assert await executor.read(DIRECTORY, by_code) is None
            for level in (1, 2):
                store.write(DIRECTORY, partial(_put, hero=Hero(id="a", code="code", level=level)))
                assert await executor.read(DIRECTORY, by_code) == f"a {level}"
                assert await executor.read(DIRECTORY, by_code) == f"a {level}"
            store.write(DIRECTORY, lambda tx: tx.delete(HEROES, "a"))
            assert await executor.read(DIRECTORY, by_code) is None

    asyncio.run(scenario())


def test_what_is_remembered_is_not_read_again(url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred reads at once cost one question, and a change of another table costs nothing."""
    store.write(DIRECTORY, lambda tx: tx.insert(HEROES, Hero(id="a", code="code")))
    asked: list[int] = []
    ask = Connection.ask

    def counting(line: Connection, statements: Any) -> Any:  # noqa: ANN401 - passed on
        asked.append(len(statements))
        return ask(line, statements)

    async def scenario() -> None:
        async with executing(url) as executor:
            await executor.read(DIRECTORY, by_code)
            store.write(DIRECTORY, lambda tx: tx.put(COUNTERS, Counter(key="k")))
            monkeypatch.setattr(Connection, "ask", counting)
            found = await asyncio.gather(*(executor.read(DIRECTORY, by_code) for _ in range(100)))
            assert set(found) == {"a 0"}
            # The versions and what others have published; and, after the first question, which windows others count in.
            assert asked == [2, 1]

    asyncio.run(scenario())


def test_reads_and_scans_of_the_directory_agree_with_the_store(url: str, store: PostgresStore) -> None:
    """Missing rows, whole scans and counts as well."""
    store.write(DIRECTORY, lambda tx: [tx.insert(HEROES, Hero(id=name, level=3)) for name in "ba"])

    def everything(tx: Transaction) -> list[object]:
        first, nobody = tx.get(HEROES, "a"), tx.get(HEROES, "nobody")
        return [first, nobody, tx.scan(BY_LEVEL, limit=1), tx.scan(BY_LEVEL, reverse=True)]

    async def scenario() -> None:
        async with executing(url) as executor:
            for work in (everything, count):
                assert await executor.read(DIRECTORY, work) == store.read(DIRECTORY, work)

    asyncio.run(scenario())


# -- connections that end


def _cut(url: str) -> None:
    """End every other session of the database, as an operator or a fail-over would."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_cut_connections_are_replaced_without_anybody_noticing(url: str) -> None:
    """Reads and writes that had not reached their commit run again on new connections."""

    async def scenario() -> None:
        # Time enough for the pool to try again, should it lose a connection that it is just making.
        async with executing(url, limits=PostgresLimits(reading=2, writing=2, connect_seconds=10.0)) as executor:
            await asyncio.gather(*(executor.write(SCOPE, add(f"a{at}")) for at in range(4)))
            for turn in range(3):
                _cut(url)
                assert await executor.read(DIRECTORY, by_code) is None
                await executor.write(SCOPE, add(f"b{turn}"))
                assert await executor.read(SCOPE, count) == 5 + turn
                assert await executor.scopes((HEROES,)) == [SCOPE]

    asyncio.run(scenario())


def test_who_asks_for_scopes_while_the_database_is_away_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Like every other caller, and the store's failure is reported: loops leave it to that, and log no traceback."""
    batches = Batches()

    def away(*_: object) -> NoReturn:
        raise Lost("the server closed the connection")

    async def scenario() -> None:
        async with executing(url, observer=batches) as executor:
            monkeypatch.setattr(PostgresStore, "scopes", away)
            with pytest.raises(Overloaded):
                await executor.scopes((HEROES,))

    asyncio.run(scenario())
    assert batches.failures == [1]


def test_a_unit_whose_commit_is_in_doubt_does_not_run_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection ends between commit and answer: 503, and the unit has taken effect exactly once."""
    ask = Connection.ask

    async def cut_after(line: Connection, statements: Any) -> Any:  # noqa: ANN401 - passed on
        results = await ask(line, statements)
        if statements[-1] is COMMIT and len(statements) > 1:
            monkeypatch.setattr(Connection, "ask", ask)
            raise line._gone("cut")
        return results

    async def scenario() -> None:
        async with executing(url, limits=PostgresLimits(reading=1, writing=1)) as executor:
            monkeypatch.setattr(Connection, "ask", cut_after)
            with pytest.raises(Overloaded):
                await executor.write(SCOPE, count_up)
            assert await executor.write(SCOPE, count_up) == 2

    asyncio.run(scenario())


def test_a_server_that_goes_away_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is away everybody hears 503 soon; afterwards everything works again by itself, and nothing is lost."""
    monkeypatch.setattr("livecore_server.storage.postgres.connections.connection_pool._RECONNECT_SECONDS", 1.0)

    async def scenario(url: str, stop: Callable[[], None], start: Callable[[], None]) -> None:
        async with executing(url, limits=PostgresLimits(reading=2, writing=2, connect_seconds=2.0)) as executor:
            await executor.write(SCOPE, add("before"))
            await asyncio.to_thread(stop)
            for _ in range(3):
                with pytest.raises(Overloaded):
                    await executor.write(SCOPE, add("lost"))
                with pytest.raises(Overloaded):
                    await executor.read(DIRECTORY, by_code)
            await asyncio.to_thread(start)
            async with asyncio.timeout(PATIENCE_SECONDS):
                await _works_again(executor)
            assert await executor.read(SCOPE, count) == 1
            await executor.write(SCOPE, add("after"))

    with own_server() as server:
        asyncio.run(scenario(server.url, server.stop, server.start))


async def _works_again(executor: PostgresExecutor) -> None:
    while True:
        try:
            await executor.read(DIRECTORY, by_code)
            await executor.read(SCOPE, count)
        except Overloaded:
            await asyncio.sleep(0)
        else:
            return

"""Faults that nobody foresaw, beside a batch: each has its effect on the units at hand, and none on those after them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from contextlib import closing
from typing import Any, NoReturn

import psycopg
import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.batches import batch_scheduler
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.connection_pool import Connections
from livecore_server.storage.postgres.connections.pipeline import Lost, Pipeline, Statement
from livecore_server.storage.postgres.connections.suspension import wait_for
from tests.patience import PATIENCE_SECONDS
from tests.postgres.executing import executing
from tests.server.executing import SCOPE, Batches, add
from tests.stores.tables import BY_LEVEL, STORE_TABLES

OFTEN = 5
"""More often than a scheduler has connections."""


def count(tx: Transaction) -> int:
    """A unit that counts the heroes."""
    return tx.count(BY_LEVEL)


@pytest.fixture
def database(url: str) -> str:
    """A database with the tables of these tests."""
    with closing(PostgresStore(url, tables=STORE_TABLES)):
        return url


def test_a_machine_without_further_threads_stops_nothing_for_good(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks then is refused as long as that lasts."""
    monkeypatch.setattr(batch_scheduler, "_AWAY_SECONDS", 0.0)

    async def no_thread(*_: object, **__: object) -> NoReturn:
        raise RuntimeError("can't start new thread")

    async def scenario() -> None:
        async with executing(database) as executor:
            with monkeypatch.context() as short:
                short.setattr(Connections, "connection", no_thread)
                for at in range(OFTEN):
                    with pytest.raises(Overloaded):
                        await executor.write(SCOPE, add(f"refused{at}"))
                    with pytest.raises(Overloaded):
                        await executor.read(SCOPE, count)
            assert await executor.write(SCOPE, add("a")) == "a"
            assert await executor.read(SCOPE, count) == 1

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_SECONDS))


def test_a_lost_connection_that_cannot_be_returned_yet_is_returned_later(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts against the pool until then, and a pool that is counted out would refuse everybody."""
    monkeypatch.setattr(batch_scheduler, "_AWAY_SECONDS", 0.0)

    async def no_thread(*_: object) -> NoReturn:
        raise RuntimeError("can't start new thread")

    async def scenario() -> None:
        async with executing(database) as executor:
            for at in range(OFTEN * 2):
                await executor.write(SCOPE, add(f"before{at}"))
                (connection,) = executor._writing._idle
                connection.close()
                with monkeypatch.context() as short:
                    short.setattr(Connections, "drop_later", no_thread)
                    with pytest.raises(Overloaded):
                        await executor.write(SCOPE, add(f"refused{at}"))
            assert await executor.read(SCOPE, count) == OFTEN * 2

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_SECONDS))


class _Broken(Batches):
    """An observer that fails at everything."""

    def committed(self, *, units: int, run_seconds: float, commit_seconds: float) -> None:
        """Fail after taking note."""
        super().committed(units=units, run_seconds=run_seconds, commit_seconds=commit_seconds)
        raise OSError("no space left for metrics")


def test_an_observer_that_fails_costs_no_unit(database: str) -> None:
    """Its failure is logged."""
    observer = _Broken()

    async def scenario() -> list[str]:
        async with executing(database, observer=observer) as executor:
            return [await executor.write(SCOPE, add(f"{at}")) for at in range(OFTEN)]

    answers = asyncio.run(asyncio.wait_for(scenario(), PATIENCE_SECONDS))
    assert answers == [f"{at}" for at in range(OFTEN)]
    assert observer.units == [1] * OFTEN


def test_units_that_wait_for_the_same_all_go_on(database: str) -> None:
    """In one batch, whether it ends well or badly."""

    async def scenario(error: Exception | None) -> list[object]:
        shared: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        names = ["a", "b", "c"] if error is None else ["d", "e", "f"]
        all_begun = asyncio.Event()
        begun: list[str] = []

        def work(name: str) -> Any:  # noqa: ANN401 - a unit
            def unit(tx: Transaction) -> str:
                begun.append(name)
                if len(begun) == len(names):
                    all_begun.set()
                return wait_for(shared) + add(name)(tx)

            return unit

        async with executing(database, run_seconds=PATIENCE_SECONDS) as executor:
            waiting = [asyncio.ensure_future(executor.write(SCOPE, work(name))) for name in names]
            await all_begun.wait()
            if error is None:
                shared.set_result("with ")
            else:
                shared.set_exception(error)
            return list(await asyncio.gather(*waiting, return_exceptions=True))

    assert asyncio.run(asyncio.wait_for(scenario(None), PATIENCE_SECONDS)) == ["with a", "with b", "with c"]
    error = ValueError("refused")
    assert asyncio.run(asyncio.wait_for(scenario(error), PATIENCE_SECONDS)) == [error] * 3


def test_a_statement_that_cannot_be_sent_gives_nobody_anothers_answer(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers come in the order of what was sent, so the connection ends with it; whoever waits on it hears of that."""

    async def scenario() -> None:
        connections = Connections(database, most=1)
        connection = await connections.connection(PATIENCE_SECONDS)
        sending = Pipeline._send

        def send(pipeline: Pipeline, statements: Sequence[Statement]) -> bool:
            if any(b"broken" in statement.sql for statement in statements):
                raise TypeError("parameters must be bytes")
            return sending(pipeline, statements)

        monkeypatch.setattr(Connection, "_send", send)
        before = connection.ask([Statement(b"SELECT 'before'")])
        with pytest.raises(TypeError):
            connection.ask([Statement(b"SELECT 'broken'")])
        assert connection.lost
        with pytest.raises(Lost):
            await before
        with pytest.raises(Lost):
            await connection.ask([Statement(b"SELECT 'after'")])
        await connections.drop_later(connection)
        another = await connections.connection(PATIENCE_SECONDS)
        (answer,) = await another.ask([Statement(b"SELECT 'another'")])
        assert answer.get_value(0, 0) == b"another"
        await connections.drop_later(another)
        connections.close()

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_SECONDS))


def test_who_stops_waiting_for_a_connection_keeps_none(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that waits in its place returns what it gets."""

    async def scenario() -> None:
        connections = Connections(database, most=1)
        held = await connections.connection(PATIENCE_SECONDS)
        begun = threading.Event()
        taking = connections._pool.getconn

        def getconn(timeout: float) -> psycopg.Connection[Any]:
            begun.set()
            return taking(timeout)

        monkeypatch.setattr(connections._pool, "getconn", getconn)
        gone = asyncio.ensure_future(connections.connection(PATIENCE_SECONDS))
        assert await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        await connections.drop_later(held)
        another = await connections.connection(PATIENCE_SECONDS)
        await connections.drop_later(another)
        connections.close()

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_SECONDS))

"""A plain function waits for I/O while the loop serves others."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from functools import partial
from typing import NoReturn

import pytest

from livecore_server.storage.postgres.connections.suspension import run_waiting, wait_for

name: ContextVar[str] = ContextVar("name", default="nobody")


class Broken(Exception):
    """Raised by what is waited for."""


def test_work_that_waits_for_nothing_is_just_called() -> None:
    """Its result comes back, and its exception is raised."""

    def fail() -> NoReturn:
        raise Broken

    assert asyncio.run(run_waiting(lambda: 7)) == 7
    with pytest.raises(Broken):
        asyncio.run(run_waiting(fail))


def test_others_run_while_work_waits() -> None:
    """Two functions take turns, and each sees its own values."""
    told: list[str] = []

    async def scenario() -> list[int]:
        gates = [asyncio.Event(), asyncio.Event()]

        def work(at: int) -> int:
            told.append(f"{at} begins")
            wait_for(gates[at].wait())
            told.append(f"{at} goes on")
            gates[1 - at].set()
            return at

        running = [asyncio.ensure_future(run_waiting(partial(work, at))) for at in (0, 1)]
        await asyncio.sleep(0)
        gates[1].set()
        return await asyncio.gather(*running)

    assert asyncio.run(scenario()) == [0, 1]
    assert told == ["0 begins", "1 begins", "1 goes on", "0 goes on"]


def test_values_and_exceptions_come_in_where_they_are_waited_for() -> None:
    """The function may catch what it waited for, and wait again."""

    async def broken() -> NoReturn:
        await asyncio.sleep(0)
        raise Broken

    async def five() -> int:
        return 5

    def work() -> int:
        with pytest.raises(Broken):
            wait_for(broken())
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        done.set_result(2)
        return wait_for(five()) + wait_for(done)

    assert asyncio.run(run_waiting(work)) == 7


def test_an_exception_that_nobody_catches_comes_out() -> None:
    """What was waited for fails, and so does the work."""

    async def broken() -> NoReturn:
        raise Broken

    with pytest.raises(Broken):
        asyncio.run(run_waiting(lambda: wait_for(broken())))


def test_cancelling_the_caller_ends_the_work() -> None:
    """`finally` runs, there and then, also where it has to wait."""
    told: list[str] = []

    async def scenario() -> None:
        async def tell() -> None:
            told.append("waited for in finally")

        def work() -> None:
            try:
                wait_for(asyncio.Event().wait())
            finally:
                wait_for(tell())
                told.append("ended")

        running = asyncio.ensure_future(run_waiting(work))
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scenario())
    assert told == ["waited for in finally", "ended"]


def test_a_loop_that_closes_ends_the_work() -> None:
    """Whoever gives the coroutine up without cancelling it leaves nothing hanging."""
    told: list[str] = []

    async def never() -> None:
        await asyncio.get_running_loop().create_future()

    def work() -> None:
        try:
            wait_for(never())
        finally:
            told.append("ended")

    async def scenario() -> None:
        running = run_waiting(work)
        running.send(None)
        running.close()

    asyncio.run(scenario())
    assert told == ["ended"]


def test_work_runs_in_the_context_of_its_caller() -> None:
    """Context variables are seen, before and after waiting, and what the work sets the caller sees."""

    async def scenario() -> str:
        name.set("caller")

        def work() -> str:
            before = name.get()
            wait_for(asyncio.sleep(0))
            after = name.get()
            name.set("work")
            return f"{before} {after}"

        seen = await run_waiting(work)
        return f"{seen} {name.get()}"

    assert asyncio.run(scenario()) == "caller caller work"


def test_outside_of_such_work_nothing_waits() -> None:
    """A clear error, and no complaint about a coroutine that was never awaited."""

    async def never() -> None:
        raise AssertionError

    with pytest.raises(RuntimeError, match="run_waiting"):
        wait_for(never())

    async def scenario() -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with pytest.raises(RuntimeError, match="run_waiting"):
            wait_for(done)
        assert done.cancelled()

    asyncio.run(scenario())

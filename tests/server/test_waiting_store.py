"""Work of several transactions waits for each of them in a thread, while the loop serves others, on SQLite alone."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from contextvars import ContextVar

import pytest

from livecore.kernel.storage.store import Store
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.waiting_store import WaitingStores
from tests.patience import PATIENCE_SECONDS
from tests.server.executing import SCOPE, HeldCommit, Refused, add, count, executing, refuse, tasks
from tests.stores.tables import HEROES

name: ContextVar[str] = ContextVar("name", default="nobody")


def test_each_step_is_committed_and_seen_by_the_next(store: SqliteStore) -> None:
    """Its result comes back, and it sees the context variables of whoever asked for it."""

    def work(steps: Store) -> tuple[str, int, str]:
        return steps.write(SCOPE, add("a")), steps.read(SCOPE, count), name.get()

    async def scenario() -> tuple[str, int, str]:
        name.set("somebody")
        async with executing(store) as executor:
            return await WaitingStores(executor).run(work)

    assert asyncio.run(scenario()) == ("a", 1, "somebody")


def test_what_a_step_raises_is_raised_where_it_was_asked_for(store: SqliteStore) -> None:
    """The work may catch it and go on; what it does not catch, its caller gets."""

    def work(steps: Store) -> None:
        with pytest.raises(Refused):
            steps.write(SCOPE, refuse)
        assert steps.read(SCOPE, count) == 0
        steps.write(SCOPE, add("a"))
        steps.write(SCOPE, refuse)

    async def scenario() -> int:
        async with executing(store) as executor:
            with pytest.raises(Refused):
                await WaitingStores(executor).run(work)
            return await executor.read(SCOPE, count)

    assert asyncio.run(scenario()) == 1


def test_others_are_served_while_a_step_waits(store: SqliteStore) -> None:
    """A commit that takes its time holds up nobody's reads."""
    held = HeldCommit(store)

    async def scenario() -> None:
        async with executing(store) as executor:
            (work,) = tasks(WaitingStores(executor).run(lambda steps: steps.write(SCOPE, add("a"))))
            await held.begun()
            assert await executor.read(SCOPE, count) == 0
            assert not work.done()
            held.let_go()
            assert await work == "a"

    asyncio.run(scenario())


def test_work_whose_caller_has_gone_begins_no_further_step(store: SqliteStore) -> None:
    """The step under way may still take effect, as that of every request that is cancelled; the next one does not run."""
    held = HeldCommit(store)
    ended = threading.Event()

    def work(steps: Store) -> None:
        try:
            with suppress(BaseException):
                steps.write(SCOPE, add("a"))
            steps.write(SCOPE, add("b"))
        finally:
            ended.set()

    async def scenario() -> bool:
        async with executing(store) as executor:
            (running,) = tasks(WaitingStores(executor).run(work))
            await held.begun()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            held.let_go()
            assert await asyncio.to_thread(ended.wait, PATIENCE_SECONDS)
            return await executor.read(SCOPE, lambda tx: tx.get(HEROES, "b") is not None)

    assert not asyncio.run(scenario())

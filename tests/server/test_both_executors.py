"""What a host may expect of the executor, on whichever store: tested once, over both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.ports import Executor
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import SqliteLimits
from tests.postgres import executing as on_postgres
from tests.postgres.server import fresh_database
from tests.server import executing as on_sqlite
from tests.server.executing import SCOPE, Refused, add, count, refuse, tasks
from tests.stores.tables import BY_LEVEL, STORE_TABLES

Opens: TypeAlias = Callable[[], AbstractAsyncContextManager[Executor]]


@asynccontextmanager
async def _on_file(path: Path) -> AsyncIterator[Executor]:
    async with on_sqlite.executing(SqliteStore(path, tables=STORE_TABLES), limits=SqliteLimits(units=2)) as executor:
        yield executor


@pytest.fixture(params=["sqlite", "postgres"])
def executing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opens]:
    """Opens an executor on a database of the test's own; on a file its batches are small, so that there are several."""
    if request.param == "sqlite":
        yield partial(_on_file, tmp_path / "a.db")
        return
    with fresh_database() as url:
        yield partial(on_postgres.executing, url)


def test_a_unit_that_raises_leaves_the_others_alone(executing: Opens) -> None:
    """Nothing of it is applied, everything of them is."""

    async def scenario() -> list[Any]:
        async with executing() as executor:
            works: list[Callable[[Transaction], object]] = [add("a"), refuse, add("b")]
            outcomes = await asyncio.gather(*(executor.write(SCOPE, work) for work in works), return_exceptions=True)
            assert [hero.id for hero in await executor.read(SCOPE, lambda tx: tx.scan(BY_LEVEL))] == ["a", "b"]
            return outcomes

    first, refused, last = asyncio.run(scenario())
    assert (first, last) == ("a", "b")
    assert isinstance(refused, Refused)


def test_a_refused_unit_writes_nothing_and_a_read_drops_its_writes(executing: Opens) -> None:
    """What comes after them is served as if they had not been."""

    async def scenario() -> None:
        async with executing() as executor:
            with pytest.raises(Refused):
                await executor.write(SCOPE, refuse)
            assert await executor.read(SCOPE, add("dropped")) == "dropped"
            assert await executor.write(SCOPE, add("kept")) == "kept"
            assert await executor.read(SCOPE, count) == 1
            assert await executor.scopes() == [SCOPE]

    asyncio.run(scenario())


def test_closing_finishes_what_was_accepted(executing: Opens) -> None:
    """Writes that wait are answered, new ones are refused."""

    async def scenario() -> list[str]:
        async with executing() as executor:
            accepted = tasks(*(executor.write(SCOPE, add(f"h{at}")) for at in range(5)))
            await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await executor.write(SCOPE, add("late"))
        return [task.result() for task in accepted]

    assert asyncio.run(scenario()) == [f"h{at}" for at in range(5)]


def test_nothing_waits_for_an_executor_that_nobody_has_asked(executing: Opens) -> None:
    """The queue is what readiness and metrics show."""

    async def scenario() -> None:
        async with executing() as executor:
            assert executor.queued == 0

    asyncio.run(scenario())

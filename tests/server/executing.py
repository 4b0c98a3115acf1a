"""What the executor's tests share: a commit that can be held, units that add, count and refuse, and a note of batches."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.ports import Executor
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.admission import SqliteLimits
from livecore_server.storage.sqlite.executor import SqliteExecutor
from tests.patience import PATIENCE_SECONDS
from tests.stores.tables import BY_LEVEL, HEROES, Hero

SCOPE = Scope("gam_executor", "test")


def store_of(executor: Executor) -> SqliteStore:
    """The store beneath the executor of a server on a file."""
    assert isinstance(executor, SqliteExecutor)
    return executor._store


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
        if not self._go.wait(PATIENCE_SECONDS):
            raise TimeoutError
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        self._commit()

    async def begun(self) -> None:
        """Wait until a commit is on its way."""
        assert await asyncio.to_thread(self._begun.wait, PATIENCE_SECONDS)

    def let_go(self) -> None:
        """Let this and every later commit through."""
        self._go.set()


@asynccontextmanager
async def executing(store: SqliteStore, **options: Any) -> AsyncIterator[SqliteExecutor]:  # noqa: ANN401 - passed on
    """An executor that is closed in the end, and whose batches do not end because this machine is slow."""
    limits = attrs.evolve(options.pop("limits", SqliteLimits()), run_seconds=PATIENCE_SECONDS)
    executor = SqliteExecutor(store, limits=limits, **options)
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

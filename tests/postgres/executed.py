"""The executor over PostgreSQL behind the face of a synchronous store, with the round trips of each unit counted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

import pytest
from psycopg.pq.abc import PGresult

from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.executor import PostgresExecutor

T = TypeVar("T")


class Executed(PostgresStore):
    """Runs one unit at a time on an executor, as a process does that serves one request after another.

    Reads of the directory are made as this store makes them and not counted: a process reads it from its cache.
    """

    def __init__(self, url: str, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(url)
        self.round_trips: list[int] = []
        """How many each unit took, of all since somebody last emptied it."""
        self.count = 0
        """How many the unit under way has taken."""
        self._changed = 0
        self._loop = loop
        self.executor: PostgresExecutor = self._wait(self._opened())
        """It owns the store, and closes it."""

    async def _opened(self) -> PostgresExecutor:
        return PostgresExecutor(self)

    def _wait(self, running: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(running, self._loop).result()

    def taken_rounds(self) -> int:
        """How many round trips all units have taken since this was asked last."""
        round_trips, self.round_trips = self.round_trips, []
        return sum(round_trips)

    @property
    def written(self) -> int:
        """How many rows have been written, those of the directory included."""
        return super().written + self._changed

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work`; its writes, if any, are dropped."""
        if scope == DIRECTORY:
            return super().read(scope, work)
        return self._counted(self.executor.read(scope, work))

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and make what it wrote durable, all or nothing."""

        def noted(tx: Transaction) -> T:
            result = work(tx)
            self._changed += len(tx.writes())
            return result

        return self._counted(self.executor.write(scope, noted))

    def _counted(self, running: Coroutine[Any, Any, T]) -> T:
        self.count = 0
        try:
            return self._wait(running)
        finally:
            self.round_trips.append(self.count)

    def shut(self) -> None:
        """Close the executor, and with it the store."""
        self._wait(self.executor.close())


@contextmanager
def executed(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Executed]:
    """An executor of its own over a database, on a loop in another thread."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        store = Executed(url, loop)
        ask = Connection.ask

        def counting(line: Connection, statements: Sequence[Statement]) -> Awaitable[list[PGresult]]:
            store.count += 1
            return ask(line, statements)

        monkeypatch.setattr(Connection, "ask", counting)
        try:
            yield store
        finally:
            store.shut()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

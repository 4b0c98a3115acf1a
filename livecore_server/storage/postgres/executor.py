"""The executor for PostgreSQL: units in batches that share a transaction, several batches at a time, on the loop's thread.

If the server could not serialise a batch with those of other processes, it runs again after a random wait, divided if that
may help. A conflict that remains after the last attempt is answered 503, like a unit that would wait too long. A lost
connection costs only time, unless a commit was under way: units that depend on it are answered 503 and do not run again,
because the commit may have taken effect. A retry with the same idempotency key shows whether it did.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TypeVar

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.notices import Notice, Notices
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table, TimeIndex
from livecore.kernel.time import Millis
from livecore_server.storage.due_scopes import START, DuePage, ScopePosition
from livecore_server.storage.ports import BatchObserver
from livecore_server.storage.postgres.batches.batch_scheduler import BatchScheduler, PostgresLimits
from livecore_server.storage.postgres.connections.pipeline import Lost
from livecore_server.storage.postgres.connections.query_connection import QueryConnection
from livecore_server.storage.postgres.due_scopes import DueScopes
from livecore_server.storage.postgres.reads.read_set import Hints
from livecore_server.storage.postgres.shared.directory import Directory, Uncached
from livecore_server.storage.postgres.shared.ephemeral_state import PostgresEphemeralState
from livecore_server.storage.postgres.shared.leases import Leases
from livecore_server.storage.postgres.shared.notice_channel import PostgresNotices
from livecore_server.storage.postgres.store import PostgresStore
from livecore_server.storage.postgres.units import is_storage_failure

T = TypeVar("T")


class PostgresExecutor:
    """Runs units of work over a `PostgresStore`, which it owns; `close` closes the store as well."""

    def __init__(
        self,
        store: PostgresStore,
        *,
        limits: PostgresLimits | None = None,
        observer: BatchObserver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = limits or PostgresLimits()
        self._store = store
        self._observer = observer
        connections = store.connections
        make = partial(BatchScheduler, connections, limits=limits, hints=Hints(), observer=observer, clock=clock)
        self._reading, self._writing = (
            make(writes=False),
            make(writes=True, publish=self._publish, in_doubt=store.notices.miss),
        )
        # Separate connections, so that the admission of a request does not wait for units of other requests.
        self._query_connection = QueryConnection(connections, connect_seconds=limits.connect_seconds, clock=clock)
        self._leases = Leases(connections, connect_seconds=limits.connect_seconds)
        self.ephemeral = PostgresEphemeralState(self._query_connection.ask)
        """The ephemeral state that this process shares with all others on the database."""
        self._due_scopes = DueScopes(self._query_connection.ask)
        self._directory = Directory(self._query_connection.ask, self.ephemeral)

    @property
    def queued(self) -> int:
        """How many units have been accepted and are not yet running."""
        return self._reading.queued + self._writing.queued

    @property
    def notices(self) -> Notices:
        """The subscribers of this process."""
        return self._store.notices

    def between_processes(self) -> PostgresNotices:
        """Transports notices between the processes of the database."""
        return PostgresNotices(self._store)

    def _publish(self, notices: Sequence[Notice]) -> None:
        self._store.notices.take_note(notices)
        # In the next turn of the loop, so that no answer waits for the other subscribers.
        asyncio.get_running_loop().call_soon(self._store.notices.pass_on, notices)

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on one snapshot; its writes, if any, are dropped. Rows of the directory are read from the cache."""
        if scope == DIRECTORY:
            try:
                return await self._guarded(self._directory.read(work))
            except Uncached:
                pass
        return await self._reading.submit(scope, work)

    async def read_aside(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """`read`: the database reads beside the loop in any case."""
        return await self.read(scope, work)

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a serializable transaction; return or raise once all that it wrote or saw is durable."""
        return await self._writing.submit(scope, work)

    def lease(self, scope: Scope, name: str) -> AbstractAsyncContextManager[bool]:
        """Hold a lease of a scope, among all processes, while the block runs; `False` means that another process has it."""
        return self._leases.hold(scope, name)

    async def scopes(self, tables: Iterable[Table[Any]] | None = None) -> list[Scope]:
        """Every scope that holds rows of these tables, or of any. Raises `Overloaded` while the database is away."""
        try:
            return await asyncio.to_thread(self._store.scopes, tables)
        except Exception as error:
            if not is_storage_failure(error):
                raise
        # A connection that had been idle may have ended long ago, with a restart that nobody noticed: a new one may do.
        return await self._guarded(asyncio.to_thread(self._store.scopes, tables))

    async def due_scopes(self, index: TimeIndex, until: Millis, after: ScopePosition = START) -> DuePage:
        """A page of the scopes with rows whose time comes by `until`."""
        return await self._guarded(self._due_scopes.page(index, until, after))

    async def close(self) -> None:
        """Refuse new units, finish those that were accepted, and close the store."""
        await asyncio.gather(self._reading.close(), self._writing.close())
        await self._leases.close()
        await self.ephemeral.shared_queries.close()
        await self._query_connection.close()
        self._store.close()

    async def _guarded(self, running: Awaitable[T]) -> T:
        try:
            return await running
        except Exception as error:
            away = isinstance(error, Overloaded) and isinstance(error.__cause__, Lost)
            if not away and not is_storage_failure(error):
                raise
            if self._observer is not None:
                self._observer.failed(units=1, error=error.__cause__ if away and error.__cause__ else error)
            raise Overloaded from error

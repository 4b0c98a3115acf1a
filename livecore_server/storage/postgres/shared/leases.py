"""Leases: exclusive rights of one process for a time, among all processes of a database.

    process 1   BEGIN, lock the row ──── runs due work ───────────┐ ROLLBACK
    process 2     skips it: taken        ...   skips it           └ locks it

A lease is the lock on a row, held by a transaction on its own connection that does nothing else. A process that finds it
taken does not wait (`SKIP LOCKED`). It ends with the block or with the connection: the server releases it when the process
dies, and after a minute if the process hangs (`idle_in_transaction_session_timeout`). Nothing is written or flushed.
`docs/decisions/postgres-leases.md` explains why the due rows themselves are not locked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.connection_pool import NOT_DURABLE, Connections
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Statement
from livecore_server.storage.postgres.sql.text import encoded
from livecore_server.storage.postgres.units import BEGIN_COMMITTED, COMMIT, ROLLBACK, conflict_of, is_storage_failure

_log = logging.getLogger("livecore.postgres")
LEASES_TABLE: Final = """
    CREATE UNLOGGED TABLE IF NOT EXISTS livecore_leases (
      scope TEXT COLLATE "C" NOT NULL,
      name TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (scope, name)
    )
    """
"""A row for each lease that was ever taken. The table is empty after a crash of the server; then the rows are added
again."""
_LOCK: Final = b"SELECT name FROM livecore_leases WHERE scope = $1 AND name = $2 FOR UPDATE SKIP LOCKED"
_ADD: Final = b"INSERT INTO livecore_leases (scope, name) VALUES ($1, $2) ON CONFLICT (scope, name) DO NOTHING"
_SETTINGS: Final = (NOT_DURABLE, "SET idle_in_transaction_session_timeout = '60s'")
_UNKNOWN: Final = frozenset({"0A000", "42601"})
"""A feature or a word that the engine does not have."""
_MOST: Final = 2
"""How many leases a process holds at a time; a further one waits."""


class Leases:
    """The leases of one process, on the running loop."""

    def __init__(self, connections: Connections, *, connect_seconds: float) -> None:
        self._connections = connections
        self._connect_seconds = connect_seconds
        self._room = asyncio.Semaphore(_MOST)
        self._idle: list[Connection] = []
        self._known = True
        """Whether the engine supports `SKIP LOCKED`."""

    @asynccontextmanager
    async def hold(self, scope: Scope, name: str) -> AsyncIterator[bool]:
        """Hold it while the block runs; `False`: another process has it. Raises `Overloaded` if the database is away."""
        if not self._known:
            yield True
            return
        async with self._room:
            connection = await self._connection()
            try:
                yield await self._take(connection, scope, name)
            finally:
                self._idle.append(connection)
                # The next process, here or elsewhere, must not find a lock that should already be released.
                with suppress(Lost):
                    await connection.ask([ROLLBACK])

    async def close(self) -> None:
        """Release the connections, after all leases have ended."""
        while self._idle:
            await self._connections.drop_later(self._idle.pop())

    async def _connection(self) -> Connection:
        try:
            connection = self._idle.pop() if self._idle else None
            if connection is not None and not connection.lost:
                return connection
            if connection is not None:
                await self._connections.drop_later(connection)
            return await self._connections.connection(self._connect_seconds, settings=_SETTINGS)
        except Lost as error:
            raise Overloaded from error

    async def _take(self, connection: Connection, scope: Scope, name: str) -> bool:
        row = (encoded(scope.id), encoded(name))
        try:
            if await self._lock(connection, row):
                return True
            # Either another process has it, or the row does not exist yet.
            await connection.ask([ROLLBACK, BEGIN_COMMITTED, Statement(_ADD, row), COMMIT])
            return await self._lock(connection, row)
        except Lost as error:
            raise Overloaded from error
        except Fault as fault:
            if is_storage_failure(fault):
                raise Overloaded from fault
            if fault.code in _UNKNOWN:
                _log.warning("this database has no SKIP LOCKED: each process tries all due work itself (%s)", fault)
                self._known = False
                return True
            if conflict_of(fault) is not None:
                return False
            raise

    @staticmethod
    async def _lock(connection: Connection, row: tuple[bytes, bytes]) -> bool:
        _, found = await connection.ask([BEGIN_COMMITTED, Statement(_LOCK, row)])
        return found.ntuples > 0

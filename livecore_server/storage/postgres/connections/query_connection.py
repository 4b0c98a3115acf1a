"""A connection for short queries that must not wait behind units of work: one after another, on the loop."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import Final

from psycopg.pq.abc import PGresult

from livecore.kernel.errors import Overloaded
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.connection_pool import NOT_DURABLE, Connections
from livecore_server.storage.postgres.connections.pipeline import Lost, Statement

_log = logging.getLogger("livecore.postgres")
_AWAY_SECONDS: Final = 0.25
"""How long all queries are refused after a failed connection attempt, before the next attempt."""
_FRESH_STARTS: Final = 3
"""How often a query is sent again on another connection after its connection was lost."""


class QueryConnection:
    """One connection, opened when it is needed and replaced when it is lost."""

    def __init__(
        self, connections: Connections, *, connect_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._connections = connections
        self._connect_seconds = connect_seconds
        self._clock = clock
        self._connection: Connection | None = None
        self._connecting = asyncio.Lock()
        self._away_until = -math.inf

    async def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """The results of statements that are sent in one round trip, after earlier ones.

        They are one transaction, each statement with its own snapshot; if the connection is lost before the answer, it runs
        again. A crash of the server may undo its writes. Raises `Fault`, and `Overloaded` from `Lost` if the database is
        away.
        """
        lost = Lost("")
        for _ in range(_FRESH_STARTS):
            connection = self._connection
            if connection is None or connection.lost:
                connection = await self._connected()
            try:
                return await connection.ask(statements)
            except Lost as error:
                _log.debug("a connection to the database was lost: %s", error)
                lost = error
                if error.silent:
                    break
        raise Overloaded from lost

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connections.drop_later(self._connection)
            self._connection = None

    async def _connected(self) -> Connection:
        async with self._connecting:
            connection, self._connection = self._connection, None
            if connection is not None and not connection.lost:
                self._connection = connection  # somebody else has made it meanwhile
                return connection
            if self._clock() < self._away_until:
                raise Overloaded from Lost("the database is away")
            try:
                if connection is not None:
                    await self._connections.drop_later(connection)
                self._connection = await self._connections.connection(self._connect_seconds, settings=[NOT_DURABLE])
            except Lost as error:
                self._away_until = self._clock() + _AWAY_SECONDS
                raise Overloaded from error
            return self._connection

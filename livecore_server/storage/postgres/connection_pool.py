"""The connection pool: psycopg's pool makes connections, replaces lost ones, and tries again while the server is away.

A thread, loop or store keeps its connection until it is lost or everything closes, because a unit of work takes less time
than returning a connection to the pool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from livecore_server.storage.postgres.connection import Connection
from livecore_server.storage.postgres.pipeline import Lost, Wire

__all__ = ["NOT_DURABLE", "SESSION", "Connections"]

SESSION: Final = (
    # Statements outside of units do not set an isolation level, so it must not depend on the database's default.
    "SET default_transaction_isolation = 'read committed'",
    # Every statement has an index; a table that has not been analysed yet must not be scanned, and locked, completely.
    "SET enable_seqscan = off",
    # Nor joined by a full scan.
    "SET enable_hashjoin = off",
    "SET enable_mergejoin = off",
    "SET jit = off",
    "SET plan_cache_mode = force_generic_plan",
    # No unit waits for its own process for that long, and no request for a unit. A process that hangs in the middle of one
    # (see docs/decisions/postgres-store.md) must not keep the others from committing.
    "SET idle_in_transaction_session_timeout = '10s'",
    # A statement whose caller has given up must not continue to wait for a lock.
    "SET client_connection_check_interval = '2s'",
)
"""The settings of every connection."""
NOT_DURABLE: Final = "SET synchronous_commit = off"
"""A setting for a connection whose commits need not survive a crash of the server."""
_RECONNECT_SECONDS: Final = 5.0
_KEEP_ALIVE: Final = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""With these settings the system also notices a dead network, even on an idle connection."""


class Connections:
    """At most `most` connections to the database of a URL. Opens none by itself."""

    def __init__(self, url: str, *, most: int, connect_seconds: float = 3.0) -> None:
        timeout = max(2, round(connect_seconds))
        self._url = make_conninfo(
            url, client_encoding="utf8", connect_timeout=timeout, application_name="livecore", **_KEEP_ALIVE
        )
        self._pool = ConnectionPool(
            self._url,
            min_size=0,
            max_size=most,
            open=True,
            configure=_configure,
            check=ConnectionPool.check_connection,
            kwargs={"autocommit": True},
            reconnect_timeout=_RECONNECT_SECONDS,
            name="livecore",
        )

    def first(self) -> Wire:
        """A connection at once, without retries. Raises `psycopg.OperationalError`."""
        psycopg.connect(self._url, autocommit=True).close()
        return self.take(_RECONNECT_SECONDS)

    def take(self, timeout_seconds: float) -> Wire:
        """A connection, kept until `drop`. Raises `Lost` if there is none in time."""
        return Wire(self._connection(timeout_seconds))

    async def connection(
        self,
        timeout_seconds: float,
        *,
        settings: Sequence[str] = (),
        on_notification: Callable[[str], None] | None = None,
    ) -> Connection:
        """The same for the running loop, without blocking it, and with settings of its own beside those of every connection.

        `on_notification` is called with each notification on the channels that the connection listens on.
        """
        connection = await asyncio.to_thread(self._connection, timeout_seconds)
        try:
            if settings:
                await asyncio.to_thread(_configure, connection, settings)
            return Connection(connection, on_notification=on_notification)
        except psycopg.Error as error:
            self._put_back(connection)
            raise Lost(f"a connection to the database broke: {error}") from error

    def _connection(self, timeout_seconds: float) -> psycopg.Connection[Any]:
        try:
            return self._pool.getconn(timeout_seconds)
        except (PoolTimeout, PoolClosed, TooManyRequests, psycopg.Error) as error:
            raise Lost(f"no connection to the database: {error}") from error

    def drop(self, wire: Wire) -> None:
        """Return a connection; a lost one is replaced."""
        with suppress(Lost):
            wire.release()
        self._put_back(wire.connection)

    async def drop_later(self, connection: Connection) -> None:
        """The same for a loop's connection."""
        await connection.release()
        await asyncio.to_thread(self._put_back, connection.connection)

    def _put_back(self, connection: psycopg.Connection[Any]) -> None:
        with suppress(psycopg.Error):
            self._pool.putconn(connection)

    def close(self) -> None:
        """Close the pool, after every connection has been dropped."""
        self._pool.close()


def _configure(connection: psycopg.Connection[Any], settings: Sequence[str] = SESSION) -> None:
    for text in settings:
        # An engine without such a setting does not need it.
        with suppress(
            psycopg.errors.UndefinedObject, psycopg.errors.FeatureNotSupported, psycopg.errors.InvalidParameterValue
        ):
            connection.execute(text)

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

from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.engines import EXTENSIONS, VERSION, engine_of
from livecore_server.storage.postgres.connections.pipeline import Lost, Wire

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
            configure=_begin_session,
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
        taking = asyncio.ensure_future(asyncio.to_thread(self._configured, timeout_seconds, settings))
        try:
            connection = await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The thread goes on, and what it takes from the pool has nobody any more.
            taking.add_done_callback(self._put_back_unused)
            raise
        try:
            return Connection(connection, on_notification=on_notification)
        except Exception as error:
            self._put_back(connection)
            raise Lost(f"a connection to the database broke: {error}") from error

    def _configured(self, timeout_seconds: float, settings: Sequence[str]) -> psycopg.Connection[Any]:
        connection = self._connection(timeout_seconds)
        try:
            _configure(connection, settings)
        except BaseException as error:
            self._put_back(connection)
            if isinstance(error, psycopg.Error):
                raise Lost(f"a connection to the database broke: {error}") from error
            raise
        return connection

    def _put_back_unused(self, taking: asyncio.Future[psycopg.Connection[Any]]) -> None:
        if not taking.cancelled() and taking.exception() is None:
            self._put_back(taking.result())

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


# What a database or an engine does not have, and then does not need.
_UNKNOWN: Final = (
    psycopg.errors.UndefinedObject,
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.FeatureNotSupported,
    psycopg.errors.InvalidParameterValue,
)


def _begin_session(connection: psycopg.Connection[Any]) -> None:
    """Ask a new connection what it is connected to, and give it the settings for that."""
    extensions: set[str] = set()
    ((version,),) = connection.execute(VERSION).fetchall()
    with suppress(*_UNKNOWN):
        extensions = {name for (name,) in connection.execute(EXTENSIONS).fetchall()}
    _configure(connection, engine_of(version, extensions).session)


def _configure(connection: psycopg.Connection[Any], settings: Sequence[str]) -> None:
    for text in settings:
        with suppress(*_UNKNOWN):
            connection.execute(text)

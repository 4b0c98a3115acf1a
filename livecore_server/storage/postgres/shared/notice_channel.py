"""Notices between the processes on one PostgreSQL database, over one connection of each process.

The connection listens, and sends the notices of this process. The queue for sending is bounded. If it is full, or the
connection breaks, notices are lost, and both sides are informed: the subscribers here, because they may have missed notices
of others, and those of the other processes as soon as there is a connection again. With an engine without LISTEN notices
stay within each process, and the log says so once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from livecore.kernel.storage.notices import Notice
from livecore_server.storage.notice_texts import lost_text, parse_text, texts_of
from livecore_server.storage.postgres.connections.connection_pool import NOT_DURABLE
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Statement
from livecore_server.storage.postgres.shared.notify import LISTEN, MOST_TEXT_BYTES, notify
from livecore_server.storage.postgres.units import is_storage_failure
from livecore_server.waiting import wait_for_event

if TYPE_CHECKING:
    from livecore_server.storage.postgres.connections.connection import Connection
    from livecore_server.storage.postgres.store import PostgresStore


_log = logging.getLogger("livecore.postgres")
_MOST_WAITING: Final = 10_000
_AT_ONCE: Final = 200
"""How many notices are sent in one round trip."""
_CONNECT_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 5.0
"""How often an idle connection is checked."""
_UNLISTEN: Final = Statement(b"UNLISTEN *")
_ALIVE: Final = Statement(b"SELECT 1")


class PostgresNotices:
    """Transports the notices of one process, while `run` runs on the event loop."""

    def __init__(self, store: PostgresStore, *, again_seconds: float = 1.0) -> None:
        self._store = store
        self._again_seconds = again_seconds
        self._waiting: deque[Notice] = deque()
        self._lost = False
        """Whether notices of this process were lost for the others."""
        self._wake = asyncio.Event()
        self.listening = asyncio.Event()
        """Set while the process receives the notices of the others."""

    async def run(self) -> None:
        """Transport notices until cancelled, and send those that wait; returns if the engine does not support it."""
        self._store.notices.relay = self._send
        try:
            while await self._serve():
                self._store.notices.miss()
                await asyncio.sleep(self._again_seconds)
        finally:
            self._store.notices.relay = None

    def _send(self, notices: Sequence[Notice]) -> None:
        """Queue notices for sending; they are lost if there is no connection, or if too many wait."""
        if not self.listening.is_set() or len(self._waiting) + len(notices) > _MOST_WAITING:
            self._waiting.clear()
            self._lost = True
            return
        self._waiting.extend(notices)
        self._wake.set()

    async def _serve(self) -> bool:
        """Connect, and transport notices until the connection breaks; `False` means that the engine does not support it."""
        connection: Connection | None = None
        try:
            connection = await self._connected()
            await connection.ask([LISTEN])
            # Earlier subscribers may have missed notices; from here on none are missed.
            self.listening.set()
            self._store.notices.miss()
            try:
                while True:
                    await self._carry(connection)
            except asyncio.CancelledError:
                await self._send_rest(connection)
                raise
        except Lost:
            return True
        except Fault as fault:
            if is_storage_failure(fault):
                return True
            _log.warning("this database has no LISTEN: notices stay within each process (%s)", fault)
            return False
        finally:
            self.listening.clear()
            self._lost = self._lost or bool(self._waiting)
            self._waiting.clear()
            if connection is not None:
                with suppress(Lost, Fault):
                    await connection.ask([_UNLISTEN])
                await self._store.connections.drop_later(connection)

    async def _connected(self) -> Connection:
        """A listening connection. Raises `Lost`. After a cancellation a connection that still arrives is returned."""
        connections = self._store.connections
        connecting = asyncio.ensure_future(
            connections.connection(_CONNECT_SECONDS, settings=[NOT_DURABLE], on_notification=self._receive)
        )
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            with suppress(Lost):
                await connections.drop_later(await connecting)
            raise

    async def _carry(self, connection: Connection) -> None:
        """Send waiting notices, or check an idle connection after a while. Raises `Lost`, `Fault`."""
        await wait_for_event(self._wake, _LOOK_SECONDS)
        self._wake.clear()
        await self._send_some(connection)
        if self._waiting:
            self._wake.set()

    async def _send_rest(self, connection: Connection) -> None:
        with suppress(Lost, Fault):
            while self._waiting or self._lost:
                await self._send_some(connection)

    async def _send_some(self, connection: Connection) -> None:
        """Send the oldest waiting notices, if any, in one round trip. Raises `Lost`, `Fault`."""
        statements = [_ALIVE]
        if self._lost:
            statements.append(notify(lost_text(self._store.source)))
        some = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
        statements += [notify(text) for text in texts_of(self._store.source, some, MOST_TEXT_BYTES)]
        lost, self._lost = self._lost, False
        try:
            await connection.ask(statements)
        except (Lost, Fault):
            self._lost = lost or bool(some)
            raise

    def _receive(self, text: str) -> None:
        received = parse_text(text)
        if received is None or received.source == self._store.source:
            return
        if received.lost:
            self._store.notices.miss()
        else:
            self._store.notices.deliver(received.notices)

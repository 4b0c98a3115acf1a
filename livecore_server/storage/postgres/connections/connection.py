"""An asynchronous connection to PostgreSQL: it sends statements at once, and the event loop receives the answers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import psycopg
from psycopg.pq import ConnStatus
from psycopg.pq.abc import PGresult

from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Pipeline, Statement, checked

_Answer: TypeAlias = "asyncio.Future[list[PGresult]]"


class Connection(Pipeline):
    """A connection that belongs to the running loop."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        *,
        patience_seconds: float = 5.0,
        on_notification: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(connection, patience_seconds=patience_seconds)
        self._on_notification = on_notification
        self._loop = asyncio.get_running_loop()
        self._asked: deque[tuple[int, _Answer] | None] = deque()
        """For each open pipeline: the future that waits for it, if any, and how many first results do not belong to it."""
        self._pending: list[Statement] = []
        self._socket = self._pg.socket
        self._patience: asyncio.TimerHandle | None = None
        self._writing = False
        self._reading = True
        self._loop.add_reader(self._socket, self._read)

    def ask(self, statements: Sequence[Statement]) -> asyncio.Future[list[PGresult]]:
        """Send statements in one round trip; the future has one result for each.

        It raises `Fault` for the first one that the server refuses, after which no further ones run; and `Lost`.
        """
        answer: _Answer = self._loop.create_future()
        pending, self._pending = self._pending, []
        self._begin([*pending, *statements], (len(pending), answer))
        return answer

    def post(self, statement: Statement) -> None:
        """Send a statement that cannot fail, together with the next `ask` in this turn of the loop, or else at its end."""
        if not self._pending:
            self._loop.call_soon(self._send_pending)
        self._pending.append(statement)

    def _send_pending(self) -> None:
        pending, self._pending = self._pending, []
        if pending and not self.lost:
            self._begin(pending, None)

    async def release(self) -> None:
        """Return the connection to psycopg, in its original state."""
        try:
            await self.ask(())
        except Lost:
            return
        self._stop_reading()
        self._leave_pipeline()

    def close(self) -> None:
        """Close the connection; all waiters get `Lost`."""
        self._stop_reading()
        self._stop_writing()
        self._stop_timer()
        super().close()

    def _begin(self, statements: Sequence[Statement], asked: tuple[int, _Answer] | None) -> None:
        self._asked.append(asked)
        try:
            more = self._send_unless_lost(statements)
        except Lost as error:
            self._fail(error)
            return
        except Exception as error:
            # Perhaps a part of it has been sent, so from here on no answer could be told from another.
            self._asked.pop()
            self._fail(self._gone(f"a statement could not be sent: {error}"))
            raise
        if more and not self._writing:
            self._writing = True
            self._loop.add_writer(self._socket, self._write)
        self._restart_timer()

    def _send_unless_lost(self, statements: Sequence[Statement]) -> bool:
        if self.lost:
            raise self._gone("the server closed the connection")
        return self._send(statements)

    # -- called by the loop

    def _write(self) -> None:
        try:
            self._pg.consume_input()
            if not self._pg.flush():
                self._stop_writing()
        except psycopg.OperationalError as error:
            self._fail(self._gone(str(error)))

    def _read(self) -> None:
        try:
            self._pg.consume_input()
            while self._sent and (results := self._receive()) is not None:
                self._answer(results)
            while self._on_notification is not None and (notify := self._pg.notifies()) is not None:
                self._on_notification(notify.extra.decode("utf-8", "replace"))
        except Lost as error:
            self._fail(error)
        except psycopg.OperationalError as error:
            self._fail(self._gone(str(error)))
        else:
            self._stop_timer()
            if self._sent:
                self._restart_timer()
            elif self._pg.status != ConnStatus.OK:
                self._fail(self._gone("the server closed the connection"))

    def _answer(self, results: list[PGresult]) -> None:
        asked = self._asked.popleft()
        if asked is None or asked[1].done():
            return
        others, answer = asked
        try:
            answer.set_result(checked(results)[others:])
        except Fault as fault:
            answer.set_exception(fault)

    def _time_out(self) -> None:
        self._patience = None
        self._fail(self._gone("the server does not answer", silent=True))

    def _fail(self, error: Lost) -> None:
        """Fail all waiters."""
        self._stop_timer()
        asked = [answer for _, answer in filter(None, self._asked)]
        self._asked.clear()
        for answer in asked:
            if not answer.done():
                answer.set_exception(error)

    def _stop_reading(self) -> None:
        # Also if libpq has closed its socket: the next connection may get a socket with the same number.
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._socket)

    def _stop_writing(self) -> None:
        if self._writing:
            self._writing = False
            self._loop.remove_writer(self._socket)

    def _restart_timer(self) -> None:
        if self._patience is None:
            self._patience = self._loop.call_later(self._patience_seconds, self._time_out)

    def _stop_timer(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

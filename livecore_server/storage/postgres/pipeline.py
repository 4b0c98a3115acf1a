"""One connection to PostgreSQL, spoken to in pipelines: any number of statements, one round trip.

psycopg opens the connection and binds libpq; from there this file speaks libpq itself (`psycopg.pq`), because a unit of work
is a handful of tiny statements, and the work around each of them is what a request costs. Measured on a transaction of three
look-ups: 250 µs and 100 µs of processor through cursors in psycopg's pipeline mode, 100 µs and 20 µs so.

Every statement is prepared the first time it is sent; parameters and results are text, the parameters' types are the
server's to infer. A `Wire` blocks its thread while it waits, which lets go of the interpreter; the server's units of work
go over a `livecore_server.storage.postgres.connection.Connection`, for which an event loop waits.

    rows, none = wire.ask([Statement(b"SELECT ...", (b"a",)), Statement(b"UPDATE ...", (b"b",))])
"""

from __future__ import annotations

import itertools
import select
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import attrs
import psycopg
from psycopg import pq
from psycopg.pq.abc import PGconn, PGresult

__all__ = ["Fault", "Lost", "Parameters", "Pipeline", "Statement", "Wire", "checked"]

Parameters: TypeAlias = "tuple[bytes | None, ...]"

_READ: Final = select.POLLIN
_BOTH: Final = select.POLLIN | select.POLLOUT
_FINE: Final = frozenset({pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK})
_numbers = itertools.count()
"""Names of prepared statements: none twice, because a connection that is given back keeps those that it has."""
_LAST_WORDS: Final = ("FATAL", "PANIC")


class Fault(Exception):
    """The server refused a statement; `code` is its SQLSTATE, `constraint` and `table` name what it broke."""

    def __init__(self, code: str, message: str, constraint: str = "", table: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.constraint = constraint
        self.table = table


class Lost(Exception):
    """The connection is gone; `refused` says that the server itself has ended it, before the statements under way.

    Otherwise what was under way has failed, unless it was a commit: of that one cannot know. `silent` says that the server
    did not answer in time: to ask it again at once would take as long again.
    """

    def __init__(self, why: str, *, refused: bool = False, silent: bool = False) -> None:
        super().__init__(why)
        self.refused = refused
        self.silent = silent


@attrs.frozen(slots=True)
class Statement:
    """One statement with its parameters, as bytes."""

    sql: bytes
    parameters: Parameters = ()


class Pipeline:
    """A connection in pipeline mode: what is sent over it and what comes back. Waiting is left to those who use it."""

    def __init__(self, connection: psycopg.Connection[Any], *, patience_seconds: float = 30.0) -> None:
        self.connection = connection
        self.written = 0
        """How many rows have been written and committed over this connection."""
        self.commit_seconds = 0.0
        """How long the latest commit took, with the writes that were sent along with it."""
        self._pg: PGconn = connection.pgconn
        self._patience_seconds = patience_seconds
        self._names: dict[bytes, bytes] = {}
        self._sent: deque[list[bytes | None]] = deque()
        """For each pipeline under way what each of its results is of: the text being prepared, or `None` for a statement."""
        self._received: list[PGresult] = []
        """What has come of the oldest pipeline, that of preparing left out."""
        self._answers = 0
        """How many results of the oldest pipeline have come."""
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    @property
    def lost(self) -> bool:
        """Whether the connection is known to be gone."""
        return self.connection.closed

    def _leave_pipeline(self) -> None:
        """Leave the connection to psycopg, as it was; everything that was sent has been answered."""
        self._pg.exit_pipeline_mode()
        self._pg.nonblocking = 0

    def _send(self, statements: Sequence[Statement]) -> bool:
        """Send statements as one pipeline; whether some of it has still to be flushed. Raises `Lost`."""
        pg, names = self._pg, self._names
        awaited: list[bytes | None] = []
        try:
            for statement in statements:
                name = names.get(statement.sql)
                if name is None:
                    name = names[statement.sql] = b"s%d" % next(_numbers)
                    pg.send_prepare(name, statement.sql)
                    awaited.append(statement.sql)
                pg.send_query_prepared(name, statement.parameters)
                awaited.append(None)
            pg.pipeline_sync()
            self._sent.append(awaited)
            return bool(pg.flush())
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error

    def _receive(self) -> list[PGresult] | None:
        """The results of the oldest pipeline, as soon as all of them have come; does not wait. Raises `Lost`."""
        awaited = self._sent[0]
        while (result := self._next()) is not None:
            if self._answers == len(awaited):
                if result.status != pq.ExecStatus.PIPELINE_SYNC:
                    raise self._gone("the server and we have lost count of each other")
                received, self._received, self._answers = self._received, [], 0
                self._sent.popleft()
                return received
            text = awaited[self._answers]
            self._answers += 1
            if text is None:
                self._received.append(result)
            elif result.status not in _FINE:
                del self._names[text]
                self._received.append(result)
        return None

    def _next(self) -> PGresult | None:
        """The next result, if it is there."""
        pg = self._pg
        result: PGresult | None = None
        try:
            while result is None:
                if pg.is_busy():
                    return None
                result = pg.get_result()
                if result is None and pg.status == pq.ConnStatus.BAD:
                    raise self._gone("the server closed the connection")
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error
        if result.status == pq.ExecStatus.FATAL_ERROR and _is_last_word(result):
            # Answers come in order: what the server has not answered before its last word, it has not done.
            said = result.error_field(pq.DiagnosticField.SQLSTATE) is not None
            raise self._gone(result.error_message.decode("utf-8", "replace").strip(), refused=said)
        return result

    def _gone(self, why: str, *, refused: bool = False, silent: bool = False) -> Lost:
        self.close()
        return Lost(why, refused=refused, silent=silent)


class Wire(Pipeline):
    """A connection whose user waits. It belongs to one thread at a time."""

    def __init__(self, connection: psycopg.Connection[Any], *, patience_seconds: float = 30.0) -> None:
        super().__init__(connection, patience_seconds=patience_seconds)
        self._poll = select.poll()
        self._poll.register(self._pg.socket, _READ)

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """Send statements in one round trip; gives one result for each.

        Raises `Fault` for the first one that the server refuses, those after it are not run; and `Lost`.
        """
        self.tell(statements)
        while len(self._sent) > 1:
            self._await()
        return checked(self._await())

    def tell(self, statements: Sequence[Statement]) -> None:
        """Send statements without waiting for them; what became of them is read, and forgotten, at the next `ask`."""
        more = self._send(statements)
        try:
            while more:
                self._wait(_BOTH)
                self._pg.consume_input()
                more = bool(self._pg.flush())
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error

    def settle(self) -> None:
        """Read what became of everything that was told."""
        while self._sent:
            self._await()

    def release(self) -> None:
        """Leave the connection to psycopg, as it was. Raises `Lost`."""
        if not self.lost:
            self.settle()
            self._leave_pipeline()

    def _await(self) -> list[PGresult]:
        try:
            while (results := self._receive()) is None:
                self._wait(_READ)
                self._pg.consume_input()
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error
        return results

    def _wait(self, events: int) -> None:
        self._poll.modify(self._pg.socket, events)
        if not self._poll.poll(round(self._patience_seconds * 1000)):
            raise psycopg.OperationalError("the server does not answer")


def checked(results: list[PGresult]) -> list[PGresult]:
    """The results of a pipeline. Raises `Fault` for the first one that the server refused."""
    for result in results:
        if result.status not in _FINE:
            raise _fault(result)
    return results


def _is_last_word(result: PGresult) -> bool:
    """Whether the server has ended the session with this, or libpq has found it ended."""
    severity = result.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED)
    return severity is None or severity.decode() in _LAST_WORDS


def _fault(result: PGresult) -> Fault:
    def field(name: pq.DiagnosticField) -> str:
        return (result.error_field(name) or b"").decode("utf-8", "replace")

    return Fault(
        field(pq.DiagnosticField.SQLSTATE),
        field(pq.DiagnosticField.MESSAGE_PRIMARY),
        field(pq.DiagnosticField.CONSTRAINT_NAME),
        field(pq.DiagnosticField.TABLE_NAME),
    )

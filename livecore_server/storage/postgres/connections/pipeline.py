"""One connection to PostgreSQL in pipeline mode: any number of statements in one round trip.

psycopg opens the connection and binds libpq; then this file uses libpq directly (`psycopg.pq`), because a unit of work has
a few small statements, and the overhead of each statement determines the cost of a request. Measured with a transaction of
three look-ups: 250 µs and 100 µs of processor time with cursors in psycopg's pipeline mode, 100 µs and 20 µs here.

Every statement is prepared the first time it is sent; parameters and results are text, the parameters' types are the
server's to infer. A `Wire` blocks its thread while it waits, and releases the interpreter lock. The server's units of work
use a `livecore_server.storage.postgres.connections.connection.Connection`, for which an event loop waits.

    rows, none = wire.ask([Statement(b"SELECT ...", (b"a",)), Statement(b"UPDATE ...", (b"b",))])
"""

from __future__ import annotations

import itertools
import select
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import attrs
import psycopg
from psycopg import pq
from psycopg.pq.abc import PGconn, PGresult

Parameters: TypeAlias = "tuple[bytes | None, ...]"

_FINE: Final = frozenset({pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK})
_numbers = itertools.count()
"""Names of prepared statements, unique in the process, because a returned connection keeps its statements."""
_LAST_WORDS: Final = ("FATAL", "PANIC")


class Fault(Exception):
    """The server refused a statement; `code` is its SQLSTATE, `constraint` and `table` name what it broke."""

    def __init__(self, code: str, message: str, constraint: str = "", table: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.constraint = constraint
        self.table = table


class Lost(Exception):
    """The connection is lost; `refused` says that the server itself has ended it, before the current statements.

    Otherwise the current statements have failed, except a commit, whose result is unknown. `silent` says that the server
    did not answer in time: another attempt would take as long again.
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
    """A connection in pipeline mode: sending and receiving. Subclasses implement the waiting."""

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
        """For each open pipeline, the source of each result: the text being prepared, or `None` for a statement."""
        self._received: list[PGresult] = []
        """The received results of the oldest pipeline, without those of preparing."""
        self._answers = 0
        """How many results of the oldest pipeline have been received."""
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    @property
    def lost(self) -> bool:
        """Whether the connection is known to be lost."""
        return self.connection.closed

    def _leave_pipeline(self) -> None:
        """Return the connection to psycopg in its original state, after all statements were answered."""
        self._pg.exit_pipeline_mode()
        self._pg.nonblocking = 0

    def _send(self, statements: Sequence[Statement]) -> bool:
        """Send statements as one pipeline; returns whether some bytes must still be flushed. Raises `Lost`."""
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
        """The results of the oldest pipeline if all of them have been received; does not wait. Raises `Lost`."""
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
        """The next result, if it has been received."""
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
            # Answers arrive in order: statements that the server has not answered before it ended the session have not run.
            said = result.error_field(pq.DiagnosticField.SQLSTATE) is not None
            raise self._gone(result.error_message.decode("utf-8", "replace").strip(), refused=said)
        return result

    def _gone(self, why: str, *, refused: bool = False, silent: bool = False) -> Lost:
        self.close()
        return Lost(why, refused=refused, silent=silent)


class Wire(Pipeline):
    """A blocking connection. One thread at a time may use it."""

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """Send statements in one round trip; returns one result for each.

        Raises `Fault` for the first one that the server refuses, after which no further ones run; and `Lost`.
        """
        self.post(statements)
        while len(self._sent) > 1:
            self._await()
        return checked(self._await())

    def post(self, statements: Sequence[Statement]) -> None:
        """Send statements without waiting; their results are read and dropped at the next `ask`."""
        more = self._send(statements)
        try:
            while more:
                self._wait(to_write=True)
                self._pg.consume_input()
                more = bool(self._pg.flush())
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error

    def settle(self) -> None:
        """Read the results of all statements sent by `post`."""
        while self._sent:
            self._await()

    @contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """Wait so long for each answer meanwhile."""
        before, self._patience_seconds = self._patience_seconds, seconds
        try:
            yield
        finally:
            self._patience_seconds = before

    def release(self) -> None:
        """Leave the connection to psycopg, as it was. Raises `Lost`."""
        if not self.lost:
            self.settle()
            self._leave_pipeline()

    def _await(self) -> list[PGresult]:
        try:
            while (results := self._receive()) is None:
                self._wait()
                self._pg.consume_input()
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error
        return results

    def _wait(self, *, to_write: bool = False) -> None:
        if not _becomes_ready(self._pg.socket, self._patience_seconds, to_write=to_write):
            raise psycopg.OperationalError("the server does not answer")


if sys.platform == "win32":

    def _becomes_ready(number: int, seconds: float, *, to_write: bool) -> bool:
        """Wait until a socket can be read or, with `to_write`, also written; its number may be of any size here."""
        return any(select.select([number], [number] if to_write else [], [], seconds))
else:

    def _becomes_ready(number: int, seconds: float, *, to_write: bool) -> bool:
        """Wait until a socket can be read or, with `to_write`, also written."""
        poll = select.poll()
        poll.register(number, select.POLLIN | select.POLLOUT if to_write else select.POLLIN)
        return bool(poll.poll(round(seconds * 1000)))


def checked(results: list[PGresult]) -> list[PGresult]:
    """The results of a pipeline. Raises `Fault` for the first one that the server refused."""
    for result in results:
        if result.status not in _FINE:
            raise _fault(result)
    return results


def _is_last_word(result: PGresult) -> bool:
    """Whether this result means that the session has ended."""
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

"""One connection to PostgreSQL, spoken to in pipelines: any number of statements, one round trip.

psycopg opens the connection and binds libpq; from there this file speaks libpq itself (`psycopg.pq`), because a unit of work
is a handful of tiny statements, and the work around each of them is what a request costs. Measured on a transaction of three
look-ups: 250 µs and 100 µs of processor through cursors in psycopg's pipeline mode, 100 µs and 20 µs so.

Every statement is prepared the first time it is sent; parameters and results are text, the parameters' types are the
server's to infer. Waiting lets go of the interpreter, so that a thread that waits for the database stops nobody.

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

__all__ = ["Fault", "Lost", "Parameters", "Statement", "Wire"]

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

    Otherwise what was under way has failed, unless it was a commit: of that one cannot know.
    """

    def __init__(self, why: str, *, refused: bool = False) -> None:
        super().__init__(why)
        self.refused = refused


@attrs.frozen(slots=True)
class Statement:
    """One statement with its parameters, as bytes."""

    sql: bytes
    parameters: Parameters = ()


class Wire:
    """A connection in pipeline mode. It belongs to one thread at a time."""

    def __init__(self, connection: psycopg.Connection[Any], *, patience_seconds: float = 30.0) -> None:
        self.connection = connection
        self._pg: PGconn = connection.pgconn
        self._patience_ms = round(patience_seconds * 1000)
        self.written = 0
        """How many rows have been written and committed over this connection."""
        self.commit_seconds = 0.0
        """How long the latest commit took, with the writes that were sent along with it."""
        self._names: dict[bytes, bytes] = {}
        self._sent: deque[list[bytes | None]] = deque()
        """For each pipeline under way what each of its results is of: the text being prepared, or `None` for a statement."""
        self._poll = select.poll()
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()
        self._poll.register(self._pg.socket, _READ)

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """Send statements in one round trip; gives one result for each.

        Raises `Fault` for the first one that the server refuses, those after it are not run; and `Lost`.
        """
        self._send(statements)
        while len(self._sent) > 1:
            self._receive()
        results = self._receive()
        for result in results:
            if result.status not in _FINE:
                raise _fault(result)
        return results

    def tell(self, statements: Sequence[Statement]) -> None:
        """Send statements without waiting for them; what became of them is read, and forgotten, at the next `ask`."""
        self._send(statements)

    def settle(self) -> None:
        """Read what became of everything that was told."""
        while self._sent:
            self._receive()

    def release(self) -> None:
        """Leave the connection to psycopg, as it was. Raises `Lost`."""
        if not self.lost:
            self.settle()
            self._pg.exit_pipeline_mode()
            self._pg.nonblocking = 0

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    @property
    def lost(self) -> bool:
        """Whether the connection is known to be gone."""
        return self.connection.closed

    # -- sending

    def _send(self, statements: Sequence[Statement]) -> None:
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
            while pg.flush():
                self._wait(_BOTH)
                pg.consume_input()
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error
        self._sent.append(awaited)

    # -- receiving

    def _receive(self) -> list[PGresult]:
        """The results of the oldest pipeline, those of preparing left out."""
        awaited = self._sent.popleft()
        results: list[PGresult] = []
        for text in awaited:
            result = self._next()
            if text is None:
                results.append(result)
            elif result.status not in _FINE:
                del self._names[text]
                results.append(result)
        if self._next().status != pq.ExecStatus.PIPELINE_SYNC:
            raise self._gone("the server and we have lost count of each other")
        return results

    def _next(self) -> PGresult:
        pg = self._pg
        try:
            while True:
                while pg.is_busy():
                    self._wait(_READ)
                    pg.consume_input()
                result = pg.get_result()
                if result is not None:
                    break
                if pg.status == pq.ConnStatus.BAD:
                    raise self._gone("the server closed the connection")
        except psycopg.OperationalError as error:
            raise self._gone(str(error)) from error
        if result.status == pq.ExecStatus.FATAL_ERROR and _is_last_word(result):
            # Answers come in order: what the server has not answered before its last word, it has not done.
            said = result.error_field(pq.DiagnosticField.SQLSTATE) is not None
            raise self._gone(result.error_message.decode("utf-8", "replace").strip(), refused=said)
        return result

    def _wait(self, events: int) -> None:
        self._poll.modify(self._pg.socket, events)
        if not self._poll.poll(self._patience_ms):
            raise psycopg.OperationalError("the server does not answer")

    def _gone(self, why: str, *, refused: bool = False) -> Lost:
        self.close()
        return Lost(why, refused=refused)


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

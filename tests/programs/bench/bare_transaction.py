"""The yardstick of the PostgreSQL store: a loop of transactions with as many statements as a request's, and nothing else.

What is counted is what the store really sends: the statements of one request of each scenario. The loop then runs as many
reads by key and as many inserts, and a commit, over the same driver (libpq, through psycopg), at the same isolation level,
with as many connections as the server has. Reads travel in one round trip and writes with the commit in another, which is
the least there is. So the difference between the two is what the game costs: its rules, validation, HTTP, and round trips
that depend on one another.
"""

from __future__ import annotations

import selectors
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any, Final
from unittest.mock import patch

import attrs
import psycopg
from psycopg import pq

from livecore_server.storage.postgres.connections.pipeline import Statement, Wire
from tests.programs.bench.databases import Database

_WRITERS: Final = (b"INSERT", b"UPDATE", b"DELETE")
_ROWS: Final = 20_000
_BEGIN_READ: Final = (b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", ())
_BEGIN_WRITE: Final = (b"BEGIN ISOLATION LEVEL SERIALIZABLE", ())
_COMMIT: Final = (b"COMMIT", ())
_ROLLBACK: Final = (b"ROLLBACK", ())
_SCHEMA: Final = f"""
CREATE TABLE bench_rows (scope text NOT NULL, id text NOT NULL, body text NOT NULL, PRIMARY KEY (scope, id));
INSERT INTO bench_rows SELECT 'bench', 'row-' || n, repeat('x', 150) FROM generate_series(1, {_ROWS}) AS n;
CREATE TABLE bench_new (scope text NOT NULL, id text NOT NULL, body text NOT NULL, PRIMARY KEY (scope, id));
ANALYZE bench_rows;
"""  # noqa: S608 - numbers of ours
_READ: Final = b"SELECT id, body FROM bench_rows WHERE scope = $1 AND id = $2"
_WRITE: Final = b"INSERT INTO bench_new (scope, id, body) VALUES ($1, $2, $3)"
_AGAIN: Final = frozenset({b"40001", b"40P01", b"53200"})
"""Not serialisable with another transaction, or no room to watch it: it runs again."""
_Statement = tuple[bytes, tuple[bytes, ...]]


@attrs.frozen
class Statements:
    """How many statements a transaction has, those that begin and end it left out."""

    reads: int
    writes: int


@contextmanager
def counted() -> Iterator[Counter[bytes]]:
    """Counts, by their first word, the statements that this process sends meanwhile."""
    seen: Counter[bytes] = Counter()
    ask = Wire.ask

    def counting(wire: Wire, statements: Sequence[Statement]) -> Any:  # noqa: ANN401 - passed on as it is
        seen.update(statement.sql.split(maxsplit=1)[0] for statement in statements)
        return ask(wire, statements)

    with patch.object(Wire, "ask", counting):
        yield seen


def statements_in(seen: Counter[bytes]) -> Statements:
    """The counts as reads and writes."""
    return Statements(seen[b"SELECT"], sum(seen[word] for word in _WRITERS))


def transactions_per_second(database: Database, statements: Statements, *, connections: int, count: int) -> float:
    """Run `count` transactions, as many at a time as there are connections."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bench_rows, bench_new")
        connection.execute(_SCHEMA)
    numbers = iter(range(count))
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        made = [
            stack.enter_context(closing(psycopg.connect(database.url, autocommit=True))) for _ in range(connections)
        ]
        lanes = [_Lane(connection.pgconn, lambda: next(numbers, None), statements) for connection in made]
        started = time.perf_counter()
        for lane in lanes:
            selector.register(lane.pg.socket, selectors.EVENT_READ, lane)
            lane.next_transaction()
        while any(lane.busy for lane in lanes):
            for key, _ in selector.select(30):
                key.data.readable()
        return count / (time.perf_counter() - started)


class _Lane:
    """One connection, and the transaction that it is running."""

    def __init__(self, pg: pq.abc.PGconn, take: Callable[[], int | None], statements: Statements) -> None:
        self.pg = pg
        self.busy = True
        self._take = take
        self._statements = statements
        self._prepared: dict[bytes, bytes] = {}
        self._steps: list[list[_Statement]] = []
        self._number = 0
        self._conflicted = False
        pg.nonblocking = 1
        pg.enter_pipeline_mode()

    def next_transaction(self) -> None:
        """Begin another one, if there is any left."""
        number = self._take()
        if number is None:
            self.busy = False
        else:
            self._number = number
            self._begin()

    def _begin(self) -> None:
        self._steps = self._transaction()
        self._send(self._steps.pop(0))

    def _transaction(self) -> list[list[_Statement]]:
        reads, writes = _reads(self._number, self._statements.reads), _writes(self._number, self._statements.writes)
        return [[_BEGIN_WRITE, *reads], [*writes, _COMMIT]] if writes else [[_BEGIN_READ, *reads, _COMMIT]]

    def _send(self, statements: list[_Statement]) -> None:
        for sql, parameters in statements:
            name = self._prepared.get(sql)
            if name is None:
                name = self._prepared[sql] = b"b%d" % len(self._prepared)
                self.pg.send_prepare(name, sql)
            self.pg.send_query_prepared(name, parameters)
        self.pg.pipeline_sync()
        while self.pg.flush():
            pass

    def readable(self) -> None:
        """Take what has come; go on with the next step when all of this one has."""
        pg = self.pg
        pg.consume_input()
        while not pg.is_busy():
            result = pg.get_result()
            if result is None:
                continue
            if result.status == pq.ExecStatus.PIPELINE_SYNC:
                self._step_ended()
                return
            if result.status == pq.ExecStatus.FATAL_ERROR:
                if result.error_field(pq.DiagnosticField.SQLSTATE) not in _AGAIN:
                    raise RuntimeError(result.error_message.decode())
                self._conflicted = True

    def _step_ended(self) -> None:
        if self._conflicted:
            # As the store does: what could not be serialised with others runs again as a whole.
            self._conflicted = False
            self._steps = self._transaction()
            self._send([_ROLLBACK])
        elif self._steps:
            self._send(self._steps.pop(0))
        else:
            self.next_transaction()


def _reads(number: int, count: int) -> list[_Statement]:
    return [(_READ, (b"bench", b"row-%d" % ((number * 31 + at * 977) % _ROWS + 1))) for at in range(count)]


def _writes(number: int, count: int) -> list[_Statement]:
    return [(_WRITE, (b"bench", b"new-%d-%d" % (number, at), b"x" * 150)) for at in range(count)]

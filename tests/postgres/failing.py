"""A server that cannot serialise: each unit is refused at its first statement, then at its second, and so on to its commit.

So one sequence of requests meets a failure at every statement that it ever sends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import pytest
from psycopg.pq.abc import PGresult

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.postgres import store as store_module
from livecore_server.storage.postgres import units
from livecore_server.storage.postgres.connections.pipeline import Fault, Statement, Wire

T = TypeVar("T")
_CODES = ("40001", "40P01")
_ATTEMPTS = 300
"""A unit needs one more than it has statements, which are fewer than a hundred. One whose rows cannot be written, because of
a value that is taken, uses them all up before it is told so."""


class Failures:
    """Counts, and refuses."""

    def __init__(self) -> None:
        self.raised = 0
        self.most_in_a_unit = 0
        self._work: object = None
        self._run = 0
        self._left: int | None = None
        self._planted = False
        self._ask = Wire.ask
        self._write_unit = units.write_unit
        self._wait_before_retry = store_module.wait_before_retry

    def write_unit(self, wire: Wire, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """The first run of a unit fails at its first statement, each further one a statement later."""
        self._run = self._run + 1 if work is self._work else 1
        self._work = work
        self._left = self._run
        try:
            return self._write_unit(wire, scope, work)
        finally:
            self._left = None

    def ask(self, wire: Wire, statements: Sequence[Statement]) -> list[PGresult]:
        """What comes before the statement that fails has reached the server; what comes after has not."""
        if self._left is None:
            return self._ask(wire, statements)
        if self._left > len(statements):
            self._left -= len(statements)
            return self._ask(wire, statements)
        reached = statements[: self._left - 1]
        if reached:
            self._ask(wire, reached)
        self._left = None
        self._planted = True
        self.most_in_a_unit = max(self.most_in_a_unit, self._run)
        self.raised += 1
        raise Fault(_CODES[self.raised % 2], "could not serialize access")

    def wait_before_retry(self, attempt: int) -> None:
        """At once after a failure of this class; one of the server's own passes only when others have finished."""
        if not self._planted:
            self._wait_before_retry(attempt)
        self._planted = False


@contextmanager
def failing_everywhere() -> Iterator[Failures]:
    """Every unit of every store meets a failure at each of its statements, one after the other."""
    failures = Failures()

    def ask(wire: Wire, statements: Sequence[Statement]) -> list[PGresult]:
        return failures.ask(wire, statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Wire, "ask", ask)
        patch.setattr(store_module, "write_unit", failures.write_unit)
        patch.setattr(store_module, "ATTEMPTS", _ATTEMPTS)
        patch.setattr(store_module, "wait_before_retry", failures.wait_before_retry)
        yield failures

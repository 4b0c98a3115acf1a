"""A batch: units of work of one scope that share a transaction, and its round trips.

    units    1 2 3 begin, each until it needs rows | continue, finish, wait  | ... |
    server   BEGIN + all the rows that they want    | further rows              | ... | all writes + COMMIT | answers

Each unit has its own stack (`postgres.connections.suspension`). When none can continue, all rows that they need are read in
one round trip. The writes of finished units are overlaid on the snapshot, so that later units see them (`overlay`), and all
are committed at once. A refusal or a result without writes also depends on this transaction, so all units are answered after
the commit.

A reading batch sees one snapshot, taken after its units arrived; each unit is answered as soon as it has finished.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import attrs
from psycopg.pq.abc import PGresult

from livecore.kernel.scope import Scope
from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import StoreConflict, StoreWrite, Transaction
from livecore_server.storage.postgres.batches.batch_reader import ROWS, GenerousReader, SharedReader, UnitReader
from livecore_server.storage.postgres.batches.overlay import Overlay
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Statement
from livecore_server.storage.postgres.connections.suspension import SuspendableUnit
from livecore_server.storage.postgres.reads.read_set import Hints, ReadSet
from livecore_server.storage.postgres.sql.writing import statements_of
from livecore_server.storage.postgres.units import (
    BEGIN_READ,
    BEGIN_WRITE,
    COMMIT,
    ROLLBACK,
    CommitUnknown,
    conflict_of,
    violation_of,
)
from livecore_server.storage.queued_unit import QueuedUnit

T = TypeVar("T")


class _Abandoned(BaseException):
    """Raised in a waiting unit when its batch fails."""


@attrs.define(slots=True, eq=False)
class BatchedUnit(QueuedUnit[T]):
    """An accepted unit, with the counts of its attempts."""

    attempts: int = 0
    """How often it had a conflict."""
    starts: int = 0
    """How often its connection has been lost."""
    batch_limit: int = 1_000_000
    """The largest batch that it may be in; after a conflict it goes into smaller ones."""


@attrs.define(slots=True, eq=False)
class _Unit:
    """One run of a queued unit within a batch."""

    queued_unit: BatchedUnit[Any]
    transaction: Transaction
    reader: UnitReader | None
    """Notes its reads, if they matter."""
    running: SuspendableUnit[Any]


class Batch:
    """Units of one scope in one transaction on one connection. `run` once; then see `left` and `again`.

    `until` is a monotonic time after which no further unit is begun. `writer` is the number of this process, if its batches
    conflict with those of others (`Transaction.writer`).
    """

    def __init__(
        self,
        connection: Connection,
        scope: Scope,
        queued: Sequence[BatchedUnit[Any]],
        *,
        writes: bool,
        until: float,
        hints: Hints,
        writer: int | None = None,
    ) -> None:
        self.left: list[BatchedUnit[Any]] = []
        """Units that were not begun, because the time was up."""
        self.again: list[BatchedUnit[Any]] = []
        """Units that could not be part of this batch: they run in another one."""
        self.uncertain: list[BatchedUnit[Any]] = []
        """Units whose effects depend on a commit without an answer."""
        self.units = 0
        """How many units have been committed."""
        self.commit_seconds = 0.0
        self._connection = connection
        self._scope = scope
        self._queued = queued
        self._until = until
        self._writer = writer
        self._begin = BEGIN_WRITE if writes else BEGIN_READ
        self._begun = False
        self._read_set = ReadSet(scope.id, hints)
        self._overlay = Overlay(scope, self._read_set, GenerousReader(self._read_set)) if writes else None
        self._rewrites: list[StoreWrite] = []
        self._runnable: deque[tuple[_Unit, object]] = deque()
        self._waiting: list[_Unit] = []
        self._elsewhere: dict[asyncio.Future[Any], list[_Unit]] = {}
        """The units that wait for something else than rows; several may wait for the same."""
        self._finished: list[_Unit] = []

    async def run(self) -> None:
        """Run all units, commit what they wrote, and give their answers.

        Raises `StoreConflict`, `Fault`, `Lost`, `CommitUnknown`. A unit without an answer then has had no effect, except
        those in `uncertain` after `CommitUnknown`.
        """
        try:
            await self._run_units()
            if self._overlay is not None:
                await self._commit(self._overlay)
        finally:
            self._end()

    # -- units

    async def _run_units(self) -> None:
        for at, queued_unit in enumerate(self._queued):
            self._start(queued_unit)
            if time.monotonic() > self._until:
                self.left = list(self._queued[at + 1 :])
                break
        while True:
            while self._runnable:
                unit, value = self._runnable.popleft()
                unit.running.resume(value)
                self._after_step(unit)
            if self._waiting:
                await self._read()
            elif self._elsewhere:
                await asyncio.wait(self._elsewhere, return_when=asyncio.FIRST_COMPLETED)
            else:
                return
            self._look_elsewhere()

    def _start(self, queued_unit: BatchedUnit[Any]) -> None:
        read_set, overlay = self._read_set, self._overlay
        reader = None if overlay is None else UnitReader(read_set, overlay)
        transaction = Transaction(self._scope, reader or SharedReader(read_set), self._writer)
        unit = _Unit(queued_unit, transaction, reader, SuspendableUnit(partial(queued_unit.work, transaction)))
        unit.running.begin()
        self._after_step(unit)

    def _after_step(self, unit: _Unit) -> None:
        running = unit.running
        if running.finished:
            self._finish(unit)
        elif running.awaited is ROWS:
            self._waiting.append(unit)
        else:
            assert running.awaited is not None  # noqa: S101 - it waits for something
            self._elsewhere.setdefault(asyncio.ensure_future(running.awaited), []).append(unit)

    def _look_elsewhere(self) -> None:
        for future in [future for future in self._elsewhere if future.done()]:
            error = asyncio.CancelledError() if future.cancelled() else future.exception()
            for unit in self._elsewhere.pop(future):
                if error is None:
                    self._runnable.append((unit, future.result()))
                else:
                    unit.running.fail(error)
                    self._after_step(unit)

    def _finish(self, unit: _Unit) -> None:
        queued_unit, overlay = unit.queued_unit, self._overlay
        if overlay is not None and unit.reader is not None and overlay.stale(unit.reader.cache_keys):
            self._start(queued_unit)
            return
        queued_unit.error, queued_unit.notices = None, ()
        try:
            queued_unit.result = unit.running.result()
            if overlay is not None and not self._add(overlay, unit.transaction.writes()):
                self._send_away(queued_unit)
                return
        except StoreConflict:
            self._send_away(queued_unit)
            return
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - whatever it is, it is the caller's
            queued_unit.error = error
        else:
            queued_unit.notices = unit.transaction.notices
        self._finished.append(unit)
        if overlay is None:
            queued_unit.settle()

    def _add(self, overlay: Overlay, writes: list[StoreWrite]) -> bool:
        """Overlay writes on the snapshot; `False` means that the unit must be alone in a batch. Raises `UniqueViolation`."""
        rows = [write for write in writes if not isinstance(write, Rewrite)]
        if len(rows) < len(writes):
            if len(self._queued) > 1:
                return False
            self._rewrites = writes
        elif rows:
            overlay.add(rows)
        return True

    def _send_away(self, queued_unit: BatchedUnit[Any]) -> None:
        if len(self._queued) == 1:
            queued_unit.attempts += 1
        queued_unit.batch_limit = 1
        self.again.append(queued_unit)

    # -- round trips

    async def _read(self) -> None:
        """Read the wanted rows, so that waiting units can continue."""
        waiting, self._waiting = self._waiting, []
        self._runnable.extend((unit, None) for unit in waiting)
        questions = self._read_set.questions()
        results = await self._ask([question.statement for question in questions])
        for question, result in zip(questions, results, strict=True):
            question.take(result)

    async def _ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        try:
            if self._begun:
                return await self._connection.ask(statements)
            self._begun = True
            return (await self._connection.ask([self._begin, *statements]))[1:]
        except Fault as fault:
            raise conflict_of(fault) or fault from fault

    async def _commit(self, overlay: Overlay) -> None:
        writes = self._rewrites or overlay.sum.writes()
        statements = statements_of(self._scope, writes)
        started = time.perf_counter()
        if statements or self._begun:
            try:
                await self._ask([*(statement for _, statement in statements), COMMIT])
            except Lost as error:
                if error.refused or not statements:
                    raise
                self.uncertain = [unit.queued_unit for unit in self._finished if _has_effects(unit)]
                raise CommitUnknown(str(error)) from error
            except Fault as fault:
                raise violation_of(fault, statements) or fault from fault
            self._begun = False
        self.commit_seconds = time.perf_counter() - started
        self._connection.written += len(writes)
        self.units = len(self._finished)
        for unit in self._finished:
            unit.queued_unit.conclude()

    # -- the end

    def _end(self) -> None:
        """Abandon all units that still wait."""
        left = [*self._waiting, *(unit for unit, _ in self._runnable), *chain(*self._elsewhere.values())]
        for future in self._elsewhere:
            future.cancel()
        for unit in left:
            unit.running.abandon(_Abandoned())
        if self._begun and not self._connection.lost:
            self._connection.post(ROLLBACK)
        self._begun = False


def _has_effects(unit: _Unit) -> bool:
    saw = unit.reader is not None and unit.reader.saw_uncommitted
    return saw or (unit.queued_unit.error is None and bool(unit.transaction.writes()))

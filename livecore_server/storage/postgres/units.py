"""One unit of work as one transaction of one scope.

    read    BEGIN + first read | further reads ...     | answer (the end is sent, and not waited for)
    write   BEGIN + first read | further reads ...     | all writes + COMMIT | answer

Between the bars lie round trips. Writes run serializably: a unit that could not have run alone is refused by the server and
runs again as a whole. What a unit refused or found out without writing is as good as its transaction, so a writing unit
commits even when it has nothing to write. Reads see one snapshot.

A writing transaction of the directory also counts up the version of each table that it changed, by which every process knows
what it may go on remembering (see `livecore_server.storage.postgres.shared.directory`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from psycopg.pq.abc import PGresult

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import StoreConflict, StoreWrite, Transaction, UniqueViolation
from livecore_server.storage.postgres.connections.pipeline import Fault, Lost, Statement, Wire
from livecore_server.storage.postgres.reads.reader import SnapshotReader
from livecore_server.storage.postgres.schema.growing import columns_of_constraint
from livecore_server.storage.postgres.sql.writing import WriteStatements, statements_of

T = TypeVar("T")

BEGIN_READ: Final = Statement(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
BEGIN_COMMITTED: Final = Statement(b"BEGIN ISOLATION LEVEL READ COMMITTED")
"""For what is not a unit of work: each statement sees what was committed before it, and is watched for no conflict."""
BEGIN_WRITE: Final = Statement(b"BEGIN ISOLATION LEVEL SERIALIZABLE")
COMMIT: Final = Statement(b"COMMIT")
ROLLBACK: Final = Statement(b"ROLLBACK")
_CONFLICTS: Final = frozenset({"40001", "40P01"})
_UNIQUE: Final = "23505"
_chance = random.SystemRandom()
"""Not the generator that everybody shares: a program may have seeded that one, and its draws must stay as they were."""
_STORAGE_CLASSES: Final = ("08", "53", "57", "58")
_READ_ONLY_SERVER: Final = "25006"


ATTEMPTS: Final = 40
"""How often a unit runs before its conflict is given up as lasting."""


def pause_seconds(attempt: int) -> float:
    """How long to let others finish: up to half a millisecond after the first conflict, then longer, at most 30 ms."""
    return _chance.uniform(0.0, min(0.0005 * 2 ** min(attempt, 6), 0.03))


class CommitUnknown(Exception):
    """The connection was lost after the commit was sent: whether it took effect is not known.

    The unit must not simply run again. A caller who asks again with the same idempotency key learns what became of it.
    """


def is_storage_failure(error: BaseException) -> bool:
    """Whether it is the server that cannot, and not the statement that is wrong."""
    if isinstance(error, Fault):
        return error.code[:2] in _STORAGE_CLASSES or error.code == _READ_ONLY_SERVER
    return isinstance(error, Lost | CommitUnknown)


class Session:
    """A transaction on a connection, begun with its first statement."""

    __slots__ = ("_begin", "_begun", "wire")

    def __init__(self, wire: Wire, begin: Statement) -> None:
        self.wire = wire
        self._begin = begin
        self._begun = False

    def ask(self, statements: Sequence[Statement]) -> list[PGresult]:
        """Run statements in one round trip. Raises `StoreConflict`, `Fault`, `Lost`."""
        try:
            if self._begun:
                return self.wire.ask(statements)
            self._begun = True
            return self.wire.ask([self._begin, *statements])[1:]
        except Fault as fault:
            raise conflict_of(fault) or fault from fault

    def finish(self, statements: Sequence[Statement] = ()) -> list[PGresult]:
        """Run the last statements and commit, in one round trip. Raises as `ask`."""
        results = self.ask([*statements, COMMIT])
        self._begun = False
        return results[:-1]

    def commit(self, statements: Sequence[Statement] = ()) -> None:
        """Finish a writing transaction. Raises as `ask`, and `CommitUnknown`; does nothing where nothing was done."""
        if not self._begun and not statements:
            return
        started = time.perf_counter()
        try:
            self.finish(statements)
            self.wire.commit_seconds = time.perf_counter() - started
        except Lost as error:
            if error.refused or not statements:
                raise
            raise CommitUnknown(str(error)) from error

    def end(self) -> None:
        """Let the transaction go, if there is one; nobody waits for that."""
        if self._begun and not self.wire.lost:
            self.wire.post([ROLLBACK])
        self._begun = False


def read_unit(wire: Wire, scope: Scope, work: Callable[[Transaction], T]) -> T:
    """Run `work` on a snapshot; its writes, if any, are dropped."""
    session = Session(wire, BEGIN_READ)
    try:
        return work(Transaction(scope, SnapshotReader(scope.id, session)))
    finally:
        session.end()


def write_unit(wire: Wire, scope: Scope, work: Callable[[Transaction], T]) -> T:
    """Run `work` once and make what it wrote durable, all or nothing.

    Raises what `work` raises, once that is certain; `StoreConflict` when it is to run again; `Lost` and `CommitUnknown`.
    """
    session = Session(wire, BEGIN_WRITE)
    transaction = Transaction(scope, SnapshotReader(scope.id, session))
    try:
        try:
            result = work(transaction)
        except (StoreConflict, Fault, Lost):
            raise
        except Exception:
            session.commit()
            raise
        _commit(session, scope, transaction.writes())
    finally:
        session.end()
    return result


def apply_writes(wire: Wire, scope: Scope, writes: list[StoreWrite]) -> None:
    """Apply writes as one durable step. Raises `UniqueViolation`, `StoreConflict`."""
    session = Session(wire, BEGIN_WRITE)
    try:
        _commit(session, scope, writes)
    finally:
        session.end()


def _commit(session: Session, scope: Scope, writes: list[StoreWrite]) -> None:
    statements = statements_of(scope, writes)
    try:
        session.commit([statement for _, statement in statements])
    except Fault as fault:
        raise violation_of(fault, statements) or fault from fault
    session.wire.written += len(writes)


def conflict_of(fault: Fault) -> StoreConflict | None:
    """The port's error where the server could not serialise a transaction with others."""
    return StoreConflict(str(fault)) if fault.code in _CONFLICTS else None


def violation_of(fault: Fault, statements: WriteStatements) -> StoreConflict | None:
    """The port's error where a key or unique value is taken."""
    if fault.code != _UNIQUE:
        return None
    for table, _ in statements:
        if table is not None and table.name == fault.table:
            uniques = {unique.name: unique.columns for unique in table.uniques}
            return UniqueViolation(table.name, columns_of_constraint(table.name, table.key, uniques, fault.constraint))
    # Two transactions made the same version row at the same moment.
    return StoreConflict(str(fault))

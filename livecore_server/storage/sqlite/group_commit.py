"""A group commit is one write transaction that serves a batch: several units of work, one after another.

Each unit reads what the earlier ones wrote, and is applied as soon as it has succeeded. `commit` makes all of them durable
at once and may run in another thread; only after that `publish`, in the owner's thread, shows the rows to readers.

    group = store.group_commit()
    transaction = group.transaction(scope)
    answer = work(transaction)
    group.apply(scope, transaction.writes())
    group.commit()
    group.publish()

A batch may also run *ahead*, while the previous one is being committed: its units run and their writes are noted, so that
the next units see them. Once the previous group is published, this one begins, and the noted writes are applied:

    ahead = store.group_commit_after(group)
    ahead.note(scope, writes)
    group.publish()
    if ahead.begin():
        ahead.write(scope, writes)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from livecore.kernel.scope import Scope
from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import StoreWrite, Transaction, UniqueViolation, Write
from livecore.kernel.storage.tables import Table
from livecore_server.storage.sqlite.connections import Connections
from livecore_server.storage.sqlite.read_ahead import AheadReader, NeedsCommit
from livecore_server.storage.sqlite.reader import BatchReader, Caches, CommittedReader, Uncommitted
from livecore_server.storage.sqlite.statements import clear_sql, plan_of, rewrite_sql
from livecore_server.storage.write_order import in_order

_Statement: TypeAlias = "tuple[Table[Any], str, Sequence[Any]]"
_TAKEN = frozenset({sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY})


class GroupCommit:
    """A write transaction, open or not yet begun; made by the `group_commit` and `group_commit_after` of a `SqliteStore`.

    `began` takes the write lock and returns whether only this process has committed since it was made.
    """

    __slots__ = (
        "_before", "_began", "_caches", "_connections", "_deferred", "_ended", "_readers", "_uncommitted", "writes",
    )  # fmt: skip

    def __init__(
        self,
        connections: Connections,
        caches: Caches,
        *,
        began: Callable[[], bool],
        ended: Callable[[int], None],
        after: GroupCommit | None = None,
    ) -> None:
        self._connections = connections
        self._caches = caches
        self._began = began
        self._ended = ended
        self._readers: dict[Scope, CommittedReader] = {}
        self._uncommitted = Uncommitted()
        self._before = None if after is None else after._uncommitted  # noqa: SLF001 - of the same class
        self._deferred: tuple[Scope, list[StoreWrite]] | None = None
        self.writes = 0
        """How many rows it has written or noted so far."""

    def begin(self) -> bool:
        """Take the write lock. Raises `sqlite3.OperationalError` if another process holds it.

        `False` means that another process has written meanwhile, so units that ran ahead used old rows. Their writes are
        dropped.
        """
        stands = self._began()
        self._before = None
        self._readers.clear()
        if not stands:
            self._uncommitted = Uncommitted()
            self.writes = 0
        return stands

    @property
    def saw_uncommitted(self) -> bool:
        """Whether the latest unit has read rows that an earlier unit of this batch wrote."""
        return self._uncommitted.seen

    @property
    def knows_its_rows(self) -> bool:
        """Whether all its changes are in its overlay, so that another batch may run ahead of its commit."""
        return not self._uncommitted.rewritten

    def transaction(self, scope: Scope) -> Transaction:
        """A fresh view for the next unit."""
        self._uncommitted.seen = False
        reader = self._readers.get(scope)
        if reader is None:
            reader = self._readers[scope] = self._reader(scope.id)
        return Transaction(scope, reader)

    def _reader(self, scope: str) -> CommittedReader:
        connections, own = self._connections, self._uncommitted
        if self._before is None:
            return BatchReader(scope, connections.writing, self._caches, own)
        return AheadReader(scope, connections.reading, self._caches, own, self._before)

    def apply(self, scope: Scope, writes: list[StoreWrite]) -> None:
        """Write a unit's rows, and show them to later units. Raises like `write`."""
        self.write(scope, writes)
        self.note(scope, writes)

    def write(self, scope: Scope, writes: list[StoreWrite]) -> None:
        """Write a unit's rows into the open transaction.

        Raises `UniqueViolation` if other rows have the same values, or `sqlite3.Error`. The unit may then be partly
        applied, and the whole group must be rolled back.
        """
        execute = self._connections.writing.execute
        for table, sql, values in _statements(scope.id, writes):
            try:
                changed = execute(sql, values).rowcount
            except sqlite3.IntegrityError as error:
                raise _violation(table, error) from error
            if changed > 1:
                self.writes += changed - 1

    def defer(self, scope: Scope, writes: list[StoreWrite]) -> None:
        """Have `commit` write the rows of the batch's only unit: for a unit whose statements change very many rows.

        Reads are served meanwhile. `commit` then raises like `write`.
        """
        self._deferred = scope, writes
        self.note(scope, writes)

    @property
    def is_deferred(self) -> bool:
        """Whether `commit` writes the rows."""
        return self._deferred is not None

    def note(self, scope: Scope, writes: list[StoreWrite]) -> None:
        """Show a unit's rows to later units. When ahead, raises `NeedsCommit` if its changed rows are not known."""
        rows: list[Write] = []
        for step in writes:
            if not isinstance(step, Rewrite):
                rows.append(step)
            elif self._before is not None:
                raise NeedsCommit
            else:
                self._uncommitted.rewritten.add((scope.id, step.table))
        self._uncommitted.leave(scope.id, rows)
        for write in rows:
            self._uncommitted.enter(scope.id, write)
        self.writes += len(writes)

    def commit(self) -> None:
        """Make all of it durable; returns once the disk has it."""
        if self._deferred is not None:
            self.write(*self._deferred)
        self._connections.commit()

    def publish(self) -> None:
        """After `commit`: show the rows to readers."""
        self._caches.rows.put_all(self._uncommitted.rows)
        self._caches.drop(self._uncommitted.scans)
        if self._uncommitted.rewritten:
            # The changed rows are not known. This happens only when players are merged or erased, which is rare.
            self._caches.clear()
        self._ended(self.writes)

    def rollback(self) -> None:
        """Roll it back, also after a failed commit."""
        try:
            self._connections.rollback()
        finally:
            self._ended(0)


def _statements(scope: str, writes: list[StoreWrite]) -> Iterator[_Statement]:
    """The statements of a unit, one for each row, in the order in which they run."""
    rewrites, tables = in_order(writes, _changes_of)
    for rewrite in rewrites:
        yield _rewrite(scope, rewrite)
    for of_table in tables:
        table, plan = of_table.table, plan_of(of_table.table)
        for write in of_table.deleted:
            yield table, plan.delete, (scope, *write.key)
        for mask, values, write in of_table.moved:
            yield table, plan.update(mask), (*values, scope, *write.key)
        for write in of_table.inserted:
            yield table, plan.insert, plan.codec.encode(scope, write.after)
        for mask, values, write in of_table.changed:
            yield table, plan.update(mask), (*values, scope, *write.key)


def _changes_of(write: Write) -> tuple[int, list[Any]]:
    return plan_of(write.table).codec.changes(write.before, write.after)


def _rewrite(scope: str, rewrite: Rewrite) -> _Statement:
    if rewrite.values is None:
        return rewrite.table, clear_sql(rewrite.index), (scope, *rewrite.prefix)
    sql = rewrite_sql(rewrite.index, tuple(rewrite.values))
    return rewrite.table, sql, (*rewrite.values.values(), scope, *rewrite.prefix)


def _violation(table: Table[Any], error: sqlite3.IntegrityError) -> Exception:
    """The port's error for a taken key or unique value; any other broken constraint is a bug, and is raised unchanged."""
    if error.sqlite_errorcode not in _TAKEN:
        return error
    _, _, listed = str(error).partition(": ")
    columns = [name.strip().rpartition(".")[2] for name in listed.split(",")]
    return UniqueViolation(table.name, [name for name in columns if name != "scope"])

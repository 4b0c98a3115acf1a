"""The store on SQLite: one file, durable at each commit, with the committed rows that are in use remembered in memory.

Used on its own it runs one unit of work at a time, like every store: `read` and `write`. The server's executor drives the
same store by batches instead, so that one commit serves many units. A store belongs to one thread; only `Batch.commit`,
`checkpoint` (the owner then does nothing but read), `backup` and `integrity_check` may run in another.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from livecore.kernel.notices import Notices
from livecore.kernel.scope import Scope
from livecore.kernel.store import Step, StoreConflict, Transaction
from livecore.kernel.tables import Table, all_tables
from livecore.kernel.time import Millis
from livecore_server.storage.sqlite import file_copies
from livecore_server.storage.sqlite.batch import Batch
from livecore_server.storage.sqlite.connections import Connections
from livecore_server.storage.sqlite.migrations import applied_names, migrate
from livecore_server.storage.sqlite.reader import Caches, CommittedReader
from livecore_server.storage.sqlite.schema import quoted
from livecore_server.storage.sqlite.statements import plan_of

__all__ = ["SqliteStore"]

T = TypeVar("T")
_ATTEMPTS = 8
_SHARED_CHECKPOINTS = 4
"""How many times as long the log may grow where several processes write to the file."""


class SqliteStore:
    """All scopes of one database file.

    Opening it makes or migrates the file for the declared tables: `tables`, by default all that are declared by then.
    `remembered_rows` bounds each generation of each cache; after `checkpoint_after_writes` rows the write-ahead log is
    copied into the file. Raises `CodeTooOld`, `SchemaDrift`, `sqlite3.Error`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        tables: Iterable[Table[Any]] | None = None,
        remembered_rows: int = 50_000,
        busy_timeout_ms: int = 5_000,
        checkpoint_after_writes: int = 12_000,
        now: Callable[[], Millis] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.path = Path(path)
        self.tables = tuple(all_tables() if tables is None else tables)
        self.connections = Connections(self.path, busy_timeout_ms)
        try:
            self.migrated: list[str] = migrate(self.connections.writing, self.tables, now())
            self.connections.renew_snapshot()
        except BaseException:
            self.connections.close()
            raise
        self.notices = Notices()
        """Who is told of what this process has committed, and of what it hears from others."""
        self._caches = Caches(remembered_rows)
        self._readers: dict[Scope, CommittedReader] = {}
        self._batch_open = False
        self._changes_elsewhere = 0
        """How often another process was found to have written."""
        self.alone = True
        """Whether no other process had written between the two latest batches: only then is it worth to run ahead."""
        self._checkpoint_after_writes = checkpoint_after_writes
        self._writes_since_checkpoint = 0

    # -- one unit at a time

    def reader(self, scope: Scope) -> CommittedReader:
        """The committed rows of a scope, as of the latest `read`, `write` or `refresh`."""
        reader = self._readers.get(scope)
        if reader is None:
            reader = self._readers[scope] = CommittedReader(scope.id, self.connections.reading, self._caches)
        return reader

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on the newest committed state; its writes, if any, are dropped."""
        self.refresh()
        return work(Transaction(scope, self.reader(scope)))

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and make what it wrote durable, all or nothing; runs it again on a conflict."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._write_once(scope, work)
            except StoreConflict:
                continue
        return self._write_once(scope, work)

    def apply(self, scope: Scope, writes: list[Step]) -> None:
        """Apply writes as one durable step. Raises `UniqueViolation`; nothing is changed then."""
        batch = self.batch()
        try:
            batch.apply(scope, writes)
            batch.commit()
        except BaseException:
            batch.rollback()
            raise
        self._finish(batch)

    def _write_once(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        batch = self.batch()
        try:
            transaction = batch.transaction(scope)
            result = work(transaction)
            batch.apply(scope, transaction.writes())
            batch.commit()
        except BaseException:
            batch.rollback()
            raise
        self._finish(batch)
        self.notices.publish(transaction.notices)
        return result

    def _finish(self, batch: Batch) -> None:
        batch.publish()
        if self.checkpoint_due:
            self.begin_checkpoint()
            self.checkpoint()
            self.end_checkpoint()

    # -- many units in one commit

    def batch(self) -> Batch:
        """Take the write lock and begin a batch. Raises `sqlite3.OperationalError` when another process keeps the lock."""
        batch = self._new_batch(None)
        batch.begin()
        return batch

    def batch_after(self, batch: Batch) -> Batch:
        """A batch that may run ahead on what `batch`, whose commit is under way, has written. It begins later."""
        return self._new_batch(batch)

    def _new_batch(self, after: Batch | None) -> Batch:
        began = partial(self._begin, self._changes_elsewhere)
        return Batch(self.connections, self._caches, began=began, ended=self._batch_ended, after=after)

    def _begin(self, changes_elsewhere: int) -> bool:
        if self._batch_open:
            raise RuntimeError("a batch is open already")
        self.connections.begin()
        self._batch_open = True
        try:
            self.alone = not self._notice_changes()
        except BaseException:
            self._batch_open = False
            self.connections.rollback()
            raise
        return self._changes_elsewhere == changes_elsewhere

    def _batch_ended(self, writes: int) -> None:
        self._batch_open = False
        self._writes_since_checkpoint += writes
        if not self._notice_changes():
            self.connections.renew_snapshot()

    def refresh(self) -> None:
        """Notice what another process has committed. Nobody can while a batch of ours is open."""
        if not self._batch_open:
            self._notice_changes()

    def _notice_changes(self) -> bool:
        """Whether another process has committed something; what is remembered is forgotten then."""
        if not self.connections.holds_snapshot:
            # First, so that what is remembered is either of this snapshot or found to be old.
            self.connections.renew_snapshot()
        if not self.connections.changed_elsewhere():
            return False
        self._changes_elsewhere += 1
        self._caches.clear()
        self.connections.renew_snapshot()
        return True

    # -- beside other processes that write to the file

    def share(self) -> None:
        """From now on others write to the file all the time: leave them room for checkpoints, and see that they do."""
        self.connections.shared = True
        # Then a checkpoint stops all of them and waits for their snapshots, so there are fewer.
        self._checkpoint_after_writes *= _SHARED_CHECKPOINTS

    def let_go(self) -> bool:
        """Hold no snapshot until the next read; `False`: a batch of ours needs it."""
        if not self._batch_open:
            self.connections.drop_snapshot()
        return not self._batch_open

    # -- the write-ahead log

    @property
    def checkpoint_due(self) -> bool:
        """Whether the log has grown enough to be copied into the file."""
        return self._writes_since_checkpoint >= self._checkpoint_after_writes

    def begin_checkpoint(self) -> None:
        """Before `checkpoint`, in the owner's thread: reads leave the writing connection alone from now on."""
        self.refresh()
        self._batch_open = True

    @property
    def checkpoint_steps(self) -> tuple[Callable[[], None], ...]:
        """The steps of a checkpoint, each between a `begin_checkpoint` and an `end_checkpoint`; may run in another thread.

        A log that others read as well starts over only once all of them have left it, our own snapshot included. So after
        the copying, which leaves nothing in the log that a new snapshot would need, there is a step that waits for them.
        """
        copying = self.connections.checkpoint
        return (copying, self.connections.restart_log) if self.connections.shared else (copying,)

    def copy_log(self) -> None:
        """Merge most of the log beside reads and writes, so that `checkpoint` has little left; for a thread of its own."""
        self.connections.copy_log()

    def checkpoint(self) -> None:
        """Copy the log, as the first of `checkpoint_steps`."""
        self.connections.checkpoint()

    def end_checkpoint(self) -> None:
        """After `checkpoint`, in the owner's thread: let the log start over."""
        self._writes_since_checkpoint = 0
        self._batch_ended(0)

    # -- the whole file

    def scopes(self) -> list[Scope]:
        """Every scope that holds rows, by id."""
        self.refresh()
        return [
            Scope.parse(text) for text in sorted({text for table in self.tables for text in self._scopes_in(table)})
        ]

    def _scopes_in(self, table: Table[Any]) -> list[str]:
        """One search for each scope, however many rows it has."""
        sql = f"SELECT min(scope) FROM {quoted(table.name)} WHERE scope > ?"  # noqa: S608 - a declared name
        found: list[str] = []
        (text,) = self.connections.reading.execute(sql, ("",)).fetchone()
        while text is not None:
            found.append(text)
            (text,) = self.connections.reading.execute(sql, (text,)).fetchone()
        return found

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """Every row of every scope, by scope id and table name, in key order: for comparing two states."""
        tables = sorted(self.tables, key=lambda table: table.name)
        dumped = {scope.id: {table.name: self._rows_of(scope.id, table) for table in tables} for scope in self.scopes()}
        return {scope: {name: rows for name, rows in held.items() if rows} for scope, held in dumped.items()}

    def _rows_of(self, scope: str, table: Table[Any]) -> list[Any]:
        plan = plan_of(table)
        found = self.connections.reading.execute(plan.select_all, (scope,))
        return sorted(map(plan.codec.decode, found), key=lambda row: repr(table.key_of(row)))

    def migrations(self) -> list[str]:
        """The names of every migration that the file has been through."""
        return applied_names(self.connections.reading)

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy the database into a new file while it is in use; may run in another thread. Raises `FileExistsError`."""
        file_copies.backup(self.path, Path(target))

    def integrity_check(self) -> list[str]:
        """What SQLite finds wrong with the file; nothing, if it is sound. May run in another thread."""
        return file_copies.problems(self.path)

    def close(self) -> None:
        """Close the file; a batch that was not committed is gone."""
        self.connections.close()

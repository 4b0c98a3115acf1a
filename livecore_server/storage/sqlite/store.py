"""The store on SQLite: one file, durable at each commit, with a cache of committed rows.

Used on its own it runs one unit of work at a time, like every store: `read` and `write`. The server's executor uses the
same store in batches, so that one commit serves many units. A store belongs to one thread; only `GroupCommit.commit`,
`checkpoint` (the owner then does nothing but read), `backup` and `integrity_check` may run in another.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notices
from livecore.kernel.storage.store import StoreConflict, StoreWrite, Transaction
from livecore.kernel.storage.tables import Table, TimeIndex, all_tables
from livecore.kernel.time import Millis
from livecore_server.storage.due_scopes import DuePage, ScopePosition
from livecore_server.storage.layout import quoted
from livecore_server.storage.sqlite import file_copies
from livecore_server.storage.sqlite.cache import CACHE_BYTES
from livecore_server.storage.sqlite.connections import Connections
from livecore_server.storage.sqlite.due_scopes import due_page
from livecore_server.storage.sqlite.group_commit import GroupCommit
from livecore_server.storage.sqlite.log_file import CHECKPOINT_BYTES, LogLimit, log_size
from livecore_server.storage.sqlite.migrations import applied_names, migrate
from livecore_server.storage.sqlite.reader import Caches, CommittedReader
from livecore_server.storage.sqlite.statements import plan_of

T = TypeVar("T")
_log = logging.getLogger("livecore.store")
_ATTEMPTS = 8
_SHARED_CHECKPOINTS = 4
"""The factor by which the log may be longer if several processes write to the file."""


class SqliteStore:
    """All scopes of one database file.

    Opening it makes or migrates the file for the declared tables: `tables`, by default all that are declared so far.
    `cache_bytes` bounds the memory of all caches together. The write-ahead log is copied into the file after
    `checkpoint_after_writes` rows, and when its length has reached `checkpoint_bytes`.

    Raises `CodeTooOld`, `SchemaDrift`, `sqlite3.Error`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        tables: Iterable[Table[Any]] | None = None,
        cache_bytes: int = CACHE_BYTES,
        busy_timeout_ms: int = 5_000,
        checkpoint_after_writes: int = 12_000,
        checkpoint_bytes: int = CHECKPOINT_BYTES,
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
        """The subscribers of this process to notices, its own and those of other processes."""
        self._caches = Caches(cache_bytes)
        self._readers: dict[Scope, CommittedReader] = {}
        self._batch_open = False
        self._changes_elsewhere = 0
        """How often another process was found to have written."""
        self.alone = True
        """Whether no other process wrote between the two latest batches: only then running ahead is useful."""
        self._checkpoint_after_writes = checkpoint_after_writes
        self._writes_since_checkpoint = 0
        self._log_limit = LogLimit(self.path, checkpoint_bytes)
        self.connections.keep_log_bytes(self._log_limit.limit_bytes)

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
        """Run `work` and make its writes durable, all or nothing; runs it again on a conflict."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._write_once(scope, work)
            except StoreConflict:
                continue
        return self._write_once(scope, work)

    def apply(self, scope: Scope, writes: list[StoreWrite]) -> None:
        """Apply writes as one durable step. Raises `UniqueViolation`; nothing is changed then."""
        group = self.group_commit()
        try:
            group.apply(scope, writes)
            group.commit()
        except BaseException:
            group.rollback()
            raise
        self._finish(group)

    def _write_once(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        group = self.group_commit()
        try:
            transaction = group.transaction(scope)
            result = work(transaction)
            group.apply(scope, transaction.writes())
            group.commit()
        except BaseException:
            group.rollback()
            raise
        self._finish(group)
        self.notices.publish(transaction.notices)
        return result

    def _finish(self, group: GroupCommit) -> None:
        group.publish()
        if not self.checkpoint_due:
            return
        try:
            self.begin_checkpoint()
            try:
                self.checkpoint()
            finally:
                self.checkpointed()
                self.end_checkpoint()
        except sqlite3.Error as error:
            # The write is committed, and the log keeps everything; the next checkpoint tries again.
            _log.warning("could not checkpoint the write-ahead log: %s", error)

    # -- many units in one commit

    def group_commit(self) -> GroupCommit:
        """Take the write lock and begin a group commit. Raises `sqlite3.OperationalError` if another process has it."""
        group = self._new_group_commit(None)
        group.begin()
        return group

    def group_commit_after(self, group: GroupCommit) -> GroupCommit:
        """A group commit whose units may run ahead on the rows of `group`, whose commit is under way. It begins later."""
        return self._new_group_commit(group)

    def _new_group_commit(self, after: GroupCommit | None) -> GroupCommit:
        began = partial(self._begin, self._changes_elsewhere)
        return GroupCommit(self.connections, self._caches, began=began, ended=self._batch_ended, after=after)

    def _begin(self, changes_elsewhere: int) -> bool:
        if self._batch_open:
            raise RuntimeError("a group commit is open already")
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
        """Notice the commits of other processes. There are none while a batch of this process is open."""
        if not self._batch_open:
            self._notice_changes()

    def _notice_changes(self) -> bool:
        """Whether another process has committed; then the caches are cleared."""
        if not self.connections.holds_snapshot:
            # Before the check, so that cached rows are either of this snapshot or found to be old.
            self.connections.renew_snapshot()
        if not self.connections.changed_elsewhere():
            return False
        self._changes_elsewhere += 1
        self._caches.clear()
        self.connections.renew_snapshot()
        if self.notices.relay is None:
            # Nothing carries that process's notices to this one.
            self.notices.miss()
        return True

    # -- beside other processes that write to the file

    def share(self) -> None:
        """From now on other processes write to the file too: adapt checkpoints and snapshots to that."""
        self.connections.shared = True
        # A checkpoint then blocks all of them and waits for their snapshots, so there are fewer checkpoints.
        self._checkpoint_after_writes *= _SHARED_CHECKPOINTS

    def let_go(self) -> bool:
        """Drop the snapshot until the next read; `False` means that a batch of this process needs it."""
        if not self._batch_open:
            self.connections.drop_snapshot()
        return not self._batch_open

    # -- the write-ahead log

    @property
    def checkpoint_due(self) -> bool:
        """Whether the log has grown enough to be copied into the file."""
        return self._writes_since_checkpoint >= self._checkpoint_after_writes or self._log_limit.is_reached

    def begin_checkpoint(self) -> None:
        """Before `checkpoint`, in the owner's thread: from now on reads do not use the writing connection."""
        self.refresh()
        self._batch_open = True

    @property
    def checkpoint_steps(self) -> tuple[Callable[[], None], ...]:
        """The steps of a checkpoint, each between a `begin_checkpoint` and an `end_checkpoint`; may run in another thread.

        A log that other processes read starts over only when no snapshot uses it any more. So after the copy, which makes
        the log unnecessary for new snapshots, a second step waits for the old ones.
        """
        copying = self.connections.checkpoint
        return (copying, self.connections.restart_log) if self.connections.shared else (copying,)

    def copy_log(self) -> None:
        """Copy most of the log in parallel with reads and writes, to leave little for `checkpoint`; for its own thread."""
        self.connections.copy_log()

    def checkpoint(self) -> None:
        """Copy the log, as the first of `checkpoint_steps`."""
        self.connections.checkpoint()

    def checkpointed(self) -> None:
        """After the last step and before `end_checkpoint`, in the owner's thread, also if a step failed: count from here."""
        self._writes_since_checkpoint = 0
        self._log_limit.tried()
        # Without it, a log that has become long only keeps its length.
        with suppress(sqlite3.Error):
            self.connections.keep_log_bytes(self._log_limit.limit_bytes)

    def end_checkpoint(self) -> None:
        """After each of `checkpoint_steps`, in the owner's thread: let the log start over."""
        self._batch_ended(0)

    @property
    def log_bytes(self) -> int:
        """What the log takes on the disk."""
        return log_size(self.path)

    def merge_log(self) -> None:
        """Before a server closes the store: leave nothing in the log, unless another process reads from it."""
        self.connections.merge_log()

    # -- the whole file

    def scopes(self, tables: Iterable[Table[Any]] | None = None) -> list[Scope]:
        """Every scope that holds rows of these tables, or of any, by id."""
        self.refresh()
        wanted = self.tables if tables is None else tables
        return [Scope.parse(text) for text in sorted({text for table in wanted for text in self._scopes_in(table)})]

    def _scopes_in(self, table: Table[Any]) -> list[str]:
        """One search for each scope, however many rows it has."""
        sql = f"SELECT min(scope) FROM {quoted(table.name)} WHERE scope > ?"  # noqa: S608 - a declared name
        found: list[str] = []
        (text,) = self.connections.reading.execute(sql, ("",)).fetchone()
        while text is not None:
            found.append(text)
            (text,) = self.connections.reading.execute(sql, (text,)).fetchone()
        return found

    def due_scopes(self, index: TimeIndex, until: Millis, after: ScopePosition) -> DuePage:
        """A page of the scopes with rows whose time comes by `until`, as the executor's port says."""
        self.refresh()
        return due_page(self.connections.reading, index, until, after)

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

    @contextmanager
    def sole_use(self) -> Iterator[None]:
        """Keep everybody else out of the file meanwhile, and this store as well. Raises `DatabaseInUse`."""
        self._readers.clear()
        with self.connections.sole_use():
            yield

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy the database into a new file while it is in use; may run in another thread. Raises `FileExistsError`."""
        file_copies.backup(self.path, Path(target))

    def integrity_check(self) -> list[str]:
        """The faults that SQLite finds in the file; none if it is sound. May run in another thread."""
        return file_copies.problems(self.path)

    def close(self) -> None:
        """Close the file; an uncommitted batch is lost."""
        self.connections.close()

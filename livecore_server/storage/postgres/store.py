"""The store on PostgreSQL, used one unit at a time: by commands and tests, and by the server before it serves.

The server's executor runs the same units on several connections at once; see `livecore_server.storage.postgres.executor`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice, Notices
from livecore.kernel.storage.store import StoreConflict, StoreWrite, Transaction
from livecore.kernel.storage.tables import Table, all_tables
from livecore.kernel.time import Millis
from livecore_server.storage.layout import quoted
from livecore_server.storage.postgres.connections.connection_pool import Connections
from livecore_server.storage.postgres.connections.pipeline import Statement, Wire
from livecore_server.storage.postgres.reads.reader import Asks, SnapshotReader
from livecore_server.storage.postgres.schema.migrations import applied_names, migrate
from livecore_server.storage.postgres.shared.notify import tell_others
from livecore_server.storage.postgres.sql.statements import plan_of
from livecore_server.storage.postgres.sql.text import decoded, encoded
from livecore_server.storage.postgres.units import ATTEMPTS, apply_writes, pause_seconds, read_unit, write_unit

T = TypeVar("T")


def wait_before_retry(attempt: int) -> None:
    """Wait until others have finished."""
    time.sleep(pause_seconds(attempt))


class PostgresStore:
    """All scopes of one database.

    Opening it makes or migrates the schema for the declared tables: `tables`, by default all that are declared so far.
    Before any change, `admit` may check the database and raise. Raises `CodeTooOld`, `SchemaDrift`,
    `psycopg.OperationalError`, `Fault`.
    """

    def __init__(
        self,
        url: str,
        *,
        tables: Iterable[Table[Any]] | None = None,
        connections: int = 16,
        admit: Callable[[Wire], None] = lambda _: None,
        now: Callable[[], Millis] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.tables = tuple(all_tables() if tables is None else tables)
        self.connections = Connections(url, most=connections)
        self._idle: list[Wire] = []
        self._lock = Lock()
        self.notices = Notices()
        """The subscribers of this process to notices, its own and those of other processes."""
        self.source = secrets.token_hex(8)
        """The name of the process among those that share the database."""
        try:
            self._idle.append(self.connections.first())
            with self.wire() as wire:
                admit(wire)
                self.migrated: list[str] = migrate(wire, self.tables, now())
        except BaseException:
            self.close()
            raise

    @contextmanager
    def wire(self) -> Iterator[Wire]:
        """A connection of the store's own, for a while. Raises `Lost`."""
        with self._lock:
            wire = self._idle.pop() if self._idle else None
        if wire is None:
            wire = self.connections.take(5.0)
        try:
            yield wire
        finally:
            if wire.lost:
                self.connections.drop(wire)
            else:
                with self._lock:
                    self._idle.append(wire)

    @property
    def written(self) -> int:
        """How many rows have been written over the store's own connections that are at rest."""
        with self._lock:
            return sum(wire.written for wire in self._idle)

    # -- one unit at a time

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on a snapshot; its writes, if any, are dropped."""
        with self.wire() as wire:
            result = read_unit(wire, scope, work)
            wire.settle()
            return result

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and make what it wrote durable, all or nothing; runs it again on a conflict."""
        notices: Sequence[Notice] = ()

        def noted(tx: Transaction) -> T:
            nonlocal notices
            result = work(tx)
            notices = tx.notices
            return result

        with self.wire() as wire:
            result = self._written(wire, scope, noted)
            if notices and self.notices.relay is None:
                tell_others(wire, self.source, notices)
        self.notices.publish(notices)
        return result

    @staticmethod
    def _written(wire: Wire, scope: Scope, work: Callable[[Transaction], T]) -> T:
        for attempt in range(ATTEMPTS - 1):
            try:
                return write_unit(wire, scope, work)
            except StoreConflict:
                wait_before_retry(attempt)
        return write_unit(wire, scope, work)

    def apply(self, scope: Scope, writes: list[StoreWrite]) -> None:
        """Apply writes as one durable step. Raises `UniqueViolation`; nothing is changed then."""
        with self.wire() as wire:
            apply_writes(wire, scope, writes)

    def reader(self, scope: Scope) -> SnapshotReader:
        """The committed rows of a scope as of each read: for looking on from outside, not for units."""
        return SnapshotReader(scope.id, _Each(self))

    # -- the whole database

    def scopes(self, tables: Iterable[Table[Any]] | None = None) -> list[Scope]:
        """Every scope that holds rows of these tables, or of any, by id."""
        with self.wire() as wire:
            return scopes_in(wire, self.tables if tables is None else tables)

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """Every row of every scope, by scope id and table name, in key order: for comparing two states."""
        tables = sorted(self.tables, key=lambda table: table.name)
        dumped = {scope.id: {table.name: self._rows_of(scope.id, table) for table in tables} for scope in self.scopes()}
        return {scope: {name: rows for name, rows in held.items() if rows} for scope, held in dumped.items()}

    def _rows_of(self, scope: str, table: Table[Any]) -> list[Any]:
        plan = plan_of(table)
        with self.wire() as wire:
            (result,) = wire.ask([Statement(plan.select_all, (encoded(scope),))])
        return sorted(plan.codec.decode(result), key=lambda row: repr(table.key_of(row)))

    def migrations(self) -> list[str]:
        """The names of every migration that the database has been through."""
        with self.wire() as wire:
            return applied_names(wire)

    def setting(self, name: str, value: str) -> str:
        """What the database holds under this name; `value`, kept from now on, where it held nothing."""
        put = b"INSERT INTO livecore_settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
        look = b"SELECT value FROM livecore_settings WHERE name = $1"
        with self.wire() as wire:
            wire.ask([Statement(put, (encoded(name), encoded(value)))])
            (held,) = wire.ask([Statement(look, (encoded(name),))])
        return decoded(held.get_value(0, 0) or b"")

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            idle, self._idle = self._idle, []
        for wire in idle:
            self.connections.drop(wire)
        self.connections.close()


class _Each:
    """Each statement in a transaction of its own."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def ask(self, statements: Any) -> Any:  # noqa: ANN401 - typed by `Asks`
        with self._store.wire() as wire:
            return wire.ask(statements)


def scopes_in(asks: Asks, tables: Iterable[Table[Any]]) -> list[Scope]:
    """Every scope that holds rows in any of these tables, by id, as a transaction sees it."""
    found = {text for table in tables for text in _scopes_in(asks, table)}
    return [Scope.parse(text) for text in sorted(found)]


def _scopes_in(asks: Asks, table: Table[Any]) -> Iterator[str]:
    """One search for each scope, however many rows it has."""
    sql = f"SELECT min(scope) FROM {quoted(table.name)} WHERE scope > $1".encode()  # noqa: S608 - a declared name
    last = b""
    while True:
        (result,) = asks.ask([Statement(sql, (last,))])
        found = result.get_value(0, 0)
        if found is None:
            return
        yield decoded(found)
        last = found

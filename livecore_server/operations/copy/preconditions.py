"""Preconditions of a copy: two suitable databases, and a source that does not change.

The target is empty, or has the mark of an unfinished copy of the same source. The mark is written before the first row and
removed after the last row was compared. So a target without the mark is either complete or was not made by a copy.

A server that goes on with the source would commit what the copy will never have. So nobody else may have the source open,
neither before the copy begins nor when it ends, and nobody may have the target open. A file does not change in between
because its write lock is held. A PostgreSQL database can change, which the comparison at the end finds, also where an engine
does not show its sessions.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from livecore.access.directory import every_scope
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore_server.storage.database import Database, DatabaseProblem
from livecore_server.storage.host_tables import UNFINISHED_COPIES, CopyMark
from livecore_server.storage.layout import Layout, declared_layout, layout_from_json
from livecore_server.storage.sqlite import DatabaseInUse, SqliteStore
from livecore_server.system import now_millis

if TYPE_CHECKING:
    from livecore_server.storage.postgres import PostgresStore


_NAME: Final = "copy"
_REHEARSAL: Final = "rehearsal:"
"""With this begins what identifies the source of a rehearsal, of which nothing else is ever a continuation."""
_LAYOUT: Final = "SELECT layout FROM livecore_migrations ORDER BY id DESC LIMIT 1"
_OTHERS: Final = (
    b"SELECT count(*) FROM pg_stat_activity "
    b"WHERE datname = current_database() AND application_name = 'livecore' AND pid <> pg_backend_pid()"
)

_LOOKS: Final = 20
_LOOK_SECONDS: Final = 0.1
"""A closed session is still shown for a moment."""


def copied_tables(store: Database) -> list[Table[Any]]:
    """The tables of a copy: all except the mark's."""
    return [table for table in store.tables if table is not UNFINISHED_COPIES]


def ordered_scopes(found: Iterable[Scope]) -> list[Scope]:
    """These scopes, the directory last: an incomplete copy has no game and no key, and cannot be served."""
    return [*sorted({*found} - {DIRECTORY}, key=lambda scope: scope.id), DIRECTORY]


def rehearsal() -> str:
    """An identity for `begin` that no other copy has."""
    return f"{_REHEARSAL}{secrets.token_hex(8)}"


def begin(source: Database, target: Database, identity: str | None = None) -> CopyMark:
    """Check that the source may be copied into the target, and mark the target. Raises `DatabaseProblem`."""
    refuse_half(source)
    identity = _identity(source) if identity is None else identity
    mark = mark_of(target)
    if mark is None:
        if target.scopes():
            raise DatabaseProblem("the target holds data already: name an empty database")
        mark = CopyMark(name=_NAME, source=identity, begun_at=now_millis())
    elif mark.source.startswith(_REHEARSAL):
        raise DatabaseProblem("the target holds an unfinished rehearsal: name an empty database")
    elif mark.source != identity:
        raise DatabaseProblem("the target holds an unfinished copy of another database: name an empty one")
    else:
        mark = evolve(mark, resumed=mark.resumed + 1)
    target.write(DIRECTORY, lambda tx: tx.put(UNFINISHED_COPIES, mark))
    return mark


def end(target: Database) -> None:
    """Remove the mark."""
    target.write(DIRECTORY, lambda tx: tx.delete(UNFINISHED_COPIES, _NAME))


def mark_of(store: Database) -> CopyMark | None:
    """The mark of a database that is an unfinished copy, or `None`."""
    return store.read(DIRECTORY, _mark)


def _mark(tx: Transaction) -> CopyMark | None:
    return tx.get(UNFINISHED_COPIES, _NAME)


def refuse_half(source: Database) -> None:
    """Refuse an incomplete or partly unknown source: its copy would be incomplete. Raises `DatabaseProblem`."""
    if mark_of(source) is not None:
        raise DatabaseProblem("the source is itself an unfinished copy: finish it first")
    _refuse_unknown_parts(source)


def _identity(store: Database) -> str:
    """The identity of a database, which never changes: the game that it was made with."""
    games = [scope.game_id for scope, _ in store.read(DIRECTORY, every_scope)]
    return blake2b(repr(games[:1]).encode(), digest_size=16).hexdigest()


def _refuse_unknown_parts(store: Database) -> None:
    """Refuse tables and columns of newer code, which would be left out silently."""
    declared = declared_layout(store.tables)
    unknown = [
        name
        for name, table in recorded_layout(store).items()
        if name not in declared or table.columns.keys() - declared[name].columns.keys()
    ]
    if unknown:
        raise DatabaseProblem(
            f"the source has been used by a newer release ({', '.join(unknown)}): copy it with that one"
        )


def recorded_layout(store: Database) -> Layout:
    """The tables and columns of the database, also those that this code does not declare."""
    if isinstance(store, SqliteStore):
        (text,) = store.connections.reading.execute(_LAYOUT).fetchone()
        return layout_from_json(str(text))
    from livecore_server.storage.postgres.connections.pipeline import Statement  # noqa: PLC0415 - an extra

    with store.wire() as wire:
        (result,) = wire.ask([Statement(_LAYOUT.encode())])
    return layout_from_json((result.get_value(0, 0) or b"").decode())


# -- nobody else, and no changes during a copy


def refuse_use(store: Database, name: str) -> None:
    """Refuse a database that another process has open, if that can be seen. Raises `DatabaseProblem`."""
    if not isinstance(store, SqliteStore):
        refuse_other_connections(store, name)
        return
    try:
        with store.sole_use():
            pass
    except DatabaseInUse as fault:
        _refuse_writer(store)
        raise DatabaseProblem(str(fault)) from fault


def _refuse_writer(store: SqliteStore) -> None:
    """Say more of a file that is in use, if it is being written at this moment."""
    with suppress(sqlite3.Error), _locked(store):
        pass


@contextmanager
def still(source: Database) -> Iterator[None]:
    """Prevent writes to the source meanwhile, if it is a file. Raises `DatabaseProblem`."""
    if isinstance(source, SqliteStore):
        with _locked(source):
            yield
    else:
        yield


@contextmanager
def _locked(source: SqliteStore) -> Iterator[None]:
    try:
        source.connections.begin()
    except sqlite3.OperationalError as fault:
        raise DatabaseProblem(f"{source.path} is being written: stop the server first") from fault
    try:
        yield
    finally:
        source.connections.rollback()


@contextmanager
def out_of_use(source: Database) -> Iterator[None]:
    """The end of a copy: refuse where a server has opened the source meanwhile. No other can open a file until it is over.

    Raises `DatabaseProblem`.
    """
    if not isinstance(source, SqliteStore):
        try:
            refuse_other_connections(source, "the source")
        except DatabaseProblem as fault:
            raise DatabaseProblem(f"{fault}, and run the same command again: the copy is unfinished") from fault
        yield
        return
    try:
        with source.sole_use():
            yield
    except DatabaseInUse as fault:
        raise DatabaseProblem(
            f"{source.path} was opened by another process during the copy, which would miss what that one writes, "
            "and stays unfinished: stop the server, and run the same command again"
        ) from fault


def refuse_other_connections(store: PostgresStore, name: str) -> None:
    """Refuse if another process of Livecore has a session, if the engine shows sessions. Raises `DatabaseProblem`."""
    from livecore_server.storage.postgres.connections.pipeline import Fault, Statement  # noqa: PLC0415 - an extra

    others = 0
    for _ in range(_LOOKS):
        try:
            with store.wire() as wire:
                (result,) = wire.ask([Statement(_OTHERS)])
        except Fault:  # an engine that does not show its sessions
            return
        others = int(result.get_value(0, 0) or 0)
        if not others:
            return
        time.sleep(_LOOK_SECONDS)
    raise DatabaseProblem(f"{name} is in use ({others} sessions of Livecore's): stop every server first")

"""A refused request changes nothing: the check that stands around every request of the suite.

`watched` wraps `Application.perform`, which is how worlds, in-process clients and generated sequences ask. Before each
request it takes a snapshot of the store, and where the answer is a refusal the store must be as it was and nothing may have
been emitted. `CHECKED` counts, so that a test can prove that the check ran at all.

A snapshot of the store in memory refers to its rows, which nobody may change in place: type checkers see to that, and
`require_unchanged_rows`, which compares every row of a store with what it was when it was looked at last, does so at each
eighth refusal. To read every row around every request would take longer than the requests.

Hosts that run units themselves, in grouped commits over HTTP, are held to the same by `sealed`: it wraps `Application.run`,
and a transaction whose unit was refused fails when anybody asks it for its writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NoReturn, Protocol, cast
from weakref import WeakKeyDictionary

from livecore.api.application import Application
from livecore.api.http import Request
from livecore.api.prepared import Outcome, Prepared
from livecore.kernel.errors import Refusal
from livecore.kernel.memory import MemoryStore
from livecore.kernel.store import Transaction
from livecore.kernel.tables import Table
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore

__all__ = ["CHECKED", "Changed", "require_unchanged_rows", "sealed", "snapshot", "watched"]

CHECKED: Counter[str] = Counter()
"""How often, since the session began: refused requests by status and together (`refused`), answered ones (`ok`), refused
units (`dropped`)."""

Perform = Callable[[Application, Request], Outcome]
Run = Callable[[Application, Prepared, Transaction], Outcome]


class Changed(AssertionError):
    """A refused request has changed the store, or told somebody."""


class _Dumpable(Protocol):
    def dump(self) -> object: ...


_REFUSALS_OF_A_LOOK: Final = 8
_READERS: dict[str, Callable[[object], object]] = {}
_KNOWN: WeakKeyDictionary[MemoryStore, dict[int, tuple[object, object]]] = WeakKeyDictionary()
"""For each store the rows that were there when it was looked at last, by identity, with their columns at that time."""


def _reader(table: Table[Any]) -> Callable[[object], object]:
    """Gives a row's columns."""
    reader = _READERS.get(table.name)
    if reader is None:
        reader = _READERS[table.name] = attrgetter(*(column.name for column in table.columns))
    return reader


def snapshot(store: object) -> object:
    """Everything that a store holds, as a value to compare with another; cheap for the store in memory."""
    if isinstance(store, MemoryStore):
        # Without a step of Python for each row: it is made before every request of the suite.
        return {
            (scope.id, table.name): held.rows.copy()
            for scope, tables in store._scopes.items()
            for table, held in tables.items()
            if held.rows
        }
    if isinstance(store, SqliteStore):
        # SQLite counts the rows that a connection has ever changed.
        return store.connections.writing.total_changes
    if isinstance(store, PostgresStore):
        return store.written
    return cast("_Dumpable", store).dump()


def require_unchanged_rows(store: MemoryStore) -> None:
    """Raise `Changed` where a row is another one than when this store was looked at last, and still the same object."""
    known, found = _KNOWN.get(store, {}), {}
    for tables in store._scopes.values():
        for table, held in tables.items():
            read = _reader(table)
            for key, row in held.rows.items():
                columns = read(row)
                if id(row) in known and known[id(row)][1] != columns:
                    raise Changed(f"the row {key} of {table.name} was changed in place")
                found[id(row)] = (row, columns)
    _KNOWN[store] = found


def watched(perform: Perform) -> Perform:
    """`Application.perform` with the check around it."""

    def checking(self: Application, request: Request) -> Outcome:
        before = snapshot(self.store)
        outcome = perform(self, request)
        status = outcome.response.status
        if status < 400:
            CHECKED["ok"] += 1
            return outcome
        CHECKED[str(status)] += 1
        if snapshot(self.store) != before:
            raise Changed(f"{request.method} {request.path} was refused with {status}, and rows changed")
        if outcome.events:
            raise Changed(f"{request.method} {request.path} was refused with {status}, and events were emitted")
        CHECKED["refused"] += 1
        if CHECKED["refused"] % _REFUSALS_OF_A_LOOK == 0 and isinstance(self.store, MemoryStore):
            require_unchanged_rows(self.store)
        return outcome

    return checking


class _Sealed(dict[Any, Any]):
    """The writes of a refused unit, which nobody may ask for."""

    def items(self) -> NoReturn:
        raise Changed("a refused unit's writes were asked for")


def sealed(run: Run) -> Run:
    """`Application.run` with the check around it."""

    def checking(self: Application, prepared: Prepared, tx: Transaction) -> Outcome:
        try:
            return run(self, prepared, tx)
        except Refusal:
            CHECKED["dropped"] += 1
            tx._changes = _Sealed()
            raise

    return checking

"""A refused request changes nothing: the check that stands around every request of the suite.

`watched` wraps `Application.perform`, which is how worlds, in-process clients and generated sequences ask. Before each
request it takes a snapshot of the store, and where the answer is a refusal the store must be as it was and nothing may have
been emitted. `CHECKED` counts, so that a test can prove that the check ran at all.

A store in memory changes in `MemoryStore.apply` alone, which `counted` wraps; the other stores count what they write. A row
itself nobody may change in place: type checkers see to that, and `_require_unchanged_rows`, which compares every row of a
store with what it was when it was looked at last, does so at the first refusals, then at each eighth, and in a large store
the more seldom the more rows it has. To read every row around every request would take longer than the requests. Writes that
`MemoryStore.apply` refuses must leave the rows that they name as they were, and rewrites every row of their scope.

What a refusal leaves behind that is declared in `NOTED` is one row at most.

Hosts that run units themselves, in grouped commits over HTTP, are held to the same by `sealed`: it wraps `Application.run`,
and a transaction whose unit was refused fails when anybody asks it for its writes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final, NoReturn, Protocol, cast
from weakref import WeakKeyDictionary

import attrs

from livecore.api.application import Application
from livecore.api.requests.http import Request
from livecore.api.requests.prepared import Outcome, Prepared
from livecore.api.requests.typed import Reply
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import StoreWrite, Transaction, Write
from livecore.kernel.storage.tables import Key, Table
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore

NOTED: Final = {(422, "anti_cheat_rejected")}
"""The refusals of which something is kept: a row of the attempt, or of the player's scores in a period."""

CHECKED: Counter[str] = Counter()
"""How often, since the session began: refused requests by status and together (`refused`), answered ones (`ok`), refused
units (`dropped`)."""

Perform = Callable[[Application, Request], Outcome]
Run = Callable[[Application, Prepared, Transaction], Outcome]
Apply = Callable[[MemoryStore, Scope, Sequence[StoreWrite]], None]


class Changed(AssertionError):
    """A refused request has changed the store, or told somebody."""


class _Dumpable(Protocol):
    def dump(self) -> object: ...


_REFUSALS_OF_A_LOOK: Final = 8
_ROWS_OF_A_REFUSAL: Final = 100
"""So many rows at most are compared for each refusal, on the average."""
_READERS: dict[str, Callable[[object], object]] = {}


@attrs.define
class _Watch:
    """What is known of a store in memory."""

    steps: int = 0
    """How many steps of units were ever applied to it."""
    refused: int = 0
    """How many requests were refused since its rows were looked at last."""
    looks: int = 0
    """How often its rows were looked at."""
    rows: dict[int, tuple[object, object]] = attrs.field(factory=dict)
    """The rows that were there when it was looked at last, by identity, with their columns at that time."""


_WATCHES: WeakKeyDictionary[MemoryStore, _Watch] = WeakKeyDictionary()


def _watch(store: MemoryStore) -> _Watch:
    found = _WATCHES.get(store)
    if found is None:
        found = _WATCHES[store] = _Watch()
    return found


def _reader(table: Table[Any]) -> Callable[[object], object]:
    """Gives a row's columns."""
    reader = _READERS.get(table.name)
    if reader is None:
        reader = _READERS[table.name] = attrgetter(*(column.name for column in table.columns))
    return reader


def snapshot(store: object) -> object:
    """A value that is another one when a row of the store was written."""
    if isinstance(store, MemoryStore):
        return _watch(store).steps
    if isinstance(store, SqliteStore):
        # SQLite counts the rows that a connection has ever changed.
        return store.connections.writing.total_changes
    if isinstance(store, PostgresStore):
        return store.written
    return cast("_Dumpable", store).dump()


def _require_unchanged_rows(store: MemoryStore) -> None:
    """Raise `Changed` where a row is another one than when this store was looked at last, and still the same object."""
    watch = _watch(store)
    known, found = watch.rows, {}
    for tables in store._scopes.values():
        for table, held in tables.items():
            read = _reader(table)
            for key, row in held.rows.items():
                columns = read(row)
                if id(row) in known and known[id(row)][1] != columns:
                    raise Changed(f"the row {key} of {table.name} was changed in place")
                found[id(row)] = (row, columns)
    watch.rows, watch.refused, watch.looks = found, 0, watch.looks + 1


def _look(store: MemoryStore) -> None:
    """Compare the rows of a store, unless it had too few refusals since they were compared last."""
    watch = _watch(store)
    watch.refused += 1
    # At the first refusal, two later, four later, then always eight: most stores of the suite see only a few.
    if watch.refused >= max(min(2**watch.looks, _REFUSALS_OF_A_LOOK), len(watch.rows) // _ROWS_OF_A_REFUSAL):
        _require_unchanged_rows(store)


def _held(store: MemoryStore, scope: Scope, steps: Sequence[StoreWrite]) -> dict[tuple[str, Key], object]:
    """The rows that these steps may change: those of writes, and where there is a rewrite, all of the scope."""
    tables = store._scopes.get(scope, {})
    if all(isinstance(step, Write) for step in steps):
        named = [(step.table, step.key) for step in steps if isinstance(step, Write) and step.table in tables]
        return {(table.name, key): tables[table].rows[key] for table, key in named if key in tables[table].rows}
    return {(table.name, key): row for table, held in tables.items() for key, row in held.rows.items()}


def counted(apply: Apply) -> Apply:
    """`MemoryStore.apply` with the count that `snapshot` reads, and with a look at the rows where it raises."""

    def counting(self: MemoryStore, scope: Scope, steps: Sequence[StoreWrite]) -> None:
        before = _held(self, scope, steps)
        try:
            apply(self, scope, steps)
        except Exception as error:
            if _held(self, scope, steps) != before:
                raise Changed("writes were refused, and rows changed") from error
            raise
        _watch(self).steps += len(steps)

    return counting


def _is_note(outcome: Outcome, before: object, after: object) -> bool:
    """Whether a refusal is one of those that write one row."""
    response = outcome.response
    if isinstance(response, Reply):
        code = "" if response.refusal is None else response.refusal.code
    else:
        code = str(json.loads(response.body)["error"]["code"])
    if (response.status, code) not in NOTED:
        return False
    return isinstance(before, int) and isinstance(after, int) and after - before == 1


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
        after = snapshot(self.store)
        if after != before and not _is_note(outcome, before, after):
            raise Changed(f"{request.method} {request.path} was refused with {status}, and rows changed")
        if outcome.events:
            raise Changed(f"{request.method} {request.path} was refused with {status}, and events were emitted")
        CHECKED["refused"] += 1
        if isinstance(self.store, MemoryStore):
            _look(self.store)
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

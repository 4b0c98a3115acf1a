"""The directory as every process remembers it: keys and games, checked against the database before each use.

Every request reads its key and its game. Both hardly ever change, and when they do, the next request of every process
must know. So rows are remembered together with the version of their table, which each change of the directory counts up in
its own transaction; and before a request reads them, somebody has asked for the versions *after* the request had come in.
One question serves all the requests that were waiting when it was sent: under load that is many.

    request 1 ──ask──┐            ┌── 1 goes on
    request 2 ───────┼─ waiting ──┼──ask──┐  ┌── 2 and 3 go on
    request 3 ───────┴────────────┘───────┴──┘

Everything here happens on the event loop, but for the questions themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.store import Reader, Transaction, Wanted
from livecore.kernel.tables import Index, Key, Table, Unique
from livecore_server.postgres.snapshot import find_statement, get_statement, scan_statement
from livecore_server.postgres.statements import plan_of
from livecore_server.postgres.text import decoded, encoded
from livecore_server.postgres.units import read_statements
from livecore_server.postgres.wire import Statement, Wire
from livecore_server.postgres.workers import Workers

__all__ = ["Directory", "Unremembered"]

T = TypeVar("T")
_SCOPE: Final = encoded(DIRECTORY.id)
_VERSIONS: Final = Statement(b"SELECT name, version FROM livecore_versions WHERE scope = $1", (_SCOPE,))
_MOST_PLACES: Final = 50_000
_MOST_LOADS: Final = 20
_Versions = dict[str, int]


class Unremembered(Exception):
    """The unit wants what is not remembered at all."""


class _Missing(Exception):
    """What a unit asked for and is not remembered yet."""

    def __init__(self, table: Table[Any], statement: Statement) -> None:
        super().__init__()
        self.table = table
        self.statement = statement


class _Remembered(Reader):
    """The remembered rows of the directory; raises `_Missing` for any other."""

    def __init__(self) -> None:
        self.versions: _Versions = {}
        self._rows: dict[Statement, tuple[int, list[Any]]] = {}

    def keep(self, missing: _Missing, versions: _Versions, rows: list[Any]) -> None:
        """Remember what was asked for, as of these versions."""
        if len(self._rows) >= _MOST_PLACES:
            self._rows.clear()
        self._rows[missing.statement] = (versions.get(missing.table.name, 0), rows)
        for name, version in versions.items():
            self.versions[name] = max(version, self.versions.get(name, 0))

    def _look(self, table: Table[Any], statement: Statement) -> list[Any]:
        held = self._rows.get(statement)
        if held is None or held[0] != self.versions.get(table.name, 0):
            raise _Missing(table, statement)
        return held[1]

    def get(self, table: Table[Any], key: Key) -> Any:  # noqa: ANN401 - as the port types it
        """The row with this key."""
        rows = self._look(table, get_statement(_SCOPE, table, key))
        return rows[0] if rows else None

    def find(self, unique: Unique[Any], values: Key) -> Any:  # noqa: ANN401 - as the port types it
        """The row with these unique values."""
        rows = self._look(unique.table, find_statement(_SCOPE, unique, values))
        return rows[0] if rows else None

    def scan(
        self,
        index: Index[Any],
        prefix: Key,
        *,
        start: Key | None,
        after: Key | None,
        stop: Key | None,
        reverse: bool,
        limit: int | None,
    ) -> list[Any]:
        """Rows in the index's order within the bounds."""
        statement = scan_statement(_SCOPE, index, prefix, start, after, stop, reverse=reverse, limit=limit)
        return self._look(index.table, statement)[:]

    def count(self, index: Index[Any], prefix: Key, *, start: Key | None, stop: Key | None) -> int:  # noqa: ARG002 - as the port names them
        """Nobody counts the directory often enough to remember it."""
        raise Unremembered

    def prefetch(self, wanted: Iterable[Wanted]) -> None:
        """What is missing is loaded when it is asked for."""


class Directory:
    """Units that read the directory, run on the event loop."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._remembered = _Remembered()
        self._next: asyncio.Future[None] | None = None
        self._checking = False

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` on what is remembered, once that is known to be current; loads what is missing.

        Raises `Overloaded` where the database cannot be asked, `Unremembered` where the unit wants what is never remembered.
        """
        await self._checked()
        for _ in range(_MOST_LOADS):
            try:
                return work(Transaction(DIRECTORY, self._remembered))
            except _Missing as missing:
                await self._load(missing)
        raise Unremembered

    async def _checked(self) -> None:
        """Wait for the next question: one that is under way may have been asked before a change that must be seen."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        waiting = self._next
        if not self._checking:
            self._check()
        await asyncio.shield(waiting)

    def _check(self) -> None:
        waiting, self._next = self._next, None
        assert waiting is not None  # noqa: S101 - somebody waits
        self._checking = True
        try:
            asked = self._workers.submit(_ask_versions)
        except Exception as error:  # noqa: BLE001 - it is for those who wait
            self._answer(waiting, None, error)
            return
        asked.add_done_callback(
            lambda done: self._answer(waiting, done, None if done.cancelled() else done.exception())
        )

    def _answer(
        self, waiting: asyncio.Future[None], done: asyncio.Future[_Versions] | None, error: BaseException | None
    ) -> None:
        self._checking = False
        if error is not None or done is None or done.cancelled():
            waiting.set_exception(error or Overloaded())
            waiting.exception()  # whoever waited may have gone away
        else:
            self._remembered.versions = done.result()
            waiting.set_result(None)
        if self._next is not None:
            self._check()

    async def _load(self, missing: _Missing) -> None:
        versions, rows = await self._workers.submit(lambda wire: _load(wire, missing))
        self._remembered.keep(missing, versions, rows)


def _versions(result: Any) -> _Versions:  # noqa: ANN401 - a result of libpq
    return {
        decoded(result.get_value(row, 0) or b""): int(result.get_value(row, 1) or 0) for row in range(result.ntuples)
    }


def _ask_versions(wire: Wire) -> _Versions:
    (result,) = wire.ask([_VERSIONS])
    return _versions(result)


def _load(wire: Wire, missing: _Missing) -> tuple[_Versions, list[Any]]:
    """The rows and the versions of one snapshot."""
    versions, rows = read_statements(wire, [_VERSIONS, missing.statement])
    return _versions(versions), plan_of(missing.table).codec.decode(rows)

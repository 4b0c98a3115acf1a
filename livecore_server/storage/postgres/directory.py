"""The directory as every process remembers it: keys and games, checked against the database at each use.

Every request reads its key and its game. Both hardly ever change, and when they do, the next request of every process
must know. So rows are remembered together with the version of their table, which each change of the directory counts up in
its own transaction; and before an entrance is over, somebody has asked for the versions *after* the request had come in.
That question is one that requests share, and carries their hits as well (`livecore_server.storage.postgres.shared_query`).

    entrance  | reads what is remembered, as far as it goes | hit: wait for the answer | goes on, or begins again | result

What was read before the answer is believed only then: where a version has moved on meanwhile, the entrance begins again, and
what it has counted is not counted twice. Everything here happens on the event loop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, Final, TypeVar

from livecore.kernel.scope import DIRECTORY
from livecore.kernel.store import Reader, Transaction, Wanted
from livecore.kernel.tables import Index, Key, Table, Unique
from livecore_server.storage.postgres.pipeline import Statement
from livecore_server.storage.postgres.shared_query import Ask, Counted
from livecore_server.storage.postgres.short_memory import ENTRANCE, PostgresMemory
from livecore_server.storage.postgres.short_memory_tables import VERSIONS, versions_in
from livecore_server.storage.postgres.snapshot import find_statement, get_statement, scan_statement
from livecore_server.storage.postgres.statements import plan_of
from livecore_server.storage.postgres.text import encoded
from livecore_server.storage.suspension import run_waiting, wait_for

__all__ = ["Directory", "Unremembered"]

T = TypeVar("T")
_SCOPE: Final = encoded(DIRECTORY.id)
_MOST_PLACES: Final = 50_000


class Unremembered(Exception):
    """The unit wants what is not remembered at all."""


class _Outdated(Exception):
    """What the entrance has read is no longer so."""


class Directory:
    """Units that read the directory, run on the event loop."""

    def __init__(self, ask: Ask, memory: PostgresMemory) -> None:
        self.shared_queries = memory.shared_queries
        self._ask = ask
        self._rows: dict[Statement, tuple[int, list[Any]]] = {}

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` on what is remembered, and give its result when that is known to be current; loads what is missing.

        Raises `Overloaded` where the database cannot be asked, `Unremembered` where the unit wants what is never remembered.
        """
        entrance = _Entrance(self)
        token = ENTRANCE.set(entrance)
        try:
            try:
                return await run_waiting(partial(entrance.run, work))
            except _Outdated:
                # From here on everything is read as of an answer that came after the request: that will do.
                return await run_waiting(partial(entrance.run, work))
        finally:
            ENTRANCE.reset(token)

    def version(self, table: Table[Any]) -> int:
        """The version of a table, as of the latest answer."""
        return self.shared_queries.versions.get(table.name, 0)

    def remembered(self, table: Table[Any], statement: Statement) -> list[Any] | None:
        """The rows that a statement gave, unless the table is known to have changed since."""
        held = self._rows.get(statement)
        return None if held is None or held[0] != self.version(table) else held[1]

    async def load(self, table: Table[Any], statement: Statement) -> list[Any]:
        """Ask for the rows, and remember them."""
        # The versions first: rows of a later moment than they say are loaded once more, and never believed for too long.
        versions, found = await self._ask([VERSIONS, statement])
        self.shared_queries.versions = versions_in(versions)
        rows = plan_of(table).codec.decode(found)
        if len(self._rows) >= _MOST_PLACES:
            self._rows.clear()
        self._rows[statement] = (self.version(table), rows)
        return rows


class _Entrance(Reader):
    """One run of a unit over the directory."""

    def __init__(self, directory: Directory) -> None:
        self.heard = False
        """Whether a question of ours has been answered, which brings news as well; loading rows brings versions alone."""
        self._current = False
        self.counted: dict[str, Counted] = {}
        self._directory = directory
        self._believed: dict[Table[Any], int] = {}
        """What was read before an answer, and as of which version."""
        self._failure: Exception | None = None

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Run the unit, and hear at least one answer. Raises what it raises, `_Outdated`, and what kept us from asking."""
        try:
            result = work(Transaction(DIRECTORY, self))
        except (_Outdated, Unremembered):
            raise
        except Exception:
            self._confirm()
            raise
        self._confirm()
        return result

    def _confirm(self) -> None:
        # The unit may have made an answer of its own of the failure; but the executor is to hear of it.
        if self._failure is not None:
            raise self._failure
        if not self._current:
            self.hear(self._directory.shared_queries.next())

    def hear(self, answer: Awaitable[None]) -> None:
        """Wait for the answer to a question. Raises `_Outdated` where it tells that what was read is no longer so."""
        self.heard = True
        self._wait(answer)
        self._compare()

    def hit(self, name: str, answer: Awaitable[Counted]) -> Counted:
        """Wait for the answer to a hit, and keep it. Raises likewise."""
        self.heard = True
        counted = self.counted[name] = self._wait(answer)
        self._compare()
        return counted

    def _wait(self, answer: Awaitable[T]) -> T:
        try:
            return wait_for(answer)
        except Exception as error:
            self._failure = error
            raise

    def _compare(self) -> None:
        """What is known of the tables now is of after the request came in: is what was read before still so?"""
        self._current = True
        believed, self._believed = self._believed, {}
        if any(self._directory.version(table) != version for table, version in believed.items()):
            raise _Outdated

    def _look(self, table: Table[Any], statement: Statement) -> list[Any]:
        rows = self._directory.remembered(table, statement)
        if rows is None:
            rows = self._wait(self._directory.load(table, statement))
            self._compare()
            return rows
        if not self._current:
            self._believed.setdefault(table, self._directory.version(table))
        return rows

    # -- the port

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

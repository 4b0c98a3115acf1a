"""Each process's cache of the directory: keys and games, validated against the database at each use.

Every request reads its key and its game. Both hardly ever change, but after a change the next request of every process must
see it. So rows are cached together with the version of their table, which each change of the directory increments in its
own transaction. Before a preparation ends, the versions are read *after* the request arrived. The requests share that
query, which also counts their hits (`livecore_server.storage.postgres.shared.shared_query`).

    preparation  | reads cached rows | hit: wait for the answer | continues, or begins again | result

The answer confirms the rows that were read before it: if a version has changed meanwhile, the preparation begins again, and
its hits are not counted twice. Everything here happens on the event loop.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Count, Scan
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key, Table, Unique
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.connections.suspension import run_waiting, wait_for
from livecore_server.storage.postgres.reads.read_set import find_statement, get_statement, scan_statement
from livecore_server.storage.postgres.shared.ephemeral_state import PREPARATION, PostgresEphemeralState
from livecore_server.storage.postgres.shared.ephemeral_tables import VERSIONS, versions_in
from livecore_server.storage.postgres.shared.shared_query import Ask, Counted
from livecore_server.storage.postgres.sql.statements import plan_of
from livecore_server.storage.postgres.sql.text import encoded

T = TypeVar("T")
_SCOPE: Final = encoded(DIRECTORY.id)
_MOST_PLACES: Final = 50_000


class Uncached(Exception):
    """The unit makes a read that is never cached."""


class _Outdated(Exception):
    """Rows that the preparation has read have changed."""


class Directory:
    """Units that read the directory, run on the event loop."""

    def __init__(self, ask: Ask, ephemeral: PostgresEphemeralState) -> None:
        self.shared_queries = ephemeral.shared_queries
        self._ask = ask
        self._rows: dict[Statement, tuple[int, list[Any]]] = {}

    async def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` on cached rows, and return its result once they are confirmed; loads missing rows.

        Raises `Overloaded` if the database does not answer, `Uncached` if the unit makes a read that is never cached.
        """
        preparation = _Preparation(self)
        token = PREPARATION.set(preparation)
        try:
            try:
                return await run_waiting(partial(preparation.run, work))
            except _Outdated:
                # From here on all rows are as of an answer after the request, which is current enough.
                return await run_waiting(partial(preparation.run, work))
        finally:
            PREPARATION.reset(token)

    def version(self, table: Table[Any]) -> int:
        """The version of a table, as of the latest answer."""
        return self.shared_queries.versions.get(table.name, 0)

    def cached(self, table: Table[Any], statement: Statement) -> list[Any] | None:
        """The rows that a statement gave, unless the table is known to have changed since."""
        held = self._rows.get(statement)
        return None if held is None or held[0] != self.version(table) else held[1]

    async def load(self, table: Table[Any], statement: Statement) -> list[Any]:
        """Read the rows, and cache them."""
        # Versions first: then rows that are newer than their version are only loaded again, and never used for too long.
        versions, found = await self._ask([VERSIONS, statement])
        self.shared_queries.versions = versions_in(versions)
        rows = plan_of(table).codec.decode(found)
        if len(self._rows) >= _MOST_PLACES:
            self._rows.clear()
        self._rows[statement] = (self.version(table), rows)
        return rows


class _Preparation(Reader):
    """One run of a unit over the directory."""

    def __init__(self, directory: Directory) -> None:
        self.answered = False
        """Whether a shared query has been answered, which also brings updates; loading rows brings only versions."""
        self._current = False
        self.counted: dict[str, Counted] = {}
        self._directory = directory
        self._unconfirmed: dict[Table[Any], int] = {}
        """The tables that were read before an answer, with their versions."""
        self._failure: Exception | None = None

    def run(self, work: Callable[[Transaction], T]) -> T:
        """Run the unit, and wait for an answer. Raises what the unit raises, `_Outdated`, and failures of the query."""
        try:
            result = work(Transaction(DIRECTORY, self))
        except (_Outdated, Uncached):
            raise
        except Exception:
            self._confirm()
            raise
        self._confirm()
        return result

    def _confirm(self) -> None:
        # The unit may have turned the failure into an answer, but the executor must see it.
        if self._failure is not None:
            raise self._failure
        if not self._current:
            self.wait(self._directory.shared_queries.next())

    def wait(self, answer: Awaitable[None]) -> None:
        """Wait for the answer to a query. Raises `_Outdated` if it shows that read rows have changed."""
        self.answered = True
        self._wait(answer)
        self._compare()

    def hits(self, answers: Mapping[str, Awaitable[Counted]]) -> None:
        """Wait for the answers to hits that one query counts, and keep all of them. Raises like `wait`."""
        self.answered = True
        for name, answer in answers.items():
            self.counted[name] = self._wait(answer)
        self._compare()

    def _wait(self, answer: Awaitable[T]) -> T:
        try:
            return wait_for(answer)
        except Exception as error:
            self._failure = error
            raise

    def _compare(self) -> None:
        """The known versions are now from after the request arrived: check the rows that were read before."""
        self._current = True
        unconfirmed, self._unconfirmed = self._unconfirmed, {}
        if any(self._directory.version(table) != version for table, version in unconfirmed.items()):
            raise _Outdated

    def _look(self, table: Table[Any], statement: Statement) -> list[Any]:
        rows = self._directory.cached(table, statement)
        if rows is None:
            rows = self._wait(self._directory.load(table, statement))
            self._compare()
            return rows
        if not self._current:
            self._unconfirmed.setdefault(table, self._directory.version(table))
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

    def scan(self, scan: Scan[Any]) -> list[Any]:
        """Rows in the index's order within the bounds."""
        return self._look(scan.index.table, scan_statement(_SCOPE, scan))[:]

    def count(self, count: Count) -> int:  # noqa: ARG002 - as the port names it
        """Counts are too rare to be cached."""
        raise Uncached

    def load(self, reads: Iterable[AnyRead]) -> None:
        """Nothing to do: missing rows are loaded when they are read."""

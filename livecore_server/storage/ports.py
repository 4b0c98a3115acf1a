"""The executor port: what a host needs to run units of work. Each store has its own executor.

A unit is a plain function of a `Transaction`. An executor may run it more than once and drops all but the last run, so it
must have no effects besides its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notices
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table, TimeIndex
from livecore.kernel.time import Millis
from livecore_server.storage.due_scopes import START, DuePage, ScopePosition

T = TypeVar("T")


class Executor(Protocol):
    """Runs units of work for an event loop."""

    @property
    def queued(self) -> int:
        """How many accepted writes are not yet being committed."""

    @property
    def notices(self) -> Notices:
        """The subscribers of this process to notices; they are called on the event loop."""

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on a consistent, durable state; its writes, if any, are dropped."""

    async def read_aside(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """`read` for very many rows: where the store reads on the event loop's thread, it runs in another one.

        `work` must use nothing of the loop. Nothing that it reads is cached. Raises `Overloaded` if the store cannot answer.
        """

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work`; return its result, or raise its exception, once everything that it wrote or saw is durable.

        Raises `livecore.kernel.errors.Overloaded` if the unit would wait too long or the store cannot commit. Then nothing
        was written, unless the commit was under way: its result is unknown until the store works again.
        """

    def lease(self, scope: Scope, name: str) -> AbstractAsyncContextManager[bool]:
        """Hold a lease of a scope, among all processes, while the block runs; `False` means that another process has it.

        It only keeps processes from doing the same work at once; correctness must not depend on it. A lease expires if its
        process dies or hangs, and the process may not notice that. Entering raises `Overloaded` if the store cannot answer.
        """

    async def scopes(self, tables: Iterable[Table[Any]] | None = None) -> list[Scope]:
        """Every scope that holds rows of these tables, or of any. It costs nothing for the others.

        Raises `Overloaded` if the store cannot answer.
        """

    async def due_scopes(self, index: TimeIndex, until: Millis, after: ScopePosition = START) -> DuePage:
        """The next scopes after a place with rows whose time comes by `until`, by default from the first scope on.

        It costs nothing for scopes without such rows. It also gives what lies a little later, up to the end of the period of
        `until`. Raises `Overloaded` if the store cannot answer.
        """

    async def close(self) -> None:
        """Refuse new writes, finish accepted ones, and release threads and connections."""


class WriterLock(Protocol):
    """The lock to write, among processes that share a database file. May be used in any thread, one at a time."""

    def attempt(self) -> bool:
        """Take the lock if no process has it or waits for it."""

    def acquire(self) -> None:
        """Wait for the lock, and take it."""

    def release(self) -> None:
        """Release the lock for the next process."""


class BatchObserver(Protocol):
    """Observes batches, for metrics. Called on the event loop; durations are in seconds."""

    def committed(self, *, units: int, run_seconds: float, commit_seconds: float) -> None:
        """The units of a batch ran for `run_seconds`, and their commit took `commit_seconds`."""

    def failed(self, *, units: int, error: BaseException) -> None:
        """The store could not commit or read, and `units` units were refused."""

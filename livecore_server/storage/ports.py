"""What a host needs from whatever runs its units of work; each store comes with an executor of its own.

A unit is a plain function of a `Transaction`. An executor may run it more than once, and drops all but the last run, so it
has no effects besides its transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

import attrs

from livecore.kernel.notices import Notices
from livecore.kernel.scope import Scope
from livecore.kernel.store import Transaction

__all__ = ["BatchObserver", "Executor", "Patience", "WriterLock"]

T = TypeVar("T")


class Executor(Protocol):
    """Runs units of work for an event loop."""

    @property
    def queued(self) -> int:
        """How many writes have been accepted and are not yet on their way to the disk."""

    @property
    def notices(self) -> Notices:
        """The subscribers of this process to what units publish; they are called on the event loop."""

    async def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on a consistent, durable state; its writes, if any, are dropped."""

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work`; return its result, or raise its exception, once everything that it wrote or saw is durable.

        Raises `livecore.kernel.errors.Overloaded` when the unit would wait too long or the store cannot commit; nothing was
        written then, unless the commit was under way: of that one cannot know before the store is back.
        """

    def lease(self, scope: Scope, name: str) -> AbstractAsyncContextManager[bool]:
        """Have something of a scope to oneself, among all processes, while the block runs; `False`: another one has it.

        It spares processes from all trying the same at once, and nothing else may rest on it: a lease passes on when its
        process dies or falls silent, which it may not know. Entering raises `Overloaded` where the store cannot tell.
        """

    async def scopes(self) -> list[Scope]:
        """Every scope that holds rows."""

    async def close(self) -> None:
        """Refuse new writes, finish those that were accepted, and let go of threads and connections."""


@attrs.frozen(kw_only=True)
class Patience:
    """How much may wait in a process; what would wait beyond that is refused as `Overloaded`."""

    units: int = 10_000
    seconds: float = 2.0
    """How long a unit may have to wait for its turn, as reckoned when it comes."""


class WriterLock(Protocol):
    """The lock to write, among processes that share a database file. May be used in any thread, one at a time."""

    def attempt(self) -> bool:
        """Take the lock if nobody has it or waits for it."""

    def acquire(self) -> None:
        """Wait for the lock, and take it."""

    def release(self) -> None:
        """Let the next one write."""


class BatchObserver(Protocol):
    """Is told about batches, for metrics. Called on the event loop; durations in seconds."""

    def committed(self, *, units: int, run_seconds: float, commit_seconds: float) -> None:
        """So many units ran for so long, and their one commit took so long."""

    def failed(self, *, units: int, error: BaseException) -> None:
        """The store could not commit, or be read: so many units were refused."""

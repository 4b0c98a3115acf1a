"""An executor as a store, for work that runs in `run_waiting`: each transaction waits for its turn and its commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.store import StoreConflict, Transaction
from livecore_server.storage.ports import Executor
from livecore_server.storage.suspension import wait_for

__all__ = ["WaitingStore", "write_again"]

T = TypeVar("T")
_ATTEMPTS: Final = 4


async def write_again(executor: Executor, scope: Scope, work: Callable[[Transaction], T]) -> T:
    """Run a write. If another one took a unique value first, it runs again and sees that row.

    Raises `Overloaded` if that happens again and again.
    """
    for _ in range(_ATTEMPTS):
        try:
            return await executor.write(scope, work)
        except StoreConflict:
            continue
    raise Overloaded


class WaitingStore:
    """The synchronous port over an executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on a consistent view of the scope."""
        return wait_for(self._executor.read(scope, work))

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and apply what it wrote. Raises `Overloaded` if it conflicts again and again."""
        return wait_for(write_again(self._executor, scope, work))

"""An executor as a store, for work that needs several transactions: each waits for its turn and its commit.

Such work is a plain function and runs in a thread of its own, which waits while the event loop runs the transactions. So it
needs nothing of a store's own way to wait, and takes no time of the loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, TypeVar

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Store, StoreConflict, Transaction
from livecore_server.storage.ports import Executor

T = TypeVar("T")
_ATTEMPTS: Final = 4
_THREADS: Final = 16
"""How many such pieces of work run at the same time; operators alone ask for them, and further ones wait."""


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


class WaitingStores:
    """Runs work that is given a store, over an executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._threads = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="livecore-steps")

    def close(self) -> None:
        """End the threads, once the work in them has ended; for a thread that may wait."""
        self._threads.shutdown()

    async def run(self, work: Callable[[Store], T]) -> T:
        """Run `work` in a thread, and return or raise what it does.

        It sees the context variables of its caller. If the caller is cancelled, the transaction that is under way is
        cancelled as well, and the work ends there.
        """
        loop = asyncio.get_running_loop()
        store = _WaitingStore(self._executor, loop)
        try:
            return await loop.run_in_executor(self._threads, copy_context().run, work, store)
        except asyncio.CancelledError:
            store.cancel()
            raise


class _WaitingStore:
    """The synchronous port over an executor, for one thread."""

    def __init__(self, executor: Executor, loop: asyncio.AbstractEventLoop) -> None:
        self._executor = executor
        self._loop = loop
        self._running: asyncio.Task[Any] | None = None
        self._cancelled = False

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` on a consistent view of the scope."""
        return self._wait(self._executor.read(scope, work))

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """Run `work` and apply what it wrote. Raises `Overloaded` if it conflicts again and again."""
        return self._wait(write_again(self._executor, scope, work))

    def cancel(self) -> None:
        """On the loop's thread: cancel what is waited for, and everything that the work asks for from now on."""
        self._cancelled = True
        if self._running is not None:
            self._running.cancel()

    def _wait(self, step: Coroutine[Any, Any, T]) -> T:
        if self._cancelled:
            # The loop may have ended by now, and would never answer.
            step.close()
            raise asyncio.CancelledError
        return asyncio.run_coroutine_threadsafe(self._run(step), self._loop).result()

    async def _run(self, step: Coroutine[Any, Any, T]) -> T:
        if self._cancelled:
            step.close()
            raise asyncio.CancelledError
        self._running = asyncio.current_task()
        return await step

"""Lets a unit of work, a plain function, wait for I/O on the event loop's thread.

A rule is synchronous: it reads a row and continues. If the row comes over a network, the function is suspended, and the
loop serves others until the row has arrived. For that the function needs its own stack, which a greenlet provides. There is
no thread, so nothing runs concurrently, and no lock is needed.

    loop      | run_waiting(work) | others ...            | work goes on | result
    work      | ... wait_for(row) |                       | ... return   |

Code between two `wait_for` is never interrupted. After a `wait_for` it sees the effects of others; a unit of work handles
that by its transaction.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, TypeVar, cast

from greenlet import getcurrent, greenlet

T = TypeVar("T")
_LAST_WAITS: Final = 100
"""How often abandoned work may start another wait."""


class SuspendableUnit(greenlet, Generic[T]):
    """A function on its own stack, which suspends at each wait.

    Call `begin`, then `resume` or `fail` with the outcome of `awaited`, until `finished`; then `result` returns or raises
    what the function did. The caller decides how to wait: `run_waiting` awaits, an executor can combine the waits of many.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(self._work)
        self._function = work
        self._result: T | None = None
        self._error: BaseException | None = None
        self.finished = False
        """Whether the function has ended."""
        self.awaited: Awaitable[Any] | None = None
        """What the function waits for, until it is resumed."""

    def begin(self) -> None:
        """Run until the function waits for something, or ends."""
        current = getcurrent()
        self.parent = current
        # It sees the context variables of its caller, like any called function.
        self.gr_context = current.gr_context
        self.switch()

    def resume(self, value: object) -> None:
        """Pass in the awaited value, and run to the next wait."""
        self.parent = getcurrent()
        self.awaited = None
        self.switch(value)

    def fail(self, error: BaseException) -> None:
        """Raise in the function at its wait, and run to the next wait."""
        self.parent = getcurrent()
        self.awaited = None
        self.throw(error)

    def abandon(self, error: BaseException) -> None:
        """Raise this in the function until it has ended: `finally` blocks run, and no further wait is done."""
        for _ in range(_LAST_WAITS):
            if self.finished:
                return
            self.fail(error)

    def result(self) -> T:
        """What the function returned; raises what it raised."""
        if self._error is not None:
            raise self._error
        return cast(T, self._result)

    def wait(self, awaitable: Awaitable[Any]) -> Any:  # noqa: ANN401 - typed by `wait_for`
        """On the function's own stack: suspend until the awaitable is done."""
        driver = self.parent
        assert driver is not None  # noqa: S101 - it has been begun
        self.awaited = awaitable
        return driver.switch()

    def _work(self) -> None:
        try:
            self._result = self._function()
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is for whoever asks for the result
            self._error = error
        self.finished = True


async def run_waiting(work: Callable[[], T]) -> T:
    """Run `work`, in which `wait_for` may be called, and return or raise what it does.

    It runs at once, in the caller's task. Cancelling the task raises `asyncio.CancelledError` at the wait in `work`.
    """
    running = SuspendableUnit(work)
    running.begin()
    while not running.finished:
        assert running.awaited is not None  # noqa: S101 - it has stopped in `wait`
        try:
            value = await running.awaited
        except BaseException as error:  # noqa: BLE001 - whatever it is, the function waits for it
            running.fail(error)
        else:
            running.resume(value)
    return running.result()


def wait_for(awaitable: Awaitable[T]) -> T:
    """Inside work that `run_waiting` or an executor runs: suspend until this is done; returns or raises its outcome.

    Raises `RuntimeError` anywhere else.
    """
    running = getcurrent()
    if isinstance(running, SuspendableUnit):
        return cast(T, running.wait(awaitable))
    if inspect.iscoroutine(awaitable):
        awaitable.close()
    elif isinstance(awaitable, asyncio.Future):
        awaitable.cancel()
    raise RuntimeError("wait_for only works inside work that run_waiting or an executor runs")

"""The one way in which a unit of work, a plain function, may wait for I/O on the event loop's thread.

A rule is synchronous: it reads a row and goes on. Where the row has to come over a network, the function is set aside in
the middle, as it stands, and the loop serves others until the row is there. That takes a stack of its own for the function,
which is what a greenlet is; there is no thread, so nothing runs at the same time as anything else, and no lock is needed.

    loop      | run_waiting(work) | others ...            | work goes on | result
    work      | ... wait_for(row) |                       | ... return   |

What runs between two `wait_for` is never interrupted. What another did in between, one sees: a unit of work decides about
that by its transaction.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, TypeVar, cast

from greenlet import getcurrent, greenlet

__all__ = ["SuspendableUnit", "run_waiting", "wait_for"]

T = TypeVar("T")
_LAST_WAITS: Final = 100
"""How often work that is abandoned may begin to wait for something else."""


class SuspendableUnit(greenlet, Generic[T]):
    """A function on a stack of its own, which stops wherever it has to wait.

    `begin`, and then `resume` or `fail` with what came of `awaited`, until `finished`; then `result` returns or raises what
    the function did. Whoever drives it decides how to wait: `run_waiting` awaits, an executor may do better for many.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(self._work)
        self._function = work
        self._result: T | None = None
        self._error: BaseException | None = None
        self.finished = False
        """Whether the function has come to its end."""
        self.awaited: Awaitable[Any] | None = None
        """What the function waits for, until it is resumed."""

    def begin(self) -> None:
        """Run until the function waits for something, or ends."""
        current = getcurrent()
        self.parent = current
        # It sees the context variables of whoever began it, as any function that is called does.
        self.gr_context = current.gr_context
        self.switch()

    def resume(self, value: object) -> None:
        """Hand in what was waited for, and run on to the next stop."""
        self.parent = getcurrent()
        self.awaited = None
        self.switch(value)

    def fail(self, error: BaseException) -> None:
        """Raise in the function, at the place where it waits, and run on to the next stop."""
        self.parent = getcurrent()
        self.awaited = None
        self.throw(error)

    def abandon(self, error: BaseException) -> None:
        """Raise this in the function until it has ended: `finally` runs, and nothing more is waited for."""
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
        """On the function's own stack: stop until the awaitable has come to something."""
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

    It runs at once, and in the caller's task: who cancels that raises `asyncio.CancelledError` in `work`, where it waits.
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
    """Inside of work that `run_waiting` or an executor runs: stop until this is done; returns or raises what it does.

    Raises `RuntimeError` anywhere else.
    """
    running = getcurrent()
    if isinstance(running, SuspendableUnit):
        return cast(T, running.wait(awaitable))
    if inspect.iscoroutine(awaitable):
        awaitable.close()
    elif isinstance(awaitable, asyncio.Future):
        awaitable.cancel()
    raise RuntimeError("wait_for is for work that run_waiting or an executor runs; here nothing can be waited for")

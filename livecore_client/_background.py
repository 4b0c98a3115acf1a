"""Repeats a step in the background, until the step returns `None` or the caller stops it.

The asynchronous flavour is a task on the running loop, the synchronous one a daemon thread. They share only their
interface, so both are written by hand. A step returns the seconds until the next one, or `None` when there is none.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

__all__ = ["AsyncBackground", "Background"]


class AsyncBackground:
    """The steps of one asyncio task."""

    def __init__(self, step: Callable[[], Awaitable[float | None]], *, name: str, most_stopping_seconds: float) -> None:
        del most_stopping_seconds  # a task is cancelled: there is nothing to wait for
        self._step = step
        self._name = name
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin with a step at once; does nothing while already running."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name=self._name)

    def wake(self) -> None:
        """Take the next step now."""
        self._woken.set()

    async def stop(self) -> None:
        """End, cancelling a step that is under way; raises what a step raised, if it was a fault of the program."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()

    async def _run(self) -> None:
        while (pause_seconds := await self._step()) is not None:
            try:
                async with asyncio.timeout(pause_seconds):
                    await self._woken.wait()
            except TimeoutError:
                continue
            self._woken.clear()


class Background:
    """The steps of one daemon thread: a program may end without stopping it."""

    def __init__(self, step: Callable[[], float | None], *, name: str, most_stopping_seconds: float) -> None:
        self._step = step
        self._most_stopping_seconds = most_stopping_seconds
        self._name = name
        self._run: _Run | None = None

    def start(self) -> None:
        """Begin with a step at once; does nothing while already running."""
        if self._run is None:
            self._run = _Run(self._step, self._name)
            self._run.thread.start()

    def wake(self) -> None:
        """Take the next step now."""
        if self._run is not None:
            self._run.woken.set()

    def stop(self) -> None:
        """End, after the step that is under way, but wait for that no longer than `most_stopping_seconds`.

        A thread cannot be broken off. One that takes longer, such as while a name is looked up without a network, takes no
        further step. Raises what a step raised, if it was a fault of the program.
        """
        run, self._run = self._run, None
        if run is None:
            return
        run.stopping = True
        run.woken.set()
        if run.thread is not threading.current_thread():
            run.thread.join(self._most_stopping_seconds)
        if run.fault is not None:
            raise run.fault


class _Run:
    """One thread, with what it is told; a later one never shares these with one that has not ended yet."""

    def __init__(self, step: Callable[[], float | None], name: str) -> None:
        self.woken = threading.Event()
        self.stopping = False
        self.fault: BaseException | None = None
        self.thread = threading.Thread(target=self._repeat, args=(step,), name=name, daemon=True)

    def _repeat(self, step: Callable[[], float | None]) -> None:
        try:
            while True:
                # In this order: `stop` sets the flag before it wakes, so a wake that is cleared here has set the flag.
                self.woken.clear()
                if self.stopping:
                    return
                pause_seconds = step()
                if pause_seconds is None:
                    return
                self.woken.wait(pause_seconds)
        except Exception as fault:  # noqa: BLE001 - kept for `stop`, because a thread has no caller to raise to
            self.fault = fault

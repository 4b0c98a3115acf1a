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

    def __init__(self, step: Callable[[], Awaitable[float | None]], *, name: str) -> None:
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

    def __init__(self, step: Callable[[], float | None], *, name: str) -> None:
        self._step = step
        self._name = name
        self._woken = threading.Event()
        self._stopping = False
        self._fault: BaseException | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin with a step at once; does nothing while already running."""
        if self._thread is None:
            self._stopping = False
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Take the next step now."""
        self._woken.set()

    def stop(self) -> None:
        """End, after the step that is under way; raises what a step raised, if it was a fault of the program."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._stopping = True
        self._woken.set()
        if thread is not threading.current_thread():
            thread.join()
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def _run(self) -> None:
        try:
            while True:
                # In this order: `stop` sets the flag before it wakes, so a wake that is cleared here has set the flag.
                self._woken.clear()
                if self._stopping:
                    return
                pause_seconds = self._step()
                if pause_seconds is None:
                    return
                self._woken.wait(pause_seconds)
        except Exception as fault:  # noqa: BLE001 - kept for `stop`, because a thread has no caller to raise to
            self._fault = fault

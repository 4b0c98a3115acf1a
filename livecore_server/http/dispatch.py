"""From a request to its answer over an executor, for every way into a process.

The host uses it for requests over HTTP. The operator portal and the tools of assistants use it from inside the process, so
that they go through the same checks, rate limits and audit as everybody else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Final, TypeVar

from livecore.api.application import Application
from livecore.api.requests.answering import refuse
from livecore.api.requests.http import Request, Response
from livecore.api.requests.prepared import Prepared
from livecore.api.stepping import SteppedRun
from livecore.kernel.errors import Overloaded, Refusal
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.loading import StillLoading
from livecore_server.storage.limits import QueueLimits
from livecore_server.storage.ports import Executor
from livecore_server.storage.waiting_store import WaitingStores, write_again
from livecore_server.waiting import wait_for_event

A = TypeVar("A")
T = TypeVar("T")
_log = logging.getLogger("livecore.host")
AT_ONCE_BYTES: Final = 4 * 1024
"""Bodies up to this size are parsed on the event loop's thread, which takes a fraction of a millisecond."""
_READERS: Final = 2
"""How many longer bodies are parsed at the same time: two, so that a small one need not wait for the largest."""
LOADING_SECONDS: Final = 5.0
"""How long a request waits for something that is being loaded, such as the ranking of a large leaderboard."""
_COME_BACK_SECONDS: Final = 1
"""When a caller may try again for whom that took too long: the loading goes on."""
_ANSWER_SECONDS: Final = 10.0
"""How long the store may take for one write, waiting included: longer than the store's own limits."""


class Dispatch:
    """Prepares and runs requests.

    `wrote` and `emitted` are called for each write after its commit, with its scope; `emitted` if it has emitted events or
    may have queued deliveries in another way.
    """

    def __init__(
        self,
        application: Application,
        executor: Executor,
        *,
        answer_seconds: float = _ANSWER_SECONDS,
        loading_seconds: float = LOADING_SECONDS,
        most_waiting_bytes: int = QueueLimits().body_bytes,
        wrote: Callable[[Scope], None] = lambda _: None,
        emitted: Callable[[Scope], None] = lambda _: None,
    ) -> None:
        self.application = application
        self.executor = executor
        self._stores = WaitingStores(executor)
        self._answer_seconds = answer_seconds
        self._loading_seconds = loading_seconds
        self._most_waiting_bytes = most_waiting_bytes
        self._waiting_bytes = 0
        """The bodies of the requests that are being read and run."""
        self._wrote = wrote
        self._emitted = emitted
        self._readers = ThreadPoolExecutor(max_workers=_READERS, thread_name_prefix="livecore-read")

    def close(self) -> None:
        """End the threads, once the work in them has ended; for a thread that may wait. No request follows."""
        self._readers.shutdown()
        self._stores.close()

    async def ask(self, request: Request) -> Response:
        """Answer a request that comes from inside the process; never raises for what the caller has done."""
        prepared = await self.prepare(request)
        if prepared.refused is not None:
            return prepared.refused
        try:
            with self.waiting(prepared):
                await self.read(prepared)
                return await self.run(prepared)
        except Refusal as refusal:
            return refuse(prepared, refusal.bare())
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            return self.fail(prepared)

    async def prepare(self, request: Request) -> Prepared:
        """Route, key and rate limit of an operation; a refusal or failure is in `refused`.

        When the store fails, the operation is known all the same, and the key if it was read before.
        """
        begun: list[Prepared] = []
        step = partial(self.application.prepare, begun=begun.append)
        return await self.enter(request, step, lambda: begun[-1] if begun else self.application.route(request))

    async def enter(
        self,
        request: Request,
        step: Callable[[Request, Transaction], Prepared],
        reached: Callable[[], Prepared] | None = None,
    ) -> Prepared:
        """Credential and rate limit; a refusal or failure is in `refused`.

        When the store fails, `reached` gives the request as far as it came.
        """
        try:
            return await self.executor.read(DIRECTORY, partial(step, request))
        except Overloaded as refusal:
            prepared = self.application.begin(request) if reached is None else reached()
            prepared.refused = refuse(prepared, refusal)
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            prepared = self.application.begin(request) if reached is None else reached()
            prepared.refused = self.fail(prepared)
        return prepared

    @contextmanager
    def waiting(self, prepared: Prepared) -> Iterator[None]:
        """Count the body of a request while it is read and run. Raises `Overloaded` where others hold too many bytes.

        A body is admitted where it is the only one, however long it is.
        """
        held = len(prepared.request.body)
        if held and self._waiting_bytes and self._waiting_bytes + held > self._most_waiting_bytes:
            raise Overloaded
        self._waiting_bytes += held
        try:
            yield
        finally:
            self._waiting_bytes -= held

    async def read(self, prepared: Prepared) -> None:
        """Parse the arguments: a long body in a thread, so that the event loop can run in between."""
        if len(prepared.request.body) <= AT_ONCE_BYTES:
            self.application.read(prepared)
        else:
            await self.in_reader(self.application.read, prepared)

    async def in_reader(self, work: Callable[[A], T], argument: A) -> T:
        """Parse something long in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, work, argument)

    async def run(self, prepared: Prepared) -> Response:
        """Run a prepared request whose arguments have been read. Raises `Refusal`, and what the operation raises."""
        if prepared.runs == "several":
            return await self._run_several(prepared)
        if prepared.runs == "steps":
            return await self._run_steps(prepared)
        work = partial(self.application.run, prepared)
        if prepared.runs == "read":
            outcome = await self._loaded(prepared, lambda: self.executor.read(prepared.scope, work))
            return outcome.response
        outcome = await self._loaded(prepared, lambda: self._write(prepared.scope, work))
        self._wrote(prepared.scope)
        operation = prepared.operation
        # A member may have queued deliveries again, which no event shows.
        if outcome.events or (operation is not None and operation.credential == "member"):
            self._emitted(prepared.scope)
        return outcome.response

    def _write(self, scope: Scope, work: Callable[[Transaction], T]) -> Awaitable[T]:
        return self._in_time(write_again(self.executor, scope, work))

    async def _loaded(self, prepared: Prepared, run: Callable[[], Awaitable[T]]) -> T:
        """Run a unit of a request, again once what it needs is loaded. Raises `Overloaded` where that takes too long."""
        prepared.waits = True
        loop = asyncio.get_running_loop()
        until = loop.time() + self._loading_seconds
        while True:
            try:
                return await run()
            except StillLoading as loading:
                if not await _settled(loading, until - loop.time()):
                    raise Overloaded(_COME_BACK_SECONDS) from None
            prepared.now = self.application.clock()

    async def refuse(self, prepared: Prepared, refusal: Refusal) -> Response:
        """Answer a request that is refused between its preparation and its run, and count it if nothing has counted it.

        What the server could not do is counted for nobody.
        """
        try:
            if prepared.key is not None and not prepared.counted and refusal.status < 500:
                await self.executor.read(DIRECTORY, partial(self.application.count_unproven, prepared))
        except Refusal as limited:
            refusal = limited
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            return self.fail(prepared)
        return refuse(prepared, refusal.bare())

    def fail(self, prepared: Prepared) -> Response:
        """Answer after an unexpected exception: it is logged, with the request id in both places."""
        _log.exception("a request failed", extra={"request_id": prepared.request_id})
        return self.application.fail(prepared)

    async def _run_steps(self, prepared: Prepared) -> Response:
        """Run the steps one after the other; each waits in the queue, so that other requests come in between."""
        steps = SteppedRun(self.application, prepared)
        while True:
            try:
                step = await self._loaded(prepared, lambda: self._write(prepared.scope, steps.step))
            except Overloaded:
                so_far = steps.cut_short()
                if so_far is None:
                    raise
                return so_far
            outcome = steps.take(step)
            self._wrote(prepared.scope)
            if step.events or (outcome is not None and outcome.events):
                self._emitted(prepared.scope)
            if outcome is not None:
                return outcome.response

    async def _run_several(self, prepared: Prepared) -> Response:
        outcome = await self._stores.run(partial(self.application.run_several, prepared))
        for scope, events in outcome.touched.items():
            self._wrote(scope)
            if events:
                self._emitted(scope)
        return outcome.response

    async def _in_time(self, running: Awaitable[T]) -> T:
        """Wait for the store, with a time limit.

        A unit that has not begun by then never will. One that has begun may take effect; a retry with the same idempotency
        key shows whether it did.
        """
        patience = asyncio.timeout(self._answer_seconds)
        try:
            async with patience:
                return await running
        except TimeoutError:
            if patience.expired():
                raise Overloaded from None
            raise


async def _settled(loading: StillLoading, seconds: float) -> bool:
    """Wait until the loading has ended, at most this long; returns whether it has."""
    ended = asyncio.Event()
    forget = loading.when_settled(ended.set)
    try:
        return seconds > 0 and await wait_for_event(ended, seconds)
    finally:
        forget()

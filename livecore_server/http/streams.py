"""Streams over HTTP: server-sent events to many readers, none of whom can hold up the server or another reader.

    admit (how many are open) -> read what it is about -> subscribe -> read how things stand -> send, until one end closes

The handler runs twice, so that nothing happens unnoticed between reading and subscribing; nothing is read while a stream is
open, but every second or so whether its key still is good. What waits for a reader is bounded (`Follower`); a reader for
whom there is no room any more, or who takes nothing for a while, is cut off, and finds out on coming back what was missed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Literal, TypeAlias, cast

from aiohttp import web

from livecore.api.application import Application
from livecore.api.event_stream import HEARTBEAT, retry_hint, written
from livecore.api.http import Response
from livecore.api.prepared import Outcome, Prepared
from livecore.kernel.errors import Overloaded, RateLimited, Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.streams import EndReason, Follower, Stream
from livecore_server.http.exchange import call_when_lost, stream_head
from livecore_server.http.stream_limits import StreamLimits
from livecore_server.metrics import Metrics
from livecore_server.storage.ports import Executor

__all__ = ["OpenStream", "StreamAnswer", "Streams"]

_log = logging.getLogger("livecore.streams")
_TRIES: Final = 4
"""How often the handler is asked anew because it has named other topics."""
_COME_BACK_SECONDS: Final = 5
"""What whoever finds no room for a stream is told to wait."""
_MOST_BUFFERED: Final = 16 * 1024
"""How many bytes may lie between us and the network, for each reader, before messages wait as messages."""
_LAST_SECONDS: Final = 1.0
"""How long a reader may take for what is left when the stream ends."""
_RETRY_MILLISECONDS: Final = (500, 3_000)
"""Between these, readers are told to wait when the server drains, so that they do not all come back at once."""

Ending: TypeAlias = Literal["complete", "closed_by_reader", "too_slow", "key_revoked", "server_draining", "refused"]
"""How a stream came to its end, for the log and for metrics."""


class OpenStream:
    """One open stream: what it listens to, what waits for its reader, and how it ends."""

    def __init__(self, prepared: Prepared, party: str, closed: Callable[[OpenStream], None]) -> None:
        self.prepared = prepared
        self.party = party
        self.follower = Follower(woken=self._woken, relieved=self._relieved)
        self.response = Response(200)
        """Head and first messages, once it has been read how things stand."""
        self.sent = 0
        """How many messages were sent."""
        self.ending: Ending = "complete"
        self.wake = asyncio.Event()
        self.send: Callable[[], None] = lambda: None
        """Sends what waits if the connection takes it; set while there is one."""
        self.cut: Callable[[], None] = lambda: None
        """Breaks the connection off; set while there is one."""
        self._closed = closed

    def end(self, reason: EndReason) -> None:
        """End it from without."""
        if not self.follower.ended:
            self.ending = reason
            self.follower.end(reason)
            self.wake.set()
            # Whoever takes nothing must not keep the server from stopping.
            asyncio.get_running_loop().call_later(_LAST_SECONDS, self._cut_off)

    def close(self) -> None:
        """Listen no more; harmless to repeat."""
        self.follower.close()
        self.send = self.cut = lambda: None
        self._closed(self)

    def _woken(self) -> None:
        self.wake.set()
        if self.follower.too_slow:
            self.ending = "too_slow"
            self.cut()

    def _relieved(self) -> None:
        self.send()

    def _cut_off(self) -> None:
        self.cut()


class Streams:
    """The open streams of a process."""

    def __init__(
        self,
        application: Application,
        executor: Executor,
        *,
        metrics: Metrics,
        limits: StreamLimits | None = None,
    ) -> None:
        self.limits = limits or StreamLimits()
        self._application = application
        self._executor = executor
        self._metrics = metrics
        self._open: set[OpenStream] = set()
        self._parties: dict[str, int] = {}
        self._draining = False
        self._changed = asyncio.Event()
        self._watch: asyncio.Task[None] | None = None

    @property
    def open_now(self) -> int:
        """How many are open."""
        return len(self._open)

    async def open(self, prepared: Prepared) -> OpenStream:
        """Open a stream for an admitted request.

        Refusals, in order: `Overloaded` where the process has no room or is draining, `RateLimited` where the key has too
        many, and those of the handler.
        """
        opened = self._admit(prepared)
        try:
            await self._begin(opened)
        except BaseException:
            opened.close()
            raise
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_keys())
        return opened

    def drain(self) -> None:
        """End all, and open none any more."""
        self._draining = True
        for opened in tuple(self._open):
            opened.end("server_draining")

    async def stop(self) -> None:
        """Wait until what `drain` has ended is sent, which takes a moment at most, and end what runs beside the streams."""
        with suppress(TimeoutError):
            async with asyncio.timeout(2 * _LAST_SECONDS):
                while self._open:
                    self._changed.clear()
                    await self._changed.wait()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None

    async def read_anew(self, opened: OpenStream) -> None:
        """Read how things stand after notices may have been missed. Raises `Refusal` where that cannot be."""
        opened.prepared.last_event_id = opened.follower.last_id
        opened.prepared.now = self._application.clock()
        await self._begin(opened)

    # -- opening

    def _admit(self, prepared: Prepared) -> OpenStream:
        if self._draining or len(self._open) >= self.limits.most:
            raise Overloaded(_COME_BACK_SECONDS)
        key = prepared.key
        principal = prepared.principal
        party = key.bucket if key is not None else principal.ref or prepared.request.remote
        if self._parties.get(party, 0) >= self.limits.most_per_key:
            raise RateLimited(_COME_BACK_SECONDS)
        opened = OpenStream(prepared, party, self._forget)
        self._open.add(opened)
        self._parties[party] = self._parties.get(party, 0) + 1
        self._metrics.open_streams = len(self._open)
        return opened

    def _forget(self, opened: OpenStream) -> None:
        if opened not in self._open:
            return
        self._open.discard(opened)
        left = self._parties[opened.party] - 1
        if left:
            self._parties[opened.party] = left
        else:
            del self._parties[opened.party]
        self._metrics.open_streams = len(self._open)
        self._changed.set()

    async def _begin(self, opened: OpenStream) -> None:
        outcome, stream = await self._ask(opened.prepared)
        for _ in range(_TRIES):
            topics = stream.topics
            opened.follower.subscribe(self._executor.notices, opened.prepared.scope, stream.topics)
            outcome, stream = await self._ask(opened.prepared)
            if stream.topics == topics:
                # What is not sent with the head waits in the follower, which sends it first.
                opened.response = Response(outcome.response.status, outcome.response.headers)
                opened.follower.begin(stream)
                return
        raise Overloaded(_COME_BACK_SECONDS)

    async def _ask(self, prepared: Prepared) -> tuple[Outcome, Stream]:
        outcome = await self._executor.read(prepared.scope, partial(self._application.run, prepared))
        assert outcome.stream is not None  # noqa: S101 - its operation is a stream
        return outcome, outcome.stream

    # -- revoked keys

    async def _watch_keys(self) -> None:
        """Ask now and then whether those who opened streams may still have them: once for all who show the same."""
        while True:
            await asyncio.sleep(self.limits.recheck_seconds)
            shown: dict[tuple[str | None, ...], list[OpenStream]] = {}
            for opened in self._open:
                shown.setdefault(_shown(opened.prepared), []).append(opened)
            for alike in shown.values():
                await self._recheck(alike)

    async def _recheck(self, alike: Sequence[OpenStream]) -> None:
        work = partial(self._application.recheck, alike[0].prepared)
        try:
            await self._executor.read(DIRECTORY, work)
        except Overloaded:
            return  # the store cannot tell now: asked again in a moment
        except Refusal:
            for opened in alike:
                opened.end("key_revoked")
        except Exception:  # noqa: BLE001 - it is logged, and asked again in a moment
            _log.exception("the key of an open stream could not be looked up")


def _shown(prepared: Prepared) -> tuple[str | None, ...]:
    """By what whoever opened a stream was known; different routes may need different permissions."""
    headers, operation = prepared.request.headers, prepared.operation
    credentials = (headers.get("authorization"), headers.get("cookie"))
    return (*credentials, None if operation is None else operation.id, *_game_of(prepared))


def _game_of(prepared: Prepared) -> tuple[str, ...]:
    return () if prepared.key is not None else (prepared.scope.id,)


class StreamAnswer:
    """The response to a request for a stream: sent in pieces, until one of the ends closes.

    `ended` is called once, when it is over.
    """

    keep_alive = False

    def __init__(
        self,
        opened: OpenStream,
        headers: Sequence[tuple[str, str]],
        streams: Streams,
        ended: Callable[[OpenStream], None],
    ) -> None:
        self._opened = opened
        self._head = stream_head(opened.response.status, headers)
        self._streams = streams
        self._limits = streams.limits
        self._ended = ended
        self._lost = False

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send until the stream ends; raises `ConnectionResetError` when its reader is gone or too slow."""
        opened = self._opened
        try:
            await self._serve(request)
        except Refusal:
            # Its reader comes back, and is told why.
            opened.ending = "refused"
        except ConnectionResetError:
            if opened.ending == "complete":
                opened.ending = "closed_by_reader"
            raise
        finally:
            opened.close()
            self._ended(opened)

    async def write_eof(self) -> None:
        """Nothing is left to send."""

    @property
    def response(self) -> web.StreamResponse:
        """This answer, as the type that aiohttp declares."""
        return cast(web.StreamResponse, self)

    async def _serve(self, request: web.BaseRequest) -> None:
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError
        opened, follower = self._opened, self._opened.follower
        call_when_lost(request, self._when_lost)
        opened.cut = transport.abort
        opened.send = partial(self._send, request, transport)
        transport.set_write_buffer_limits(high=_MOST_BUFFERED)
        transport.write(self._head)
        while not (self._lost or follower.too_slow):
            opened.wake.clear()
            self._send(request, transport)
            if follower.missed and not follower.ended:
                await self._streams.read_anew(opened)
                continue
            if request.protocol.writing_paused:
                await self._wait_until_taken(request, transport)
            elif follower.ended:
                return
            elif not await self._woken():
                transport.write(HEARTBEAT)
        if follower.too_slow:
            opened.ending = "too_slow"
        raise ConnectionResetError

    def _send(self, request: web.BaseRequest, transport: asyncio.WriteTransport) -> None:
        """Send what waits, unless what was sent before is still to be taken."""
        opened = self._opened
        if request.protocol.writing_paused or transport.is_closing():
            return
        messages = opened.follower.take()
        raw = written(messages)
        if opened.ending == "server_draining":
            raw = retry_hint(_spread(opened.prepared.request_id)) + raw
        if raw:
            transport.write(raw)
            opened.sent += len(messages)

    async def _wait_until_taken(self, request: web.BaseRequest, transport: asyncio.WriteTransport) -> None:
        opened = self._opened
        try:
            async with asyncio.timeout(self._limits.patience_seconds):
                await request.writer.drain()
        except TimeoutError:
            if opened.ending == "complete":
                opened.ending = "too_slow"
            transport.abort()
            raise ConnectionResetError from None

    async def _woken(self) -> bool:
        """Wait for something to send, but no longer than to the next heartbeat; says which it was."""
        try:
            async with asyncio.timeout(self._limits.heartbeat_seconds):
                await self._opened.wake.wait()
        except TimeoutError:
            return False
        return True

    def _when_lost(self) -> None:
        self._lost = True
        self._opened.wake.set()


def _spread(request_id: str) -> int:
    """How many milliseconds a reader is told to wait: different ones for different readers."""
    least, most = _RETRY_MILLISECONDS
    return least + hash(request_id) % (most - least)

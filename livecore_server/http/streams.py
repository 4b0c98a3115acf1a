"""Streams over HTTP: server-sent events to many readers; no reader can delay the server or another reader.

    admit (how many are open) -> read the topics -> subscribe -> read the current state -> send, until one side closes

The handler runs twice, so that no change between reading and subscribing is lost. While a stream is open, only its key is
checked about every second. The messages that wait for a reader are bounded (`Follower`). A reader that is too slow for this
bound, or reads nothing for a while, is cut off, and gets the current state when it reconnects.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Literal, TypeAlias, cast

from aiohttp import web

from livecore.api.application import Application
from livecore.api.requests.event_stream import HEARTBEAT, retry_hint, written
from livecore.api.requests.http import Response
from livecore.api.requests.prepared import Outcome, Prepared
from livecore.kernel.client_network import network_of
from livecore.kernel.errors import Overloaded, RateLimited, Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.streams import EndReason, Follower, Stream
from livecore_server.http.exchange import call_when_lost, stream_head
from livecore_server.http.stream_limits import StreamLimits
from livecore_server.metrics import Metrics
from livecore_server.storage.ports import Executor

_log = logging.getLogger("livecore.streams")
_TRIES: Final = 4
"""How often the handler is called again because it named other topics."""
_LOADING_SECONDS: Final = 2.0
"""How long a stream that is being opened waits until what it shows is loaded."""
_FIRST_TURN_SECONDS: Final = 0.25
"""After this long the handler is called again, then after twice as long and so on, or as soon as a ranking is loaded."""
_COME_BACK_SECONDS: Final = 5
"""The seconds after which a refused caller may try again."""
_MOST_BUFFERED: Final = 16 * 1024
"""How many bytes may be buffered for the network, for each reader, before messages wait in the follower."""
_LEAST_PAUSE_SECONDS: Final = 0.005
"""With few streams each message is sent at once."""
_LAST_SECONDS: Final = 1.0
"""How long a reader may take to read the rest when the stream ends."""
_RETRY_MILLISECONDS: Final = (500, 3_000)
"""The range of the reconnect delays when the server drains, so that readers do not all reconnect at once."""

Ending: TypeAlias = Literal["complete", "closed_by_reader", "too_slow", "key_revoked", "server_draining", "refused"]
"""How a stream ended, for the log and for metrics."""


class OpenStream:
    """One open stream: its subscriptions, the waiting messages, and how it ends."""

    def __init__(self, prepared: Prepared, parties: Sequence[str], closed: Callable[[OpenStream], None]) -> None:
        self.prepared = prepared
        self.parties = parties
        """For whom it is counted: the key or session, and the address."""
        self.follower = Follower(woken=self._woken, relieved=self._relieved)
        self.response = Response(200)
        """Head and first messages, once the current state has been read."""
        self.sent = 0
        """How many messages were sent."""
        self.ending: Ending = "complete"
        self.wake = asyncio.Event()
        self.send: Callable[[], None] = lambda: None
        """Sends waiting messages if the connection can take them; set while there is one."""
        self.cut: Callable[[], None] = lambda: None
        """Aborts the connection; set while there is one."""
        self._closed = closed

    def end(self, reason: EndReason) -> None:
        """End the stream for a reason of the server."""
        if not self.follower.ended:
            self.ending = reason
            self.follower.end(reason)
            self.wake.set()
            # A reader that reads nothing must not stop the server from ending.
            asyncio.get_running_loop().call_later(_LAST_SECONDS, self._cut_off)

    def close(self) -> None:
        """End the subscriptions; can be repeated safely."""
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
        loading: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`loading` waits until something more is loaded, at most so many seconds."""
        self.limits = limits or StreamLimits()
        self._loading = loading
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

    async def gather(self) -> None:
        """Let further messages join those that have come, where so many streams are open that sending each costs much.

        Without it, a change of a board with 2,000 readers is 2,000 system calls; so are ten changes with it.
        """
        pause = len(self._open) * self.limits.gathering_seconds
        if pause >= _LEAST_PAUSE_SECONDS:
            await asyncio.sleep(pause)

    async def open(self, prepared: Prepared) -> OpenStream:
        """Open a stream for an admitted request.

        Refusals, in order: `Overloaded` if the process has too many streams or is draining, `RateLimited` if the key or the
        address has too many, and those of the handler.
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
        """End all streams, and refuse new ones."""
        self._draining = True
        for opened in tuple(self._open):
            opened.end("server_draining")

    async def stop(self) -> None:
        """Wait a moment until the ended streams are sent, and stop the background task."""
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
        """Read the current state again after notices may have been missed. Raises `Refusal`."""
        opened.prepared.last_event_id = opened.follower.last_id
        opened.prepared.now = self._application.clock()
        await self._begin(opened)

    # -- opening

    def _admit(self, prepared: Prepared) -> OpenStream:
        if self._draining or len(self._open) >= self.limits.most:
            raise Overloaded(_COME_BACK_SECONDS)
        key = prepared.key
        principal = prepared.principal
        address = network_of(prepared.request.remote)
        caller = key.bucket if key is not None else principal.ref or address
        most = {f"key:{caller}": self.limits.most_per_key, f"address:{address}": self.limits.most_per_address}
        if any(self._parties.get(party, 0) >= limit for party, limit in most.items()):
            raise RateLimited(_COME_BACK_SECONDS)
        opened = OpenStream(prepared, tuple(most), self._forget)
        self._open.add(opened)
        for party in most:
            self._parties[party] = self._parties.get(party, 0) + 1
        self._metrics.open_streams = len(self._open)
        return opened

    def _forget(self, opened: OpenStream) -> None:
        if opened not in self._open:
            return
        self._open.discard(opened)
        for party in opened.parties:
            left = self._parties[party] - 1
            if left:
                self._parties[party] = left
            else:
                del self._parties[party]
        self._metrics.open_streams = len(self._open)
        self._changed.set()

    async def _begin(self, opened: OpenStream) -> None:
        outcome, stream = await self._ask(opened.prepared)
        for _ in range(_TRIES):
            topics = stream.topics
            opened.follower.subscribe(self._executor.notices, opened.prepared.scope, stream.topics)
            outcome, stream = await self._ask(opened.prepared)
            if stream.topics == topics:
                # Messages that are not sent with the head wait in the follower, before all others.
                opened.response = Response(outcome.response.status, outcome.response.headers)
                opened.follower.begin(stream)
                return
        raise Overloaded(_COME_BACK_SECONDS)

    async def _ask(self, prepared: Prepared) -> tuple[Outcome, Stream]:
        """The handler's answer, once it has loaded what it needs. Raises `Overloaded` where that takes too long."""
        loop = asyncio.get_running_loop()
        until, turn = loop.time() + _LOADING_SECONDS, _FIRST_TURN_SECONDS
        while True:
            outcome = await self._executor.read(prepared.scope, partial(self._application.run, prepared))
            assert outcome.stream is not None  # noqa: S101 - its operation is a stream
            if not outcome.stream.loading:
                return outcome, outcome.stream
            left = until - loop.time()
            if left <= 0:
                raise Overloaded(_COME_BACK_SECONDS)
            await self._loading(min(left, turn))
            turn *= 2

    # -- revoked keys

    async def _watch_keys(self) -> None:
        """Check regularly whether callers may still have their streams: once for all streams with the same credentials."""
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
            game = await self._executor.read(DIRECTORY, work)
        except Overloaded:
            return  # the store cannot answer now: checked again in a moment
        except Refusal:
            for opened in alike:
                opened.end("key_revoked")
        except Exception:  # noqa: BLE001 - it is logged, and asked again in a moment
            _log.exception("the key of an open stream could not be looked up")
        else:
            for opened in alike:
                if opened.prepared.renew(game):
                    opened.follower.miss()


def _shown(prepared: Prepared) -> tuple[str | None, ...]:
    """The credentials of a stream's caller, with the route, because routes may need different permissions."""
    headers, operation = prepared.request.headers, prepared.operation
    credentials = (headers.get("authorization"), headers.get("cookie"))
    return (*credentials, None if operation is None else operation.id, *_game_of(prepared))


def _game_of(prepared: Prepared) -> tuple[str, ...]:
    return () if prepared.key is not None else (prepared.scope.id,)


class StreamAnswer:
    """The response to a request for a stream: sent in pieces, until one side closes.

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
        """Send until the stream ends; raises `ConnectionResetError` if its reader is gone or too slow."""
        opened = self._opened
        try:
            await self._serve(request)
        except Refusal:
            # Its reader reconnects, and then gets the refusal.
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
            elif await self._woken():
                await self._streams.gather()
            else:
                transport.write(HEARTBEAT)
        if follower.too_slow:
            opened.ending = "too_slow"
        raise ConnectionResetError

    def _send(self, request: web.BaseRequest, transport: asyncio.WriteTransport) -> None:
        """Send waiting messages, unless earlier ones have not been read yet."""
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
        """Wait as long as the reader takes something now and then, however little."""
        opened, left = self._opened, transport.get_write_buffer_size()
        while True:
            try:
                async with asyncio.timeout(self._limits.patience_seconds):
                    await request.writer.drain()
            except TimeoutError:
                if transport.get_write_buffer_size() < left:
                    left = transport.get_write_buffer_size()
                    continue
                if opened.ending == "complete":
                    opened.ending = "too_slow"
                transport.abort()
                raise ConnectionResetError from None
            return

    async def _woken(self) -> bool:
        """Wait for messages, at most until the next heartbeat; returns whether there are messages."""
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
    """The reconnect delay of a reader in milliseconds, which differs between readers."""
    least, most = _RETRY_MILLISECONDS
    return least + hash(request_id) % (most - least)

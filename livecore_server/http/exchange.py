"""One HTTP exchange in aiohttp's low-level server: the body comes in within its limits, the answer goes out as bytes.

aiohttp parses requests and keeps connections. Its routing, middlewares and response classes are not used, because each of
them costs more than most operations. An `Answer` has the three members that the connection needs of a response. Requests
that aiohttp itself would answer (bytes that are not HTTP, a header too long) get the error envelope instead.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from email.utils import formatdate
from http import HTTPStatus
from typing import Final, cast

from aiohttp import ClientError, HttpVersion10, StreamReader, web

from livecore.kernel.errors import BodyTimeout, BodyTooLarge, MalformedRequest, UnsupportedMediaType
from livecore_server.http.head_limits import MOST_LINE_BYTES, HeadWatch

_STATUS_LINES: Final = {
    int(status): f"HTTP/1.1 {int(status)} {status.phrase}\r\nDate: " for status in HTTPStatus if status >= 200
}
_NO_CONTENT: Final = 204
"""Statuses of answers without a body, which must not have a content length."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_READ_BYTES: Final = 32 * 1024
"""How much is read from a connection at once."""
_LINGERING_SECONDS: Final = 1.0
"""How long the rest of a refused body is read and dropped, so that its sender can read the answer."""
MOST_LINGERING: Final = 16
"""For how many refused bodies at a time that is done, because reading them delays other callers."""
_BROKEN_OFF: Final = (ClientError, web.RequestPayloadError, ConnectionError)
"""What reading a body raises when the connection breaks off or the framing is wrong."""


class _Date:
    """The `Date` header's value, made once a second."""

    def __init__(self) -> None:
        self._second = 0
        self._text = ""

    def text(self) -> str:
        second = int(time.time())
        if second != self._second:
            self._second, self._text = second, formatdate(second, usegmt=True)
        return self._text


_date = _Date()


class Leftovers:
    """Reads and drops the rest of refused bodies, for a few bodies at a time."""

    def __init__(self) -> None:
        self._reading = 0

    async def drop(self, content: StreamReader) -> None:
        """Read to the end, for a limited time; does nothing if enough other bodies are being read."""
        if self._reading >= MOST_LINGERING:
            return
        self._reading += 1
        try:
            async with asyncio.timeout(_LINGERING_SECONDS):
                while await content.readany():
                    pass
        except TimeoutError:
            return
        except _BROKEN_OFF as fault:
            fault.with_traceback(None)  # as in `read_body`
        finally:
            self._reading -= 1


_leftovers = Leftovers()


async def send(request: web.BaseRequest, transport: asyncio.Transport | None, data: bytes, most_seconds: float) -> None:
    """Send bytes to a caller, and wait until they are taken where many are under way already.

    Raises `ConnectionResetError` if the caller is gone or reads too slowly.
    """
    if transport is None or transport.is_closing():
        raise ConnectionResetError
    transport.write(data)
    if not request.protocol.writing_paused:
        return
    try:
        async with asyncio.timeout(most_seconds):
            await request.writer.drain()
    except TimeoutError:
        # Aborted and not closed, because closing would wait for the reader: a caller who does not read must not hold memory.
        transport.abort()
        raise ConnectionResetError from None


class Answer:
    """A whole response, written at once."""

    __slots__ = ("_bytes", "_most_seconds", "_unread", "keep_alive")

    def __init__(
        self,
        request: web.BaseRequest,
        status: int,
        headers: Iterable[tuple[str, str]],
        body: bytes,
        *,
        keep_alive: bool = True,
        most_seconds: float,
    ) -> None:
        self._most_seconds = most_seconds
        self._unread = None if request.content.is_eof() else request.content
        # The rest of a body would be parsed as the next request.
        self.keep_alive = keep_alive and request.keep_alive and self._unread is None
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
        if not self.keep_alive:
            lines += "Connection: close\r\n"
        elif request.version == HttpVersion10:
            lines += "Connection: keep-alive\r\n"
        if status != _NO_CONTENT:
            lines = f"Content-Length: {len(body)}\r\n{lines}"
        head = f"{_STATUS_LINES[status]}{_date.text()}\r\n{lines}\r\n"
        self._bytes = head.encode("latin-1", "replace")
        if request.method != "HEAD":
            self._bytes += body

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send everything; raises `ConnectionResetError` if the caller is gone or reads too slowly."""
        await send(request, request.transport, self._bytes, self._most_seconds)

    async def write_eof(self) -> None:
        """Nothing is left to send; reads and drops the rest of a refused body for a limited time."""
        if self._unread is not None:
            await _leftovers.drop(self._unread)

    @property
    def response(self) -> web.StreamResponse:
        """This answer, as the type that aiohttp declares."""
        return cast(web.StreamResponse, self)


def stream_head(status: int, headers: Iterable[tuple[str, str]]) -> bytes:
    """The head of an answer that continues until its connection is closed."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    head = f"{_STATUS_LINES[status]}{_date.text()}\r\n{lines}Connection: close\r\n\r\n"
    return head.encode("latin-1", "replace")


def call_when_lost(request: web.BaseRequest, when_lost: Callable[[], None]) -> None:
    """Call `when_lost` when the request's connection is lost."""
    connection = request.protocol
    if isinstance(connection, _Connection):
        connection.when_lost = when_lost


def check_announced(request: web.BaseRequest, most_bytes: int) -> None:
    """Refuse a body by its request's head: `BodyTooLarge`, or `UnsupportedMediaType` for a compressed one."""
    length = request.content_length
    # If no body is allowed, announcing one is enough, also one of unknown length.
    if not most_bytes or (length is not None and length > most_bytes):
        raise BodyTooLarge(limit_bytes=most_bytes)
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise UnsupportedMediaType("Send the body uncompressed.")


async def read_body(request: web.BaseRequest, most_bytes: int, most_seconds: float) -> bytes:
    """The request's body, after `check_announced`.

    Refusals: `BodyTooLarge` as soon as that is known, `BodyTimeout`, `MalformedRequest` when the connection breaks off or
    the framing is wrong.
    """
    content = request.content
    try:
        if content.is_eof():
            body = content.read_nowait()
        else:
            body = await _receive(request, most_bytes, most_seconds)
    except TimeoutError:
        raise BodyTimeout from None
    except _BROKEN_OFF as fault:
        # aiohttp stores the exception in the stream. With its traceback, stream, frames and body would form a reference
        # cycle and stay until a garbage collection.
        fault.with_traceback(None)
        raise MalformedRequest("The body broke off or is not framed correctly.") from None
    if len(body) > most_bytes:
        raise BodyTooLarge(limit_bytes=most_bytes)
    return body


async def _receive(request: web.BaseRequest, most_bytes: int, most_seconds: float) -> bytes:
    """The body as it arrives; stops as soon as it is too large."""
    transport = request.transport
    if transport is not None and request.headers.get("Expect", "").lower() == "100-continue":
        transport.write(_CONTINUE)
    received = bytearray()
    async with asyncio.timeout(most_seconds):
        while len(received) <= most_bytes and (part := await request.content.readany()):
            received += part
    return bytes(received)


Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
Malformed = Callable[[web.BaseRequest, int, BaseException | None], Answer]


class _Connection(web.RequestHandler):
    """A connection whose own errors have the error envelope too, and that reports when it is lost."""

    __slots__ = ("_malformed", "when_lost")

    def __init__(self, server: HttpServer, loop: asyncio.AbstractEventLoop, idle_seconds: float) -> None:
        super().__init__(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type] # aiohttp's own way to say: none
            keepalive_timeout=idle_seconds,
            lingering_time=0,  # an `Answer` does that
            read_bufsize=_READ_BYTES // 2,  # aiohttp buffers twice as much of a body that is not read
            auto_decompress=False,
            max_line_size=MOST_LINE_BYTES,
            max_field_size=MOST_LINE_BYTES,
        )
        if self._parser is not None:
            self._parser = HeadWatch(self._parser)  # type: ignore[assignment] # as much of a parser as is asked of it
        self._malformed = server.malformed
        self.when_lost: Callable[[], None] | None = None

    def connection_lost(self, exc: BaseException | None) -> None:
        """As aiohttp's; also notifies the sender of a stream at once."""
        super().connection_lost(exc)
        when_lost, self.when_lost = self.when_lost, None
        if when_lost is not None:
            when_lost()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - aiohttp's signature
    ) -> web.StreamResponse:
        """Answer bytes that did not become a request."""
        return self._malformed(request, status, exc).response


class HttpServer(web.Server):
    """Makes connections that pass each request to one handler, and malformed ones to `malformed`."""

    def __init__(self, handler: Handler, malformed: Malformed, *, idle_seconds: float) -> None:
        super().__init__(self._handle)
        self.malformed = malformed
        self._handler = handler
        self._without_request: set[web.RequestHandler] = set()
        self._idle_seconds = idle_seconds
        self._read_into = memoryview(bytearray(_READ_BYTES))

    def __call__(self) -> web.RequestHandler:
        """A new connection."""
        connection = _Connection(self, self._loop, self._idle_seconds)
        self._without_request.add(connection)
        return connection

    @property
    def expects_first_requests(self) -> bool:
        """Whether there are connections on which no request has come yet."""
        return bool(self._without_request)

    def connection_lost(self, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        """As aiohttp's."""
        self._without_request.discard(handler)
        super().connection_lost(handler, exc)

    def _handle(self, request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        self._without_request.discard(request.protocol)
        return self._handler(request)

    def protocol(self) -> asyncio.BaseProtocol:
        """A new connection, as an event loop's server makes them."""
        return _Intake(self(), self._read_into)


class _Intake(asyncio.BufferedProtocol):
    """Between the socket and a connection: limits each read, so that many callers together cannot fill the memory.

    By default an event loop reads 256 KiB at a time, from all ready sockets before any request is answered.
    """

    __slots__ = ("_connection", "_read_into")

    def __init__(self, connection: web.RequestHandler, read_into: memoryview) -> None:
        self._connection = connection
        self._read_into = read_into

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's signature
        """The buffer for reads: one for all connections, because it is emptied before the next read."""
        return self._read_into

    def buffer_updated(self, nbytes: int) -> None:
        """Pass on the received bytes."""
        self._connection.data_received(bytes(self._read_into[:nbytes]))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """As asyncio's, like the methods below."""
        self._connection.connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """The connection is lost."""
        self._connection.connection_lost(exc)

    def eof_received(self) -> None:
        """The peer has closed its side."""
        self._connection.eof_received()

    def pause_writing(self) -> None:
        """The peer does not read."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """The peer reads again."""
        self._connection.resume_writing()

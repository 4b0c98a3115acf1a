"""Bounds on how much of an answer is read, in bytes and in messages.

The ten seconds of an attempt bound the time of an answer, but not its size, and the HTTP client reads as long as data
arrives. A receiver could send endless informational answers (`100 Continue`), each of which is parsed and kept until the
final one, or endless headers, chunks, chunk extensions and trailers. So the bytes are counted when they arrive, before
parsing, and parsed a piece at a time, so that bytes over the limit cost nothing:

- up to the end of the final answer's head: `MAX_HEAD_BYTES` and `MAX_INFORMATIONAL`; beyond either the answer is malformed;
- after it: `MAX_ANSWER_BYTES`, rounded up to a piece; then the body counts as read, whether or not it ends there.

The data of TLS itself is not counted; OpenSSL has its own limits.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Final

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import HttpProcessingError

from livecore.webhooks.outcome import MAX_ANSWER_BYTES, MAX_HEAD_BYTES, MAX_INFORMATIONAL
from livecore_server.background.webhooks.guard import AddrInfo

_PIECE_BYTES: Final = 4_096


class BoundedAnswer(ResponseHandler):
    """The HTTP client's side of one connection, which is used for one request."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._left = MAX_HEAD_BYTES
        """How many bytes may still arrive, first of the head and then of the body."""
        self._informational = 0
        self._body: aiohttp.StreamReader | None = None
        self._over = False

    def data_received(self, data: bytes) -> None:
        """Parse the received bytes, up to the bounds."""
        if not data and not self._over:  # the HTTP client continues with bytes that are already counted
            super().data_received(data)
        while data and not self._over:
            piece, body = data[: min(_PIECE_BYTES, self._left)], self._body
            super().data_received(piece)
            data = data[len(piece) :]
            if self._body is body:  # otherwise the head has just ended, and the next count has begun
                self._left -= len(piece)
            if self._left <= 0:
                self._end()

    def feed_data(self, data: tuple[RawResponseMessage, aiohttp.StreamReader], size: int = 0) -> None:
        """Take a message with a complete head: pass on the final one, and count those before it."""
        message, body = data
        if self._over or self._body is not None:
            self._over = True
        elif 100 <= message.code < 200 and message.code != 101:
            self._informational += 1
            if self._informational > MAX_INFORMATIONAL:
                self._refuse()
        else:
            self._body, self._left = body, MAX_ANSWER_BYTES
            super().feed_data(data, size)

    def _end(self) -> None:
        if self._body is None:
            self._refuse()
        else:
            self._over = True
            self._body.feed_eof()

    def _refuse(self) -> None:
        self._over = True
        if self.transport is not None:
            self.transport.close()
        self.set_exception(HttpProcessingError(message="there is no end to what comes before the answer"))


class BoundedConnector(aiohttp.TCPConnector):
    """Opens a connection for each request, to sockets that the guard makes, and bounds what comes back."""

    def __init__(
        self,
        *,
        tls: ssl.SSLContext,
        resolver: AbstractResolver,
        open_socket: Callable[[AddrInfo], socket.socket],
    ) -> None:
        super().__init__(
            limit=0, force_close=True, use_dns_cache=False, ssl=tls, resolver=resolver, socket_factory=open_socket
        )
        # The HTTP client takes the reader of a connection only from here; the tests notice if it no longer does.
        handler: type[ResponseHandler] = BoundedAnswer
        self._factory = partial(handler, loop=self._loop)

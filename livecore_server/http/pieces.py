"""Answers that are too long to be held: sent in pieces while they are made, and no faster than their reader takes them.

The pieces are chunks of HTTP/1.1, so a reader notices an answer that breaks off. A failure after the head cannot be
answered any more: then the connection breaks off.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from typing import cast

import attrs
from aiohttp import HttpVersion11, web

from livecore.api.requests.http import Response
from livecore.kernel.values import value
from livecore_server.http.exchange import send, stream_head

_log = logging.getLogger("livecore.host")


@value
class PiecedResponse(Response):
    """A response whose body comes in pieces; `body` is empty."""

    pieces: AsyncGenerator[bytes, None] = attrs.field(kw_only=True, repr=False)


class BrokenOff(Exception):
    """The further pieces are refused, for the reason that the text says: not a fault of this server's."""


class PiecedAnswer:
    """The response in pieces, for aiohttp. `ended` is called once, when it is over."""

    keep_alive = False

    def __init__(
        self,
        response: PiecedResponse,
        headers: Sequence[tuple[str, str]],
        *,
        most_seconds: float,
        ended: Callable[[], None],
    ) -> None:
        self._response = response
        self._headers = headers
        self._most_seconds = most_seconds
        self._ended = ended

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send everything; raises `ConnectionResetError` if the reader is gone or too slow, or if a piece fails."""
        transport, pieces = request.transport, self._response.pieces
        try:
            chunked = request.version >= HttpVersion11
            framing = (("Transfer-Encoding", "chunked"),) if chunked else ()
            to_caller = partial(send, request, transport, most_seconds=self._most_seconds)
            await to_caller(stream_head(self._response.status, (*self._headers, *framing)))
            async for piece in pieces:
                await to_caller(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            if chunked:
                await to_caller(b"0\r\n\r\n")
        except ConnectionResetError:
            raise
        except Exception as error:
            if isinstance(error, BrokenOff):
                _log.warning("an answer in pieces breaks off: %s", error)
            else:
                _log.exception("an answer in pieces breaks off")
            if transport is not None:
                transport.abort()
            raise ConnectionResetError from error
        finally:
            await pieces.aclose()
            self._ended()

    async def write_eof(self) -> None:
        """Nothing is left to send."""

    @property
    def response(self) -> web.StreamResponse:
        """This answer, as the type that aiohttp declares."""
        return cast(web.StreamResponse, self)

"""A bound on request heads: aiohttp's parser limits each line and the number of lines, which together allow 2 MiB.

The sender of a head is not authenticated yet. So the bytes of an incomplete head are counted, and a complete head is
measured before it becomes a request.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from aiohttp import StreamReader
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.http_parser import HttpParser, RawRequestMessage

MOST_HEAD_BYTES: Final = 32 * 1024
"""The most bytes of the request line and all header lines together."""
MOST_LINE_BYTES: Final = 16 * 1024
"""The most bytes of one line."""
_Fed: TypeAlias = tuple[list[tuple[RawRequestMessage, StreamReader]], bool, bytes]
_NOTHING: Final[_Fed] = ([], False, b"")
_OF_A_LINE: Final = len(b": \r\n")
_OF_THE_FIRST: Final = len(b" HTTP/1.1\r\n\r\n")


class HeadTooLong(BadHttpMessage):
    """A request's head is longer than `MOST_HEAD_BYTES`."""

    def __init__(self) -> None:
        super().__init__(f"The request's head is longer than {MOST_HEAD_BYTES} bytes.")


class HeadWatch:
    """The parser of one connection, which refuses heads that are too long; it has every method of aiohttp's parser."""

    __slots__ = (
        "_body", "_head_bytes", "_parser", "_refused", "feed_eof", "message_consumed", "pause_reading", "set_upgraded",
    )  # fmt: skip

    def __init__(self, parser: HttpParser[RawRequestMessage]) -> None:
        self._parser = parser
        self._head_bytes = 0
        """The received bytes of an incomplete head."""
        self._body: StreamReader | None = None
        """The body that is arriving: until its end, received bytes belong to no head."""
        self._refused = False
        self.feed_eof = parser.feed_eof
        self.pause_reading = parser.pause_reading
        self.message_consumed = parser.message_consumed
        self.set_upgraded = parser.set_upgraded

    def feed_data(self, data: bytes) -> _Fed:
        """Parse received bytes. Raises `HeadTooLong`, and what the parser raises."""
        if self._refused:
            return _NOTHING
        fed: _Fed = self._parser.feed_data(data)
        messages = fed[0]
        if messages:
            # Only a head that arrived in several pieces, or in a large one, has to be measured.
            if self._head_bytes + len(data) > MOST_HEAD_BYTES:
                self._measure(messages)
            body = messages[-1][1]
            self._body = None if body.is_eof() else body
            self._head_bytes = 0
        elif self._body is None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._refuse()
        elif self._body.is_eof():
            self._body = None
        return fed

    def _measure(self, messages: list[tuple[RawRequestMessage, StreamReader]]) -> None:
        for message, _ in messages:
            lines = sum(len(name) + len(value) + _OF_A_LINE for name, value in message.raw_headers)
            if len(message.method) + len(message.path) + 1 + _OF_THE_FIRST + lines > MOST_HEAD_BYTES:
                self._refuse()

    def _refuse(self) -> None:
        self._refused = True
        raise HeadTooLong

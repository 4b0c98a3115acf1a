"""The wire format of streams: server-sent events, `text/event-stream`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from livecore.kernel.units.streams import Message
from livecore.kernel.wire import compact, encode

HEADERS: Final = (
    ("Content-Type", "text/event-stream"),
    ("Cache-Control", "no-cache, no-transform"),
    # Without this header some proxies buffer an answer until it is complete.
    ("X-Accel-Buffering", "no"),
)
HEARTBEAT: Final = b":\n\n"
"""A comment, which readers ignore: it shows both sides that the connection works."""
MOST_LAST_ID: Final = 128
"""How many characters of a `Last-Event-ID` are used."""


_MOST_REMEMBERED: Final = 512
_latest: Final[dict[int, tuple[Message, bytes]]] = {}


def written(messages: Iterable[Message]) -> bytes:
    """The messages as bytes."""
    return b"".join(map(_remembered, messages))


def _remembered(message: Message) -> bytes:
    """The message as bytes, which are made once for all readers that are sent the same object."""
    known = _latest.get(id(message))
    if known is not None:
        return known[1]
    raw = _written(message)
    _latest[id(message)] = (message, raw)  # with the message itself, so that no other has its address meanwhile
    if len(_latest) > _MOST_REMEMBERED:
        del _latest[next(iter(_latest))]
    return raw


def _written(message: Message) -> bytes:
    number = "" if message.id is None else f"id: {message.id}\n"
    # Compact JSON holds no line break.
    return f"{number}event: {message.event}\ndata: {compact(encode(message.data))}\n\n".encode()


def retry_hint(milliseconds: int) -> bytes:
    """Tells the reader how long to wait before it reconnects."""
    return f"retry: {milliseconds}\n\n".encode()

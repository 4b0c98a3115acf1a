"""Streams as the wire carries them: server-sent events, `text/event-stream`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from livecore.kernel.streams import Message
from livecore.kernel.wire import compact, encode

__all__ = ["HEADERS", "HEARTBEAT", "MOST_LAST_ID", "retry_hint", "written"]

HEADERS: Final = (
    ("Content-Type", "text/event-stream"),
    ("Cache-Control", "no-cache, no-transform"),
    # Some proxies gather an answer until it is whole, unless they are told.
    ("X-Accel-Buffering", "no"),
)
HEARTBEAT: Final = b":\n\n"
"""A comment, which readers ignore: it shows both ends that the other one is there."""
MOST_LAST_ID: Final = 128
"""How much of a `Last-Event-ID` is looked at."""


def written(messages: Iterable[Message]) -> bytes:
    """The messages as bytes."""
    return b"".join(map(_written, messages))


def _written(message: Message) -> bytes:
    number = "" if message.id is None else f"id: {message.id}\n"
    # Compact JSON holds no line break.
    return f"{number}event: {message.event}\ndata: {compact(encode(message.data))}\n\n".encode()


def retry_hint(milliseconds: int) -> bytes:
    """Tell the reader how long to wait before it comes back."""
    return f"retry: {milliseconds}\n\n".encode()

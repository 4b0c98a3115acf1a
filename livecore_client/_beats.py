"""What a failed heartbeat means for the next one: pure rules, shared by both flavours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from livecore.errors.families import ApiError, LivecoreError, ServerError, TooManyRequests, UnreadableAnswer
from livecore.kernel.wire.shapes import Absent
from livecore.players.rows import Presence
from livecore_client._failures import TransportError

__all__ = ["AsyncBeat", "Beat", "is_passing", "next_beat_seconds"]

AsyncBeat: TypeAlias = Callable[[str | None | Absent], Awaitable[Presence]]
"""Sends one heartbeat with a status."""
Beat: TypeAlias = Callable[[str | None | Absent], Presence]
"""Sends one heartbeat with a status."""


def is_passing(failure: LivecoreError) -> bool:
    """Whether the next beat may succeed.

    It may if no answer arrived, if a network that requires a login answered with its own page, and if the service had too
    many requests or an internal fault.
    """
    return isinstance(failure, TransportError | UnreadableAnswer | TooManyRequests | ServerError)


def next_beat_seconds(failure: LivecoreError, interval_seconds: float) -> float:
    """How long to wait after a failure: the usual interval, or longer if the server asks for it."""
    asked = failure.retry_after_seconds if isinstance(failure, ApiError) else None
    return max(interval_seconds, asked or 0.0)

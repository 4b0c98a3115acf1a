"""What the last answer said beside its data, kept for each thread and task.

A method returns the data alone, so what stands in the headers is kept aside: in a context variable, so that of two threads,
or of two asyncio tasks, that share a client each reads the answer to its own last call.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from weakref import ReferenceType, ref

__all__ = ["RateLimit", "ResponseInfo", "forget_response", "keep_response", "kept_response", "response_info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """The state of the rate limit that counted the call, when it was answered."""

    limit: int
    """How many requests a minute may have."""
    remaining: int
    """How many are left in this minute."""
    reset_seconds: int
    """How long until the minute is over, at least 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseInfo:
    """What an answer said beside its data."""

    status: int
    """The HTTP status."""
    request_id: str | None
    """What identifies the request in the server's log; `None` where what answered has none."""
    rate_limit: RateLimit | None
    """The state of the rate limit; `None` where the server does not count."""
    idempotency_replayed: bool
    """Whether this is the answer of an earlier request with the same idempotency key, so that nothing happened now."""
    attempts: int
    """How often the call was tried; 1 where the first attempt was answered."""


def response_info(status: int, headers: Mapping[str, str], *, attempts: int) -> ResponseInfo:
    """What an answer's status and headers say."""
    return ResponseInfo(
        status=status,
        request_id=headers.get("X-Request-Id"),
        rate_limit=_rate_limit(headers),
        idempotency_replayed=headers.get("Idempotent-Replay") == "true",
        attempts=attempts,
    )


def _rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """The three headers as numbers; `None` where one is missing or, from another server, is none."""
    texts = [headers.get(f"RateLimit-{name}", "") for name in ("Limit", "Remaining", "Reset")]
    if not all(text.isascii() and text.isdigit() for text in texts):
        return None
    limit, remaining, reset_seconds = (int(text[:9]) for text in texts)
    return RateLimit(limit=limit, remaining=remaining, reset_seconds=reset_seconds)


# One variable for all clients, because a context never lets go of a variable. The mapping is never changed, only replaced:
# a task inherits that of the task that made it. It names its clients weakly.
KEPT: Final[ContextVar[Mapping[ReferenceType[object], ResponseInfo]]] = ContextVar(
    "livecore_client.last_response", default=MappingProxyType({})
)


def keep_response(owner: object, info: ResponseInfo) -> None:
    """Keep the answer as the last one of `owner` in this thread or task."""
    KEPT.set(MappingProxyType({**_others(owner), ref(owner): info}))


def forget_response(owner: object) -> None:
    """Begin a call: until it is answered, there is no last answer."""
    if ref(owner) in KEPT.get():
        KEPT.set(MappingProxyType(_others(owner)))


def kept_response(owner: object) -> ResponseInfo | None:
    """The last answer of `owner` in this thread or task."""
    return KEPT.get().get(ref(owner))


def _others(owner: object) -> dict[ReferenceType[object], ResponseInfo]:
    """The last answers of the other clients that still exist."""
    return {one: info for one, info in KEPT.get().items() if one() is not None and one() is not owner}

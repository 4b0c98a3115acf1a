"""What the callers of a world raise where the service refuses: the exceptions that the clients raise."""

from __future__ import annotations

from collections.abc import Iterable

from livecore.errors.families import ApiError, refusal_class
from livecore.kernel.errors import JsonObject, Refusal
from livecore.kernel.wire.exact import plain_copy

WorldRefused = ApiError
"""A call that the service refused, whatever for; each code has a class of its own in `livecore.errors`."""


def refused_by(refusal: Refusal) -> ApiError:
    """What a world raises for a refusal."""
    details = plain_copy(refusal.details)
    assert isinstance(details, dict)  # noqa: S101 - a copy of an object
    return _error(refusal.status, refusal.code, refusal.message, details, refusal.headers.items())


def refused(status: int, error: JsonObject, headers: Iterable[tuple[str, str]]) -> ApiError:
    """What a world raises for an answer with an error."""
    details = error.get("details", {})
    assert isinstance(details, dict)  # noqa: S101 - the envelope's shape
    return _error(status, str(error["code"]), str(error["message"]), details, headers)


def _error(status: int, code: str, message: str, details: JsonObject, headers: Iterable[tuple[str, str]]) -> ApiError:
    seconds = dict(headers).get("Retry-After")
    return refusal_class(status, code)(
        message,
        status=status,
        code=code,
        details=details,
        retry_after_seconds=None if seconds is None else float(seconds),
    )

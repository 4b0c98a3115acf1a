"""What can go wrong in a call, by family. `livecore_client.errors` draws the tree and adds a class for each error code.

A family is chosen by status and a class by code, so a program catches as finely as it wants: `GiftCooldown`, `Conflict` or
`ApiError`. A code that this release does not know arrives as its status's family; nothing breaks when a server is newer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from livecore.kernel.errors import Json

__all__ = [
    "ApiError",
    "BadRequest",
    "ConfigurationError",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "Gone",
    "InvalidArgument",
    "LivecoreError",
    "NotFound",
    "NotYet",
    "ServerError",
    "TimedOut",
    "TooManyRequests",
    "TransportError",
    "Unauthorized",
    "Unprocessable",
    "UnreadableAnswer",
    "WebhookVerificationError",
    "refusal_class",
]


class LivecoreError(Exception):
    """Anything that this library raises on purpose."""


class ConfigurationError(LivecoreError):
    """The client lacks something it cannot work without, or was given the wrong kind of key; no request was sent."""


class InvalidArgument(LivecoreError, ValueError):
    """An argument that no request can carry, such as an id with a slash in it; no request was sent."""


class WebhookVerificationError(LivecoreError):
    """The delivery is not proven to come from the service, or is no event; answer it with 400 and do nothing else."""


# -- no answer ------------------------------------------------------------------------------------------------------------


class TransportError(LivecoreError):
    """No answer arrived. The request may have taken effect: a retry must keep its idempotency key."""


class ConnectionFailed(TransportError, ConnectionError):
    """The connection could not be made, or broke before the answer was whole."""


class TimedOut(TransportError, TimeoutError):
    """The answer did not arrive in time."""


class UnreadableAnswer(LivecoreError):
    """An answer arrived that is not of the documented shape: another server, a proxy's page, or a much newer release."""


# -- the service refused --------------------------------------------------------------------------------------------------

_BY_CODE: dict[str, type[ApiError]] = {}
_BY_STATUS: dict[int, type[ApiError]] = {}
_FIRST_REDIRECT: Final = 300
_FIRST_SERVER_ERROR: Final = 500


class ApiError(LivecoreError):
    """The service answered, and refused.

    `code` is stable and to be matched on, as the classes do; `message` is for people. `details` are as on the wire.
    `request_id` finds the request in the server's log. `retry_after_seconds` is the server's wish, where it has one.
    """

    def __init_subclass__(cls, *, code: str | None = None, status: int | None = None) -> None:
        """Register a class for the error code, or for the status, that it stands for."""
        super().__init_subclass__()
        if code is not None:
            _BY_CODE[code] = cls
        if status is not None:
            _BY_STATUS[status] = cls

    # Everything but the message has a default, so that the exception survives pickling between processes.
    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        details: Mapping[str, Json] | None = None,
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details: Mapping[str, Json] = dict(details or {})
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        kind = f"{self.status} {self.code}".rstrip()
        return f"{kind}: {self.message}" + (f" (request {self.request_id})" if self.request_id else "")


class NotYet(ApiError, status=202):
    """Accepted, and the result is not there yet: the one error envelope that comes with a status of success."""


class BadRequest(ApiError, status=400):
    """The request itself is wrong."""


class Unauthorized(ApiError, status=401):
    """The key or the player secret is missing, wrong or revoked."""


class Forbidden(ApiError, status=403):
    """The caller may not do this."""


class NotFound(ApiError, status=404):
    """No such thing in this game and environment."""


class Conflict(ApiError, status=409):
    """The request is fine, the state of things is not. Never retried: waiting alone does not change the answer."""


class Gone(ApiError, status=410):
    """It was there, and its time has passed."""


class Unprocessable(ApiError, status=422):
    """Understood, and impossible."""


class TooManyRequests(ApiError, status=429):
    """Too many requests, and the retries are used up; `retry_after_seconds` says when to come back."""


class ServerError(ApiError):
    """The fault is on the other side (any 5xx)."""


def refusal_class(status: int, code: str) -> type[ApiError]:
    """The most exact class for an answer: by code, else by status, else by the hundred that the status falls in."""
    known = _BY_CODE.get(code) or _BY_STATUS.get(status)
    if known is not None:
        return known
    if status < _FIRST_REDIRECT:
        return NotYet
    return ServerError if status >= _FIRST_SERVER_ERROR else ApiError

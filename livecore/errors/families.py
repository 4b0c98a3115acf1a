"""The families of exceptions of a call. `livecore.errors` shows the tree and adds a class for each error code.

The status decides the family and the code decides the class, so a program can catch `GiftCooldown`, `Conflict` or
`ApiError`. A code that this release does not know is raised as its status's family, so a newer server causes no fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from livecore.kernel.errors import Json, snake

__all__ = [
    "ApiError",
    "BadRequest",
    "Conflict",
    "Forbidden",
    "Gone",
    "InvalidArgument",
    "LivecoreError",
    "NotFound",
    "NotYet",
    "ServerError",
    "TooManyRequests",
    "Unauthorized",
    "Unprocessable",
    "UnreadableAnswer",
    "all_of",
    "names_first",
    "refusal_class",
]


class LivecoreError(Exception):
    """The base class of all exceptions that this library raises on purpose."""


class InvalidArgument(LivecoreError, ValueError):
    """An argument that cannot be sent, such as an id with a slash in it; no request was sent."""


class UnreadableAnswer(LivecoreError):
    """An answer arrived that is not of the documented shape: another server, a proxy's page, or a much newer release."""


# -- the service refused --------------------------------------------------------------------------------------------------

_BY_CODE: dict[str, type[ApiError]] = {}
_BY_STATUS: dict[int, type[ApiError]] = {}
_FIRST_REDIRECT: Final = 300
_FIRST_SERVER_ERROR: Final = 500
_MOST_FAULTS: Final = 20
_LONGEST_DETAIL: Final = 1_000
"""How many characters of one detail an exception's text shows; `details` has all of them."""


class ApiError(LivecoreError):
    """The service answered, and refused.

    `code` is stable, and programs may compare it, as the classes do; `message` is for people. `details` are as on the wire.
    `request_id` identifies the request in the server's log. `retry_after_seconds` is the server's `Retry-After`, if any.
    As text it is all of these, the names of details as Python spells them: `have=10` and `max_amount=100`.
    """

    def __init_subclass__(cls, *, code: str | None = None, status: int | None = None) -> None:
        """Register a class for its error code or its status."""
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
        self._names_all_fields = False

    def reword(self, message: str) -> None:
        """Give it another message, which names all fields of `details.fields` if there are any."""
        self.args = (message,)
        self.message = message
        self._names_all_fields = True

    def __str__(self) -> str:
        kind = f"{self.status} {self.code}".rstrip()
        fields = self.details.get("fields")
        message, names_all = self.message, self._names_all_fields
        if not names_all and isinstance(fields, dict) and fields and names_first(message, fields):
            message, names_all = all_of(fields), True
        notes = [
            f"{snake(name)}={_shortened(value)}"
            for name, value in self.details.items()
            if not (name == "fields" and names_all) and value != self.request_id
        ]
        if self.request_id:
            notes.append(f"request {self.request_id}")
        return f"{kind}: {message}" + (f" ({', '.join(notes)})" if notes else "")


def names_first(message: str, fields: Mapping[str, Json]) -> bool:
    """Whether a message is the service's usual one about a failed validation: the first fault, and how many more."""
    path, reason = next(iter(fields.items()))
    return message.startswith(f"{path}: {reason}")


def all_of(fields: Mapping[str, Json]) -> str:
    """The faults of a failed validation, up to twenty: each field's path and what is wrong."""
    faults = [f"{path}: {reason}" for path, reason in fields.items()]
    more = f" (and {len(faults) - _MOST_FAULTS} more)" if len(faults) > _MOST_FAULTS else ""
    return "; ".join(faults[:_MOST_FAULTS]) + more


def _shortened(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_DETAIL else f"{text[:_LONGEST_DETAIL]}…"


class NotYet(ApiError, status=202):
    """Accepted, but there is no result yet: the one error envelope with a successful status."""


class BadRequest(ApiError, status=400):
    """The request itself is wrong."""


class Unauthorized(ApiError, status=401):
    """The key or the player secret is missing, wrong or revoked."""


class Forbidden(ApiError, status=403):
    """The caller may not do this."""


class NotFound(ApiError, status=404):
    """No such thing in this game and environment."""


class Conflict(ApiError, status=409):
    """The request is valid, but conflicts with the present state. Never retried: waiting does not change the answer."""


class Gone(ApiError, status=410):
    """It existed, and has expired."""


class Unprocessable(ApiError, status=422):
    """The request is understood, but impossible."""


class TooManyRequests(ApiError, status=429):
    """Too many requests, and the retries are used up; `retry_after_seconds` says when to try again."""


class ServerError(ApiError):
    """A fault of the server (any 5xx)."""


def refusal_class(status: int, code: str) -> type[ApiError]:
    """The most exact class for an answer: by code, else by status, else by the first digit of the status."""
    known = _BY_CODE.get(code) or _BY_STATUS.get(status)
    if known is not None:
        return known
    if status < _FIRST_REDIRECT:
        return NotYet
    return ServerError if status >= _FIRST_SERVER_ERROR else ApiError

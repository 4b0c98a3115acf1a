"""The tree of refusals: its branches, and the refusals that belong to no area.

    Refusal
    ├── NotYet 202          accepted, but not ready: returned and not raised, so that the unit commits
    ├── BadRequest 400      the request itself is wrong: shape, range, an impossible target
    ├── Unauthorized 401    the caller is not known
    ├── Forbidden 403       the caller may not do this
    ├── NotFound 404        no such thing in this game and environment
    ├── Conflict 409        the request is fine, the state is not
    ├── Gone 410            it existed, and its time has passed
    ├── Unprocessable 422   understood, but impossible
    ├── RateLimited 429     too many requests: try later
    └── ServerError 5xx     a fault of the service

A refusal carries a stable `code` (match on that), a message for people, and optional `details`. Raising one undoes the unit
of work: the transaction's buffered writes are dropped, so a refused request leaves every row as it was. The exception is a
handler that returns `RecordedRefusal`: it keeps that the request was made. Each area has its
own refusals in its `refusals.py` and names them in its `Area`; `livecore.api.areas` has all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar, Final, Self, TypeAlias

from livecore.kernel.quoting import bounded, quoted, there_are

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
"""A JSON value."""
JsonObject: TypeAlias = "dict[str, Json]"
"""A JSON object."""


_NO_WORDS: Final[Mapping[str, str]] = {}
_LONGEST_PATH: Final = 200


def camel(name: str) -> str:
    """The wire's spelling of a Python name: `friends_since` is `friendsSince`."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def snake(name: str) -> str:
    """A name of the wire as Python spells it: `friendsSince` is `friends_since`."""
    return "".join(f"_{character.lower()}" if character.isupper() else character for character in name)


class Refusal(Exception):
    """A request that is answered with an error; nothing of it takes effect.

    `details` are given as keyword arguments in Python's spelling and shown in the wire's.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = ""
    text: ClassVar[str] = "The request was refused."
    remedy: ClassVar[str] = ""
    """What the caller can do about it."""
    example: ClassVar[Mapping[str, Json]] = {}
    """An example of its details, for the documents."""
    named: ClassVar[str] = ""
    """The message of `of`, with `{}` for what was asked for and without the full stop."""

    def __init__(self, message: str | None = None, /, **details: Json) -> None:
        super().__init__(message or self.text)
        self.message = message or self.text
        self.details: JsonObject = {camel(name): value for name, value in details.items()}
        self.headers: dict[str, str] = {}

    @classmethod
    def of(cls, asked: object, more: str = "", *, known: Collection[str] | None = None, **details: Json) -> Self:
        """This refusal, with what the caller has asked for in its message.

        `known` are the names that there are, of what the public configuration declares; the message has at most ten. `more`
        is anything else that helps. What is secret, or what other players have, must be in neither. Where two reasons must
        look the same to the caller, both say what was asked for.
        """
        message = cls.named.format(quoted(asked))
        if known is not None:
            more = there_are(known)
        return cls(f"{message}: {more}." if more else f"{message}.", **details)

    def bare(self) -> Self:
        """This refusal without its traceback, whose frames would keep their local values alive."""
        self.__cause__ = self.__context__ = None
        return self.with_traceback(None)

    def again(self) -> Self:
        """A new refusal like this one. Raising a copy each time keeps tracebacks from accumulating on a stored refusal."""
        cls = type(self)
        anew = cls.__new__(cls, *self.args)
        anew.__dict__.update(self.__dict__)
        anew.headers = dict(self.headers)
        return anew

    def envelope(self) -> JsonObject:
        """The body of the answer: `{"error": {code, message, details?}}`."""
        error: JsonObject = {"code": self.code, "message": self.message}
        if self.details:
            error["details"] = self.details
        return {"error": error}


class NotYet(Refusal):
    """Accepted, but the result is not ready: the only answer that carries an error envelope and still commits.

    A handler returns it and lists its class among the operation's `errors`. The unit's rows are written and its events
    emitted; under an idempotency key it is stored and replayed like any answer. Its details name no player. A handler must
    not raise it.
    """

    status = 202


class RecordedRefusal:
    """A refusal of which something is kept: a handler returns it, and what it has written is committed.

    That is one row which says that the request was refused, and nothing else: no event, no entry of the audit trail, and no
    record under the idempotency key, so the request may be repeated like every refused one. The caller sees the refusal as
    if it had been raised.
    """

    __slots__ = ("refusal",)

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


class BadRequest(Refusal):
    """The request itself is wrong."""

    status = 400


class Unauthorized(Refusal):
    """The caller is not known."""

    status = 401


class Forbidden(Refusal):
    """The caller may not do this."""

    status = 403


class NotFound(Refusal):
    """It does not exist in this game and environment."""

    status = 404


class Conflict(Refusal):
    """The current state does not allow it."""

    status = 409


class Gone(Refusal):
    """Its time has passed."""

    status = 410


class Unprocessable(Refusal):
    """Understood, but impossible."""

    status = 422


# -- refusals that any request may get -----------------------------------------------------------------------------------


class ValidationFailed(BadRequest):
    """The request does not have the documented shape; `details.fields` maps each bad field's path to what is wrong."""

    code = "validation_failed"
    text = "The request does not have the documented shape."
    remedy = "Correct the fields named in `details.fields`; the same request is refused again."
    example: ClassVar[Mapping[str, Json]] = {"fields": {"amount": "must be an integer"}}

    def __init__(
        self, fields: Mapping[str, str], message: str | None = None, *, words: Mapping[str, str] = _NO_WORDS
    ) -> None:
        """`words` are longer words for faults, by path, for the message; `details` keep those of `fields`."""
        first = next(iter(fields.items()), None)
        if message is None and first is not None:
            path, fault = first
            more = f" (and {len(fields) - 1} more)" if len(fields) > 1 else ""
            # The caller has chosen the names of unknown fields, so a path may be anything.
            message = f"{bounded(path, _LONGEST_PATH)}: {words.get(path, fault)}{more}"
        super().__init__(message)
        self.fields = dict(fields)
        self.details = {"fields": dict(fields)}


class MalformedRequest(BadRequest):
    """The bytes received are not HTTP, or the head is longer than 32 KiB, or one line of it is longer than 16 KiB."""

    code = "malformed_request"
    text = "The request is not well-formed HTTP."
    remedy = "Send the request with an HTTP library, with fewer or shorter headers."


class MalformedJson(BadRequest):
    """The body is not strict JSON (no NaN, doubled keys or lone surrogates, at most 64 deep), or holds too many values."""

    code = "malformed_json"
    text = "The body is not valid JSON."
    remedy = "Send one JSON object in UTF-8, written by a JSON library."


class RouteNotFound(NotFound):
    """No route has this path."""

    code = "route_not_found"
    text = "There is no such route."
    remedy = "Check the path against the reference; the version is part of it."


class MethodNotAllowed(Refusal):
    """The path exists, the method does not; the `Allow` header lists those that do."""

    status = 405
    code = "method_not_allowed"
    text = "This route does not take this method."
    remedy = "Use one of the methods in the `Allow` header."


class BodyTimeout(Refusal):
    """The body did not arrive in time."""

    status = 408
    code = "body_timeout"
    text = "The body took too long to arrive."
    remedy = "Send the whole body at once, and try again with the same idempotency key."


class BodyTooLarge(Refusal):
    """The body is too large: 64 KiB on client routes, 1 MiB on server routes, 8 MiB on migration routes, none on GET."""

    status = 413
    code = "body_too_large"
    text = "The body is too large."
    remedy = "Send less at once (`details.limitBytes`)."
    example: ClassVar[Mapping[str, Json]] = {"limitBytes": 65536}


class UnsupportedMediaType(Refusal):
    """The body is not declared as `application/json`."""

    status = 415
    code = "unsupported_media_type"
    text = "Send the body as application/json."
    remedy = "Send `Content-Type: application/json`."


class IdempotencyConflict(Conflict):
    """The same idempotency key was used before with a different request."""

    code = "idempotency_conflict"
    text = "This idempotency key was used for a different request."
    remedy = "Use a fresh key for each new request, and repeat a request unchanged when you retry it."


class RateLimited(Refusal):
    """Too many requests, or too many new players of one address; `Retry-After` says when to try again, in seconds."""

    status = 429
    code = "rate_limited"
    text = "Too many requests."
    remedy = "Wait for the seconds in `Retry-After`, then try again."
    example: ClassVar[Mapping[str, Json]] = {"retryAfterSeconds": 12}

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(retry_after_seconds=retry_after_seconds)
        self.headers["Retry-After"] = str(retry_after_seconds)


class InternalError(Refusal):
    """The service failed; `details.requestId` finds the failure in the log."""

    status = 500
    code = "internal_error"
    text = "Something went wrong on the server."
    remedy = "Try again with the same idempotency key; report `details.requestId` if it stays."
    example: ClassVar[Mapping[str, Json]] = {"requestId": "req_01940000000000000000000001"}


class NotReady(Refusal):
    """The server should not get requests now; `details.checks` says for each check `ok` or what is wrong."""

    status = 503
    code = "not_ready"
    text = "The server is not ready."
    remedy = "Send requests to another server until the checks are `ok` again; a load balancer does that by itself."
    example: ClassVar[Mapping[str, Json]] = {"checks": {"serving": "draining", "store": "ok"}}

    def __init__(self, checks: Mapping[str, str]) -> None:
        super().__init__(checks=dict(checks))
        self.headers["Retry-After"] = "1"


class Overloaded(Refusal):
    """The server cannot accept this now; `Retry-After` says when to try again, in seconds."""

    status = 503
    code = "overloaded"
    text = "The server is overloaded."
    remedy = "Wait for the seconds in `Retry-After`, then try again with the same idempotency key."

    def __init__(self, retry_after_seconds: int = 1) -> None:
        super().__init__()
        self.headers["Retry-After"] = str(retry_after_seconds)

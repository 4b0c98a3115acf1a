"""One call as plain values: the request, and the meaning of its answer. Nothing here waits, so both flavours share it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote, urlencode

import httpx

from livecore.errors.families import ApiError, InvalidArgument, UnreadableAnswer, refusal_class
from livecore.kernel.errors import Json, JsonObject
from livecore_client import errors  # noqa: F401 - the import registers its classes for the lookup by code
from livecore_client._retry import retry_after_seconds
from livecore_client._settings import SDK_NAME, Settings
from livecore_client._strangers import foreign_answer

__all__ = ["Call", "is_stream", "path_segment", "read_answer", "request_headers", "request_url"]

_UNSAFE = re.compile(r"[/\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One operation with its arguments, ready to send as often as needed: each try is the same request."""

    method: str
    path: str
    """The path below the base address, its variables filled in and percent-encoded."""
    query: tuple[tuple[str, str], ...] = ()
    body: JsonObject | None = None
    idempotency_key: str | None = None
    """The caller's own key; a mutation without one gets a random one."""
    needs_secret: bool = False
    """Whether the route is about one player, and so needs that player's secret."""
    offers_secret: bool = False
    """Whether the route shows more to the player, and so is given the secret if the client has it."""

    @property
    def is_mutation(self) -> bool:
        """Whether the call changes something."""
        return self.method != "GET"

    @property
    def content(self) -> bytes | None:
        """The body's bytes, or `None` when the call has no body."""
        if self.body is None:
            return None
        try:
            return json.dumps(self.body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        except (TypeError, ValueError) as fault:  # not JSON: an object of a class, NaN, a lone surrogate
            raise InvalidArgument(f"the arguments cannot be written as JSON: {fault}") from None


def path_segment(name: str, value: str) -> str:
    """`value` as one segment of a path, percent-encoded.

    Raises `InvalidArgument` for a value that would change the path's meaning: an empty text, dots, a slash, a control
    character. The service refuses these too, but a URL library may have resolved them before the service sees them.
    """
    if value in {"", ".", ".."} or _UNSAFE.search(value):
        raise InvalidArgument(f"{name} must not be empty, '.', '..', or hold '/' or control characters")
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} must be text that UTF-8 can carry") from None


def request_url(settings: Settings, call: Call) -> str:
    """The whole address of the call."""
    query = f"?{urlencode(call.query, quote_via=quote)}" if call.query else ""
    return f"{settings.base_url}{call.path}{query}"


def request_headers(
    settings: Settings, call: Call, *, idempotency_key: str | None, player_secret: str | None
) -> dict[str, str]:
    """The headers of every try of the call."""
    headers = {
        "Accept": "application/json",
        "Authorization": f"Bearer {settings.api_key}",
        "User-Agent": SDK_NAME,
        "X-Svc-SDK": SDK_NAME,
        "X-Svc-Platform": settings.platform,
        "X-Svc-App-Version": settings.app_version,
        "X-Player-Secret": player_secret if call.needs_secret or call.offers_secret else None,
        "Idempotency-Key": idempotency_key,
        "Content-Type": "application/json" if call.body is not None else None,
    }
    return {**settings.headers, **{name: value for name, value in headers.items() if value is not None}}


def is_stream(status: int, headers: Mapping[str, str]) -> bool:
    """Whether an answer is a stream of events."""
    return status == httpx.codes.OK and headers.get("Content-Type", "").startswith("text/event-stream")


def read_answer(url: httpx.URL, status: int, headers: Mapping[str, str], content: bytes, *, now_seconds: float) -> Json:
    """The `data` of an answer of the server at `url`.

    Raises the exact `ApiError` for an error envelope, whatever its status: a lobby that is still forming is an error
    envelope with status 202. Raises `UnreadableAnswer` for a successful answer without an envelope.
    """
    envelope = _object(content)
    error = envelope.get("error") if envelope is not None else None
    if isinstance(error, dict):
        raise _refusal(status, headers, error, now_seconds)
    if httpx.codes.is_success(status) and envelope is not None and "data" in envelope:
        return envelope["data"]
    words = foreign_answer(url, status, headers, content)
    if httpx.codes.is_error(status):
        raise _refusal(status, headers, {"message": words}, now_seconds)
    raise UnreadableAnswer(words)


def _object(content: bytes) -> JsonObject | None:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return cast(JsonObject, value) if isinstance(value, dict) else None


def _refusal(status: int, headers: Mapping[str, str], error: Mapping[str, Json], now_seconds: float) -> ApiError:
    code = error.get("code")
    message = error.get("message")
    details = error.get("details")
    code = code if isinstance(code, str) else ""
    return refusal_class(status, code)(
        message if isinstance(message, str) else "the error has no message",
        status=status,
        code=code,
        details=details if isinstance(details, dict) else None,
        request_id=headers.get("X-Request-Id"),
        retry_after_seconds=retry_after_seconds(headers.get("Retry-After"), now_seconds=now_seconds),
    )

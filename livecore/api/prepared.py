"""A request between its head and its answer: what is known of it, and what its answer will carry."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeAlias

import attrs

from livecore.access.directory import ApiKey, Game
from livecore.access.principals import NOBODY, Principal
from livecore.api.arguments import Arguments
from livecore.api.http import NO_SDK, Request, Response
from livecore.api.operation import Operation
from livecore.kernel.errors import Refusal
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.streams import Stream
from livecore.kernel.time import Millis
from livecore.kernel.unit import Event
from livecore.kernel.values import value
from livecore.kernel.volatile import Allowance

__all__ = ["Headers", "Outcome", "Prepared", "deprecation_headers", "request_id_of"]

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values."""


@attrs.define(slots=True)
class Prepared:
    """A request that has passed the entrance: what it wants, in whose name, and what its answer will carry."""

    request: Request
    request_id: str
    now: Millis
    seed: bytes
    headers: Headers
    sdk: str = NO_SDK
    """Which SDK has asked; see `Request.sdk`."""
    operation: Operation | None = None
    values: tuple[str, ...] = ()
    key: ApiKey | None = None
    principal: Principal = NOBODY
    """Who asks, as far as the entrance can tell: of a player's request, the client key."""
    game: Game | None = None
    scope: Scope = DIRECTORY
    counted: bool = False
    """Whether the request has been counted in its bucket: a transaction that runs again does not count it again."""
    misses: dict[str, Allowance] = attrs.Factory(dict)
    """The throttles in which it has been counted, which likewise happens once."""
    last_event_id: str | None = None
    """Of a stream that is read anew: the last message that its reader was sent, instead of what the request says."""
    arguments: Arguments | Refusal | None = None
    """What was read of path, query and body, or why it could not be, once that has been done."""
    refused: Response | None = None
    """The answer, where the entrance has already refused the request; there is nothing to run then."""

    @property
    def writes(self) -> bool:
        """Whether the operation may change rows."""
        return self.operation is not None and self.operation.writes


@value
class Outcome:
    """What a run gave: the response, and the events that it emitted in a scope.

    Of a stream the response holds the first messages, for whoever cannot wait for more.
    """

    response: Response
    events: Sequence[Event] = ()
    scope: Scope = DIRECTORY
    stream: Stream | None = None


def request_id_of(request: Request, now: Millis, seed: bytes) -> str:
    """The caller's own request id if it is fit to be echoed, else a fresh one."""
    given = request.headers.get("x-request-id")
    if given is not None and 1 <= len(given) <= 128 and given.isascii() and given.isprintable():
        return given
    return f"req_{blake2b(seed, digest_size=13, person=b'request id').hexdigest()}"


def deprecation_headers(operation: Operation) -> Headers:
    """What the answers of an operation that is going to end say about that."""
    notice = operation.deprecation
    if notice is None:
        return ()
    headers: list[tuple[str, str]] = [("Deprecation", "true"), ("X-Svc-Deprecation-Reason", notice.reason)]
    if notice.sunset is not None:
        headers.append(("Sunset", notice.sunset.datetime.strftime("%a, %d %b %Y %H:%M:%S GMT")))
    if notice.successor is not None:
        headers.append(("Link", f'<{notice.successor}>; rel="successor-version"'))
    return tuple(headers)

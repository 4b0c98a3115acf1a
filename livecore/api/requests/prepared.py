"""A prepared request: what is known of it before it runs, and headers of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import TypeAlias

import attrs

from livecore.access.directory import ApiKey, Game
from livecore.access.principals import NOBODY, Principal
from livecore.api.configuration.game_config import config_of
from livecore.api.requests.arguments import Arguments
from livecore.api.requests.http import NO_SDK, Request, Response
from livecore.api.requests.limits import headers_of
from livecore.api.requests.typed import TypedRequest
from livecore.api.table.operation import Operation, Runs
from livecore.kernel.errors import JsonObject, Refusal
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.time import Millis
from livecore.kernel.units.ephemeral import Allowance
from livecore.kernel.units.streams import Stream
from livecore.kernel.units.unit import Event
from livecore.kernel.values import value

Headers: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values."""


@attrs.define(slots=True)
class Prepared:
    """A request after route, key and rate limit: its operation, its caller, and headers of its answer."""

    request: Request
    request_id: str
    now: Millis
    seed: bytes
    headers: Headers
    network: str
    """The network of the caller's address, by which strangers and wrong secrets are counted."""
    sdk: str = NO_SDK
    """The caller's SDK; see `Request.sdk`."""
    operation: Operation | None = None
    values: tuple[str, ...] = ()
    key: ApiKey | None = None
    principal: Principal = NOBODY
    """The caller, as known before the transaction: for a player's request, the client key."""
    game: Game | None = None
    scope: Scope = DIRECTORY
    counted: bool = False
    """Whether the request has been counted in its bucket: a retried transaction does not count it again."""
    allowance: Allowance | None = None
    """Of the windows in which it has been counted, the state of the one with the fewest requests left: in `headers`."""
    used_up: str = ""
    """The name of the window that refused it."""
    over_limit: Refusal | None = None
    """That refusal, for a transaction that is retried."""
    misses: dict[str, Allowance] = attrs.Factory(dict)
    """The throttles and quotas in which it has been counted, also only once."""
    last_event_id: str | None = None
    """For a stream that is read again: the last message that was sent to its reader, in place of the request's header."""
    arguments: Arguments | Refusal | None = None
    """The parsed arguments, or the refusal that parsing raised, once they have been parsed."""
    body: JsonObject | None = None
    """The members of the body as far as it can be read, of an operation that is judged by them."""
    refused: Response | None = None
    """The answer, if the request is already refused; then there is nothing to run."""
    waits: bool = False
    """Whether its host waits where a unit raises `livecore.kernel.units.loading.StillLoading`."""
    visitor: object = None
    """For a site of the host: what it knows of the caller since it has begun the request."""

    def renew(self, game: Game | None) -> bool:
        """Take the game as it is now, for an open stream; whether its settings show strangers something else since then."""
        before = self.game
        if before is None or game is None or before.config_version == game.config_version:
            return False
        self.game = game
        return config_of(before).to_strangers != config_of(game).to_strangers

    def tell(self, allowance: Allowance) -> None:
        """Report a count in the headers of the answer, unless one with fewer requests left is reported already."""
        reported = self.allowance
        if reported is None or allowance.remaining < reported.remaining:
            earlier = () if reported is None else headers_of(reported)
            self.headers = (*(header for header in self.headers if header not in earlier), *headers_of(allowance))
            self.allowance = allowance

    @property
    def runs(self) -> Runs:
        """In how many transactions the operation runs, and of which kind; before it is known, in none that writes."""
        return "read" if self.operation is None else self.operation.runs


@value
class Outcome:
    """The result of a run: the response, and the events that it emitted in a scope.

    For a stream the response holds the first messages, for hosts that cannot stream.
    """

    response: Response
    events: Sequence[Event] = ()
    scope: Scope = DIRECTORY
    stream: Stream | None = None
    touched: Mapping[Scope, Sequence[Event]] = MappingProxyType({})
    """The scopes that an operation has written to, if it reaches several, each with the events that it emitted there."""


def request_id_of(request: Request, now: Millis, seed: bytes) -> str:
    """The caller's own request id if it is valid, else a new one; a typed request needs none, because no answer shows it."""
    if isinstance(request, TypedRequest):
        return ""
    given = request.headers.get("x-request-id")
    if given is not None and 1 <= len(given) <= 128 and given.isascii() and given.isprintable():
        return given
    return f"req_{blake2b(seed, digest_size=13, person=b'request id').hexdigest()}"


def deprecation_headers(operation: Operation) -> Headers:
    """The headers by which a deprecated operation announces its end."""
    notice = operation.deprecation
    if notice is None:
        return ()
    headers: list[tuple[str, str]] = [("Deprecation", "true"), ("X-Svc-Deprecation-Reason", notice.reason)]
    if notice.sunset is not None:
        headers.append(("Sunset", notice.sunset.datetime.strftime("%a, %d %b %Y %H:%M:%S GMT")))
    if notice.successor is not None:
        headers.append(("Link", f'<{notice.successor}>; rel="successor-version"'))
    return tuple(headers)

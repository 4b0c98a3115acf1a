"""Cross-origin requests: the web pages whose scripts may call the client surface from a browser.

A browser sends a script's request to another origin, but hides the answer from the script unless the answer allows the
origin of the page. For requests with keys in headers, as all requests to this service are, it first sends a *preflight*: an
`OPTIONS` request with the origin and the method. The preflight is answered here, before any look-up.

Only the client surface allows this, for errors too: a server key must never be in a browser. Cookies authorise nothing, so
credentials are not allowed, and a page without a key learns nothing that it could not request without a browser. Therefore
all origins (`*`) may be allowed too. The list only stops foreign pages from using a game's client key in their visitors'
browsers.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import attrs

from livecore.api.operations import OPERATIONS
from livecore.api.requests.http import Request, Response
from livecore_server.http.origins import EVERY

_Headers: TypeAlias = "tuple[tuple[str, str], ...]"
_SURFACE: Final = "/sdk/v1/"
_REMEMBERED_SECONDS: Final = 7_200
"""How long a browser may cache a preflight's answer: the longest time that any browser supports."""

ALLOWED_HEADERS: Final = (
    "Authorization", "X-Player-Secret", "Idempotency-Key", "Content-Type", "X-Request-Id", "X-Svc-SDK", "X-Svc-Platform",
    "X-Svc-App-Version", "Last-Event-ID",
)  # fmt: skip
"""The request headers that the client surface reads."""
EXPOSED_HEADERS: Final = (
    "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After", "Idempotent-Replay", "X-Request-Id",
    "Deprecation", "Sunset", "Link", "X-Svc-Deprecation-Reason",
)  # fmt: skip
"""The answers' headers that scripts may read."""

_METHODS: Final = sorted({entry.method for entry in OPERATIONS if entry.surface == "sdk"})
_PREFLIGHT: Final[_Headers] = (
    ("Access-Control-Allow-Methods", ", ".join(_METHODS)),
    ("Access-Control-Allow-Headers", ", ".join(ALLOWED_HEADERS)),
    ("Access-Control-Max-Age", str(_REMEMBERED_SECONDS)),
)
_EXPOSED: Final = ("Access-Control-Expose-Headers", ", ".join(EXPOSED_HEADERS))
_VARIES: Final = ("Vary", "Origin")


@attrs.frozen
class Cors:
    """The CORS headers for pages of these origins."""

    origins: frozenset[str]

    def is_preflight(self, request: Request) -> bool:
        """Whether this is a preflight for an allowed origin; others are not answered here."""
        return (
            request.method == "OPTIONS"
            and "access-control-request-method" in request.headers
            and request.path.startswith(_SURFACE)
            and self._allowed(request) is not None
        )

    @staticmethod
    def answer(request_id: str, headers: _Headers) -> Response:
        """The answer to a preflight; `headers` are added as to any answer."""
        return Response(204, (("X-Request-Id", request_id), *headers, *_PREFLIGHT))

    def headers(self, request: Request) -> _Headers:
        """The headers for each answer, errors included; none outside the client surface."""
        if not request.path.startswith(_SURFACE):
            return ()
        allowed = self._allowed(request)
        varies = () if EVERY in self.origins else (_VARIES,)
        return varies if allowed is None else (("Access-Control-Allow-Origin", allowed), _EXPOSED, *varies)

    def _allowed(self, request: Request) -> str | None:
        """The request's origin, if it is allowed."""
        if EVERY in self.origins:
            return EVERY
        origin = request.headers.get("origin")
        return origin if origin in self.origins else None

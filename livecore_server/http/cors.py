"""Cross-origin requests: which web pages' scripts may call the client surface from a browser, where a deployment lets them.

A browser sends a script's request to another origin, but keeps the answer from the script unless the answer names the origin
of its page. Requests like all of ours, which carry keys in headers, it does not even send before it has asked: that is the
*preflight*, an `OPTIONS` with an origin and the method to come. It is answered here, before anything is looked up.

Only the client surface is open in this way, with errors and all: a server key must never be in a browser. Nothing is
authorised by cookies, so credentials are not allowed, and a page that has no key learns nothing that it could not ask for
without a browser. That is why all origins (`*`) may be let in as well: the list keeps other people's pages from using a
game's client key in their visitors' browsers, and no more than that.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import attrs

from livecore.api.http import Request, Response
from livecore.api.operations import OPERATIONS

__all__ = ["ALLOWED_HEADERS", "EXPOSED_HEADERS", "Cors", "parse_origins"]

_Headers: TypeAlias = "tuple[tuple[str, str], ...]"
_EVERY: Final = "*"
_SURFACE: Final = "/sdk/v1/"
_ORIGIN: Final = re.compile(r"([a-z][a-z0-9+.-]*)://(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::([0-9]{1,5}))?")
_USUAL_PORTS: Final = {"http": 80, "https": 443}
_MOST_PORT: Final = 65_535
_REMEMBERED_SECONDS: Final = 7_200
"""How long a browser may go by a preflight's answer: as long as any of them does."""

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


def parse_origins(text: str) -> frozenset[str]:
    """Read a list of origins with commas, in the form in which browsers send them, or `*`. Raises `ValueError`."""
    origins = [part.strip() for part in text.split(",") if part.strip()]
    if _EVERY in origins and len(origins) > 1:
        raise ValueError("'*' stands for every origin, so no other can be given with it")
    return frozenset(origin if origin == _EVERY else _origin(origin) for origin in origins)


def _origin(text: str) -> str:
    found = _ORIGIN.fullmatch(text.lower())
    if found is None or not 0 < int(found[3] or 1) <= _MOST_PORT:
        raise ValueError(
            f"'{text}' is no origin: give scheme://host or scheme://host:port without a path, such as "
            "https://play.example.com, or '*' alone for every origin"
        )
    scheme, host, port = found[1], found[2], found[3]
    own_port = port is None or int(port) == _USUAL_PORTS.get(scheme)
    return f"{scheme}://{host}" if own_port else f"{scheme}://{host}:{int(port)}"


@attrs.frozen
class Cors:
    """What is said to pages of these origins."""

    origins: frozenset[str]

    def is_preflight(self, request: Request) -> bool:
        """Whether a browser asks for a page of an allowed origin what it may send; for others nobody answers."""
        return (
            request.method == "OPTIONS"
            and "access-control-request-method" in request.headers
            and request.path.startswith(_SURFACE)
            and self._allowed(request) is not None
        )

    @staticmethod
    def answer(request_id: str, headers: _Headers) -> Response:
        """The answer to a preflight, to which `headers` are added like to any other."""
        return Response(204, (("X-Request-Id", request_id), *headers, *_PREFLIGHT))

    def headers(self, request: Request) -> _Headers:
        """What is added to each answer, whatever it is: nothing outside the client surface."""
        if not request.path.startswith(_SURFACE):
            return ()
        allowed = self._allowed(request)
        varies = () if _EVERY in self.origins else (_VARIES,)
        return varies if allowed is None else (("Access-Control-Allow-Origin", allowed), _EXPOSED, *varies)

    def _allowed(self, request: Request) -> str | None:
        """The origin to name, if the request's is one of them."""
        if _EVERY in self.origins:
            return _EVERY
        origin = request.headers.get("origin")
        return origin if origin in self.origins else None

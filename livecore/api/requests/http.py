"""Requests and responses as values, which a host passes in and gets back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

import attrs

from livecore.kernel.units.unit import Origin
from livecore.kernel.values import value

NO_SDK: Final = "none"
OTHER_SDK: Final = "other"
"""The values of `Request.sdk` for a request without the header, and for a header that is not a name and version."""
_SDK: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}/v?[0-9][A-Za-z0-9.+_-]{0,22}")
_MOST_SDK_CHARACTERS: Final = 64


@value
class Request:
    """One HTTP request. `path` is raw (still percent-encoded), header names are lower case.

    Headers and bodies hold keys and secrets, so `repr` leaves them out.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    body: bytes = attrs.field(default=b"", repr=False)
    remote: str = ""
    """The caller's address, as determined by the host."""
    countries: tuple[str | None, str | None] = (None, None)
    """The country from a trusted proxy, and the one from the offline file for the address."""
    via: Literal["api", "mcp"] = "api"
    """Whether a personal key was shown to the API itself or to the tools of an assistant."""
    opens_page: bool = False
    """Whether a person opens a page with it, as `opens_page` tells: without a session it is counted with such requests."""

    @property
    def counted(self) -> bool:
        """Whether the rate limits have counted it already: what an assistant asks for is counted where it comes in."""
        return self.via == "mcp"

    def origin(self) -> Origin:
        """Where the request came from, for the rules."""
        headers = self.headers
        return Origin(
            address=self.remote,
            platform=_label(headers.get("x-svc-platform")),
            app_version=_label(headers.get("x-svc-app-version")),
            header_country=self.countries[0],
            address_country=self.countries[1],
        )

    def sdk(self) -> str:
        """The SDK that the caller names in `X-Svc-SDK`, as `<name>/<version>` of at most 64 characters.

        Otherwise `NO_SDK` or `OTHER_SDK`, which have no slash (specification 5, rule 8).
        """
        named = self.headers.get("x-svc-sdk")
        if not named:
            return NO_SDK
        return named if len(named) <= _MOST_SDK_CHARACTERS and _SDK.fullmatch(named) else OTHER_SDK


def with_body(request: Request, body: bytes) -> Request:
    """The same request with a body."""
    return Request(
        request.method,
        request.path,
        request.query,
        request.headers,
        body,
        request.remote,
        request.countries,
        request.via,
        request.opens_page,
    )


def opens_page(headers: Mapping[str, str]) -> bool:
    """Whether a browser shows the answer to a person, and does not embed it in a page that may be anybody's.

    An old browser, and one that reaches a service by plain http, does not say; then it is believed to.
    """
    return headers.get("sec-fetch-dest", "document") == "document"


def _label(value: str | None) -> str | None:
    """A header's value as a short printable label, or `None`."""
    if not value:
        return None
    value = value.strip()
    return value if 0 < len(value) <= 64 and value.isprintable() and value.isascii() else None


@value
class Response:
    """One HTTP response."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = attrs.field(default=b"", repr=False)

    def header(self, name: str) -> str | None:
        """The first header of this name, whatever its case."""
        lower = name.lower()
        return next((value for key, value in self.headers if key.lower() == lower), None)

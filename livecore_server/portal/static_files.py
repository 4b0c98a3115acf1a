"""The portal's own files: a stylesheet, an icon, and the script of live boards.

Each has a hash of its content in its address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

import attrs

from livecore.api.requests.http import Request, Response
from livecore_server.portal.headers import CONTENT_SECURITY_POLICY, SECURITY_HEADERS


@attrs.frozen
class Asset:
    """A file that browsers may keep for a year, because another content has another address."""

    name: str
    content_type: str
    body: bytes = attrs.field(repr=False)
    version: str

    def answer(self, request: Request) -> Response:
        """The file; kept for long only under the address of this content."""
        kept = request.query == f"v={self.version}"
        caching = "public, max-age=31536000, immutable" if kept else "no-cache"
        headers = (
            ("Content-Type", self.content_type),
            ("Cache-Control", caching),
            ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
            *SECURITY_HEADERS,
        )
        return Response(200, headers, self.body)


def _asset(name: str, content_type: str) -> Asset:
    body = (files("livecore_server.portal") / "assets" / name).read_bytes()
    return Asset(name, content_type, body, hashlib.sha256(body).hexdigest()[:16])


ASSETS: Final[Mapping[str, Asset]] = {
    f"/portal/{asset.name}": asset
    for asset in (
        _asset("style.css", "text/css; charset=utf-8"),
        _asset("icon.svg", "image/svg+xml"),
        _asset("live.js", "text/javascript; charset=utf-8"),
    )
}


def address_of(name: str) -> str:
    """The address of a file with the hash of its content."""
    return f"/portal/{name}?v={ASSETS[f'/portal/{name}'].version}"

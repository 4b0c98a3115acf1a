"""The sign-in link of a development server: good once, and on this machine only.

It stands in for an identity provider, which nobody wants to set up for a first look. The terminal shows the link, and a
fresh one after each use. Only a hash of it stays in memory.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Final

from livecore_server.sign_in.problems import LinkUnknown

LINK_PATH: Final = "/admin/v1/sign-in/link"


class OneTimeLink:
    """The links for one member, of which one is good at a time. `show` is given each new one after a use."""

    def __init__(self, email: str, show: Callable[[str], None]) -> None:
        self.email = email
        self._show = show
        self._hash: bytes | None = None
        self._base = ""

    def begin(self, base: str) -> str:
        """The first link of a server that is reached at `base`."""
        self._base = base
        return self._fresh()

    def _fresh(self) -> str:
        token = secrets.token_urlsafe(32)
        self._hash = _digest(token)
        return f"{self._base}{LINK_PATH}?token={token}"

    def use(self, token: str | None) -> None:
        """Use up the link. Raises `LinkUnknown`."""
        if token is None or self._hash is None or not hmac.compare_digest(self._hash, _digest(token)):
            raise LinkUnknown("the sign-in link is none, or was used already")
        self._hash = None
        self._show(self._fresh())


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()

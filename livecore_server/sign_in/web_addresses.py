"""Addresses that the server calls, or to which it sends a browser."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from livecore.kernel.loopback import is_loopback

_LONGEST_ADDRESS: Final = 2_000


def require_web_address(text: str, *, http_on_loopback: bool) -> None:
    """Check an address that is called or put into a header: https, or http on this machine where that is allowed.

    Raises `ValueError`.
    """
    if len(text) > _LONGEST_ADDRESS or not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        raise ValueError("is not a web address")
    parts = urlsplit(text)
    _ = parts.port  # raises for one that is no number
    if not parts.hostname or parts.username is not None or parts.fragment:
        raise ValueError("is not a web address without user and fragment")
    if parts.scheme == "https" or (parts.scheme == "http" and http_on_loopback and is_loopback(parts.hostname)):
        return
    raise ValueError("must begin with https:// (http:// is for this machine's own addresses)")

"""What answered, in words, where it was not Livecore: a proxy, another service, the login page of a network.

The texts name the server, the status and the kind of content. They repeat nothing of the content, and of another address no
more than scheme, host and port, since both may hold a token.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final
from urllib.parse import urljoin

import httpx

from livecore_client._reasons import place_of

__all__ = ["foreign_answer"]

_MOST_READ_BYTES: Final = 4_000
_BAD_REQUEST: Final = 400


def foreign_answer(url: httpx.URL, status: int, headers: Mapping[str, str], content: bytes) -> str:
    """What to say of an answer that has no envelope of Livecore's."""
    place = place_of(url)
    if httpx.codes.is_redirect(status) and headers.get("Location"):
        return _redirect(url, place, status, headers["Location"])
    if url.scheme == "http" and status == _BAD_REQUEST and b"https" in content[:_MOST_READ_BYTES].lower():
        return f"{place} speaks https, and was asked by http: did you mean {_origin(url.copy_with(scheme='https'))}?"
    kind = _kind(headers, content)
    return f"what answered at {place} is not Livecore: {kind} with status {status}; {_advice(status)}"


def _redirect(url: httpx.URL, place: str, status: int, location: str) -> str:
    try:
        target = httpx.URL(urljoin(str(url), location))
    except httpx.InvalidURL:
        return f"{place} redirects (status {status}), which Livecore never does: is base_url right?"
    said = f"{place} redirects to {_origin(target)} (status {status}), which Livecore never does"
    if target.host == url.host and (target.scheme, url.scheme) == ("https", "http"):
        return f"{said}: did you mean base_url={_origin(target)}?"
    return f"{said}: is base_url right, or does a network want a login first?"


def _origin(url: httpx.URL) -> str:
    """Scheme, host and, where it is not the usual one, port."""
    host = f"[{url.host}]" if ":" in url.host else url.host
    return f"{url.scheme}://{host}" + (f":{url.port}" if url.port else "")


def _kind(headers: Mapping[str, str], content: bytes) -> str:
    """What the content is."""
    if not content:
        return "an empty answer"
    start = content[:_MOST_READ_BYTES].lstrip().lower()
    is_said_to_be = headers.get("Content-Type", "").lower().startswith("text/html")
    if is_said_to_be or start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return "something that is no JSON"
    return "JSON of another shape"


def _advice(status: int) -> str:
    """Where to look."""
    if httpx.codes.is_server_error(status):
        return "a proxy in front of it may have lost it"
    return "is base_url right, or is a proxy or the login of a network between?"

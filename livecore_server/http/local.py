"""Whether a request comes from this machine itself, and not through a proxy on it."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

from aiohttp import web

from livecore.kernel.loopback import names_loopback

_PROXY_FAMILIES: Final = ("x-forwarded", "x-original-", "x-envoy-", "cf-")
_PROXY_HEADERS: Final = frozenset(
    {
        "cdn-loop",
        "client-ip",
        "fastly-client-ip",
        "fly-client-ip",
        "forwarded",
        "true-client-ip",
        "via",
        "x-azure-clientip",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-real-ip",
    }
)
"""Headers that proxies and content delivery networks add to forwarded requests, in lower case."""


def is_local(http: web.BaseRequest) -> bool:
    """Whether the peer is a loopback address, `Host` names this machine, and no header is one that proxies add.

    A proxy that adds no header passes on the name that its own caller has asked for, and so does a browser whose page had
    its name resolved to this machine.
    """
    if any(_is_a_proxys(name.lower()) for name in http.headers):
        return False
    hosts = http.headers.getall("Host", [])
    if len(hosts) != 1 or not names_loopback(hosts[0]):
        return False
    try:
        return ip_address(http.remote or "").is_loopback
    except ValueError:
        return False


def _is_a_proxys(header: str) -> bool:
    return header in _PROXY_HEADERS or header.startswith(_PROXY_FAMILIES)

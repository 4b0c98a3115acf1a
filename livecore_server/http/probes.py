"""Probes: the host's own paths, readiness and metrics. Neither needs a key."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

import orjson
from aiohttp import web

from livecore.api.http import Response
from livecore.kernel.errors import RouteNotFound
from livecore_server.http.host import Probe
from livecore_server.metrics import CONTENT_TYPE, Metrics
from livecore_server.readiness import Readiness

__all__ = ["METRICS_PATH", "READY_PATH", "metrics_probe", "own_probes"]

METRICS_PATH: Final = "/metrics"
READY_PATH: Final = "/admin/v1/ready"
_JSON: Final = ("Content-Type", "application/json")
_UNCACHED: Final = ("Cache-Control", "no-store")
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


def own_probes(readiness: Readiness) -> dict[str, Probe]:
    """The probes that every server has, by path."""

    async def ready(_: web.BaseRequest) -> Response:
        data = {"status": "ready", "checks": await readiness.require()}
        return Response(200, (_JSON, _UNCACHED), orjson.dumps({"data": data}))

    return {READY_PATH: Probe("host:ready", ready)}


def metrics_probe(metrics: Metrics, *, local_only: bool) -> Probe:
    """The metrics. With `local_only` they are only for callers on this machine, and not through a proxy."""

    async def page(http: web.BaseRequest) -> Response:
        if local_only and not _is_local(http):
            raise RouteNotFound
        return Response(200, (("Content-Type", CONTENT_TYPE), _UNCACHED), metrics.text())

    return Probe("host:metrics", page)


def _is_local(http: web.BaseRequest) -> bool:
    if any(_is_a_proxys(name.lower()) for name in http.headers):
        return False
    try:
        return ip_address(http.remote or "").is_loopback
    except ValueError:
        return False


def _is_a_proxys(header: str) -> bool:
    return header in _PROXY_HEADERS or header.startswith(_PROXY_FAMILIES)

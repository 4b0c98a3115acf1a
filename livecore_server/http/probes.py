"""Probes: the host's own paths, readiness and metrics. Neither needs a key."""

from __future__ import annotations

from typing import Final

import orjson
from aiohttp import web

from livecore.api.requests.http import Response
from livecore.kernel.errors import RouteNotFound
from livecore_server.http.host import Probe
from livecore_server.http.local import is_local
from livecore_server.metrics import CONTENT_TYPE, Metrics
from livecore_server.readiness import Readiness

METRICS_PATH: Final = "/metrics"
READY_PATH: Final = "/admin/v1/ready"
_JSON: Final = ("Content-Type", "application/json")
_UNCACHED: Final = ("Cache-Control", "no-store")
_ELSEWHERE: Final = (
    "There is no such route from here. Metrics are read on the machine itself as localhost or 127.0.0.1, or at an address "
    "of their own (--metrics-address, LIVECORE_METRICS_ADDRESS)."
)


def own_probes(readiness: Readiness) -> dict[str, Probe]:
    """The probes that every server has, by path."""

    async def ready(_: web.BaseRequest) -> Response:
        data = {"status": "ready", "checks": await readiness.require()}
        return Response(200, (_JSON, _UNCACHED), orjson.dumps({"data": data}))

    return {READY_PATH: Probe("host:ready", ready)}


def metrics_probe(metrics: Metrics, *, local_only: bool) -> Probe:
    """The metrics. With `local_only` they are only for callers on this machine, and not through a proxy."""

    async def page(http: web.BaseRequest) -> Response:
        if local_only and not is_local(http):
            raise RouteNotFound(_ELSEWHERE)
        return Response(200, (("Content-Type", CONTENT_TYPE), _UNCACHED), metrics.text())

    return Probe("host:metrics", page)

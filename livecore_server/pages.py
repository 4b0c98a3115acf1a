"""The host's own pages: readiness, metrics and the OpenAPI documents. None of them needs a key."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address
from typing import Final, Literal

import orjson
from aiohttp import web

from livecore.api.http import Response
from livecore.kernel.errors import RouteNotFound
from livecore_server.host import Page
from livecore_server.metrics import CONTENT_TYPE, Metrics
from livecore_server.readiness import Readiness

__all__ = ["METRICS_PATH", "metrics_page", "own_pages"]

METRICS_PATH: Final = "/metrics"
_JSON: Final = ("Content-Type", "application/json")
_UNCACHED: Final = ("Cache-Control", "no-store")


def own_pages(readiness: Readiness) -> dict[str, Page]:
    """The pages that every server has, by path."""

    async def ready(_: web.BaseRequest) -> Response:
        status, body = await readiness.answer()
        headers = (_JSON, _UNCACHED) if status == 200 else (_JSON, _UNCACHED, ("Retry-After", "1"))
        return Response(status, headers, orjson.dumps(body))

    async def sdk_document(_: web.BaseRequest) -> Response:
        return Response(200, (_JSON,), _document("sdk"))

    async def server_document(_: web.BaseRequest) -> Response:
        return Response(200, (_JSON,), _document("server"))

    return {
        "/admin/v1/ready": Page("host:ready", ready),
        "/sdk/v1/openapi.json": Page("host:openapi", sdk_document),
        "/server/v1/openapi.json": Page("host:openapi", server_document),
    }


@cache
def _document(surface: Literal["sdk", "server"]) -> bytes:
    from livecore.api.openapi import document  # noqa: PLC0415 - built when first asked for; a start need not wait for it

    return orjson.dumps(document(surface))


def metrics_page(metrics: Metrics, *, local_only: bool) -> Page:
    """The metrics. With `local_only` they are there only for callers on this machine that no proxy has passed on."""

    async def page(http: web.BaseRequest) -> Response:
        if local_only and not _is_local(http):
            raise RouteNotFound
        return Response(200, (("Content-Type", CONTENT_TYPE), _UNCACHED), metrics.text())

    return Page("host:metrics", page)


def _is_local(http: web.BaseRequest) -> bool:
    if "X-Forwarded-For" in http.headers or "Forwarded" in http.headers:
        return False
    try:
        return ip_address(http.remote or "").is_loopback
    except ValueError:
        return False

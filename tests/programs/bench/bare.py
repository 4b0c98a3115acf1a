"""The yardstick: a bare aiohttp handler on uvloop that writes a body with the standard library's json.

The path names the body's size in bytes: `GET /2800`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from functools import cache
from http import HTTPStatus
from typing import Final

import uvloop
from aiohttp import web

_ROW: Final[dict[str, object]] = {
    "externalPlayerId": "player-1",
    "displayIdentity": {"name": "Amber Otter", "avatar": "avatar_01", "country": None},
    "friendsSince": "2026-01-01T00:00:00.000Z",
    "online": True,
    "lastActiveAt": "2026-01-01T00:00:00.000Z",
    "status": None,
}


@cache
def body_of(size: int) -> dict[str, object]:
    """A list of friends whose JSON has `size` bytes, if that is enough for one."""
    each = len(json.dumps(_ROW)) + 2
    body: dict[str, object] = {"data": {"friends": [_ROW] * max(1, size // each - 1), "nextCursor": ""}}
    missing = size - len(json.dumps(body))
    return {"data": {"friends": [_ROW] * max(1, size // each - 1), "nextCursor": "x" * max(0, missing)}}


async def _handle(request: web.BaseRequest) -> web.Response:
    body = body_of(int(request.path[1:]))
    return web.Response(status=HTTPStatus.OK, body=json.dumps(body).encode(), content_type="application/json")


async def _serve() -> None:
    runner = web.ServerRunner(web.Server(_handle), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    sys.stdout.write(f"http://127.0.0.1:{port}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_serve())

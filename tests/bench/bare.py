"""The yardstick: a bare aiohttp handler on uvloop that writes a body of a given size with the standard library's json."""

from __future__ import annotations

import asyncio
import json
import sys
from http import HTTPStatus

import uvloop
from aiohttp import web

__all__ = ["body_of"]


def body_of(size: int) -> dict[str, object]:
    """A list of friends whose JSON has about `size` bytes."""
    row: dict[str, object] = {
        "externalPlayerId": "player-1",
        "displayIdentity": {"name": "Amber Otter", "avatar": "avatar_01", "country": None},
        "friendsSince": "2026-01-01T00:00:00.000Z",
        "online": True,
        "lastActiveAt": "2026-01-01T00:00:00.000Z",
        "status": None,
    }
    each = len(json.dumps(row)) + 2
    return {"data": {"friends": [row] * max(1, size // each), "nextCursor": None}}


async def _serve(size: int) -> None:
    body = body_of(size)

    async def handler(_: web.BaseRequest) -> web.Response:
        return web.Response(status=HTTPStatus.OK, body=json.dumps(body).encode(), content_type="application/json")

    runner = web.ServerRunner(web.Server(handler), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    sys.stdout.write(f"http://127.0.0.1:{port}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1])))

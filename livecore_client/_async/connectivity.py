"""Is the server there, and is the key good?"""

from __future__ import annotations

from livecore.access.rows import GetPing, Pong
from livecore_client._arguments import build_call, read_row
from livecore_client._async.caller import AsyncCaller

__all__ = ["ping"]


async def ping(caller: AsyncCaller) -> Pong:
    """Ask with the caller's key."""
    return read_row(Pong, await caller.send(build_call("GET", "/server/v1/ping", GetPing())))

# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Is the server there, and is the key good?"""

from __future__ import annotations

from livecore.access.rows import GetPing, Pong
from livecore_client._arguments import build_call, read_row
from livecore_client._sync.caller import Caller

__all__ = ["ping"]


def ping(caller: Caller) -> Pong:
    """Ask with the caller's key."""
    return read_row(Pong, caller.send(build_call("GET", "/server/v1/ping", GetPing())))

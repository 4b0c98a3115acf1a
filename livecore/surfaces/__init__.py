"""What games and backends call, as methods: written once for the synchronous clients and for a World.

`SdkSurface` and `ServerSurface` are what a client and a caller of a World have in common, as types: a function that takes
them runs with either.
"""

from __future__ import annotations

from livecore.surfaces.protocols.sdk import SdkSurface
from livecore.surfaces.protocols.server import ServerSurface

__all__ = ["SdkSurface", "ServerSurface"]

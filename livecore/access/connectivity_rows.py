"""Keys and connectivity on the wire."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape


@shape
class GetPing:
    """Is the key good, and for what?"""


@shape
class Pong:
    """The key is good for this game and environment."""

    ok: Literal[True]
    game_id: str
    environment: Literal["test", "live"]
    api_key_prefix: str
    server_time: Timestamp

    example: ClassVar = {"api_key_prefix": "lc_test_server_sample"}


@shape
class GetDocument:
    """The OpenAPI 3.1 description of this surface, for tools and for people."""


@shape
class GetHealth:
    """Is the process alive?"""


@shape
class Health:
    """The process answers."""

    status: Literal["ok"]

"""Typed clients, synchronous and asynchronous, for a game and for a studio's backend, and webhook verification.

    from livecore_client import SdkClient        # in the game: acts for one player
    from livecore_client import ServerClient     # in the studio's backend: acts on any player
    from livecore_client import webhooks         # in the studio's webhook receiver

Each client has an asynchronous version, `AsyncSdkClient` and `AsyncServerClient`, with the same methods. Exceptions are in
`livecore_client.errors`, rows in `livecore_client.rows`; `migration_rows` makes rows to move in from an export. A name is
loaded when it is first used, so a webhook receiver does not load the HTTP library, and a game that only registers does not
load the code for purchases.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from livecore.errors.families import ApiError, LivecoreError
    from livecore_client import errors, rows, webhooks
    from livecore_client._async.sdk import AsyncSdkClient
    from livecore_client._async.server import AsyncServerClient
    from livecore_client._failures import ConfigurationError, TransportError
    from livecore_client._machine import AsyncMachine, Machine
    from livecore_client._responses import RateLimit, ResponseInfo
    from livecore_client._retry import NO_RETRIES, RetryPolicy
    from livecore_client._sync.sdk import SdkClient
    from livecore_client._sync.server import ServerClient
    from livecore_client.local import LocalTransport
    from livecore_client.rows import migration_rows
else:
    _HOMES = {
        "ApiError": "errors",
        "AsyncMachine": "_machine",
        "AsyncSdkClient": "_async.sdk",
        "AsyncServerClient": "_async.server",
        "ConfigurationError": "_failures",
        "LivecoreError": "errors",
        "LocalTransport": "local",
        "Machine": "_machine",
        "NO_RETRIES": "_retry",
        "RateLimit": "_responses",
        "ResponseInfo": "_responses",
        "RetryPolicy": "_retry",
        "SdkClient": "_sync.sdk",
        "ServerClient": "_sync.server",
        "TransportError": "_failures",
        "migration_rows": "rows",
    }
    _MODULES = {"errors", "rows", "webhooks"}

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOMES, *_MODULES})


__all__ = [
    "NO_RETRIES",
    "ApiError",
    "AsyncMachine",
    "AsyncSdkClient",
    "AsyncServerClient",
    "ConfigurationError",
    "LivecoreError",
    "LocalTransport",
    "Machine",
    "RateLimit",
    "ResponseInfo",
    "RetryPolicy",
    "SdkClient",
    "ServerClient",
    "TransportError",
    "errors",
    "migration_rows",
    "rows",
    "webhooks",
]

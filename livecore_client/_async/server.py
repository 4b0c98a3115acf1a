"""The studio's client: it acts on any player of the game, with the server key, from the studio's own backend."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from livecore_client._async.caller import AsyncCaller
from livecore_client._async.connections import AsyncConnections
from livecore_client._async.namespaces.server import AsyncServerNamespaces
from livecore_client._async.opened import AsyncOpened
from livecore_client._machine import AsyncMachine
from livecore_client._retry import RetryPolicy
from livecore_client._settings import Settings

__all__ = ["AsyncServerClient"]


class AsyncServerClient(AsyncOpened, AsyncServerNamespaces):
    """An asynchronous client of `/server/v1`, for use in a studio's backend; each method names the player first.

        async with AsyncServerClient(base_url="https://live.example.com", api_key="lc_live_server_K7R") as client:
            await client.wallet.credit("anna", "gold", amount=100, reason="season 4")

    The server key must never be placed in a game client. Options, and what every method raises, are those of
    `AsyncSdkClient`.
    """

    _caller: AsyncCaller

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float | None = None,
        deadline_seconds: float | None = None,
        retries: RetryPolicy | None = None,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        http_client: httpx.AsyncClient | None = None,
        machine: AsyncMachine | None = None,
    ) -> None:
        settings = Settings.resolve(
            "server",
            base_url=base_url,
            api_key=api_key,
            timeout_seconds=timeout_seconds,
            deadline_seconds=deadline_seconds,
            retries=retries,
            headers=headers,
        )
        connections = AsyncConnections(settings, transport=transport, http_client=http_client, machine=machine)
        self._caller = AsyncCaller(settings, connections)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._caller.settings.base_url!r})"

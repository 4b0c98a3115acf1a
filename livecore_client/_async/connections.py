"""What a client shares with all that `with_options` makes from it."""

from __future__ import annotations

import httpx

from livecore_client._failures import ClientClosed, ConfigurationError
from livecore_client._machine import AsyncMachine
from livecore_client._settings import Settings, header_text

__all__ = ["AsyncConnections"]


class AsyncConnections:
    """The connections and the player of a client and of all that `with_options` made from it."""

    def __init__(
        self,
        settings: Settings,
        *,
        external_player_id: str | None = None,
        player_secret: str | None = None,
        transport: httpx.AsyncBaseTransport | None,
        http_client: httpx.AsyncClient | None,
        machine: AsyncMachine | None,
    ) -> None:
        if transport is not None and http_client is not None:
            raise ConfigurationError("give transport or http_client, not both")
        self.external_player_id = external_player_id
        self.player_secret = player_secret
        self.http = http_client or httpx.AsyncClient(transport=transport, timeout=settings.timeout_seconds)
        self.is_ours = http_client is None
        self.is_closed = False
        self.machine = machine or AsyncMachine()

    @property
    def player_secret(self) -> str | None:
        """The secret of the player that the client acts for."""
        return self._player_secret

    @player_secret.setter
    def player_secret(self, secret: str | None) -> None:
        self._player_secret = None if secret is None else header_text("player_secret", secret)

    def require_open(self) -> None:
        """Raises `ClientClosed` where no request can be sent any more."""
        if self.is_closed:
            raise ClientClosed("this client was closed: make another one, or call it before its block ends")
        if self.http.is_closed:
            raise ClientClosed("the http_client that this client was given was closed")

    async def aclose(self) -> None:
        """Close the connections, unless the user passed their own `http_client`."""
        self.is_closed = True
        if self.is_ours:
            await self.http.aclose()

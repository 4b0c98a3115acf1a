"""The studio's client: it acts on any player of the game, with the server key, from the studio's own backend."""

from __future__ import annotations

from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

import httpx

from livecore_client._async.caller import AsyncCaller
from livecore_client._machine import AsyncMachine
from livecore_client._retry import RetryPolicy
from livecore_client._settings import Settings

# A namespace is imported when it is first used: the shapes behind it take as long to import as the HTTP library does.
if TYPE_CHECKING:
    from livecore.access.rows import Pong
    from livecore_client._async.commerce import AsyncServerPurchases, AsyncServerSpend
    from livecore_client._async.economy import AsyncServerInventory, AsyncServerWallet
    from livecore_client._async.friends import AsyncServerFriends
    from livecore_client._async.gifts import AsyncServerGifts
    from livecore_client._async.grants import AsyncServerGrants
    from livecore_client._async.migration import AsyncServerMigration
    from livecore_client._async.players import AsyncServerPlayers

__all__ = ["AsyncServerClient"]


class AsyncServerClient:
    """An asynchronous client of `/server/v1`, for use in a studio's backend; each method names the player first.

        async with AsyncServerClient(base_url=…, api_key=…) as client:
            await client.wallet.credit("anna", "gold", amount=100, reason="season 4")

    The server key must never be placed in a game client. Options, and what every method raises, are those of
    `AsyncSdkClient`.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float | None = None,
        retries: RetryPolicy | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        http_client: httpx.AsyncClient | None = None,
        machine: AsyncMachine | None = None,
    ) -> None:
        settings = Settings.resolve(
            "server", base_url=base_url, api_key=api_key, timeout_seconds=timeout_seconds, retries=retries
        )
        self._caller = AsyncCaller(settings, transport=transport, http_client=http_client, machine=machine)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._caller.settings.base_url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._caller.aclose()

    async def ping(self) -> Pong:
        """Ask whether the server is there and the key is good, and for which game and environment."""
        from livecore_client._async.connectivity import ping

        return await ping(self._caller)

    @cached_property
    def players(self) -> AsyncServerPlayers:
        """A player at a glance, identity, secrets, bans, debug accounts, merging, erasing and exporting."""
        from livecore_client._async.players import AsyncServerPlayers

        return AsyncServerPlayers(self._caller)

    @cached_property
    def friends(self) -> AsyncServerFriends:
        """Friends, requests and blocks, to read."""
        from livecore_client._async.friends import AsyncServerFriends

        return AsyncServerFriends(self._caller)

    @cached_property
    def gifts(self) -> AsyncServerGifts:
        """Gift history."""
        from livecore_client._async.gifts import AsyncServerGifts

        return AsyncServerGifts(self._caller)

    @cached_property
    def wallet(self) -> AsyncServerWallet:
        """Balances: reading, crediting and debiting."""
        from livecore_client._async.economy import AsyncServerWallet

        return AsyncServerWallet(self._caller)

    @cached_property
    def inventory(self) -> AsyncServerInventory:
        """Items: reading, granting and revoking."""
        from livecore_client._async.economy import AsyncServerInventory

        return AsyncServerInventory(self._caller)

    @cached_property
    def grants(self) -> AsyncServerGrants:
        """Creating and acknowledging rewards."""
        from livecore_client._async.grants import AsyncServerGrants

        return AsyncServerGrants(self._caller)

    @cached_property
    def purchases(self) -> AsyncServerPurchases:
        """Reporting, verifying and listing what players bought."""
        from livecore_client._async.commerce import AsyncServerPurchases

        return AsyncServerPurchases(self._caller)

    @cached_property
    def spend(self) -> AsyncServerSpend:
        """What players spend, and the game's revenue."""
        from livecore_client._async.commerce import AsyncServerSpend

        return AsyncServerSpend(self._caller)

    @cached_property
    def migrate(self) -> AsyncServerMigration:
        """Moving players, balances and items in from another backend."""
        from livecore_client._async.migration import AsyncServerMigration

        return AsyncServerMigration(self._caller)

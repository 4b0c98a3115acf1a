# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""The studio's client: it acts on any player of the game, with the server key, from the studio's own backend."""

from __future__ import annotations

from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

import httpx

from livecore_client._machine import Machine
from livecore_client._retry import RetryPolicy
from livecore_client._settings import Settings
from livecore_client._sync.caller import Caller

# A namespace is imported when it is first used: the shapes behind it take as long to import as the HTTP library does.
if TYPE_CHECKING:
    from livecore.access.rows import Pong
    from livecore_client._sync.commerce import ServerPurchases, ServerSpend
    from livecore_client._sync.economy import ServerInventory, ServerWallet
    from livecore_client._sync.friends import ServerFriends
    from livecore_client._sync.gifts import ServerGifts
    from livecore_client._sync.grants import ServerGrants
    from livecore_client._sync.migration import ServerMigration
    from livecore_client._sync.players import ServerPlayers

__all__ = ["ServerClient"]


class ServerClient:
    """A synchronous client of `/server/v1`, for use in a studio's backend; each method names the player first.

        with ServerClient(base_url=…, api_key=…) as client:
            client.wallet.credit("anna", "gold", amount=100, reason="season 4")

    The server key must never be placed in a game client. Options, and what every method raises, are those of
    `SdkClient`.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_seconds: float | None = None,
        retries: RetryPolicy | None = None,
        transport: httpx.BaseTransport | None = None,
        http_client: httpx.Client | None = None,
        machine: Machine | None = None,
    ) -> None:
        settings = Settings.resolve(
            "server", base_url=base_url, api_key=api_key, timeout_seconds=timeout_seconds, retries=retries
        )
        self._caller = Caller(settings, transport=transport, http_client=http_client, machine=machine)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._caller.settings.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._caller.close()

    def ping(self) -> Pong:
        """Ask whether the server is there and the key is good, and for which game and environment."""
        from livecore_client._sync.connectivity import ping

        return ping(self._caller)

    @cached_property
    def players(self) -> ServerPlayers:
        """A player at a glance, identity, secrets, bans, debug accounts, merging, erasing and exporting."""
        from livecore_client._sync.players import ServerPlayers

        return ServerPlayers(self._caller)

    @cached_property
    def friends(self) -> ServerFriends:
        """Friends, requests and blocks, to read."""
        from livecore_client._sync.friends import ServerFriends

        return ServerFriends(self._caller)

    @cached_property
    def gifts(self) -> ServerGifts:
        """Gift history."""
        from livecore_client._sync.gifts import ServerGifts

        return ServerGifts(self._caller)

    @cached_property
    def wallet(self) -> ServerWallet:
        """Balances: reading, crediting and debiting."""
        from livecore_client._sync.economy import ServerWallet

        return ServerWallet(self._caller)

    @cached_property
    def inventory(self) -> ServerInventory:
        """Items: reading, granting and revoking."""
        from livecore_client._sync.economy import ServerInventory

        return ServerInventory(self._caller)

    @cached_property
    def grants(self) -> ServerGrants:
        """Creating and acknowledging rewards."""
        from livecore_client._sync.grants import ServerGrants

        return ServerGrants(self._caller)

    @cached_property
    def purchases(self) -> ServerPurchases:
        """Reporting, verifying and listing what players bought."""
        from livecore_client._sync.commerce import ServerPurchases

        return ServerPurchases(self._caller)

    @cached_property
    def spend(self) -> ServerSpend:
        """What players spend, and the game's revenue."""
        from livecore_client._sync.commerce import ServerSpend

        return ServerSpend(self._caller)

    @cached_property
    def migrate(self) -> ServerMigration:
        """Moving players, balances and items in from another backend."""
        from livecore_client._sync.migration import ServerMigration

        return ServerMigration(self._caller)

"""Wallets and inventories."""

from __future__ import annotations

from collections.abc import Mapping

from livecore.economy.rows import (
    AdjustWallet,
    ConsumeItem,
    DebitWallet,
    GetInventory,
    GetWallet,
    GrantItem,
    Inventory,
    ItemChange,
    RevokeItem,
    Wallet,
    WalletChange,
)
from livecore_client._arguments import json_object
from livecore_client._async.resource import AsyncSdkResource, AsyncServerResource

__all__ = ["AsyncSdkInventory", "AsyncSdkWallet", "AsyncServerInventory", "AsyncServerWallet"]


class AsyncSdkWallet(AsyncSdkResource):
    """The balances of the player that the client acts for."""

    async def get(self) -> Wallet:
        """The player's balance of every economy key that the game defines."""
        return await self._send("GET", "/wallet", GetWallet(), Wallet)

    async def debit(
        self, economy_key: str, *, amount: int, reason: str | None = None, idempotency_key: str | None = None
    ) -> WalletChange:
        """Spend `amount`, 1 or more.

        Raises `EconomyKeyNotFound`, `InsufficientBalance`, `SystemResourceLocked` or `EconomyNotPlatformManaged`.
        """
        arguments = DebitWallet(economy_key=economy_key, amount=amount, reason=reason, idempotency_key=idempotency_key)
        return await self._send("POST", "/wallet/{economyKey}/debit", arguments, WalletChange)


class AsyncSdkInventory(AsyncSdkResource):
    """The items of the player that the client acts for."""

    async def get(self) -> Inventory:
        """Every item of which the player has at least one."""
        return await self._send("GET", "/inventory", GetInventory(), Inventory)

    async def consume(
        self, item_key: str, *, quantity: int, reason: str | None = None, idempotency_key: str | None = None
    ) -> ItemChange:
        """Use up `quantity`, 1 or more. Raises `ItemNotFound`, `InsufficientQuantity` or `EconomyNotPlatformManaged`."""
        arguments = ConsumeItem(item_key=item_key, quantity=quantity, reason=reason, idempotency_key=idempotency_key)
        return await self._send("POST", "/inventory/{itemKey}/consume", arguments, ItemChange)


class AsyncServerWallet(AsyncServerResource):
    """The balances of any player."""

    async def get(self, external_player_id: str) -> Wallet:
        """A player's balance of every economy key that the game defines.

        Where the studio keeps the economy itself, of progression alone. Raises `PlayerNotFound`.
        """
        return await self._send(external_player_id, "GET", "/wallet", GetWallet(), Wallet)

    async def credit(
        self,
        external_player_id: str,
        economy_key: str,
        *,
        amount: int,
        reason: str | None = None,
        source_ref_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> WalletChange:
        """Mint `amount`, 1 or more, into a player's wallet.

        `source_ref_id` is the studio's own reference to the cause. Give your own `idempotency_key` where a crash of your
        process must not pay twice. Raises `PlayerNotFound`, `EconomyKeyNotFound`, `BalanceOverflow`,
        `SystemResourceLocked` or `EconomyNotPlatformManaged`.
        """
        arguments = AdjustWallet(
            economy_key=economy_key,
            amount=amount,
            reason=reason,
            source_ref_id=source_ref_id,
            idempotency_key=idempotency_key,
        )
        return await self._send(external_player_id, "POST", "/wallet/{economyKey}/credit", arguments, WalletChange)

    async def debit(
        self,
        external_player_id: str,
        economy_key: str,
        *,
        amount: int,
        reason: str | None = None,
        source_ref_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> WalletChange:
        """Take `amount`, 1 or more, from a player's wallet. Raises as `credit`, and `InsufficientBalance`."""
        arguments = AdjustWallet(
            economy_key=economy_key,
            amount=amount,
            reason=reason,
            source_ref_id=source_ref_id,
            idempotency_key=idempotency_key,
        )
        return await self._send(external_player_id, "POST", "/wallet/{economyKey}/debit", arguments, WalletChange)


class AsyncServerInventory(AsyncServerResource):
    """The items of any player."""

    async def get(self, external_player_id: str) -> Inventory:
        """Every item of which a player has at least one. Raises `PlayerNotFound`."""
        return await self._send(external_player_id, "GET", "/inventory", GetInventory(), Inventory)

    async def grant(
        self,
        external_player_id: str,
        item_key: str,
        *,
        quantity: int,
        reason: str | None = None,
        source_ref_id: str | None = None,
        parameters: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
    ) -> ItemChange:
        """Give a player `quantity`, 1 or more, of an item; `parameters` merge over the item's own, key by key.

        Give your own `idempotency_key` where a crash of your process must not give twice. Raises `PlayerNotFound`,
        `ItemNotFound`, `BalanceOverflow` or `EconomyNotPlatformManaged`.
        """
        arguments = GrantItem(
            item_key=item_key,
            quantity=quantity,
            reason=reason,
            source_ref_id=source_ref_id,
            parameters=json_object(parameters),
            idempotency_key=idempotency_key,
        )
        return await self._send(external_player_id, "POST", "/inventory/{itemKey}/grant", arguments, ItemChange)

    async def revoke(
        self,
        external_player_id: str,
        item_key: str,
        *,
        quantity: int,
        reason: str | None = None,
        source_ref_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ItemChange:
        """Take `quantity`, 1 or more, of an item from a player.

        Raises `PlayerNotFound`, `ItemNotFound`, `InsufficientQuantity` or `EconomyNotPlatformManaged`.
        """
        arguments = RevokeItem(
            item_key=item_key,
            quantity=quantity,
            reason=reason,
            source_ref_id=source_ref_id,
            idempotency_key=idempotency_key,
        )
        return await self._send(external_player_id, "POST", "/inventory/{itemKey}/revoke", arguments, ItemChange)

"""Wallet and inventory on both surfaces."""

from __future__ import annotations

from typing import Final

from livecore.api.table.operation import Link, Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.economy import history, inventory, rows, wallet
from livecore.economy.refusals import (
    BalanceOverflow,
    EconomyKeyNotFound,
    EconomyNotPlatformManaged,
    InsufficientBalance,
    InsufficientQuantity,
    ItemNotFound,
    SystemResourceLocked,
)

OPERATIONS: Final[tuple[Operation, ...]] = (
    SDK.read(
        "wallet.get",
        "/wallet",
        rows.GetWallet,
        rows.Wallet,
        wallet.get_wallet,
        summary="Read one's balances.",
        about="Of every economy key that the game defines.",
        links={200: (Link("wallet.debit", "economyKey", "balances/0/key"),)},
    ),
    SDK.write(
        "wallet.debit",
        "POST /wallet/{economyKey}/debit",
        rows.DebitWallet,
        {200: rows.WalletChange},
        wallet.debit_own,
        EconomyKeyNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        InsufficientBalance,
        summary="Spend from one's wallet.",
        about="`amount` is 1 or more.",
        examples={200: {rows.WalletChange: {"balance": 75, "delta": -25}}},
    ),
    SDK.read(
        "inventory.get",
        "/inventory",
        rows.GetInventory,
        rows.Inventory,
        inventory.get_inventory,
        summary="Read one's items.",
        about="Every item of which the player has at least one.",
        links={200: (Link("inventory.consume", "itemKey", "items/0/itemKey"),)},
    ),
    SDK.write(
        "inventory.consume",
        "POST /inventory/{itemKey}/consume",
        rows.ConsumeItem,
        {200: rows.ItemChange},
        inventory.consume,
        ItemNotFound,
        EconomyNotPlatformManaged,
        InsufficientQuantity,
        summary="Use up items.",
        about="`quantity` is 1 or more.",
        examples={200: {rows.ItemChange: {"quantity": 2, "delta": -3}}},
    ),
    SERVER.read(
        "wallet.get",
        "/wallet",
        rows.GetWallet,
        rows.Wallet,
        wallet.get_wallet_as_server,
        summary="Read a player's balances.",
        about=(
            "Of every economy key that the game defines; where the studio keeps the economy itself, of progression "
            "alone."
        ),
    ),
    SERVER.write(
        "wallet.credit",
        "POST /wallet/{economyKey}/credit",
        rows.AdjustWallet,
        {200: rows.WalletChange},
        wallet.credit,
        EconomyKeyNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        BalanceOverflow,
        summary="Mint currency.",
        about=(
            "Adds `amount`, 1 or more, to the player's balance. `source_ref_id` is the studio's own reference to "
            "the cause. Give your own `idempotency_key` where a crash of your process must not pay twice."
        ),
        links={200: (Link("wallet.debit", "economyKey", "economyKey"),)},
    ),
    SERVER.write(
        "wallet.debit",
        "POST /wallet/{economyKey}/debit",
        rows.AdjustWallet,
        {200: rows.WalletChange},
        wallet.debit,
        EconomyKeyNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        InsufficientBalance,
        summary="Take currency.",
        about="Takes `amount`, 1 or more, from the player's balance.",
        examples={200: {rows.WalletChange: {"balance": 75, "delta": -25}}},
    ),
    SERVER.read(
        "inventory.get",
        "/inventory",
        rows.GetInventory,
        rows.Inventory,
        inventory.get_inventory,
        summary="List a player's items.",
        about="Every item of which the player has at least one.",
    ),
    SERVER.write(
        "inventory.grant",
        "POST /inventory/{itemKey}/grant",
        rows.GrantItem,
        {200: rows.ItemChange},
        inventory.grant_item,
        ItemNotFound,
        EconomyNotPlatformManaged,
        BalanceOverflow,
        summary="Give items.",
        about=(
            "`quantity` is 1 or more. `parameters` are merged over the item's own, key by key. Give your own "
            "`idempotency_key` where a crash of your process must not give twice."
        ),
        links={200: (Link("inventory.revoke", "itemKey", "itemKey"),)},
    ),
    SERVER.write(
        "inventory.revoke",
        "POST /inventory/{itemKey}/revoke",
        rows.RevokeItem,
        {200: rows.ItemChange},
        inventory.revoke,
        ItemNotFound,
        EconomyNotPlatformManaged,
        InsufficientQuantity,
        summary="Take items away.",
        about="`quantity` is 1 or more.",
        examples={200: {rows.ItemChange: {"quantity": 2, "delta": -3}}},
    ),
    SERVER.read(
        "ledger.list",
        "/ledger",
        rows.ListLedger,
        rows.Ledger,
        history.list_ledger,
        summary="List the changes of a player's balances and items.",
        about=(
            "A page of at most `limit` (1 to 200), newest first. Each entry has the amount by which a balance or a quantity "
            "changed, its value after that, and the reason and reference that came with the change. Entries of one "
            "millisecond are in no particular order."
        ),
    ),
)

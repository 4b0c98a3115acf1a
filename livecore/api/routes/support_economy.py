"""What operators give to players and take from them: grants, balances, items and their attributes."""

from __future__ import annotations

from typing import Final

from livecore.api.table.admin_routes import member_read, member_write
from livecore.api.table.operation import Operation
from livecore.economy import grants, history, inventory, rows, wallet
from livecore.economy.refusals import (
    BalanceOverflow,
    CrateMustBeOpened,
    EconomyKeyNotFound,
    EconomyNotPlatformManaged,
    GrantNotFound,
    GrantRefunded,
    InsufficientBalance,
    InsufficientQuantity,
    ItemNotFound,
    SystemResourceLocked,
)
from livecore.kernel.units.unit import Unit
from livecore.players import registration
from livecore.players.refusals import PlayerNotFound
from livecore.social import claims

_WALLET: Final = "/players/{externalId}/wallet/{economyKey}"
_ITEM: Final = "/players/{externalId}/inventory/{itemKey}"


def _create_grant(unit: Unit, args: rows.CreateGrantAsOperator) -> rows.OneGrant:
    # A late repetition may name a player who was merged away since, and must not make a new one.
    known = grants.repeated(unit)
    if known is not None:
        return known
    player = registration.first_contact(unit, args.external_player_id)
    unit.player_id, unit.external_id = player.player_id, player.external_id
    return grants.create(unit, player, args)


OPERATIONS: Final[tuple[Operation, ...]] = (
    member_write(
        "grants.create",
        "POST /grants",
        rows.CreateGrantAsOperator,
        {201: rows.OneGrant, 200: rows.OneGrant},
        _create_grant,
        SystemResourceLocked,
        permission="grant.manual_create",
        summary="Give a player a grant; the player is made on first contact.",
        about=(
            "A reward of 1 to 50 `entries`, waiting to be claimed by the player. Name it with an `idempotency_key`, such as "
            "the number of your ticket: then it is given once, also if another member repeats it. A key that was used "
            "differently is refused with `idempotency_conflict`. `expires_at` must lie ahead. With the kind `crate` the "
            "grant is a crate to be opened: then `entries` is one entry of type `crate` and amount 1. `source_kind` is "
            "`admin` unless you say `api`."
        ),
        replay_status=200,
    ),
    member_read(
        "grants.get",
        "/grants/{grantId}",
        rows.GetGrant,
        rows.GrantForOperator,
        claims.get_grant,
        GrantNotFound,
        permission="grant.read",
        summary="Read a grant and whom it is for.",
        about="`giftId` in the answer is the gift that it delivers, if it delivers one.",
    ),
    member_write(
        "grants.forceClaim",
        "POST /grants/{grantId}/force-claim",
        rows.ForceClaim,
        {200: rows.OneGrant},
        claims.force_claim,
        GrantNotFound,
        CrateMustBeOpened,
        GrantRefunded,
        BalanceOverflow,
        permission="grant.manual_force_claim",
        target=("grant", "grantId"),
        summary="Claim a grant in its player's place.",
        about=(
            "For a grant that is stuck. It credits what a claim would, once, and also after the grant's expiry; then "
            "`ackedBy` is `operator`. A claimed grant is answered as it is. A gift that ended and had cost its sender was "
            "given back (`grant_refunded`). A crate is opened by its player and not claimed (`crate_must_be_opened`); for "
            "one that has expired, create a new one."
        ),
        examples={200: {rows.GrantRow: {"status": "claimed", "acked_by": "operator", "metadata": None}}},
    ),
    member_write(
        "wallet.adjust",
        f"POST {_WALLET}/adjust",
        rows.AdjustWalletAsOperator,
        {200: rows.WalletChange},
        wallet.adjust,
        PlayerNotFound,
        EconomyKeyNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        InsufficientBalance,
        BalanceOverflow,
        permission="wallet.adjust",
        summary="Change a player's balance.",
        about=(
            "By `delta`, up or down and not 0; never below zero. The ledger and the audit trail keep `reason`, 1 to 500 "
            "characters."
        ),
        subject="existing",
    ),
    member_read(
        "wallet.entries",
        f"{_WALLET}/entries",
        rows.ListWalletEntries,
        rows.Ledger,
        history.list_wallet_entries,
        PlayerNotFound,
        EconomyKeyNotFound,
        permission="wallet.read",
        summary="List the changes of one balance of a player.",
        about="A page of at most `limit` (1 to 200), newest first.",
        subject="existing",
    ),
    member_write(
        "inventory.adjust",
        f"POST {_ITEM}/adjust",
        rows.AdjustItemAsOperator,
        {200: rows.ItemChange},
        inventory.adjust,
        PlayerNotFound,
        ItemNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        InsufficientQuantity,
        BalanceOverflow,
        permission="inventory.adjust",
        summary="Change how many of an item a player has.",
        about=(
            "By `delta`, up or down and not 0; never below zero. The ledger and the audit trail keep `reason`, 1 to 500 "
            "characters."
        ),
        subject="existing",
    ),
    member_read(
        "inventory.entries",
        f"{_ITEM}/entries",
        rows.ListItemEntries,
        rows.Ledger,
        history.list_item_entries,
        PlayerNotFound,
        ItemNotFound,
        permission="inventory.read",
        summary="List the changes of one item of a player.",
        about="A page of at most `limit` (1 to 200), newest first.",
        subject="existing",
        examples={200: {rows.LedgerRow: {"type": "item", "resource_key": "potion", "delta": 3, "balance": 5}}},
    ),
    member_write(
        "inventory.setAttributes",
        f"PUT {_ITEM}/attributes",
        rows.SetAttributes,
        {200: rows.OneHeldItem},
        inventory.set_attributes,
        PlayerNotFound,
        ItemNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        InsufficientQuantity,
        permission="inventory.edit_attributes",
        summary="Set a player's own attributes of an item.",
        about=(
            "`parameters` replaces all of the player's own, which override those of the game's configuration key by key; "
            "with null or an empty object none are left. The player must have the item: the last one used up takes its "
            "attributes along."
        ),
        subject="existing",
    ),
)

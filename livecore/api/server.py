"""The studio's surface, `/server/v1`: grants, the social graph, identities and the economy, for a studio's backend."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.access import rows as access
from livecore.api.operation import Operation
from livecore.api.player_routes import SERVER
from livecore.api.registering import rotate
from livecore.economy import grants, inventory, wallet
from livecore.economy import rows as economy
from livecore.economy.refusals import (
    BalanceOverflow,
    EconomyKeyNotFound,
    EconomyNotPlatformManaged,
    GrantExpired,
    GrantNotFound,
    InsufficientBalance,
    InsufficientQuantity,
    ItemNotFound,
    SystemResourceLocked,
)
from livecore.kernel.errors import IdempotencyConflict
from livecore.kernel.shapes import Timestamp
from livecore.kernel.unit import Unit
from livecore.players import identity, registration
from livecore.players import rows as players
from livecore.social import blocks, claims, friends, gift_boxes, gift_rows
from livecore.social import rows as social
from livecore.social.refusals import (
    GiftExpired,
    GiftingDisabled,
)

__all__ = ["SERVER_OPERATIONS"]


def _ping(unit: Unit, _: access.GetPing) -> access.Pong:
    return access.Pong(
        ok=True,
        game_id=unit.scope.game_id,
        environment="live" if unit.scope.environment == "live" else "test",
        api_key_prefix=unit.actor.ref,
        server_time=Timestamp(unit.now),
    )


def _create_grant(unit: Unit, args: economy.CreateGrant) -> economy.OneGrant:
    # A late repetition may name a player who was merged away since, and must not make a new one.
    known = grants.repeated(unit)
    if known is not None:
        return known
    player = registration.first_contact(unit, unit.external_id or "")
    unit.player_id = player.player_id
    return grants.create(unit, player, args)


SERVER_OPERATIONS: Final[tuple[Operation, ...]] = (
    SERVER.question("ping", "/ping", access.GetPing, access.Pong, _ping, summary="Probe the connection and the key."),
    Operation(
        name="grants.create",
        surface="server",
        method="POST",
        path=SERVER.prefix + "/grants",
        credential="server_key",
        bucket="server_api",
        args=economy.CreateGrant,
        answers={201: economy.OneGrant, 200: economy.OneGrant},
        handler=_create_grant,
        summary="Create a grant; the player is made on first contact.",
        errors=(SystemResourceLocked,),
        writes=True,
        keyed=True,
        subject="any",
        replay_status=200,
        ahead=grants.create_ahead,
    ),
    SERVER.write(
        "grants.ack",
        "POST /grants/{grantId}/ack",
        economy.OfGrant,
        {200: economy.OneGrant},
        claims.acknowledge,
        GrantNotFound,
        GrantExpired,
        GiftExpired,
        BalanceOverflow,
        summary="Mark a grant claimed.",
    ),
    SERVER.read(
        "friends.list",
        "/friends",
        social.ListFriends,
        social.Friends,
        friends.list_friends,
        ahead=friends.list_ahead,
        summary="List a player's friends with presence.",
    ),
    SERVER.read(
        "friends.listRequests",
        "/friends/requests",
        social.ListRequests,
        social.FriendRequests,
        friends.list_requests,
        ahead=friends.list_requests_ahead,
        summary="List a player's open requests, both ways.",
    ),
    SERVER.read(
        "friends.listBlocks",
        "/blocks",
        social.ListBlocks,
        social.Blocks,
        blocks.list_blocks,
        ahead=blocks.list_ahead,
        summary="List the players whom a player has blocked.",
    ),
    SERVER.read(
        "gifts.list",
        "/gifts",
        gift_rows.ListGiftsAsServer,
        gift_rows.Gifts,
        gift_boxes.list_as_server,
        GiftingDisabled,
        ahead=gift_boxes.list_as_server_ahead,
        summary="List a player's gifts with the delivering grants' status.",
    ),
    SERVER.write(
        "players.setIdentity",
        "PUT /identity",
        players.SetIdentityAsServer,
        {200: players.IdentitySet},
        identity.set_identity_as_server,
        summary="Change a player's name, picture and country.",
    ),
    # The answer carries the secret, so it is derived again and not kept.
    attrs.evolve(
        SERVER.write(
            "players.rotateSecret",
            "POST /rotate-secret",
            players.RotateSecret,
            {200: players.SecretRotated},
            rotate,
            IdempotencyConflict,
            summary="Give a player a new secret.",
        ),
        keyed=False,
        derives=True,
    ),
    SERVER.read(
        "wallet.get",
        "/wallet",
        economy.GetWallet,
        economy.Wallet,
        wallet.get_wallet_as_server,
        ahead=wallet.server_wallet_ahead,
        summary="Read a player's balances.",
    ),
    SERVER.write(
        "wallet.credit",
        "POST /wallet/{economyKey}/credit",
        economy.AdjustWallet,
        {200: economy.WalletChange},
        wallet.credit,
        EconomyKeyNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        BalanceOverflow,
        summary="Mint currency.",
        ahead=wallet.adjust_ahead,
    ),
    SERVER.write(
        "wallet.debit",
        "POST /wallet/{economyKey}/debit",
        economy.AdjustWallet,
        {200: economy.WalletChange},
        wallet.debit,
        EconomyKeyNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        InsufficientBalance,
        summary="Take currency.",
        ahead=wallet.adjust_ahead,
    ),
    SERVER.read(
        "inventory.get",
        "/inventory",
        economy.GetInventory,
        economy.Inventory,
        inventory.get_inventory,
        ahead=inventory.inventory_ahead,
        summary="List a player's items.",
    ),
    SERVER.write(
        "inventory.grant",
        "POST /inventory/{itemKey}/grant",
        economy.GrantItem,
        {200: economy.ItemChange},
        inventory.grant_item,
        ItemNotFound,
        EconomyNotPlatformManaged,
        BalanceOverflow,
        summary="Give items.",
    ),
    SERVER.write(
        "inventory.revoke",
        "POST /inventory/{itemKey}/revoke",
        economy.RevokeItem,
        {200: economy.ItemChange},
        inventory.revoke,
        ItemNotFound,
        EconomyNotPlatformManaged,
        InsufficientQuantity,
        summary="Take items away.",
    ),
)

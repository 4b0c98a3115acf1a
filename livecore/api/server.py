"""The studio's surface, `/server/v1`: one row for each operation that a studio's backend may call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import attrs

from livecore.access import rows as access
from livecore.api.operation import Operation
from livecore.api.player_routes import SERVER
from livecore.commerce import purchases, revenue, spend
from livecore.commerce import rows as commerce
from livecore.commerce.refusals import TransactionConflict, UnknownCurrency
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
from livecore.player_tools import erasure, export, export_rows, lookup, merging
from livecore.player_tools import rows as tools
from livecore.players import identity, moderation, registration
from livecore.players import rows as players
from livecore.players.refusals import InvalidMerge, PlayerNotFound
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


def _rotate_secret(unit: Unit, args: players.RotateSecret) -> players.SecretRotated:
    return registration.rotate_secret(unit, args)


def _question(
    name: str, path: str, args: type, answer: type, handler: Callable[[Unit, Any], object], *, summary: str
) -> Operation:
    """A GET about the whole game."""
    return Operation(
        name=name,
        surface="server",
        method="GET",
        path="/server/v1" + path,
        credential="server_key",
        bucket="server_api",
        args=args,
        answers={200: answer},
        handler=handler,
        summary=summary,
    )


SERVER_OPERATIONS: Final[tuple[Operation, ...]] = (
    _question("ping", "/ping", access.GetPing, access.Pong, _ping, summary="Probe the connection and the key."),
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
        "players.get",
        "",
        tools.GetPlayer,
        tools.PlayerOverview,
        lookup.get_player,
        summary="Read a player with recent attempts, grants and lobbies.",
    ),
    # Both are without effect when they are repeated, and say so; an answer kept under a key would name who is gone.
    attrs.evolve(
        SERVER.write(
            "players.merge",
            "POST /merge-into/{toExternalId}",
            tools.MergePlayer,
            {200: tools.Merged},
            merging.merge,
            PlayerNotFound,
            InvalidMerge,
            summary="Fold a player into another one.",
        ),
        keyed=False,
        subject="any",
    ),
    attrs.evolve(
        SERVER.write(
            "players.erase",
            "POST /delete",
            tools.ErasePlayer,
            {200: tools.Erased},
            erasure.erase,
            summary="Take a player's identity out of everything.",
        ),
        keyed=False,
        subject="any",
    ),
    SERVER.read(
        "players.export",
        "/export",
        export_rows.ExportPlayer,
        export_rows.PlayerExport,
        export.export,
        summary="Read everything that is held about a player.",
    ),
    SERVER.write(
        "players.ban",
        "POST /ban",
        players.Ban,
        {200: players.BanState},
        moderation.ban,
        summary="Refuse a player's writes.",
    ),
    SERVER.write(
        "players.unban",
        "POST /unban",
        players.Unban,
        {200: players.BanState},
        moderation.unban,
        summary="Lift a player's ban.",
    ),
    SERVER.write(
        "players.flagDebug",
        "POST /debug",
        players.FlagDebug,
        {200: players.DebugState},
        moderation.flag_debug,
        summary="Mark a player as a debug account.",
    ),
    SERVER.write(
        "players.unflagDebug",
        "DELETE /debug",
        players.UnflagDebug,
        {200: players.DebugState},
        moderation.unflag_debug,
        summary="Make a debug account an ordinary one.",
    ),
    SERVER.read(
        "friends.list",
        "/friends",
        social.ListFriends,
        social.Friends,
        friends.list_friends,
        summary="List a player's friends with presence.",
    ),
    SERVER.read(
        "friends.listRequests",
        "/friends/requests",
        social.ListRequests,
        social.FriendRequests,
        friends.list_requests,
        summary="List a player's open requests, both ways.",
    ),
    SERVER.read(
        "friends.listBlocks",
        "/blocks",
        social.ListBlocks,
        social.Blocks,
        blocks.list_blocks,
        summary="List the players whom a player has blocked.",
    ),
    SERVER.read(
        "gifts.list",
        "/gifts",
        gift_rows.ListGiftsAsServer,
        gift_rows.Gifts,
        gift_boxes.list_as_server,
        GiftingDisabled,
        summary="List a player's gifts with the delivering grants' status.",
    ),
    SERVER.write(
        "players.setIdentity",
        "PUT /identity",
        players.SetIdentityAsServer,
        {200: players.IdentitySet},
        identity.set_identity_as_server,
        summary="Set a player's display identity and country.",
    ),
    # The answer carries the secret, so it is not kept.
    attrs.evolve(
        SERVER.write(
            "players.rotateSecret",
            "POST /rotate-secret",
            players.RotateSecret,
            {200: players.SecretRotated},
            _rotate_secret,
            summary="Give a player a new secret.",
        ),
        keyed=False,
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
    SERVER.read(
        "purchases.list",
        "/purchases",
        commerce.ListPurchases,
        commerce.Purchases,
        purchases.list_purchases,
        summary="List a player's purchases.",
    ),
    SERVER.write(
        "purchases.track",
        "POST /purchases",
        commerce.TrackPurchaseAsServer,
        {200: commerce.PurchaseTracked},
        purchases.track_as_server,
        UnknownCurrency,
        TransactionConflict,
        IdempotencyConflict,
        BalanceOverflow,
        summary="Report a purchase, or that it is verified.",
    ),
    SERVER.read(
        "spend.get",
        "/spend",
        commerce.GetPlayerSpend,
        commerce.PlayerSpend,
        spend.get_player_spend,
        summary="Read what a player has spent.",
    ),
    _question(
        "spend.listPlayers",
        "/spend/players",
        commerce.ListSpenders,
        commerce.Spenders,
        spend.list_spenders,
        summary="List players by what they spent.",
    ),
    _question(
        "spend.summary",
        "/spend/summary",
        commerce.GetRevenueSummary,
        commerce.RevenueSummary,
        revenue.get_revenue_summary,
        summary="Read the revenue of some days.",
    ),
)

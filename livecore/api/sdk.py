"""The client surface, `/sdk/v1`: one row for each operation that a game client may call."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.access.refusals import (
    TestEnvironmentOnly,
)
from livecore.api.operation import Answer, Operation
from livecore.api.player_routes import SDK
from livecore.economy import grants, inventory, wallet
from livecore.economy import rows as economy
from livecore.economy.refusals import (
    BalanceOverflow,
    EconomyKeyNotFound,
    EconomyNotPlatformManaged,
    GrantAlreadyClaimed,
    GrantExpired,
    GrantNotFound,
    InsufficientBalance,
    InsufficientQuantity,
    ItemNotFound,
    SystemResourceLocked,
)
from livecore.kernel.unit import Unit
from livecore.players import identity, profile, registration, seen
from livecore.players import rows as players
from livecore.players.refusals import (
    PlayerAlreadyRegistered,
    PlayerBanned,
    PlayerNotFound,
)
from livecore.social import blocks, claims, discovery, friends, gift_boxes, gift_rows, gifts
from livecore.social import rows as social
from livecore.social.refusals import (
    AlreadyFriends,
    BlockLimitReached,
    BlockNotFound,
    CannotBlockSelf,
    CannotFriendSelf,
    CannotGiftSelf,
    FriendCodeInvalid,
    FriendLimitReached,
    FriendNotFound,
    FriendRequestNotFound,
    GiftAmountInvalid,
    GiftCooldown,
    GiftExpired,
    GiftingDisabled,
    GiftInsufficientBalance,
    GiftLimitReached,
    GiftNotAllowed,
    GiftNotFound,
    NotFriends,
    PlayerBlocked,
    RequestLimitReached,
)

__all__ = ["SDK_OPERATIONS"]


def _register(unit: Unit, args: players.Register) -> Answer:
    forced, registered = registration.register(unit, unit.external_id or "", args)
    return Answer(200 if forced else 201, registered)


def _send_request(unit: Unit, args: social.SendRequest) -> Answer:
    fresh, sent = friends.send_request(unit, args)
    return Answer(201 if fresh else 200, sent)


def _block(unit: Unit, args: social.Block) -> Answer:
    fresh, blocked = blocks.block(unit, args)
    return Answer(201 if fresh else 200, blocked)


SDK_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="players.register",
        surface="sdk",
        method="POST",
        path=SDK.prefix + "/register",
        credential="client_key",
        bucket="sdk_write",
        args=players.Register,
        answers={201: players.Registered, 200: players.Registered},
        handler=_register,
        summary="Register a player and mint the player secret.",
        errors=(TestEnvironmentOnly, PlayerBanned, PlayerAlreadyRegistered),
        writes=True,
        subject="any",
        query=("force",),
    ),
    SDK.write(
        "players.setIdentity",
        "PUT /identity",
        players.SetIdentity,
        {200: players.IdentitySet},
        identity.set_identity,
        summary="Set one's own display name and picture.",
    ),
    SDK.read(
        "players.getProfile",
        "/profile",
        players.GetProfile,
        players.Profile,
        profile.get_profile,
        summary="Read one's own profile.",
    ),
    Operation(
        name="presence.heartbeat",
        surface="sdk",
        method="POST",
        path=SDK.prefix + "/presence",
        credential="player",
        bucket="sdk_write",
        args=players.Heartbeat,
        answers={200: players.Presence},
        handler=seen.heartbeat,
        summary="Publish that the player is there.",
        subject="existing",
    ),
    # A read that mints the code when it is first asked for, so it runs where writes run.
    attrs.evolve(
        SDK.read(
            "friends.getCode",
            "/friends/code",
            social.GetCode,
            social.OwnCode,
            friends.get_code,
            summary="Read one's own friend code.",
        ),
        writes=True,
    ),
    SDK.write(
        "friends.sendRequest",
        "POST /friends/requests",
        social.SendRequest,
        {201: social.RequestSent, 200: social.RequestSent},
        _send_request,
        CannotFriendSelf,
        PlayerNotFound,
        FriendCodeInvalid,
        PlayerBlocked,
        AlreadyFriends,
        FriendLimitReached,
        RequestLimitReached,
        summary="Ask somebody to be friends.",
        ahead=friends.request_ahead,
    ),
    SDK.write(
        "friends.acceptRequest",
        "POST /friends/requests/{requestId}/accept",
        social.OfRequest,
        {200: social.FriendAdded},
        friends.accept_request,
        FriendRequestNotFound,
        FriendLimitReached,
        summary="Accept an incoming request.",
        ahead=friends.accept_ahead,
    ),
    SDK.write(
        "friends.declineRequest",
        "POST /friends/requests/{requestId}/decline",
        social.OfRequest,
        {200: social.FriendRequestEnded},
        friends.decline_request,
        FriendRequestNotFound,
        summary="Decline an incoming request.",
    ),
    SDK.write(
        "friends.cancelRequest",
        "POST /friends/requests/{requestId}/cancel",
        social.OfRequest,
        {200: social.FriendRequestEnded},
        friends.cancel_request,
        FriendRequestNotFound,
        summary="Cancel an outgoing request.",
    ),
    SDK.read(
        "friends.list",
        "/friends",
        social.ListFriends,
        social.Friends,
        friends.list_friends,
        ahead=friends.list_ahead,
        summary="List one's friends with presence.",
    ),
    SDK.read(
        "friends.listRequests",
        "/friends/requests",
        social.ListRequests,
        social.FriendRequests,
        friends.list_requests,
        summary="List one's open requests, both ways.",
    ),
    SDK.read(
        "friends.suggestions",
        "/friends/suggestions",
        social.Suggest,
        social.Suggestions,
        discovery.suggestions,
        summary="Draw players who were around lately.",
    ),
    SDK.read(
        "friends.search",
        "/friends/search",
        social.Search,
        social.SearchHits,
        discovery.search,
        summary="Search players by name.",
    ),
    SDK.write(
        "friends.remove",
        "DELETE /friends/{friendExternalId}",
        social.RemoveFriend,
        {200: social.FriendRemoved},
        friends.remove,
        FriendNotFound,
        summary="End a friendship.",
    ),
    SDK.write(
        "friends.block",
        "POST /friends/blocks",
        social.Block,
        {201: social.Blocked, 200: social.Blocked},
        _block,
        CannotBlockSelf,
        PlayerNotFound,
        FriendCodeInvalid,
        BlockLimitReached,
        summary="Block somebody.",
    ),
    SDK.read(
        "friends.listBlocks",
        "/friends/blocks",
        social.ListBlocks,
        social.Blocks,
        blocks.list_blocks,
        summary="List the players one has blocked.",
    ),
    SDK.write(
        "friends.unblock",
        "DELETE /friends/blocks/{blockedExternalId}",
        social.Unblock,
        {200: social.Unblocked},
        blocks.unblock,
        BlockNotFound,
        summary="Lift one's own block.",
    ),
    SDK.read(
        "gifts.catalog",
        "/friends/gifts/catalog",
        gift_rows.GetGiftCatalog,
        gift_rows.GiftCatalog,
        gift_boxes.catalog,
        summary="Read the gift list and today's count.",
    ),
    SDK.write(
        "gifts.send",
        "POST /friends/gifts",
        gift_rows.SendGift,
        {201: gift_rows.OneGift},
        gifts.send,
        CannotGiftSelf,
        GiftingDisabled,
        PlayerNotFound,
        FriendCodeInvalid,
        PlayerBlocked,
        NotFriends,
        GiftNotAllowed,
        GiftAmountInvalid,
        GiftCooldown,
        GiftLimitReached,
        GiftInsufficientBalance,
        summary="Send a gift to a friend.",
        ahead=gifts.send_ahead,
    ),
    SDK.write(
        "gifts.claim",
        "POST /friends/gifts/{giftId}/claim",
        gift_rows.OfGift,
        {200: gift_rows.OneGift},
        claims.claim_gift,
        GiftingDisabled,
        GiftNotFound,
        GrantAlreadyClaimed,
        GiftExpired,
        BalanceOverflow,
        summary="Claim a gift.",
        ahead=claims.claim_gift_ahead,
    ),
    SDK.read(
        "gifts.inbox",
        "/friends/gifts/inbox",
        gift_rows.ListGifts,
        gift_rows.Gifts,
        gift_boxes.inbox,
        GiftingDisabled,
        summary="List the gifts one has received.",
    ),
    SDK.read(
        "gifts.sent",
        "/friends/gifts/sent",
        gift_rows.ListGifts,
        gift_rows.Gifts,
        gift_boxes.sent,
        GiftingDisabled,
        summary="List the gifts one has sent.",
    ),
    SDK.read(
        "wallet.get",
        "/wallet",
        economy.GetWallet,
        economy.Wallet,
        wallet.get_wallet,
        ahead=wallet.wallet_ahead,
        summary="Read one's balances.",
    ),
    SDK.write(
        "wallet.debit",
        "POST /wallet/{economyKey}/debit",
        economy.DebitWallet,
        {200: economy.WalletChange},
        wallet.debit_own,
        EconomyKeyNotFound,
        SystemResourceLocked,
        EconomyNotPlatformManaged,
        InsufficientBalance,
        summary="Spend from one's wallet.",
        ahead=wallet.adjust_ahead,
    ),
    SDK.read(
        "inventory.get",
        "/inventory",
        economy.GetInventory,
        economy.Inventory,
        inventory.get_inventory,
        summary="Read one's items.",
    ),
    SDK.write(
        "inventory.consume",
        "POST /inventory/{itemKey}/consume",
        economy.ConsumeItem,
        {200: economy.ItemChange},
        inventory.consume,
        ItemNotFound,
        EconomyNotPlatformManaged,
        InsufficientQuantity,
        summary="Use up items.",
    ),
    SDK.read(
        "grants.listPending",
        "/pending-grants",
        economy.ListPendingGrants,
        economy.PendingGrants,
        grants.list_pending,
        summary="List what waits to be claimed.",
    ),
    SDK.write(
        "grants.claim",
        "POST /grants/{grantId}/claim",
        economy.OfGrant,
        {200: economy.OneGrant},
        claims.claim_grant,
        GrantNotFound,
        GrantAlreadyClaimed,
        GrantExpired,
        GiftExpired,
        BalanceOverflow,
        summary="Claim a grant.",
    ),
)

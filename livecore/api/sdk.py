"""The client surface, `/sdk/v1`: one row for each operation that a game client may call."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.access.refusals import (
    TestEnvironmentOnly,
)
from livecore.api.operation import Answer, Operation
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
from livecore.social import blocks, claims, discovery, friends, gifts
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

_P: Final = "/sdk/v1/players/{externalId}"


def _register(unit: Unit, args: players.Register) -> Answer:
    forced, registered = registration.register(unit, unit.external_id or "", args)
    return Answer(200 if forced else 201, registered)


def _send_request(unit: Unit, args: social.SendRequest) -> Answer:
    fresh, sent = friends.send_request(unit, args)
    return Answer(201 if fresh else 200, sent)


def _block(unit: Unit, args: social.Block) -> Answer:
    fresh, blocked = blocks.block(unit, args)
    return Answer(201 if fresh else 200, blocked)


def _read(name: str, path: str, args: type, answer: type, handler: object, summary: str, *more: type) -> Operation:
    return Operation(
        name=name,
        surface="sdk",
        method="GET",
        path=_P + path,
        credential="player",
        bucket="sdk_read",
        args=args,
        answers={200: answer},
        handler=handler,  # type: ignore[arg-type] # handlers take the operation's own shape
        summary=summary,
        errors=more,
        subject="existing",
    )


def _write(  # noqa: PLR0917 - a row of the table reads best without keywords
    name: str,
    method: str,
    path: str,
    args: type,
    answers: dict[int, type],
    handler: object,
    summary: str,
    *more: type,
) -> Operation:
    return Operation(
        name=name,
        surface="sdk",
        method=method,  # type: ignore[arg-type] # checked by the router's own test
        path=_P + path,
        credential="player",
        bucket="sdk_write",
        args=args,
        answers=answers,
        handler=handler,  # type: ignore[arg-type] # handlers take the operation's own shape
        summary=summary,
        errors=more,
        writes=True,
        keyed=True,
        subject="existing",
    )


_TARGET = (PlayerNotFound, FriendCodeInvalid)

SDK_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="players.register",
        surface="sdk",
        method="POST",
        path=_P + "/register",
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
    _write("players.setIdentity", "PUT", "/identity", players.SetIdentity, {200: players.IdentitySet},
           identity.set_identity, "Set one's own display name and picture."),
    _read("players.getProfile", "/profile", players.GetProfile, players.Profile,
          profile.get_profile, "Read one's own profile."),
    Operation(
        name="presence.heartbeat",
        surface="sdk",
        method="POST",
        path=_P + "/presence",
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
        _read("friends.getCode", "/friends/code", social.GetCode, social.OwnCode,
              friends.get_code, "Read one's own friend code."),
        writes=True,
    ),
    _write("friends.sendRequest", "POST", "/friends/requests", social.SendRequest,
           {201: social.RequestSent, 200: social.RequestSent}, _send_request, "Ask somebody to be friends.",
           CannotFriendSelf, *_TARGET, PlayerBlocked, AlreadyFriends,
           FriendLimitReached, RequestLimitReached),
    _write("friends.acceptRequest", "POST", "/friends/requests/{requestId}/accept", social.OfRequest,
           {200: social.FriendAdded}, friends.accept_request, "Accept an incoming request.",
           FriendRequestNotFound, FriendLimitReached),
    _write("friends.declineRequest", "POST", "/friends/requests/{requestId}/decline", social.OfRequest,
           {200: social.FriendRequestEnded}, friends.decline_request, "Decline an incoming request.",
           FriendRequestNotFound),
    _write("friends.cancelRequest", "POST", "/friends/requests/{requestId}/cancel", social.OfRequest,
           {200: social.FriendRequestEnded}, friends.cancel_request, "Cancel an outgoing request.",
           FriendRequestNotFound),
    _read("friends.list", "/friends", social.ListFriends, social.Friends,
          friends.list_friends, "List one's friends with presence."),
    _read("friends.listRequests", "/friends/requests", social.ListRequests, social.FriendRequests,
          friends.list_requests, "List one's open requests, both ways."),
    _read("friends.suggestions", "/friends/suggestions", social.Suggest, social.Suggestions,
          discovery.suggestions, "Draw players who were around lately."),
    _read("friends.search", "/friends/search", social.Search, social.SearchHits,
          discovery.search, "Search players by name."),
    _write("friends.remove", "DELETE", "/friends/{friendExternalId}", social.RemoveFriend,
           {200: social.FriendRemoved}, friends.remove, "End a friendship.", FriendNotFound),
    _write("friends.block", "POST", "/friends/blocks", social.Block, {201: social.Blocked, 200: social.Blocked},
           _block, "Block somebody.", CannotBlockSelf, *_TARGET, BlockLimitReached),
    _read("friends.listBlocks", "/friends/blocks", social.ListBlocks, social.Blocks,
          blocks.list_blocks, "List the players one has blocked."),
    _write("friends.unblock", "DELETE", "/friends/blocks/{blockedExternalId}", social.Unblock,
           {200: social.Unblocked}, blocks.unblock, "Lift one's own block.", BlockNotFound),
    _read("gifts.catalog", "/friends/gifts/catalog", social.GetGiftCatalog, social.GiftCatalog,
          gifts.catalog, "Read the gift list and today's count."),
    _write("gifts.send", "POST", "/friends/gifts", social.SendGift, {201: social.OneGift},
           gifts.send, "Send a gift to a friend.",
           CannotGiftSelf, GiftingDisabled, *_TARGET, PlayerBlocked, NotFriends,
           GiftNotAllowed, GiftAmountInvalid, GiftCooldown, GiftLimitReached,
           GiftInsufficientBalance),
    _write("gifts.claim", "POST", "/friends/gifts/{giftId}/claim", social.OfGift, {200: social.OneGift},
           claims.claim_gift, "Claim a gift.",
           GiftingDisabled, GiftNotFound, GrantAlreadyClaimed, GiftExpired, BalanceOverflow),
    _read("gifts.inbox", "/friends/gifts/inbox", social.ListGifts, social.Gifts,
          gifts.inbox, "List the gifts one has received.", GiftingDisabled),
    _read("gifts.sent", "/friends/gifts/sent", social.ListGifts, social.Gifts,
          gifts.sent, "List the gifts one has sent.", GiftingDisabled),
    _read("wallet.get", "/wallet", economy.GetWallet, economy.Wallet, wallet.get_wallet, "Read one's balances."),
    _write("wallet.debit", "POST", "/wallet/{economyKey}/debit", economy.DebitWallet, {200: economy.WalletChange},
           wallet.debit_own, "Spend from one's wallet.",
           EconomyKeyNotFound, SystemResourceLocked, EconomyNotPlatformManaged,
           InsufficientBalance),
    _read("inventory.get", "/inventory", economy.GetInventory, economy.Inventory,
          inventory.get_inventory, "Read one's items."),
    _write("inventory.consume", "POST", "/inventory/{itemKey}/consume", economy.ConsumeItem,
           {200: economy.ItemChange}, inventory.consume, "Use up items.",
           ItemNotFound, EconomyNotPlatformManaged, InsufficientQuantity),
    _read("grants.listPending", "/pending-grants", economy.ListPendingGrants, economy.PendingGrants,
          grants.list_pending, "List what waits to be claimed."),
    _write("grants.claim", "POST", "/grants/{grantId}/claim", economy.OfGrant, {200: economy.OneGrant},
           claims.claim_grant, "Claim a grant.",
           GrantNotFound, GrantAlreadyClaimed, GrantExpired, GiftExpired,
           BalanceOverflow),
)  # fmt: skip

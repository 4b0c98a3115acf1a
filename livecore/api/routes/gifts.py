"""Gifts between friends on both surfaces."""

from __future__ import annotations

from typing import Final

from livecore.api.table.operation import Link, Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.economy.refusals import BalanceOverflow, GrantAlreadyClaimed
from livecore.players.refusals import PlayerNotFound
from livecore.social import claims, gift_boxes, gifts
from livecore.social import gift_rows as rows
from livecore.social.refusals import (
    CannotGiftSelf,
    FriendCodeInvalid,
    GiftAmountInvalid,
    GiftCooldown,
    GiftExpired,
    GiftingDisabled,
    GiftInsufficientBalance,
    GiftLimitReached,
    GiftNotAllowed,
    GiftNotFound,
    GiftReceiveLimitReached,
    NotFriends,
    PlayerBlocked,
)

OPERATIONS: Final[tuple[Operation, ...]] = (
    SDK.read(
        "gifts.catalog",
        "/friends/gifts/catalog",
        rows.GetGiftCatalog,
        rows.GiftCatalog,
        gift_boxes.catalog,
        summary="Read the gift list and today's count.",
        about="What may be gifted, how much at a time, and how much of today's limit is used.",
    ),
    SDK.write(
        "gifts.send",
        "POST /friends/gifts",
        rows.SendGift,
        {201: rows.OneGift},
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
        GiftReceiveLimitReached,
        GiftInsufficientBalance,
        summary="Send a gift to a friend.",
        about=(
            "Name the friend by `friend_code` or by `external_player_id`, the studio's id: exactly one of the two. "
            "`message` has at most 200 characters. The refusals are checked in the order in which they are listed."
        ),
        examples={201: {rows.GiftRow: {"direction": "outgoing", "claimed_at": None}}},
    ),
    SDK.write(
        "gifts.claim",
        "POST /friends/gifts/{giftId}/claim",
        rows.OfGift,
        {200: rows.OneGift},
        claims.claim_gift,
        GiftingDisabled,
        GiftNotFound,
        GrantAlreadyClaimed,
        GiftExpired,
        BalanceOverflow,
        summary="Claim a gift.",
        about="Its contents are credited where the platform keeps the economy.",
        examples={200: {rows.GiftRow: {"direction": "incoming", "status": "claimed"}}},
    ),
    SDK.read(
        "gifts.inbox",
        "/friends/gifts/inbox",
        rows.ListGifts,
        rows.Gifts,
        gift_boxes.inbox,
        GiftingDisabled,
        summary="List the gifts one has received.",
        about=("A page of at most `limit` (1 to 200), newest first; `pending_only` leaves out what is no longer open."),
        links={200: (Link("gifts.claim", "giftId", "gifts/0/giftId"),)},
    ),
    SDK.read(
        "gifts.sent",
        "/friends/gifts/sent",
        rows.ListGifts,
        rows.Gifts,
        gift_boxes.sent,
        GiftingDisabled,
        summary="List the gifts one has sent.",
        about=("A page of at most `limit` (1 to 200), newest first; `pending_only` leaves out what is no longer open."),
        examples={200: {rows.GiftRow: {"direction": "outgoing", "claimed_at": None}}},
    ),
    SERVER.read(
        "gifts.list",
        "/gifts",
        rows.ListGiftsAsServer,
        rows.Gifts,
        gift_boxes.list_as_server,
        GiftingDisabled,
        summary="List a player's gifts with the delivering grants' status.",
        about=(
            "A page of at most `limit` (1 to 200), newest first; `direction` says whether of those that the player "
            "received or of those that they sent. A game that never enabled gifting refuses with `gifting_disabled`."
        ),
        links={200: (Link("grants.ack", "grantId", "gifts/0/grantId"),)},
        examples={200: {rows.GiftRow: {"direction": "incoming", "claimed_at": None, "grant_status": "pending"}}},
    ),
)

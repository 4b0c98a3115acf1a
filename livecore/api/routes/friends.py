"""Friends and blocks on both surfaces."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.api.operation import Answer, Link, Operation
from livecore.api.player_routes import SDK, SERVER
from livecore.kernel.shapes import SHOWN
from livecore.kernel.unit import Unit
from livecore.players.refusals import PlayerNotFound
from livecore.social import blocks, discovery, friends, rows, suggestions
from livecore.social.refusals import (
    AlreadyFriends,
    BlockLimitReached,
    BlockNotFound,
    CannotBlockSelf,
    CannotFriendSelf,
    FriendCodeInvalid,
    FriendLimitReached,
    FriendNotFound,
    FriendRequestNotFound,
    PlayerBlocked,
    RequestLimitReached,
)

__all__ = ["OPERATIONS"]


def _send_request(unit: Unit, args: rows.SendRequest) -> Answer:
    fresh, sent = friends.send_request(unit, args)
    return Answer(201 if fresh else 200, sent)


def _block(unit: Unit, args: rows.Block) -> Answer:
    fresh, blocked = blocks.block(unit, args)
    return Answer(201 if fresh else 200, blocked)


OPERATIONS: Final[tuple[Operation, ...]] = (
    # A read that mints the code when it is first asked for, so it runs where writes run.
    attrs.evolve(
        SDK.read(
            "friends.getCode",
            "/friends/code",
            rows.GetCode,
            rows.OwnCode,
            friends.get_code,
            ahead=friends.get_code_ahead,
            summary="Read one's own friend code.",
        ),
        writes=True,
    ),
    SDK.write(
        "friends.sendRequest",
        "POST /friends/requests",
        rows.SendRequest,
        {201: rows.RequestSent, 200: rows.RequestSent},
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
        links={
            201: (Link("friends.cancelRequest", "requestId", "request/requestId"),),
            200: (Link("friends.remove", "friendExternalId", "friend/externalPlayerId"),),
        },
        examples={
            201: {rows.RequestSent: {"request": SHOWN}, rows.FriendRequestRow: {"direction": "outgoing"}},
            200: {rows.RequestSent: {"status": "accepted", "friend": SHOWN}},
        },
    ),
    SDK.write(
        "friends.acceptRequest",
        "POST /friends/requests/{requestId}/accept",
        rows.OfRequest,
        {200: rows.FriendAdded},
        friends.accept_request,
        FriendRequestNotFound,
        FriendLimitReached,
        summary="Accept an incoming request.",
        ahead=friends.accept_ahead,
        links={200: (Link("friends.remove", "friendExternalId", "friend/externalPlayerId"),)},
    ),
    SDK.write(
        "friends.declineRequest",
        "POST /friends/requests/{requestId}/decline",
        rows.OfRequest,
        {200: rows.FriendRequestEnded},
        friends.decline_request,
        FriendRequestNotFound,
        summary="Decline an incoming request.",
    ),
    SDK.write(
        "friends.cancelRequest",
        "POST /friends/requests/{requestId}/cancel",
        rows.OfRequest,
        {200: rows.FriendRequestEnded},
        friends.cancel_request,
        FriendRequestNotFound,
        summary="Cancel an outgoing request.",
        examples={200: {rows.FriendRequestRow: {"direction": "outgoing"}}},
    ),
    SDK.read(
        "friends.list",
        "/friends",
        rows.ListFriends,
        rows.Friends,
        friends.list_friends,
        ahead=friends.list_ahead,
        summary="List one's friends with presence.",
        links={200: (Link("friends.remove", "friendExternalId", "friends/0/externalPlayerId"),)},
    ),
    SDK.read(
        "friends.listRequests",
        "/friends/requests",
        rows.ListRequests,
        rows.FriendRequests,
        friends.list_requests,
        ahead=friends.list_requests_ahead,
        summary="List one's open requests, both ways.",
        links={
            200: (
                Link("friends.acceptRequest", "requestId", "incoming/0/requestId"),
                Link("friends.declineRequest", "requestId", "incoming/0/requestId"),
                Link("friends.cancelRequest", "requestId", "outgoing/0/requestId"),
            )
        },
    ),
    SDK.read(
        "friends.suggestions",
        "/friends/suggestions",
        rows.Suggest,
        rows.Suggestions,
        suggestions.suggestions,
        ahead=suggestions.suggestions_ahead,
        summary="Draw players who were around lately.",
    ),
    SDK.read(
        "friends.search",
        "/friends/search",
        rows.Search,
        rows.SearchHits,
        discovery.search,
        ahead=discovery.search_ahead,
        summary="Search players by name.",
    ),
    SDK.write(
        "friends.remove",
        "DELETE /friends/{friendExternalId}",
        rows.RemoveFriend,
        {200: rows.FriendRemoved},
        friends.remove,
        FriendNotFound,
        summary="End a friendship.",
    ),
    SDK.write(
        "friends.block",
        "POST /friends/blocks",
        rows.Block,
        {201: rows.Blocked, 200: rows.Blocked},
        _block,
        CannotBlockSelf,
        PlayerNotFound,
        FriendCodeInvalid,
        BlockLimitReached,
        summary="Block somebody.",
        links={201: (Link("friends.unblock", "blockedExternalId", "block/externalPlayerId"),)},
    ),
    SDK.read(
        "friends.listBlocks",
        "/friends/blocks",
        rows.ListBlocks,
        rows.Blocks,
        blocks.list_blocks,
        ahead=blocks.list_ahead,
        summary="List the players one has blocked.",
        links={200: (Link("friends.unblock", "blockedExternalId", "blocks/0/externalPlayerId"),)},
    ),
    SDK.write(
        "friends.unblock",
        "DELETE /friends/blocks/{blockedExternalId}",
        rows.Unblock,
        {200: rows.Unblocked},
        blocks.unblock,
        BlockNotFound,
        summary="Lift one's own block.",
    ),
    SERVER.read(
        "friends.list",
        "/friends",
        rows.ListFriends,
        rows.Friends,
        friends.list_friends,
        ahead=friends.list_ahead,
        summary="List a player's friends with presence.",
    ),
    SERVER.read(
        "friends.listRequests",
        "/friends/requests",
        rows.ListRequests,
        rows.FriendRequests,
        friends.list_requests,
        ahead=friends.list_requests_ahead,
        summary="List a player's open requests, both ways.",
    ),
    SERVER.read(
        "friends.listBlocks",
        "/blocks",
        rows.ListBlocks,
        rows.Blocks,
        blocks.list_blocks,
        ahead=blocks.list_ahead,
        summary="List the players whom a player has blocked.",
    ),
)

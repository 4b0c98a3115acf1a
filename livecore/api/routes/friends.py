"""Friends and blocks on both surfaces."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.api.table.operation import Answer, Link, Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import SHOWN
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

_REQUESTS: Final = (
    "Newest first: all sent and the newest 500 received, or a page of `limit` (1 to 200) of both together, or of those "
    "in one `direction`."
)
_READ_ALONG: Final = "`progression` names up to eight economy keys to read along with each player."
_READ_ALONG_AS_SERVER: Final = (
    "`progression` names up to eight economy keys to read along with each player, public or not."
)


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
            summary="Read one's own friend code.",
            about=(
                "Six characters, which stay the same for life. `progression` names up to eight economy keys to read along."
            ),
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
        about=(
            "Name them by `friend_code` or by `external_player_id`, the studio's id: exactly one of the two. If "
            "they had asked first, the answer's status is `accepted` and the two are friends."
        ),
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
        about="The two are friends from then on. Accepting again changes nothing.",
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
        summary="List one's friends with presence.",
        about=f"Newest first: all of them, or a page of `limit` (1 to 200). {_READ_ALONG}",
        links={200: (Link("friends.remove", "friendExternalId", "friends/0/externalPlayerId"),)},
    ),
    SDK.read(
        "friends.listRequests",
        "/friends/requests",
        rows.ListRequests,
        rows.FriendRequests,
        friends.list_requests,
        summary="List one's open requests, both ways.",
        about=f"{_REQUESTS} {_READ_ALONG}",
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
        summary="Draw players who were around lately.",
        about=(f"They are no friends yet. Each call draws again. `limit` is moved into 1 to 25. {_READ_ALONG}"),
    ),
    SDK.read(
        "friends.search",
        "/friends/search",
        rows.Search,
        rows.SearchHits,
        discovery.search,
        summary="Search players by name.",
        about=(
            "Finds players whose name has a word that begins with `q` (2 to 40 characters), at most `limit` "
            f"(1 to 50) of them. {_READ_ALONG}"
        ),
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
        about=(
            "Name them by `friend_code` or by `external_player_id`, the studio's id: exactly one of the two. A "
            "friendship ends and an open request disappears. Blocking again changes nothing."
        ),
        links={201: (Link("friends.unblock", "blockedExternalId", "block/externalPlayerId"),)},
    ),
    SDK.read(
        "friends.listBlocks",
        "/friends/blocks",
        rows.ListBlocks,
        rows.Blocks,
        blocks.list_blocks,
        summary="List the players one has blocked.",
        about="Newest first: all of them, or a page of `limit` (1 to 200).",
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
        about="A friendship that the block ended stays ended.",
    ),
    SERVER.read(
        "friends.list",
        "/friends",
        rows.ListFriends,
        rows.Friends,
        friends.list_friends,
        summary="List a player's friends with presence.",
        about=f"Newest first: all of them, or a page of `limit` (1 to 200). {_READ_ALONG_AS_SERVER}",
    ),
    SERVER.read(
        "friends.listRequests",
        "/friends/requests",
        rows.ListRequests,
        rows.FriendRequests,
        friends.list_requests,
        summary="List a player's open requests, both ways.",
        about=f"{_REQUESTS} {_READ_ALONG_AS_SERVER}",
    ),
    SERVER.read(
        "friends.listBlocks",
        "/blocks",
        rows.ListBlocks,
        rows.Blocks,
        blocks.list_blocks,
        summary="List the players whom a player has blocked.",
        about="Newest first: all of them, or a page of `limit` (1 to 200).",
    ),
)

# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Friends: codes, requests, the list, search, suggestions and blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from livecore.social.rows import (
    Block,
    Blocked,
    BlockRow,
    Blocks,
    FriendAdded,
    FriendRemoved,
    FriendRequestEnded,
    FriendRequests,
    FriendRow,
    Friends,
    GetCode,
    ListBlocks,
    ListFriends,
    ListRequests,
    OfRequest,
    OwnCode,
    RemoveFriend,
    RequestSent,
    Search,
    SearchHits,
    SendRequest,
    Suggest,
    Suggestions,
    Unblock,
    Unblocked,
)
from livecore_client._arguments import economy_keys
from livecore_client._sync.resource import SdkResource, ServerResource, pages

__all__ = ["SdkFriends", "ServerFriends"]


class SdkFriends(SdkResource):
    """The social graph of the player that the client acts for.

    `progression` names up to eight economy keys to read along with each player.
    """

    def get_code(self, *, progression: Sequence[str] = ()) -> OwnCode:
        """The player's own friend code, six characters that stay the same for life."""
        return self._send("GET", "/friends/code", GetCode(progression=economy_keys(progression)), OwnCode)

    def send_request(
        self,
        *,
        friend_code: str | None = None,
        external_player_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> RequestSent:
        """Ask somebody to be friends, by friend code or by the studio's id: exactly one of the two.

        Where they had asked first, the answer's status is `accepted` and the two are friends. Raises `FriendCodeInvalid`,
        `PlayerNotFound`, `CannotFriendSelf`, `AlreadyFriends`, `PlayerBlocked`, `RequestLimitReached` or
        `FriendLimitReached`.
        """
        arguments = SendRequest(
            friend_code=friend_code, external_player_id=external_player_id, idempotency_key=idempotency_key
        )
        return self._send("POST", "/friends/requests", arguments, RequestSent)

    def accept_request(self, request_id: str, *, idempotency_key: str | None = None) -> FriendAdded:
        """Accept an incoming request. Raises `FriendRequestNotFound` when it is no longer open."""
        arguments = OfRequest(request_id=request_id, idempotency_key=idempotency_key)
        return self._send("POST", "/friends/requests/{requestId}/accept", arguments, FriendAdded)

    def decline_request(self, request_id: str, *, idempotency_key: str | None = None) -> FriendRequestEnded:
        """Decline an incoming request. Raises `FriendRequestNotFound` when it is no longer open."""
        arguments = OfRequest(request_id=request_id, idempotency_key=idempotency_key)
        return self._send("POST", "/friends/requests/{requestId}/decline", arguments, FriendRequestEnded)

    def cancel_request(self, request_id: str, *, idempotency_key: str | None = None) -> FriendRequestEnded:
        """Take back an outgoing request. Raises `FriendRequestNotFound` when it is no longer open."""
        arguments = OfRequest(request_id=request_id, idempotency_key=idempotency_key)
        return self._send("POST", "/friends/requests/{requestId}/cancel", arguments, FriendRequestEnded)

    def list(self, *, progression: Sequence[str] = (), limit: int | None = None, cursor: str | None = None) -> Friends:
        """The player's friends with their presence, newest first: all of them, or a page of `limit` (1 to 200)."""
        arguments = ListFriends(progression=economy_keys(progression), limit=limit, cursor=cursor)
        return self._send("GET", "/friends", arguments, Friends)

    def iterate(self, *, progression: Sequence[str] = (), page_size: int = 100) -> Iterator[FriendRow]:
        """Every friend, newest first, a page at a time."""
        for page in pages(lambda at: self.list(progression=progression, limit=page_size, cursor=at)):
            yield from page.friends

    def list_requests(self, *, progression: Sequence[str] = ()) -> FriendRequests:
        """The player's open requests, both ways."""
        arguments = ListRequests(progression=economy_keys(progression))
        return self._send("GET", "/friends/requests", arguments, FriendRequests)

    def suggestions(self, *, limit: int = 5, progression: Sequence[str] = ()) -> Suggestions:
        """Recently active players who are no friends yet, drawn anew by each call; `limit` is moved into 1 to 25."""
        arguments = Suggest(limit=limit, progression=economy_keys(progression))
        return self._send("GET", "/friends/suggestions", arguments, Suggestions)

    def search(self, q: str, *, limit: int = 20, progression: Sequence[str] = ()) -> SearchHits:
        """Players whose name has a word that begins with `q` (2 to 40 characters), up to `limit` (1 to 50)."""
        arguments = Search(q=q, limit=limit, progression=economy_keys(progression))
        return self._send("GET", "/friends/search", arguments, SearchHits)

    def remove(self, friend_external_id: str, *, idempotency_key: str | None = None) -> FriendRemoved:
        """End a friendship. Raises `FriendNotFound` when there is none."""
        arguments = RemoveFriend(friend_external_id=friend_external_id, idempotency_key=idempotency_key)
        return self._send("DELETE", "/friends/{friendExternalId}", arguments, FriendRemoved)

    def block(
        self,
        *,
        friend_code: str | None = None,
        external_player_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Blocked:
        """Block somebody, by friend code or by the studio's id: exactly one of the two.

        A friendship ends and an open request disappears. Blocking again changes nothing. Raises `FriendCodeInvalid`,
        `PlayerNotFound`, `CannotBlockSelf` or `BlockLimitReached`.
        """
        arguments = Block(
            friend_code=friend_code, external_player_id=external_player_id, idempotency_key=idempotency_key
        )
        return self._send("POST", "/friends/blocks", arguments, Blocked)

    def list_blocks(self, *, limit: int | None = None, cursor: str | None = None) -> Blocks:
        """The blocks that the player set, newest first: all of them, or a page of `limit` (1 to 200)."""
        return self._send("GET", "/friends/blocks", ListBlocks(limit=limit, cursor=cursor), Blocks)

    def iterate_blocks(self, *, page_size: int = 100) -> Iterator[BlockRow]:
        """Every block, newest first, a page at a time."""
        for page in pages(lambda at: self.list_blocks(limit=page_size, cursor=at)):
            yield from page.blocks

    def unblock(self, blocked_external_id: str, *, idempotency_key: str | None = None) -> Unblocked:
        """Lift one's own block; a friendship that it ended stays ended. Raises `BlockNotFound`."""
        arguments = Unblock(blocked_external_id=blocked_external_id, idempotency_key=idempotency_key)
        return self._send("DELETE", "/friends/blocks/{blockedExternalId}", arguments, Unblocked)


class ServerFriends(ServerResource):
    """The social graph of any player, to read.

    `progression` names up to eight economy keys to read along with each player, public or not.
    """

    def list(
        self,
        external_player_id: str,
        *,
        progression: Sequence[str] = (),
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Friends:
        """A player's friends with their presence, newest first: all of them, or a page of `limit` (1 to 200)."""
        arguments = ListFriends(progression=economy_keys(progression), limit=limit, cursor=cursor)
        return self._send(external_player_id, "GET", "/friends", arguments, Friends)

    def iterate(
        self, external_player_id: str, *, progression: Sequence[str] = (), page_size: int = 100
    ) -> Iterator[FriendRow]:
        """Every friend of a player, newest first, a page at a time."""
        for page in pages(
            lambda at: self.list(external_player_id, progression=progression, limit=page_size, cursor=at)
        ):
            yield from page.friends

    def list_requests(self, external_player_id: str, *, progression: Sequence[str] = ()) -> FriendRequests:
        """A player's open requests, both ways."""
        arguments = ListRequests(progression=economy_keys(progression))
        return self._send(external_player_id, "GET", "/friends/requests", arguments, FriendRequests)

    def list_blocks(self, external_player_id: str, *, limit: int | None = None, cursor: str | None = None) -> Blocks:
        """The blocks that a player set, newest first: all of them, or a page of `limit` (1 to 200)."""
        return self._send(external_player_id, "GET", "/blocks", ListBlocks(limit=limit, cursor=cursor), Blocks)

    def iterate_blocks(self, external_player_id: str, *, page_size: int = 100) -> Iterator[BlockRow]:
        """Every block of a player, newest first, a page at a time."""
        for page in pages(lambda at: self.list_blocks(external_player_id, limit=page_size, cursor=at)):
            yield from page.blocks

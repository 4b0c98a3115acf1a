"""Gifts: what may be sent, sending, claiming, and both boxes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from livecore.social.gift_rows import (
    GetGiftCatalog,
    GiftCatalog,
    GiftRow,
    Gifts,
    ListGifts,
    ListGiftsAsServer,
    OfGift,
    OneGift,
    ResourceType,
    SendGift,
)
from livecore_client._async.resource import AsyncSdkResource, AsyncServerResource, pages

__all__ = ["AsyncSdkGifts", "AsyncServerGifts"]


class AsyncSdkGifts(AsyncSdkResource):
    """The gifts of the player that the client acts for."""

    async def catalog(self) -> GiftCatalog:
        """What may be gifted, how much at a time, and how much of today's limit is used."""
        return await self._send("GET", "/friends/gifts/catalog", GetGiftCatalog(), GiftCatalog)

    async def send(
        self,
        *,
        type: ResourceType,  # noqa: A002 - the wire's own name for the field
        resource_key: str,
        amount: int,
        external_player_id: str | None = None,
        friend_code: str | None = None,
        message: str | None = None,
        idempotency_key: str | None = None,
    ) -> OneGift:
        """Send a gift to a friend, named by the studio's id or by friend code: exactly one of the two.

        `message` has at most 200 characters. Raises, in this order of precedence: `CannotGiftSelf`, `GiftingDisabled`,
        `PlayerNotFound` or `FriendCodeInvalid`, `PlayerBlocked`, `NotFriends`, `GiftNotAllowed`, `GiftAmountInvalid`,
        `GiftCooldown`, `GiftLimitReached`, `GiftInsufficientBalance`.
        """
        arguments = SendGift(
            type=type,
            resource_key=resource_key,
            amount=amount,
            external_player_id=external_player_id,
            friend_code=friend_code,
            message=message,
            idempotency_key=idempotency_key,
        )
        return await self._send("POST", "/friends/gifts", arguments, OneGift)

    async def claim(self, gift_id: str, *, idempotency_key: str | None = None) -> OneGift:
        """Open a gift, which credits its contents. Raises `GiftNotFound`, `GrantAlreadyClaimed` or `GiftExpired`."""
        arguments = OfGift(gift_id=gift_id, idempotency_key=idempotency_key)
        return await self._send("POST", "/friends/gifts/{giftId}/claim", arguments, OneGift)

    async def inbox(self, *, pending_only: bool = False, limit: int = 200, cursor: str | None = None) -> Gifts:
        """A page of the gifts received, newest first."""
        arguments = ListGifts(pending_only=pending_only, limit=limit, cursor=cursor)
        return await self._send("GET", "/friends/gifts/inbox", arguments, Gifts)

    async def iterate_inbox(self, *, pending_only: bool = False, page_size: int = 100) -> AsyncIterator[GiftRow]:
        """Every gift received, newest first, a page at a time."""
        async for page in pages(lambda at: self.inbox(pending_only=pending_only, limit=page_size, cursor=at)):
            for row in page.gifts:
                yield row

    async def sent(self, *, pending_only: bool = False, limit: int = 200, cursor: str | None = None) -> Gifts:
        """A page of the gifts sent, newest first."""
        arguments = ListGifts(pending_only=pending_only, limit=limit, cursor=cursor)
        return await self._send("GET", "/friends/gifts/sent", arguments, Gifts)

    async def iterate_sent(self, *, pending_only: bool = False, page_size: int = 100) -> AsyncIterator[GiftRow]:
        """Every gift sent, newest first, a page at a time."""
        async for page in pages(lambda at: self.sent(pending_only=pending_only, limit=page_size, cursor=at)):
            for row in page.gifts:
                yield row


class AsyncServerGifts(AsyncServerResource):
    """The gifts of any player, to read."""

    async def list(
        self,
        external_player_id: str,
        *,
        direction: Literal["received", "sent"] = "received",
        limit: int = 200,
        cursor: str | None = None,
    ) -> Gifts:
        """A page of a player's gift history, newest first, with the state of the grant that delivers each gift.

        Raises `PlayerNotFound`, or `GiftingDisabled` in a game that never enabled gifting.
        """
        arguments = ListGiftsAsServer(direction=direction, limit=limit, cursor=cursor)
        return await self._send(external_player_id, "GET", "/gifts", arguments, Gifts)

    async def iterate(
        self, external_player_id: str, *, direction: Literal["received", "sent"] = "received", page_size: int = 100
    ) -> AsyncIterator[GiftRow]:
        """A player's whole gift history, newest first, a page at a time."""
        async for page in pages(
            lambda at: self.list(external_player_id, direction=direction, limit=page_size, cursor=at)
        ):
            for row in page.gifts:
                yield row

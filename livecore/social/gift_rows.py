"""Gifts on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, Cursor, ExternalPlayerId, Id, IdempotencyKey, Key, Limit, Text
from livecore.social.rows import Counterparty, Direction, FriendCode

ResourceType = Literal["item", "currency"]


@shape
class GetGiftCatalog:
    """What may be gifted in this game, and how much today."""


@shape
class SendGift:
    """A gift to a friend, named by the studio's id or by friend code: exactly one of the two."""

    type: ResourceType
    resource_key: Key
    amount: int
    external_player_id: ExternalPlayerId | None = None
    friend_code: FriendCode | None = None
    message: Annotated[str, Text(0, 200, lines=True)] | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class OfGift:
    """One gift, to claim."""

    gift_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class ListGifts:
    """A gift box, newest first."""

    pending_only: bool = False
    limit: Limit = 200
    cursor: Cursor | None = None


@shape
class ListGiftsAsServer:
    """A player's gift history, newest first."""

    direction: Literal["received", "sent"] = "received"
    limit: Limit = 200
    cursor: Cursor | None = None


@shape
class GiftableResource:
    """One resource on the game's gift list."""

    type: ResourceType
    key: str
    max_amount: int
    costs_sender: bool

    example: ClassVar = {"key": "potion", "max_amount": 5}


@shape
class GiftCatalog:
    """The game's gift list, and how much of today's limit the caller has used (`null`: no limit)."""

    cooldown_seconds: int
    daily_send_limit: int | None
    sent_today: int
    resources: tuple[GiftableResource, ...]

    example: ClassVar = {"cooldown_seconds": 86_400, "daily_send_limit": 10}


@shape
class GiftRow:
    """One gift, seen from one of its two sides."""

    gift_id: str
    grant_id: str
    direction: Direction
    player: Counterparty
    type: ResourceType
    resource_key: str
    amount: int
    message: str | None
    status: Literal["pending", "claimed", "expired"]
    sent_at: Timestamp
    claimed_at: Timestamp | None
    expires_at: Timestamp | None
    grant_status: Literal["pending", "claimed", "expired"] | Absent = ABSENT

    example: ClassVar = {"direction": "incoming", "claimed_at": None}


@shape
class OneGift:
    """A gift that was sent or claimed."""

    gift: GiftRow


@shape
class Gifts:
    """A page of gifts."""

    gifts: tuple[GiftRow, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}

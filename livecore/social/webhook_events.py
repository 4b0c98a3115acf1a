"""Events about friend requests, friendships and gifts (specification 3.1, 3.2 and 6.2)."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload


@shape
class FriendRequestSent(Payload):
    """A pending friend request was created. If the other player had already asked, there is an acceptance instead."""

    kind: ClassVar[str] = "friend.request_sent"
    requester_player_id: ShownPlayerId
    requester_external_player_id: ShownExternalId
    target_player_id: ShownPlayerId
    target_external_player_id: ShownExternalId
    request_id: str
    created_at: Timestamp


@shape
class FriendRequestAccepted(Payload):
    """Two players became friends, once for each new friendship.

    `playerId` is the player who acted last: who accepted, or who asked while a request from the other was open
    (`reciprocal`). `requestId` is the request that was open before.
    """

    kind: ClassVar[str] = "friend.request_accepted"
    request_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    friend_player_id: ShownPlayerId
    friend_external_player_id: ShownExternalId
    reciprocal: bool
    friends_since: Timestamp


@shape
class FriendRemoved(Payload):
    """A friendship ended, because `playerId` removed or blocked the other."""

    kind: ClassVar[str] = "friend.removed"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    friend_player_id: ShownPlayerId
    friend_external_player_id: ShownExternalId
    reason: Literal["removed", "blocked"]
    removed_at: Timestamp


@shape
class GiftSent(Payload):
    """A gift was sent and waits to be claimed; `grant.created` reports the grant that delivers it."""

    kind: ClassVar[str] = "gift.sent"
    gift_id: str
    grant_id: str
    sender_player_id: ShownPlayerId
    sender_external_player_id: ShownExternalId
    recipient_player_id: ShownPlayerId
    recipient_external_player_id: ShownExternalId
    type: Literal["item", "currency"]
    resource_key: str
    amount: int
    deducted_from_sender: bool
    message: str | None
    sent_at: Timestamp
    expires_at: Timestamp | None


@shape
class GiftClaimed(Payload):
    """A gift was claimed by any route, and its contents are credited; `grant.claimed` reports its grant."""

    kind: ClassVar[str] = "gift.claimed"
    gift_id: str
    grant_id: str
    sender_player_id: ShownPlayerId
    sender_external_player_id: ShownExternalId
    recipient_player_id: ShownPlayerId
    recipient_external_player_id: ShownExternalId
    type: Literal["item", "currency"]
    resource_key: str
    amount: int
    claimed_at: Timestamp

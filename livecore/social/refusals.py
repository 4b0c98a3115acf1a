"""The refusals about friends, requests, blocks and gifts, in the order of the statuses.

`livecore.social.gifts` documents the order in which a gift's refusals are checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import BadRequest, Conflict, Forbidden, Gone, Json, NotFound


class CannotFriendSelf(BadRequest):
    """Players cannot send themselves a friend request."""

    code = "cannot_friend_self"
    text = "A player cannot befriend themself."
    remedy = "Name another player."


class CannotBlockSelf(BadRequest):
    """Players cannot block themselves."""

    code = "cannot_block_self"
    text = "A player cannot block themself."
    remedy = "Name another player."


class CannotGiftSelf(BadRequest):
    """Players cannot send themselves a gift."""

    code = "cannot_gift_self"
    text = "A player cannot send themself a gift."
    remedy = "Name another player."


class GiftAmountInvalid(BadRequest):
    """The gift's amount is zero, negative, or above the resource's maximum (`details.maxAmount`)."""

    code = "gift_amount_invalid"
    text = "This amount cannot be sent as a gift."
    remedy = "Send between 1 and `details.maxAmount`."
    example: ClassVar[Mapping[str, Json]] = {"maxAmount": 100}


class PlayerBlocked(Forbidden):
    """One of the two players has blocked the other."""

    code = "player_blocked"
    text = "There is a block between these players."
    remedy = "Nothing can pass between the two until the block is lifted."


class GiftingDisabled(Forbidden):
    """The game has not enabled gifting."""

    code = "gifting_disabled"
    text = "Gifting is not enabled in this game."
    remedy = "Hide gifting in the client, or enable it in the game's configuration."


class NotFriends(Forbidden):
    """Gifts can be sent to accepted friends only."""

    code = "not_friends"
    text = "Gifts can only be sent to friends."
    remedy = "Befriend the player first."


class GiftNotAllowed(Forbidden):
    """The resource cannot be gifted, the target cannot receive, or the cost cannot be taken in a studio-managed game."""

    code = "gift_not_allowed"
    text = "This cannot be sent as a gift."
    named = "{} is not on the game's gift list"
    remedy = "Offer only what the gift catalog lists."


class FriendCodeInvalid(NotFound):
    """No player has this friend code."""

    code = "friend_code_invalid"
    text = "There is no such friend code."
    named = "There is no friend code {}"
    remedy = "Ask for the code again."


class FriendRequestNotFound(NotFound):
    """No open friend request has this id, for this player."""

    code = "friend_request_not_found"
    text = "There is no such open friend request."
    named = "There is no open friend request {}"
    remedy = "Read the open requests again: this one was answered or cancelled, or never existed."


class FriendNotFound(NotFound):
    """The two players are not friends."""

    code = "friend_not_found"
    text = "There is no such friend."
    named = "The player {} is not a friend"
    remedy = "Read the friends again: the friendship has ended."


class BlockNotFound(NotFound):
    """The caller has not blocked this player."""

    code = "block_not_found"
    text = "There is no such block."
    named = "The player {} is not blocked"
    remedy = "Read the blocks again: there is nothing to lift."


class GiftNotFound(NotFound):
    """No such gift for this player."""

    code = "gift_not_found"
    text = "There is no such gift."
    named = "There is no gift {}"
    remedy = "Read the gift box again."


class AlreadyFriends(Conflict):
    """The two players are friends already."""

    code = "already_friends"
    text = "These players are friends already."
    remedy = "Nothing is left to do."


class FriendLimitReached(Conflict):
    """One of the two has as many friends as the game allows (`details.limit`)."""

    code = "friend_limit_reached"
    text = "The friend list is full."
    remedy = "Somebody has to remove a friend first."
    example: ClassVar[Mapping[str, Json]] = {"limit": 500}


class RequestLimitReached(Conflict):
    """The caller has as many open outgoing requests as the game allows (`details.limit`)."""

    code = "request_limit_reached"
    text = "Too many open friend requests."
    remedy = "Cancel an open request first."
    example: ClassVar[Mapping[str, Json]] = {"limit": 100}


class BlockLimitReached(Conflict):
    """The caller has as many blocks as the game allows (`details.limit`)."""

    code = "block_limit_reached"
    text = "The block list is full."
    remedy = "Lift a block first."
    example: ClassVar[Mapping[str, Json]] = {"limit": 500}


class GiftCooldown(Conflict):
    """Too soon to gift this friend again (`details.giftCooldownUntil`)."""

    code = "gift_cooldown"
    text = "It is too soon to send this friend another gift."
    remedy = "Wait until `details.giftCooldownUntil`."
    example: ClassVar[Mapping[str, Json]] = {"giftCooldownUntil": "2026-02-01T09:30:00.000Z"}


class GiftLimitReached(Conflict):
    """The player has sent all gifts of the day (`details`: `dailySendLimit`, `sentToday`, `resetsAt`)."""

    code = "gift_limit_reached"
    text = "The daily gift limit is reached."
    remedy = "Wait until `details.resetsAt`."
    example: ClassVar[Mapping[str, Json]] = {
        "dailySendLimit": 10,
        "sentToday": 10,
        "resetsAt": "2026-02-01T00:00:00.000Z",
    }


class GiftReceiveLimitReached(Conflict):
    """The recipient has received all gifts of the day (`details`: `dailyReceiveLimit`, `resetsAt`)."""

    code = "gift_receive_limit_reached"
    text = "This player cannot receive more gifts today."
    remedy = "Wait until `details.resetsAt`."
    example: ClassVar[Mapping[str, Json]] = {"dailyReceiveLimit": 50, "resetsAt": "2026-02-01T00:00:00.000Z"}


class GiftInsufficientBalance(Conflict):
    """The gift costs the sender, who has too little (`details`: `resource`, `needed`, `have`)."""

    code = "gift_insufficient_balance"
    text = "The sender has too little of this to give."
    remedy = "Offer at most what the sender has."
    example: ClassVar[Mapping[str, Json]] = {"resource": "gold", "needed": 25, "have": 10}


class GiftExpired(Gone):
    """The gift was not claimed in time."""

    code = "gift_expired"
    text = "This gift has expired."
    remedy = "Read the gift box again; the amount of a paid gift has gone back to the sender."

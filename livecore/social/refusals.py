"""What friends, requests, blocks and gifts refuse, in the order of the statuses.

The order in which a gift's refusals are checked stands in `livecore.social.gifts`.
"""

from __future__ import annotations

from livecore.kernel.errors import BadRequest, Conflict, Forbidden, Gone, NotFound

__all__ = [
    "AlreadyFriends",
    "BlockLimitReached",
    "BlockNotFound",
    "CannotBlockSelf",
    "CannotFriendSelf",
    "CannotGiftSelf",
    "FriendCodeInvalid",
    "FriendLimitReached",
    "FriendNotFound",
    "FriendRequestNotFound",
    "GiftAmountInvalid",
    "GiftCooldown",
    "GiftExpired",
    "GiftInsufficientBalance",
    "GiftLimitReached",
    "GiftNotAllowed",
    "GiftNotFound",
    "GiftingDisabled",
    "NotFriends",
    "PlayerBlocked",
    "RequestLimitReached",
]


class CannotFriendSelf(BadRequest):
    """Players cannot send themselves a friend request."""

    code = "cannot_friend_self"
    text = "A player cannot befriend themself."


class CannotBlockSelf(BadRequest):
    """Players cannot block themselves."""

    code = "cannot_block_self"
    text = "A player cannot block themself."


class CannotGiftSelf(BadRequest):
    """Players cannot send themselves a gift."""

    code = "cannot_gift_self"
    text = "A player cannot send themself a gift."


class GiftAmountInvalid(BadRequest):
    """The gift's amount is zero, negative, or above the resource's maximum (`details.maxAmount`)."""

    code = "gift_amount_invalid"
    text = "This amount cannot be sent as a gift."


class PlayerBlocked(Forbidden):
    """One of the two players has blocked the other."""

    code = "player_blocked"
    text = "There is a block between these players."


class GiftingDisabled(Forbidden):
    """The game has not enabled gifting."""

    code = "gifting_disabled"
    text = "Gifting is not enabled in this game."


class NotFriends(Forbidden):
    """Gifts go to accepted friends only."""

    code = "not_friends"
    text = "Gifts can only be sent to friends."


class GiftNotAllowed(Forbidden):
    """The resource cannot be gifted, the target cannot receive, or the cost cannot be taken in a studio-managed game."""

    code = "gift_not_allowed"
    text = "This cannot be sent as a gift."


class FriendCodeInvalid(NotFound):
    """No player has this friend code."""

    code = "friend_code_invalid"
    text = "There is no such friend code."


class FriendRequestNotFound(NotFound):
    """No open friend request has this id, for this player."""

    code = "friend_request_not_found"
    text = "There is no such open friend request."


class FriendNotFound(NotFound):
    """The two players are not friends."""

    code = "friend_not_found"
    text = "There is no such friend."


class BlockNotFound(NotFound):
    """The caller has not blocked this player."""

    code = "block_not_found"
    text = "There is no such block."


class GiftNotFound(NotFound):
    """No such gift for this player."""

    code = "gift_not_found"
    text = "There is no such gift."


class AlreadyFriends(Conflict):
    """The two players are friends already."""

    code = "already_friends"
    text = "These players are friends already."


class FriendLimitReached(Conflict):
    """One of the two has as many friends as the game allows (`details.limit`)."""

    code = "friend_limit_reached"
    text = "The friend list is full."


class RequestLimitReached(Conflict):
    """The caller has as many open outgoing requests as the game allows (`details.limit`)."""

    code = "request_limit_reached"
    text = "Too many open friend requests."


class BlockLimitReached(Conflict):
    """The caller has as many blocks as the game allows (`details.limit`)."""

    code = "block_limit_reached"
    text = "The block list is full."


class GiftCooldown(Conflict):
    """Too soon to gift this friend again (`details.giftCooldownUntil`)."""

    code = "gift_cooldown"
    text = "It is too soon to send this friend another gift."


class GiftLimitReached(Conflict):
    """The day's gifts are all sent (`details`: `dailySendLimit`, `sentToday`, `resetsAt`)."""

    code = "gift_limit_reached"
    text = "The daily gift limit is reached."


class GiftInsufficientBalance(Conflict):
    """The gift costs the sender, who has too little (`details`: `resource`, `needed`, `have`)."""

    code = "gift_insufficient_balance"
    text = "The sender has too little of this to give."


class GiftExpired(Gone):
    """The gift was not claimed in time."""

    code = "gift_expired"
    text = "This gift has expired."

"""Every refusal the service knows, as one tree of typed exceptions.

    Refusal
    ├── BadRequest 400      the request itself is wrong: shape, range, a target that makes no sense
    ├── Unauthorized 401    who is asking is not known
    ├── Forbidden 403       who is asking may not do this
    ├── NotFound 404        no such thing in this game and environment
    ├── Conflict 409        the request is fine, the state is not
    ├── Gone 410            it was there, and its time has passed
    ├── Unprocessable 422   understood and impossible
    ├── RateLimited 429     later
    └── ServerError 5xx     our side

A refusal carries a stable `code` (match on that), a message for people, and optional `details`. Raising one undoes the unit
of work: the transaction's buffered writes are dropped, so a refused request leaves every row as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, TypeAlias

__all__ = ["Json", "JsonObject", "Refusal", "all_refusals", "camel"]

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
"""A JSON value."""
JsonObject: TypeAlias = "dict[str, Json]"
"""A JSON object."""


def camel(name: str) -> str:
    """The wire's spelling of a Python name: `friends_since` is `friendsSince`."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


class Refusal(Exception):
    """A request that is answered with an error; nothing of it takes effect.

    `details` are given as keyword arguments in Python's spelling and shown in the wire's.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = ""
    text: ClassVar[str] = "The request was refused."

    def __init__(self, message: str | None = None, /, **details: Json) -> None:
        super().__init__(message or self.text)
        self.message = message or self.text
        self.details: JsonObject = {camel(name): value for name, value in details.items()}
        self.headers: dict[str, str] = {}

    def envelope(self) -> JsonObject:
        """The body of the answer: `{"error": {code, message, details?}}`."""
        error: JsonObject = {"code": self.code, "message": self.message}
        if self.details:
            error["details"] = self.details
        return {"error": error}


class BadRequest(Refusal):
    """The request itself is wrong."""

    status = 400


class Unauthorized(Refusal):
    """The caller is not known."""

    status = 401


class Forbidden(Refusal):
    """The caller may not do this."""

    status = 403


class NotFound(Refusal):
    """No such thing in this game and environment."""

    status = 404


class Conflict(Refusal):
    """The state of things does not allow it."""

    status = 409


class Gone(Refusal):
    """Its time has passed."""

    status = 410


class Unprocessable(Refusal):
    """Understood, and impossible."""

    status = 422


# -- 400 ------------------------------------------------------------------------------------------------------------------


class ValidationFailed(BadRequest):
    """The request does not have the documented shape; `details.fields` maps each bad field's path to what is wrong."""

    code = "validation_failed"
    text = "The request does not have the documented shape."

    def __init__(self, fields: Mapping[str, str], message: str | None = None) -> None:
        first = next(iter(fields.items()), None)
        super().__init__(message or (f"{first[0]}: {first[1]}" if first else None))
        self.details = {"fields": dict(fields)}


class MalformedJson(BadRequest):
    """The body is not one JSON value of the strict kind: no NaN, no doubled keys, no lone surrogates, at most 64 deep."""

    code = "malformed_json"
    text = "The body is not valid JSON."


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


# -- 401 ------------------------------------------------------------------------------------------------------------------


class ApiKeyMissing(Unauthorized):
    """The request carries no `Authorization: Bearer` API key."""

    code = "api_key_missing"
    text = "Send an API key as 'Authorization: Bearer <key>'."


class ApiKeyInvalid(Unauthorized):
    """The API key is not one of this deployment's."""

    code = "api_key_invalid"
    text = "This API key is not known here."


class ApiKeyRevoked(Unauthorized):
    """The API key was revoked, or its 60 days of grace after a rotation are over."""

    code = "api_key_revoked"
    text = "This API key has been revoked."


class SessionInvalid(Unauthorized):
    """The operator's session is missing, unknown or over."""

    code = "session_invalid"
    text = "Sign in again."


class PlayerSecretInvalid(Unauthorized):
    """`X-Player-Secret` is missing or is not this player's."""

    code = "player_secret_invalid"
    text = "The player secret is missing or wrong."


# -- 403 ------------------------------------------------------------------------------------------------------------------


class WrongPermissionSet(Forbidden):
    """A client key was used on a server route, or a server key on a client route."""

    code = "wrong_permission_set"
    text = "This key's permission set does not cover this route."


class TestEnvironmentOnly(Forbidden):
    """The route or option exists for test keys and test players only."""

    code = "test_environment_only"
    text = "Only a test-environment key may do this."


class PermissionDenied(Forbidden):
    """The member's role does not allow this."""

    code = "permission_denied"
    text = "Your role does not allow this."


class ReadOnlyKey(Forbidden):
    """A read-only personal key was used for a change."""

    code = "read_only_key"
    text = "This key can only read."


class PlayerBanned(Forbidden):
    """The player is banned; reads still work."""

    code = "player_banned"
    text = "This player is banned."


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


# -- 404, 405, 413, 415 ---------------------------------------------------------------------------------------------------


class RouteNotFound(NotFound):
    """No route has this path."""

    code = "route_not_found"
    text = "There is no such route."


class MethodNotAllowed(Refusal):
    """The path exists, the method does not; the `Allow` header lists those that do."""

    status = 405
    code = "method_not_allowed"
    text = "This route does not take this method."


class BodyTooLarge(Refusal):
    """The body is larger than 1 MiB (8 MiB on migration routes)."""

    status = 413
    code = "body_too_large"
    text = "The body is too large."


class UnsupportedMediaType(Refusal):
    """The body is not declared as `application/json`."""

    status = 415
    code = "unsupported_media_type"
    text = "Send the body as application/json."


class PlayerNotFound(NotFound):
    """No such player in this game and environment."""

    code = "player_not_found"
    text = "There is no such player."


class GameNotFound(NotFound):
    """The path names a game that is not the key's."""

    code = "game_not_found"
    text = "There is no such game."


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


class GrantNotFound(NotFound):
    """No such grant for this player."""

    code = "grant_not_found"
    text = "There is no such grant."


class EconomyKeyNotFound(NotFound):
    """The game defines no such economy key."""

    code = "economy_key_not_found"
    text = "The game defines no such economy key."


class ItemNotFound(NotFound):
    """The game defines no such item."""

    code = "item_not_found"
    text = "The game defines no such item."


class WebhookEndpointNotFound(NotFound):
    """No such webhook endpoint."""

    code = "webhook_endpoint_not_found"
    text = "There is no such webhook endpoint."


class WebhookDeliveryNotFound(NotFound):
    """No such webhook delivery."""

    code = "webhook_delivery_not_found"
    text = "There is no such webhook delivery."


class ApiKeyNotFound(NotFound):
    """No such API key in this game."""

    code = "api_key_not_found"
    text = "There is no such API key."


# -- 409, 410, 422 --------------------------------------------------------------------------------------------------------


class IdempotencyConflict(Conflict):
    """The same idempotency key came before with a different request."""

    code = "idempotency_conflict"
    text = "This idempotency key was used for a different request."


class PlayerAlreadyRegistered(Conflict):
    """The player already has a secret; the studio's backend can rotate it."""

    code = "player_already_registered"
    text = "This player is already registered."


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


class GrantAlreadyClaimed(Conflict):
    """The grant has been claimed before."""

    code = "grant_already_claimed"
    text = "This grant has been claimed."


class InsufficientBalance(Conflict):
    """The wallet holds too little (`details`: `resource`, `needed`, `have`)."""

    code = "insufficient_balance"
    text = "The balance is too low."


class InsufficientQuantity(Conflict):
    """The inventory holds too few (`details`: `resource`, `needed`, `have`)."""

    code = "insufficient_quantity"
    text = "There are not enough of this item."


class BalanceOverflow(Conflict):
    """The balance would pass 2^53 - 1."""

    code = "balance_overflow"
    text = "The balance would become too large."


class EconomyNotPlatformManaged(Conflict):
    """The studio keeps this game's wallet and inventory itself."""

    code = "economy_not_platform_managed"
    text = "This game's economy is managed by the studio."


class SystemResourceLocked(Conflict):
    """`sessions` and `login_streak` are counted by the service and cannot be changed."""

    code = "system_resource_locked"
    text = "This resource is counted by the service and cannot be changed."


class GrantExpired(Gone):
    """The grant was not claimed in time."""

    code = "grant_expired"
    text = "This grant has expired."


class GiftExpired(Gone):
    """The gift was not claimed in time."""

    code = "gift_expired"
    text = "This gift has expired."


# -- 429 and 5xx ----------------------------------------------------------------------------------------------------------


class RateLimited(Refusal):
    """Too many requests; `Retry-After` says when to come back, in seconds."""

    status = 429
    code = "rate_limited"
    text = "Too many requests."

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(retry_after_seconds=retry_after_seconds)
        self.headers["Retry-After"] = str(retry_after_seconds)


class InternalError(Refusal):
    """Something broke on our side; `details.requestId` finds it in the log."""

    status = 500
    code = "internal_error"
    text = "Something went wrong on the server."


class Overloaded(Refusal):
    """The server cannot take this now; `Retry-After` says when to come back, in seconds."""

    status = 503
    code = "overloaded"
    text = "The server is overloaded."

    def __init__(self, retry_after_seconds: int = 1) -> None:
        super().__init__()
        self.headers["Retry-After"] = str(retry_after_seconds)


def all_refusals() -> Iterator[type[Refusal]]:
    """Every refusal with a code, in the order of this file."""
    pending: list[type[Refusal]] = [Refusal]
    found: list[type[Refusal]] = []
    while pending:
        kind = pending.pop(0)
        pending.extend(kind.__subclasses__())
        if kind.__dict__.get("code"):
            found.append(kind)
    yield from sorted(found, key=lambda refusal: (refusal.status, refusal.code))

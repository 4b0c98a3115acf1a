"""What the service must look like, written by hand from the specification and the wire contract, never from the code.

`ROUTES` has one line for each operation: method, path, credential, success statuses (the usual one first), what it asks,
what it answers, and the refusals of its own. `ROWS` spells out the objects inside answers, `STATUS_OF` each code's status,
`GENERIC` what every operation of a credential may refuse besides.

Fields are words: `?` may be left out, `name:row` holds that row, `name:row[]` a list of them.
"""

from __future__ import annotations

from typing import Final

import attrs

__all__ = ["BODY", "DOCUMENT", "GENERIC", "ROUTES", "ROWS", "STATUS_OF", "Route"]


@attrs.frozen
class Route:
    """One operation as the specification and the contract show it."""

    operation: str
    method: str
    path: str
    credential: str
    statuses: tuple[int, ...]
    asks: str
    answers: str
    refusals: str = ""

    @property
    def surface(self) -> str:
        """The first part of the path: `sdk`, `server` or `admin`."""
        return self.path.split("/")[1]

    @property
    def id(self) -> str:
        """The operation's name across surfaces."""
        return f"{self.surface}:{self.operation}"

    @property
    def codes(self) -> frozenset[str]:
        """The codes of its own refusals."""
        return frozenset(self.refusals.split())


STATUS_OF: Final[dict[str, int]] = {
    code: status
    for status, codes in {
        400: (
            "validation_failed malformed_json malformed_request cannot_friend_self cannot_block_self cannot_gift_self "
            "gift_amount_invalid unknown_currency"
        ),
        401: "api_key_missing api_key_invalid api_key_revoked session_invalid player_secret_invalid",
        403: (
            "wrong_permission_set test_environment_only permission_denied read_only_key player_banned player_blocked "
            "dashboard_only gifting_disabled not_friends gift_not_allowed"
        ),
        404: (
            "route_not_found player_not_found game_not_found friend_code_invalid friend_request_not_found "
            "friend_not_found block_not_found gift_not_found grant_not_found economy_key_not_found item_not_found "
            "webhook_endpoint_not_found webhook_delivery_not_found api_key_not_found"
        ),
        405: "method_not_allowed",
        408: "body_timeout",
        409: (
            "idempotency_conflict transaction_conflict player_already_registered already_friends friend_limit_reached "
            "request_limit_reached block_limit_reached gift_cooldown gift_limit_reached gift_insufficient_balance "
            "grant_already_claimed insufficient_balance insufficient_quantity balance_overflow economy_not_platform_managed "
            "system_resource_locked webhook_endpoint_key_taken webhook_endpoint_limit_reached webhook_state_conflict"
        ),
        410: "grant_expired gift_expired",
        413: "body_too_large",
        415: "unsupported_media_type",
        422: "invalid_merge",
        429: "rate_limited",
        500: "internal_error",
        503: "overloaded not_ready",
    }.items()
    for code in codes.split()
}

_ALWAYS: Final = "validation_failed internal_error overloaded"
_KEY: Final = f"{_ALWAYS} api_key_missing api_key_invalid api_key_revoked wrong_permission_set rate_limited"
GENERIC: Final[dict[str, frozenset[str]]] = {
    "none": frozenset(_ALWAYS.split()),
    "client_key": frozenset(_KEY.split()),
    "player": frozenset(f"{_KEY} player_secret_invalid player_not_found".split()),
    "server_key": frozenset(_KEY.split()),
}
"""What is refused whatever the operation does; with a body come `BODY`, with an idempotency key `idempotency_conflict`."""
BODY: Final = frozenset({"malformed_json", "body_too_large", "unsupported_media_type", "body_timeout"})

ROWS: Final[dict[str, str]] = {
    "identity": "name avatar country",
    "ref": "playerId externalPlayerId",
    "counterparty": "externalPlayerId displayIdentity:identity",
    "friend": (
        "externalPlayerId displayIdentity:identity friendsSince online lastActiveAt status giftCooldownUntil? progression?"
    ),
    "suggestion": "externalPlayerId displayIdentity:identity online lastActiveAt status progression?",
    "hit": "externalPlayerId displayIdentity:identity relationship progression?",
    "request": "requestId direction player:counterparty createdAt progression?",
    "block": "externalPlayerId displayIdentity:identity blockedAt",
    "gift": (
        "giftId grantId direction player:counterparty type resourceKey amount message status sentAt claimedAt expiresAt "
        "grantStatus?"
    ),
    "giftable": "type key maxAmount costsSender",
    "entry": "type resourceKey amount parameters?",
    "grant": (
        "grantId status kind entries:entry[] sourceKind sourceRefId metadata createdAt expiresAt claimedAt ackedBy"
    ),
    "balance": "key kind balance",
    "item": "itemKey quantity parameters?",
    "platform": "key registered",
    "streak": "current best",
    "ban": "reason bannedAt",
    "purchase": (
        "purchaseId transactionId store productId productType amountMinor currency normalizedAmountMinor fxRate "
        "validationStatus purchasedAt metadata"
    ),
    "failure": "index idempotencyKey code message details",
    "window": "days amountMinor purchaseCount",
    "spender": "playerId externalPlayerId displayIdentity:identity amountMinor purchaseCount lastPurchaseAt",
    "product": "productId amountMinor purchaseCount",
    "day": "date amountMinor purchaseCount payingPlayers",
    "details": (
        "id externalPlayerId firstSeenAt lastSeenAt lastContextSnapshot displayIdentity:identity "
        "anonymizedIdentity:identity country platform:platform appVersion sessions loginStreak:streak ban:ban debug "
        "debugReason?"
    ),
    "summary": "attemptCount attemptsCompleted attemptsExpired grantsPending grantsClaimed lobbiesActive",
    "presence": "online lastActiveAt status",
    "exported": (
        "id externalPlayerId firstSeenAt lastSeenAt lastContextSnapshot displayIdentity:identity "
        "anonymizedIdentity:identity country platform:platform appVersion sessions loginStreak:streak ban:ban debug "
        "debugReason? friendCode presence:presence registeredAt secretPrefix secretRotatedAt"
    ),
    "posting": "entryId type resourceKey delta balance reason sourceRefId at",
    "exportedFriend": "playerId friendsSince",
    "exportedRequest": "requestId direction playerId createdAt",
    "exportedBlock": "playerId blockedAt",
    "exportedGift": (
        "giftId grantId direction playerId type resourceKey amount message status sentAt claimedAt expiresAt"
    ),
}

_P: Final = "/sdk/v1/players/{externalId}"
_S: Final = "/server/v1/players/{externalId}"
_KEYED: Final = "idempotencyKey?"
_TARGET: Final = "player_not_found friend_code_invalid"
_WALLET: Final = "economy_key_not_found system_resource_locked economy_not_platform_managed"
_ITEMS: Final = "item_not_found economy_not_platform_managed"
_WHO: Final = "friendCode? externalPlayerId?"
_PAGE: Final = "limit? cursor?"
_BALANCE: Final = "economyKey balance delta entryId"
_QUANTITY: Final = "itemKey quantity delta entryId"
_BOUGHT: Final = "transactionId store productId productType amountMinor currency purchasedAt? metadata?"
_TRACKED: Final = "purchase:purchase lifetimeAmountMinor purchaseCount"
_REFUSED_PURCHASE: Final = "unknown_currency transaction_conflict idempotency_conflict balance_overflow"
_MIGRATED: Final = "received applied replayed failed failures:failure[]"
DOCUMENT: Final = "the document itself, without the envelope"
_SOURCE: Final = f"reason? sourceRefId? {_KEYED}"

_CLIENT: Final = (
    Route("players.register", "POST", f"{_P}/register", "client_key", (201, 200),
          f"force? playerContext? {_KEYED}",
          ("playerSecret player:ref country syntheticIdentity:identity displayIdentity:identity "
           "anonymizedIdentity:identity"),
          "test_environment_only player_banned idempotency_conflict player_already_registered"),
    Route("players.setIdentity", "PUT", f"{_P}/identity", "player", (200,),
          f"name avatar? {_KEYED}", "displayIdentity:identity", "player_banned"),
    Route("players.getProfile", "GET", f"{_P}/profile", "player", (200,), "",
          ("playerId externalPlayerId displayIdentity:identity anonymizedIdentity:identity syntheticIdentity:identity "
           "country platform:platform appVersion sessions loginStreak:streak firstSeenAt lastSeenAt")),
    Route("presence.heartbeat", "POST", f"{_P}/presence", "player", (200,),
          f"status? {_KEYED}", "online lastActiveAt status", "player_banned"),
    Route("friends.getCode", "GET", f"{_P}/friends/code", "player", (200,),
          "progression?", "friendCode displayIdentity:identity progression?"),
    Route("friends.sendRequest", "POST", f"{_P}/friends/requests", "player", (201, 200),
          f"{_WHO} {_KEYED}", "status request?:request friend?:friend",
          (f"player_banned cannot_friend_self {_TARGET} player_blocked already_friends friend_limit_reached "
           "request_limit_reached")),
    Route("friends.acceptRequest", "POST", f"{_P}/friends/requests/{{requestId}}/accept", "player", (200,),
          f"requestId {_KEYED}", "friend:friend", "player_banned friend_request_not_found friend_limit_reached"),
    Route("friends.declineRequest", "POST", f"{_P}/friends/requests/{{requestId}}/decline", "player", (200,),
          f"requestId {_KEYED}", "request:request", "player_banned friend_request_not_found"),
    Route("friends.cancelRequest", "POST", f"{_P}/friends/requests/{{requestId}}/cancel", "player", (200,),
          f"requestId {_KEYED}", "request:request", "player_banned friend_request_not_found"),
    Route("friends.list", "GET", f"{_P}/friends", "player", (200,),
          f"progression? {_PAGE}", "friends:friend[] nextCursor"),
    Route("friends.listRequests", "GET", f"{_P}/friends/requests", "player", (200,),
          "progression?", "incoming:request[] outgoing:request[]"),
    Route("friends.suggestions", "GET", f"{_P}/friends/suggestions", "player", (200,),
          "limit? progression?", "suggestions:suggestion[]"),
    Route("friends.search", "GET", f"{_P}/friends/search", "player", (200,),
          "q limit? progression?", "players:hit[]"),
    Route("friends.remove", "DELETE", f"{_P}/friends/{{friendExternalId}}", "player", (200,),
          f"friendExternalId {_KEYED}", "removed", "player_banned friend_not_found"),
    Route("friends.block", "POST", f"{_P}/friends/blocks", "player", (201, 200),
          f"{_WHO} {_KEYED}", "block:block", f"player_banned cannot_block_self {_TARGET} block_limit_reached"),
    Route("friends.listBlocks", "GET", f"{_P}/friends/blocks", "player", (200,), _PAGE, "blocks:block[] nextCursor"),
    Route("friends.unblock", "DELETE", f"{_P}/friends/blocks/{{blockedExternalId}}", "player", (200,),
          f"blockedExternalId {_KEYED}", "unblocked", "player_banned block_not_found"),
    Route("gifts.catalog", "GET", f"{_P}/friends/gifts/catalog", "player", (200,),
          "", "cooldownSeconds dailySendLimit sentToday resources:giftable[]"),
    Route("gifts.send", "POST", f"{_P}/friends/gifts", "player", (201,),
          f"type resourceKey amount {_WHO} message? {_KEYED}", "gift:gift",
          (f"player_banned cannot_gift_self gifting_disabled {_TARGET} player_blocked not_friends gift_not_allowed "
           "gift_amount_invalid gift_cooldown gift_limit_reached gift_insufficient_balance")),
    Route("gifts.claim", "POST", f"{_P}/friends/gifts/{{giftId}}/claim", "player", (200,),
          f"giftId {_KEYED}", "gift:gift",
          "player_banned gifting_disabled gift_not_found grant_already_claimed gift_expired balance_overflow"),
    Route("gifts.inbox", "GET", f"{_P}/friends/gifts/inbox", "player", (200,),
          f"pendingOnly? {_PAGE}", "gifts:gift[] nextCursor", "gifting_disabled"),
    Route("gifts.sent", "GET", f"{_P}/friends/gifts/sent", "player", (200,),
          f"pendingOnly? {_PAGE}", "gifts:gift[] nextCursor", "gifting_disabled"),
    Route("wallet.get", "GET", f"{_P}/wallet", "player", (200,), "", "balances:balance[]"),
    Route("wallet.debit", "POST", f"{_P}/wallet/{{economyKey}}/debit", "player", (200,),
          f"economyKey amount reason? {_KEYED}", _BALANCE, f"player_banned {_WALLET} insufficient_balance"),
    Route("inventory.get", "GET", f"{_P}/inventory", "player", (200,), "", "items:item[]"),
    Route("inventory.consume", "POST", f"{_P}/inventory/{{itemKey}}/consume", "player", (200,),
          f"itemKey quantity reason? {_KEYED}", _QUANTITY, f"player_banned {_ITEMS} insufficient_quantity"),
    Route("grants.listPending", "GET", f"{_P}/pending-grants", "player", (200,), _PAGE, "grants:grant[] nextCursor"),
    Route("grants.claim", "POST", f"{_P}/grants/{{grantId}}/claim", "player", (200,),
          f"grantId {_KEYED}", "grant:grant",
          "player_banned grant_not_found grant_already_claimed grant_expired gift_expired balance_overflow"),
    Route("purchases.track", "POST", f"{_P}/purchases", "player", (200,),
          f"{_BOUGHT} {_KEYED}", _TRACKED, f"player_banned {_REFUSED_PURCHASE}"),
    Route("openapi.get", "GET", "/sdk/v1/openapi.json", "none", (200,), "", DOCUMENT, "rate_limited"),
)  # fmt: skip

_SERVER: Final = (
    Route("ping", "GET", "/server/v1/ping", "server_key", (200,), "", "ok gameId environment apiKeyPrefix serverTime"),
    Route("grants.create", "POST", f"{_S}/grants", "server_key", (201, 200),
          "idempotencyKey entries:entry[] kind? expiresAt? sourceKind? sourceRefId? metadata?", "grant:grant",
          "system_resource_locked"),
    Route("grants.ack", "POST", f"{_S}/grants/{{grantId}}/ack", "server_key", (200,),
          f"grantId {_KEYED}", "grant:grant",
          "player_not_found grant_not_found grant_expired gift_expired balance_overflow"),
    Route("players.get", "GET", _S, "server_key", (200,),
          "limit?", "player:details attempts grants:grant[] lobbies summary:summary",
          "player_not_found"),
    Route("players.merge", "POST", f"{_S}/merge-into/{{toExternalId}}", "server_key", (200,),
          f"toExternalId {_KEYED}", "status fromPlayerId toPlayerId anonymizedExternalPlayerId",
          "player_not_found invalid_merge"),
    Route("players.erase", "POST", f"{_S}/delete", "server_key", (200,),
          f"reason? {_KEYED}", "status anonymizedExternalId"),
    Route("players.export", "GET", f"{_S}/export", "server_key", (200,),
          "list? cursor?",
          ("exportedAt player:exported attempts grants:grant[] inventory:item[] wallet:balance[] ledger:posting[] lobbies "
           "friends:exportedFriend[] friendRequests:exportedRequest[] blocks:exportedBlock[] gifts:exportedGift[] "
           "purchases:purchase[] truncated cursors"),
          "player_not_found"),
    Route("players.ban", "POST", f"{_S}/ban", "server_key", (200,),
          f"reason {_KEYED}", "applied banned reason bannedAt", "player_not_found"),
    Route("players.unban", "POST", f"{_S}/unban", "server_key", (200,),
          _KEYED, "applied banned reason bannedAt", "player_not_found"),
    Route("players.flagDebug", "POST", f"{_S}/debug", "server_key", (200,),
          f"reason? {_KEYED}", "applied debug reason?", "player_not_found"),
    Route("players.unflagDebug", "DELETE", f"{_S}/debug", "server_key", (200,),
          _KEYED, "applied debug reason?", "player_not_found"),
    Route("friends.list", "GET", f"{_S}/friends", "server_key", (200,),
          f"progression? {_PAGE}", "friends:friend[] nextCursor", "player_not_found"),
    Route("friends.listRequests", "GET", f"{_S}/friends/requests", "server_key", (200,),
          "progression?", "incoming:request[] outgoing:request[]", "player_not_found"),
    Route("friends.listBlocks", "GET", f"{_S}/blocks", "server_key", (200,),
          _PAGE, "blocks:block[] nextCursor", "player_not_found"),
    Route("gifts.list", "GET", f"{_S}/gifts", "server_key", (200,),
          f"direction? {_PAGE}", "gifts:gift[] nextCursor", "player_not_found gifting_disabled"),
    Route("players.setIdentity", "PUT", f"{_S}/identity", "server_key", (200,),
          f"name? avatar? country? {_KEYED}", "displayIdentity:identity", "player_not_found"),
    Route("players.rotateSecret", "POST", f"{_S}/rotate-secret", "server_key", (200,),
          _KEYED, "playerSecret secretPrefix secretRotatedAt", "player_not_found idempotency_conflict"),
    Route("wallet.get", "GET", f"{_S}/wallet", "server_key", (200,), "", "balances:balance[]", "player_not_found"),
    Route("wallet.credit", "POST", f"{_S}/wallet/{{economyKey}}/credit", "server_key", (200,),
          f"economyKey amount {_SOURCE}", _BALANCE, f"player_not_found {_WALLET} balance_overflow"),
    Route("wallet.debit", "POST", f"{_S}/wallet/{{economyKey}}/debit", "server_key", (200,),
          f"economyKey amount {_SOURCE}", _BALANCE, f"player_not_found {_WALLET} insufficient_balance"),
    Route("inventory.get", "GET", f"{_S}/inventory", "server_key", (200,), "", "items:item[]", "player_not_found"),
    Route("inventory.grant", "POST", f"{_S}/inventory/{{itemKey}}/grant", "server_key", (200,),
          f"itemKey quantity parameters? {_SOURCE}", _QUANTITY, f"player_not_found {_ITEMS} balance_overflow"),
    Route("inventory.revoke", "POST", f"{_S}/inventory/{{itemKey}}/revoke", "server_key", (200,),
          f"itemKey quantity {_SOURCE}", _QUANTITY, f"player_not_found {_ITEMS} insufficient_quantity"),
    Route("purchases.list", "GET", f"{_S}/purchases", "server_key", (200,),
          _PAGE, "purchases:purchase[] nextCursor", "player_not_found"),
    Route("purchases.track", "POST", f"{_S}/purchases", "server_key", (200,),
          f"{_BOUGHT} validationStatus? {_KEYED}", _TRACKED, f"player_not_found {_REFUSED_PURCHASE}"),
    Route("spend.get", "GET", f"{_S}/spend", "server_key", (200,),
          "windows?", "lifetimeAmountMinor purchaseCount firstPurchaseAt lastPurchaseAt windows:window[]",
          "player_not_found"),
    Route("spend.listPlayers", "GET", "/server/v1/spend/players", "server_key", (200,),
          "minAmountMinor? windowDays? limit? offset?", "players:spender[] total limit offset"),
    Route("spend.summary", "GET", "/server/v1/spend/summary", "server_key", (200,),
          "from? to?",
          ("from to grossAmountMinor purchaseCount payingPlayers arppuMinor products:product[] days:day[]")),
    Route("migrate.players", "POST", "/server/v1/migrate/players", "server_key", (200,),
          f"rows emitWebhooks? {_KEYED}", _MIGRATED),
    Route("migrate.wallet", "POST", "/server/v1/migrate/wallet", "server_key", (200,),
          f"rows emitWebhooks? {_KEYED}", _MIGRATED),
    Route("migrate.inventory", "POST", "/server/v1/migrate/inventory", "server_key", (200,),
          f"rows emitWebhooks? {_KEYED}", _MIGRATED),
    Route("openapi.get", "GET", "/server/v1/openapi.json", "none", (200,), "", DOCUMENT, "rate_limited"),
)  # fmt: skip

_ADMIN: Final = (Route("health", "GET", "/admin/v1/health", "none", (200,), "", "status"),)

ROUTES: Final = (*_CLIENT, *_SERVER, *_ADMIN)

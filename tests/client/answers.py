"""Answers of the service, written by hand from the specification and the wire contract: the oracle for reading them."""

from __future__ import annotations

from typing import TypeAlias

__all__ = [
    "ANSWERS",
    "SPENDER",
    "Json",
    "JsonObject",
    "block",
    "export",
    "friend",
    "gift",
    "grant",
    "purchase",
]

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
JsonObject: TypeAlias = "dict[str, Json]"

NOON = "2026-01-31T12:00:00.000Z"
IDENTITY: JsonObject = {"name": "Brisk Otter", "avatar": None, "country": "SE"}
COUNTERPARTY: JsonObject = {"externalPlayerId": "bea", "displayIdentity": IDENTITY}
FRIEND_REQUEST: JsonObject = {
    "requestId": "frq_01JZ0000000000000000000000",
    "direction": "outgoing",
    "player": COUNTERPARTY,
    "createdAt": NOON,
}
REWARD: JsonObject = {"type": "item", "resourceKey": "potion", "amount": 2, "parameters": {"level": 3}}


def friend(external_player_id: str = "bea") -> JsonObject:
    """A friend row (specification 2.5), without the optional fields."""
    return {
        "externalPlayerId": external_player_id,
        "displayIdentity": IDENTITY,
        "friendsSince": NOON,
        "online": True,
        "lastActiveAt": NOON,
        "status": "In the lobby",
    }


def block(external_player_id: str = "cid") -> JsonObject:
    """A block row (2.9, with the id that the wire contract adds)."""
    return {"externalPlayerId": external_player_id, "displayIdentity": IDENTITY, "blockedAt": NOON}


def gift(gift_id: str = "01900000-0000-7000-8000-000000000001") -> JsonObject:
    """A gift (2.11)."""
    return {
        "giftId": gift_id,
        "grantId": "01900000-0000-7000-8000-000000000002",
        "direction": "outgoing",
        "player": COUNTERPARTY,
        "type": "currency",
        "resourceKey": "gold",
        "amount": 25,
        "message": None,
        "status": "pending",
        "sentAt": NOON,
        "claimedAt": None,
        "expiresAt": NOON,
    }


def grant(grant_id: str = "01900000-0000-7000-8000-000000000002") -> JsonObject:
    """A grant, as the wire contract lists its fields."""
    return {
        "grantId": grant_id,
        "status": "pending",
        "kind": "reward",
        "entries": [REWARD],
        "sourceKind": "api",
        "sourceRefId": None,
        "metadata": {"season": 4},
        "createdAt": NOON,
        "expiresAt": None,
        "claimedAt": None,
        "ackedBy": None,
    }


SUGGESTION: JsonObject = {name: value for name, value in friend().items() if name != "friendsSince"}
HIT: JsonObject = {"externalPlayerId": "bea", "displayIdentity": IDENTITY, "relationship": "none"}


def purchase(purchase_id: str = "pur_1") -> JsonObject:
    """A purchase."""
    return {
        "purchaseId": purchase_id,
        "transactionId": "t1",
        "store": "app_store",
        "productId": "gems",
        "productType": "consumable",
        "amountMinor": 999,
        "currency": "EUR",
        "normalizedAmountMinor": 1079,
        "fxRate": 1.08,
        "validationStatus": "unverified",
        "purchasedAt": NOON,
        "metadata": {"shop": "start"},
    }


PLAYER: JsonObject = {
    "id": "plr_1", "externalPlayerId": "anna", "firstSeenAt": NOON, "lastSeenAt": NOON,
    "lastContextSnapshot": {"level": 7}, "displayIdentity": IDENTITY, "anonymizedIdentity": IDENTITY,
    "country": "SE", "platform": {"key": "ios", "registered": True}, "appVersion": "1.4.0", "sessions": 3,
    "loginStreak": {"current": 2, "best": 9}, "ban": {"reason": "cheating", "bannedAt": NOON}, "debug": False,
}  # fmt: skip
SPENDER: JsonObject = {
    "playerId": "plr_1", "externalPlayerId": "anna", "displayIdentity": IDENTITY, "amountMinor": 1079,
    "purchaseCount": 1, "lastPurchaseAt": NOON,
}  # fmt: skip
LISTS = (
    "attempts", "grants", "inventory", "wallet", "ledger", "lobbies", "friends", "friendRequests", "blocks", "gifts",
    "purchases",
)  # fmt: skip


def export(**lists: list[Json]) -> JsonObject:
    """An export with these lists, the others empty."""
    empty: JsonObject = {name: [] for name in LISTS}
    return {
        "exportedAt": NOON,
        "player": {
            **PLAYER, "friendCode": "K7RWQ2", "presence": {"online": True, "lastActiveAt": NOON, "status": None},
            "registeredAt": NOON, "secretPrefix": "lcs_ab", "secretRotatedAt": None,
        },
        **empty, **lists,
        "truncated": dict.fromkeys(LISTS, False), "cursors": dict.fromkeys(LISTS),
    }  # fmt: skip


ANSWERS: dict[str, JsonObject] = {
    "registered": {
        "playerSecret": "lcs_new",
        "player": {"playerId": "plr_01JZ0000000000000000000000", "externalPlayerId": "anna"},
        "country": "SE",
        "syntheticIdentity": IDENTITY,
        "displayIdentity": IDENTITY,
        "anonymizedIdentity": IDENTITY,
    },
    "identity": {"displayIdentity": IDENTITY},
    "profile": {
        "playerId": "plr_01JZ0000000000000000000000",
        "externalPlayerId": "anna",
        "displayIdentity": IDENTITY,
        "anonymizedIdentity": IDENTITY,
        "syntheticIdentity": IDENTITY,
        "country": None,
        "platform": {"key": "linux", "registered": True},
        "appVersion": "1.4.0",
        "sessions": 3,
        "loginStreak": {"current": 2, "best": 5},
        "firstSeenAt": NOON,
        "lastSeenAt": NOON,
    },
    "presence": {"online": True, "lastActiveAt": NOON, "status": None},
    "code": {"friendCode": "K7RWQ2", "displayIdentity": IDENTITY, "progression": {"xp": 0}},
    "request_sent": {"status": "pending", "request": FRIEND_REQUEST},
    "request_met": {"status": "accepted", "friend": friend()},
    "friend": {"friend": friend()},
    "request": {"request": FRIEND_REQUEST},
    "friends": {"friends": [friend()], "nextCursor": None},
    "requests": {"incoming": [], "outgoing": [FRIEND_REQUEST]},
    "suggestions": {"suggestions": [SUGGESTION]},
    "hits": {"players": [HIT]},
    "removed": {"removed": True},
    "block": {"block": block()},
    "blocks": {"blocks": [block()], "nextCursor": None},
    "unblocked": {"unblocked": True},
    "catalog": {
        "cooldownSeconds": 86400,
        "dailySendLimit": None,
        "sentToday": 0,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
    "gift": {"gift": gift()},
    "gifts": {"gifts": [gift()], "nextCursor": None},
    "gifts_for_server": {"gifts": [{**gift(), "grantStatus": "pending"}], "nextCursor": None},
    "wallet": {"balances": [{"key": "gold", "kind": "currency", "balance": 75}]},
    "wallet_change": {
        "economyKey": "gold",
        "balance": 50,
        "delta": -25,
        "entryId": "01900000-0000-7000-8000-000000000003",
    },
    "inventory": {"items": [{"itemKey": "potion", "quantity": 2, "parameters": {"level": 3}}]},
    "item_change": {
        "itemKey": "potion",
        "quantity": 1,
        "delta": -1,
        "entryId": "01900000-0000-7000-8000-000000000004",
    },
    "grant": {"grant": grant()},
    "grants": {"grants": [grant()], "nextCursor": None},
    "pong": {
        "ok": True,
        "gameId": "gam_01JZ0000000000000000000000",
        "environment": "test",
        "apiKeyPrefix": "lc_test_server_abc",
        "serverTime": NOON,
    },
    "player": {
        "player": PLAYER,
        "attempts": [],
        "grants": [grant()],
        "lobbies": [],
        "summary": {
            "attemptCount": 0,
            "attemptsCompleted": 0,
            "attemptsExpired": 0,
            "grantsPending": 1,
            "grantsClaimed": 0,
            "lobbiesActive": 0,
        },
    },
    "tracked": {"purchase": purchase(), "lifetimeAmountMinor": 1079, "purchaseCount": 1},
    "purchases": {"purchases": [purchase()], "nextCursor": None},
    "spend": {
        "lifetimeAmountMinor": 1079,
        "purchaseCount": 1,
        "firstPurchaseAt": NOON,
        "lastPurchaseAt": NOON,
        "windows": [{"days": 7, "amountMinor": 1079, "purchaseCount": 1}],
    },
    "spenders": {
        "players": [SPENDER],
        "total": 1,
        "limit": 50,
        "offset": 0,
    },
    "revenue": {
        "from": "2026-01-31",
        "to": "2026-02-01",
        "grossAmountMinor": 1079,
        "purchaseCount": 1,
        "payingPlayers": 1,
        "arppuMinor": 1079,
        "products": [{"productId": "gems", "amountMinor": 1079, "purchaseCount": 1}],
        "days": [{"date": "2026-01-31", "amountMinor": 1079, "purchaseCount": 1, "payingPlayers": 1}],
    },
    "merged": {
        "status": "merged",
        "fromPlayerId": "plr_1",
        "toPlayerId": "plr_2",
        "anonymizedExternalPlayerId": "__merged_0190__",
    },
    "erased": {"status": "erased", "anonymizedExternalId": "__deleted_0190__"},
    "never_existed": {"status": "no_op_never_existed", "anonymizedExternalId": None},
    "export": export(),
    "migrated": {
        "received": 2,
        "applied": 1,
        "replayed": 0,
        "failed": 1,
        "failures": [
            {
                "index": 1,
                "idempotencyKey": "m2",
                "code": "item_not_found",
                "message": "The game defines no such item.",
                "details": None,
            }
        ],
    },
    "banned": {"applied": True, "banned": True, "reason": "cheating", "bannedAt": NOON},
    "unbanned": {"applied": False, "banned": False, "reason": None, "bannedAt": None},
    "debug": {"applied": True, "debug": True},
    "rotated": {"playerSecret": "lcs_new", "secretPrefix": "lcs_ne", "secretRotatedAt": NOON},
}
"""The `data` of each answer by a name of ours."""

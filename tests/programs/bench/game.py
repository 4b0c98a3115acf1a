"""The game that is measured, and the requests that its players send."""

from __future__ import annotations

import json
from typing import Final

from livecore.kernel.errors import Json
from tests.programs.bench.load import wire_request

ARENA: Final[dict[str, Json]] = {
    "key": "arena",
    "name": "Arena",
    "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 315360000, "durationSeconds": 315360000},
    "metrics": [{"key": "points"}],
    "lobby": {"capacity": 8, "fillSeconds": 86400},
}
"""An event that is played in lobbies, whose window is open for years."""

CONFIG: Final[dict[str, Json]] = {
    "name": "Bench",
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency"}, {"key": "xp", "kind": "progression"}],
    "items": [{"key": "potion"}],
    "crates": [
        {
            "key": "chest",
            "name": "Chest",
            "guaranteed": [{"type": "currency", "resourceKey": "gold", "amount": 10}],
            "rolls": [
                {
                    "rows": [
                        {"weight": 9, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]},
                        {"weight": 1, "entries": [{"type": "item", "resourceKey": "potion", "amount": 10}]},
                    ],
                    "pity": {"after": 19, "row": 1},
                }
            ],
        }
    ],
    "guilds": {
        "enabled": True,
        "help": {
            "resources": [
                {"type": "currency", "key": "gold", "maxRequest": 10**9, "maxDonation": 10**9, "costsDonor": True}
            ]
        },
    },
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 0,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
    "events": [ARENA],
}
"""A platform-managed game in which a gift of gold costs the sender, without a cooldown so that it can be repeated."""


RACE: Final[dict[str, Json]] = {
    "key": "race",
    "name": "Race",
    "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 315360000, "durationSeconds": 315360000},
    "metrics": [{"key": "points"}],
}
"""An event whose window is open for years."""


def _headers(key: str, secret: str | None = None, idempotency_key: str | None = None) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {key}"}
    if secret is not None:
        headers["X-Player-Secret"] = secret
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    return headers


def register(key: str, player: str) -> bytes:
    """First contact."""
    return wire_request("POST", f"/sdk/v1/players/{player}/register", _headers(key), b"{}")


def profile(key: str, player: str, secret: str) -> bytes:
    """A player's own profile."""
    return wire_request("GET", f"/sdk/v1/players/{player}/profile", _headers(key, secret))


def friends(key: str, player: str, secret: str) -> bytes:
    """A player's list of friends."""
    return wire_request("GET", f"/sdk/v1/players/{player}/friends", _headers(key, secret))


def add(key: str, player: str, secret: str, target: str) -> bytes:
    """A friend request."""
    body = json.dumps({"externalPlayerId": target}).encode()
    headers = _headers(key, secret, f"add-{player}-{target}")
    return wire_request("POST", f"/sdk/v1/players/{player}/friends/requests", headers, body)


def credit(key: str, player: str, amount: int, number: int = 0) -> bytes:
    """Gold from the studio's backend."""
    body = json.dumps({"amount": amount}).encode()
    headers = _headers(key, idempotency_key=f"credit-{player}-{number}")
    return wire_request("POST", f"/server/v1/players/{player}/wallet/gold/credit", headers, body)


def send_gift(key: str, player: str, secret: str, target: str, number: int) -> bytes:
    """A gift that costs the sender."""
    body = json.dumps({"externalPlayerId": target, "type": "currency", "resourceKey": "gold", "amount": 1}).encode()
    headers = _headers(key, secret, f"gift-{player}-{number}")
    return wire_request("POST", f"/sdk/v1/players/{player}/friends/gifts", headers, body)


def claim(key: str, player: str, secret: str, gift_id: str) -> bytes:
    """The claim of a gift."""
    path = f"/sdk/v1/players/{player}/friends/gifts/{gift_id}/claim"
    return wire_request("POST", path, _headers(key, secret, f"claim-{gift_id}"), b"{}")


def give_crate(key: str, player: str, number: int) -> bytes:
    """A crate from the studio, which names the player as its reason."""
    crate = {"type": "crate", "resourceKey": "chest", "amount": 1}
    given = {"idempotencyKey": f"crate-{number}", "kind": "crate", "entries": [crate], "sourceRefId": player}
    return wire_request("POST", f"/server/v1/players/{player}/grants", _headers(key), json.dumps(given).encode())


def open_crate(key: str, player: str, secret: str, crate_id: str) -> bytes:
    """The opening of a crate."""
    path = f"/sdk/v1/players/{player}/crates/{crate_id}/open"
    return wire_request("POST", path, _headers(key, secret, f"open-{crate_id}"), b"{}")


def guild(key: str, player: str, secret: str, path: str, **body: object) -> bytes:
    """A write about guilds."""
    headers = _headers(key, secret, f"{path}-{player}-{json.dumps(body)}")
    return wire_request("POST", f"/sdk/v1/players/{player}/guild{path}", headers, json.dumps(body).encode())


def donate(key: str, player: str, secret: str, request_id: str, number: int) -> bytes:
    """A donation to another member."""
    headers = _headers(key, secret, f"donate-{player}-{number}")
    path = f"/sdk/v1/players/{player}/guild/help/{request_id}/donate"
    return wire_request("POST", path, headers, b'{"amount":1}')


def members(key: str, player: str, secret: str, guild_id: str) -> bytes:
    """A guild with its members."""
    return wire_request("GET", f"/sdk/v1/players/{player}/guilds/{guild_id}", _headers(key, secret))


def start(key: str, player: str, secret: str, event: str = "race") -> bytes:
    """The start of an attempt at an event."""
    headers = _headers(key, secret, f"start-{player}")
    return wire_request("POST", f"/sdk/v1/players/{player}/events/{event}/start", headers, b"{}")


def progress(key: str, player: str, secret: str, attempt_id: str, points: int) -> bytes:
    """Progress of an attempt."""
    path = f"/sdk/v1/players/{player}/events/race/attempts/{attempt_id}/progress"
    return wire_request("POST", path, _headers(key, secret), json.dumps({"metrics": {"points": points}}).encode())


def submit(key: str, player: str, secret: str, score: int) -> bytes:
    """A score for the shared leaderboard."""
    path = f"/sdk/v1/players/{player}/leaderboards/all/scores"
    return wire_request("POST", path, _headers(key, secret), json.dumps({"score": score}).encode())


def board(key: str, board_id: str, query: str) -> bytes:
    """A page of the event's leaderboard."""
    return wire_request("GET", f"/sdk/v1/event-leaderboards/{board_id}?{query}", _headers(key))


def follow(key: str, board_id: str) -> bytes:
    """The stream of the event's leaderboard."""
    return wire_request("GET", f"/sdk/v1/event-leaderboards/{board_id}/stream", _headers(key))


def end_window(key: str) -> bytes:
    """The studio ends the window."""
    return wire_request("POST", "/server/v1/dev/events/race/end-now", _headers(key), b"{}")


def buy(key: str, player: str, transaction: str) -> bytes:
    """A purchase that the studio's backend reports."""
    bought = {
        "store": "store",
        "productId": "product-1",
        "productType": "consumable",
        "amountMinor": 499,
        "currency": "USD",
    }
    body = json.dumps({"transactionId": transaction, **bought}).encode()
    return wire_request("POST", f"/server/v1/players/{player}/purchases", _headers(key), body)


def ask_studio(key: str, path: str) -> bytes:
    """A question of the studio's backend."""
    return wire_request("GET", path, _headers(key))

"""An example of every request and every answer, made from the shapes; the documents show them, and a test validates them.

The values are placeholders by name, as in sample webhooks, so the same player, grant and resource run through all of them.
The tables below say only what a name cannot know: which optional arguments are worth showing, and in what state an answer's
records are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_origin

import attrs

from livecore.access.rows import Pong
from livecore.api.operation import Operation, Place
from livecore.economy.rows import GrantRow, ItemChange, ItemRow, PendingGrants, WalletChange
from livecore.kernel.errors import Json, JsonObject, Refusal, camel
from livecore.kernel.wire import encode
from livecore.players.rows import Identity, Platform, Presence, Profile
from livecore.social.gift_rows import GiftableResource, GiftCatalog, GiftRow, Gifts
from livecore.social.rows import (
    BlockRow,
    Blocks,
    Counterparty,
    FriendRequestRow,
    FriendRow,
    Friends,
    RequestSent,
    SearchHit,
    SuggestionRow,
)
from livecore.webhooks.catalog.samples import Given, placeholder

__all__ = ["answer_example", "argument_examples", "refusal_example"]

_SHOWN: Final = frozenset(
    {"external_player_id", "message", "reason", "idempotency_key", "avatar", "expires_at", "status", "name"}
)
"""Optional arguments that an example shows; any other is left out."""
_ARGUMENTS: Final[Mapping[str, object]] = {
    "avatar": "otter-3",
    "external_player_id": "sample-player-2",
    "idempotency_key": "c2FtcGxlLWtleS0wMDAx",
    "name": "Brave Otter",
    "q": "ott",
    "quantity": 3,
    "reason": "quest reward",
    "status": "in the lobby",
}
"""Arguments whose placeholder would be dull or would name the wrong player."""

_SECOND: Final = "sample-player-2"
_LAST_PAGE: Final = {"next_cursor": None}
_GIVEN: Final[Given] = {
    Blocks: _LAST_PAGE,
    Counterparty: {"external_player_id": _SECOND},
    BlockRow: {"external_player_id": _SECOND},
    FriendRow: {"external_player_id": _SECOND, "online": True, "status": "in the lobby", "progression": {"xp": 120}},
    GiftCatalog: {"cooldown_seconds": 86_400, "daily_send_limit": 10},
    ItemChange: {"quantity": 5, "delta": 3},
    ItemRow: {"quantity": 5},
    Presence: {"online": True, "status": "in the lobby"},
    SearchHit: {"external_player_id": _SECOND},
    SuggestionRow: {"external_player_id": _SECOND, "online": True},
    Friends: _LAST_PAGE,
    GiftRow: {"direction": "incoming", "claimed_at": None},
    GiftableResource: {"key": "potion", "max_amount": 5},
    Gifts: _LAST_PAGE,
    GrantRow: {"claimed_at": None, "acked_by": None, "metadata": None},
    Identity: {"name": "Brave Otter", "avatar": "otter-3"},
    PendingGrants: _LAST_PAGE,
    Platform: {"key": "ios", "registered": True},
    Pong: {"api_key_prefix": "lc_test_server_sample"},
    Profile: {"app_version": "1.4.0"},
}
"""The state of the records in an answer."""

_CLAIMED: Final[Given] = {
    GiftRow: {"direction": "incoming", "status": "claimed"},
    GrantRow: {"status": "claimed", "acked_by": "player", "metadata": None},
}
_OF_ANSWER: Final[Mapping[tuple[str, int], Given]] = {
    ("friends.sendRequest", 201): {
        RequestSent: {
            "request": placeholder("request", FriendRequestRow, {**_GIVEN, FriendRequestRow: {"direction": "outgoing"}})
        }
    },
    ("friends.sendRequest", 200): {
        RequestSent: {"status": "accepted", "friend": placeholder("friend", FriendRow, _GIVEN)}
    },
    ("friends.cancelRequest", 200): {FriendRequestRow: {"direction": "outgoing"}},
    ("gifts.send", 201): {GiftRow: {"direction": "outgoing", "claimed_at": None}},
    ("gifts.sent", 200): {GiftRow: {"direction": "outgoing", "claimed_at": None}},
    ("gifts.list", 200): {GiftRow: {"direction": "incoming", "claimed_at": None, "grant_status": "pending"}},
    ("gifts.claim", 200): _CLAIMED,
    ("grants.claim", 200): _CLAIMED,
    ("inventory.consume", 200): {ItemChange: {"quantity": 2, "delta": -3}},
    ("inventory.revoke", 200): {ItemChange: {"quantity": 2, "delta": -3}},
    ("wallet.debit", 200): {WalletChange: {"balance": 75, "delta": -25}},
    ("grants.ack", 200): {**_CLAIMED, GrantRow: {"status": "claimed", "acked_by": "server_api", "metadata": None}},
}
"""Where an answer's records are in another state than usual."""


def argument_examples(operation: Operation, place: Place) -> JsonObject:
    """An example of each argument that travels in `place` and is worth showing, by its name on the wire."""
    attrs.resolve_types(operation.args, include_extras=True)
    return {
        camel(field.name): _json(_argument(field))
        for field in attrs.fields(operation.args)
        if operation.place_of(field.name) == place and (field.default is attrs.NOTHING or field.name in _SHOWN)
    }


def _argument(field: attrs.Attribute[Any]) -> object:
    dull = placeholder(field.name, field.type, _GIVEN)
    return dull if get_origin(field.type) is Literal else _ARGUMENTS.get(field.name, dull)


def answer_example(operation: Operation, status: int) -> Json:
    """The `data` of an example answer with this status."""
    given = {**_GIVEN, **_OF_ANSWER.get((operation.name, status), {})}
    return _json(placeholder("data", operation.answers[status], given))


def refusal_example(kind: type[Refusal]) -> JsonObject:
    """The body of an example answer with this refusal."""
    error: JsonObject = {"code": kind.code, "message": kind.text}
    if kind.example:
        error["details"] = dict(kind.example)
    return {"error": error}


def _json(value: object) -> Json:
    if isinstance(value, tuple):
        return [_json(member) for member in value]
    return encode(value)

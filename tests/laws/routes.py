"""The operations as the laws see them, written by hand from the specification: how each is called and how it succeeds.

Nothing here is read from the service's own table, so a route or a status that changes there is noticed here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlencode

from livecore.api.http import Request

__all__ = [
    "DESK",
    "KEYED",
    "REPEATABLE",
    "ROUTES",
    "SUCCESSES",
    "WRITES",
    "Arguments",
    "Body",
    "method_of",
    "request_of",
]

Body: TypeAlias = dict[str, Any]
"""A JSON object as it was read."""
Arguments: TypeAlias = Mapping[str, Any]
"""A call's arguments by their names on the wire, whether they travel in path, query or body."""

_P: Final = "/sdk/v1/players/{externalId}"
_S: Final = "/server/v1/players/{externalId}"

ROUTES: Final[dict[str, tuple[str, str]]] = {
    "sdk:players.register": ("POST", f"{_P}/register"),
    "sdk:players.setIdentity": ("PUT", f"{_P}/identity"),
    "sdk:players.getProfile": ("GET", f"{_P}/profile"),
    "sdk:presence.heartbeat": ("POST", f"{_P}/presence"),
    "sdk:friends.getCode": ("GET", f"{_P}/friends/code"),
    "sdk:friends.sendRequest": ("POST", f"{_P}/friends/requests"),
    "sdk:friends.acceptRequest": ("POST", f"{_P}/friends/requests/{{requestId}}/accept"),
    "sdk:friends.declineRequest": ("POST", f"{_P}/friends/requests/{{requestId}}/decline"),
    "sdk:friends.cancelRequest": ("POST", f"{_P}/friends/requests/{{requestId}}/cancel"),
    "sdk:friends.list": ("GET", f"{_P}/friends"),
    "sdk:friends.listRequests": ("GET", f"{_P}/friends/requests"),
    "sdk:friends.suggestions": ("GET", f"{_P}/friends/suggestions"),
    "sdk:friends.search": ("GET", f"{_P}/friends/search"),
    "sdk:friends.remove": ("DELETE", f"{_P}/friends/{{friendExternalId}}"),
    "sdk:friends.block": ("POST", f"{_P}/friends/blocks"),
    "sdk:friends.listBlocks": ("GET", f"{_P}/friends/blocks"),
    "sdk:friends.unblock": ("DELETE", f"{_P}/friends/blocks/{{blockedExternalId}}"),
    "sdk:gifts.catalog": ("GET", f"{_P}/friends/gifts/catalog"),
    "sdk:gifts.send": ("POST", f"{_P}/friends/gifts"),
    "sdk:gifts.claim": ("POST", f"{_P}/friends/gifts/{{giftId}}/claim"),
    "sdk:gifts.inbox": ("GET", f"{_P}/friends/gifts/inbox"),
    "sdk:gifts.sent": ("GET", f"{_P}/friends/gifts/sent"),
    "sdk:wallet.get": ("GET", f"{_P}/wallet"),
    "sdk:wallet.debit": ("POST", f"{_P}/wallet/{{economyKey}}/debit"),
    "sdk:inventory.get": ("GET", f"{_P}/inventory"),
    "sdk:inventory.consume": ("POST", f"{_P}/inventory/{{itemKey}}/consume"),
    "sdk:grants.listPending": ("GET", f"{_P}/pending-grants"),
    "sdk:grants.claim": ("POST", f"{_P}/grants/{{grantId}}/claim"),
    "server:ping": ("GET", "/server/v1/ping"),
    "server:grants.create": ("POST", f"{_S}/grants"),
    "server:grants.ack": ("POST", f"{_S}/grants/{{grantId}}/ack"),
    "server:friends.list": ("GET", f"{_S}/friends"),
    "server:friends.listRequests": ("GET", f"{_S}/friends/requests"),
    "server:friends.listBlocks": ("GET", f"{_S}/blocks"),
    "server:gifts.list": ("GET", f"{_S}/gifts"),
    "server:players.setIdentity": ("PUT", f"{_S}/identity"),
    "server:players.rotateSecret": ("POST", f"{_S}/rotate-secret"),
    "server:wallet.get": ("GET", f"{_S}/wallet"),
    "server:wallet.credit": ("POST", f"{_S}/wallet/{{economyKey}}/credit"),
    "server:wallet.debit": ("POST", f"{_S}/wallet/{{economyKey}}/debit"),
    "server:inventory.get": ("GET", f"{_S}/inventory"),
    "server:inventory.grant": ("POST", f"{_S}/inventory/{{itemKey}}/grant"),
    "server:inventory.revoke": ("POST", f"{_S}/inventory/{{itemKey}}/revoke"),
}
"""Method and path of every operation."""

DESK: Final[dict[str, tuple[str, str]]] = {
    "server:players.get": ("GET", _S),
    "server:players.ban": ("POST", f"{_S}/ban"),
    "server:players.unban": ("POST", f"{_S}/unban"),
    "server:players.flagDebug": ("POST", f"{_S}/debug"),
    "server:players.unflagDebug": ("DELETE", f"{_S}/debug"),
    "server:players.merge": ("POST", f"{_S}/merge-into/{{toExternalId}}"),
    "server:players.erase": ("POST", f"{_S}/delete"),
    "server:players.export": ("GET", f"{_S}/export"),
    "sdk:purchases.track": ("POST", f"{_P}/purchases"),
    "server:purchases.track": ("POST", f"{_S}/purchases"),
    "server:purchases.list": ("GET", f"{_S}/purchases"),
    "server:spend.get": ("GET", f"{_S}/spend"),
    "server:spend.listPlayers": ("GET", "/server/v1/spend/players"),
    "server:spend.summary": ("GET", "/server/v1/spend/summary"),
    "server:migrate.players": ("POST", "/server/v1/migrate/players"),
    "server:migrate.wallet": ("POST", "/server/v1/migrate/wallet"),
    "server:migrate.inventory": ("POST", "/server/v1/migrate/inventory"),
}
"""The same of what a studio's people do about players as a whole, and of purchases; only `broad` sequences have it."""

_EVERY: Final = {**ROUTES, **DESK}

SUCCESSES: Final[dict[str, frozenset[int]]] = {
    **{name: frozenset({200}) for name in _EVERY},
    "sdk:players.register": frozenset({200, 201}),
    "sdk:friends.sendRequest": frozenset({200, 201}),
    "sdk:friends.block": frozenset({200, 201}),
    "sdk:gifts.send": frozenset({201}),
    "server:grants.create": frozenset({200, 201}),
}
"""The statuses with which an operation can succeed."""

WRITES: Final = frozenset(name for name, (method, _) in _EVERY.items() if method != "GET")
"""Operations that may change something."""

KEYED: Final = WRITES - {
    "sdk:players.register",
    "sdk:presence.heartbeat",
    "server:players.rotateSecret",
}
"""Operations whose answer is kept under an idempotency key.

Of the others, two show a secret, and one is no durable write.
"""

REPEATABLE: Final = KEYED | {"sdk:players.register"}
"""Operations for which a key is sent: with these, and those that derive their answer again."""

_IN_QUERY: Final = {"force"}


def method_of(name: str) -> str:
    """The HTTP method of an operation."""
    return _EVERY[name][0]


def request_of(name: str, player: str, arguments: Arguments, headers: Mapping[str, str]) -> Request:
    """The HTTP-shaped request of a call."""
    method, path = _EVERY[name]
    path = path.replace("{externalId}", quote(player, safe=""))
    rest: Body = {}
    for argument, value in arguments.items():
        variable = "{" + argument + "}"
        if variable in path:
            path = path.replace(variable, quote(str(value), safe=""))
        else:
            rest[argument] = value
    in_query = {key: value for key, value in rest.items() if method in {"GET", "DELETE"} or key in _IN_QUERY}
    in_body = {key: value for key, value in rest.items() if key not in in_query}
    query = urlencode({key: _text(value) for key, value in in_query.items()})
    if not in_body:
        return Request(method, path, query, dict(headers), b"", "127.0.0.1")
    body = json.dumps(in_body).encode()
    return Request(method, path, query, {**headers, "content-type": "application/json"}, body, "127.0.0.1")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)

"""Where an answer leads: which operation takes the id that it shows, for readers and for tools that try sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from livecore.api.operation import Operation
from livecore.kernel.errors import JsonObject

__all__ = ["LINKS", "Link", "links_of"]


@attrs.frozen
class Link:
    """An operation of the same surface, the path variable that it needs, and where under `data` its value stands."""

    operation: str
    variable: str
    pointer: str


_REQUEST_ANSWERS: Final = ("friends.acceptRequest", "friends.declineRequest")

LINKS: Final[Mapping[tuple[str, int], tuple[Link, ...]]] = {
    ("sdk:friends.sendRequest", 201): (Link("friends.cancelRequest", "requestId", "request/requestId"),),
    ("sdk:friends.sendRequest", 200): (Link("friends.remove", "friendExternalId", "friend/externalPlayerId"),),
    ("sdk:friends.acceptRequest", 200): (Link("friends.remove", "friendExternalId", "friend/externalPlayerId"),),
    ("sdk:friends.list", 200): (Link("friends.remove", "friendExternalId", "friends/0/externalPlayerId"),),
    ("sdk:friends.listRequests", 200): (
        *(Link(name, "requestId", "incoming/0/requestId") for name in _REQUEST_ANSWERS),
        Link("friends.cancelRequest", "requestId", "outgoing/0/requestId"),
    ),
    ("sdk:friends.block", 201): (Link("friends.unblock", "blockedExternalId", "block/externalPlayerId"),),
    ("sdk:friends.listBlocks", 200): (Link("friends.unblock", "blockedExternalId", "blocks/0/externalPlayerId"),),
    ("sdk:gifts.inbox", 200): (Link("gifts.claim", "giftId", "gifts/0/giftId"),),
    ("sdk:grants.listPending", 200): (Link("grants.claim", "grantId", "grants/0/grantId"),),
    ("sdk:wallet.get", 200): (Link("wallet.debit", "economyKey", "balances/0/key"),),
    ("sdk:inventory.get", 200): (Link("inventory.consume", "itemKey", "items/0/itemKey"),),
    ("server:grants.create", 201): (Link("grants.ack", "grantId", "grant/grantId"),),
    ("server:gifts.list", 200): (Link("grants.ack", "grantId", "gifts/0/grantId"),),
    ("server:wallet.credit", 200): (Link("wallet.debit", "economyKey", "economyKey"),),
    ("server:inventory.grant", 200): (Link("inventory.revoke", "itemKey", "itemKey"),),
}
"""By operation and status of the answer."""


def links_of(operation: Operation, status: int) -> JsonObject:
    """The links of an answer as OpenAPI writes them; the player stays the same."""
    return {
        link.operation: {
            "operationId": link.operation,
            "parameters": {
                "path.externalId": "$request.path.externalId",
                f"path.{link.variable}": f"$response.body#/data/{link.pointer}",
            },
        }
        for link in LINKS.get((operation.id, status), ())
    }

"""All kinds of events in the order in which documents show them.

A new kind is one class in the file of its subject and one name below; its sample, its place in the documents and its typed
event at the receiver follow from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from livecore.webhooks.catalog import (
    commerce,
    friends,
    grants,
    inventory,
    operational,
    player,
)
from livecore.webhooks.catalog.payload import Payload

__all__ = ["CATALOG", "GROUPS"]

GROUPS: Mapping[str, tuple[type[Payload], ...]] = MappingProxyType(
    {
        "Player": (
            player.PlayerRegistered,
            player.PlayerSecretSet,
            player.PlayerSecretRotated,
            player.PlayerMerged,
            player.PlayerDeleted,
            player.PlayerBanned,
            player.PlayerUnbanned,
        ),
        "Friends and gifts": (
            friends.FriendRequestSent,
            friends.FriendRequestAccepted,
            friends.FriendRemoved,
            friends.GiftSent,
            friends.GiftClaimed,
        ),
        "Grants and crates": (
            grants.GrantCreated,
            grants.GrantClaimed,
            grants.GrantExpired,
            grants.CrateOpened,
        ),
        "Inventory and wallet": (
            inventory.InventoryChanged,
            inventory.WalletChanged,
        ),
        "Commerce": (commerce.PurchaseTracked,),
        "Operational": (operational.WebhookEndpointFailed,),
    }
)
"""The payload classes by the name of their group."""

CATALOG: Mapping[str, type[Payload]] = MappingProxyType(
    {payload.kind: payload for group in GROUPS.values() for payload in group}
)
"""The payload class of each kind, by the kind's name on the wire."""

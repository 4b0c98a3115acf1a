"""Events about a player's inventory and wallet: one for each ledger entry (specification 6.2).

Only games with a platform-managed economy emit them.
"""

from __future__ import annotations

from typing import ClassVar, Final

from livecore.kernel.shapes import ShownExternalId, ShownPlayerId, Timestamp, shape
from livecore.webhooks.catalog.payload import Payload

__all__ = ["TITLE", "InventoryChanged", "WalletChanged"]

TITLE: Final = "Inventory and wallet"
"""What documents call these kinds together."""


@shape
class InventoryChanged(Payload):
    """The quantity of an item changed by `delta` and is now `quantity`, whatever caused it."""

    kind: ClassVar[str] = "inventory.changed"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    item_key: str
    delta: int
    quantity: int
    reason: str | None
    source_ref_id: str | None
    entry_id: str
    changed_at: Timestamp


@shape
class WalletChanged(Payload):
    """A balance changed by `delta` and is now `balance`, whatever caused it."""

    kind: ClassVar[str] = "wallet.changed"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    economy_key: str
    delta: int
    balance: int
    reason: str | None
    source_ref_id: str | None
    entry_id: str
    changed_at: Timestamp

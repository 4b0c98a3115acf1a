"""Events about rewards, crates, and the entries of inventory and wallet (specification 3.3, 6.2).

The specification does not define the payloads of grants. Each carries the whole grant as its row shows it, with the
player's ids, so that one event is enough for a receiver to act: in a studio-managed game the studio pays at
`grant.claimed`. Only games with a platform-managed economy emit an event for each entry of the ledger.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.economy.rows import RewardEntry
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload


@shape
class _CompleteGrant(Payload):
    """A grant at the time of the event, and its player."""

    grant_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    status: Literal["pending", "claimed", "expired", "refunded"]
    kind_: Literal["reward", "crate"]
    entries: tuple[RewardEntry, ...]
    source_kind: str
    source_ref_id: str | None
    metadata: dict[str, object] | None
    created_at: Timestamp
    expires_at: Timestamp | None
    claimed_at: Timestamp | None
    acked_by: str | None


@shape
class GrantCreated(_CompleteGrant):
    """A reward waits to be claimed: granted by an operator or the API, or from a milestone, crate, gift or guild help."""

    kind: ClassVar[str] = "grant.created"

    example: ClassVar = {"claimed_at": None, "acked_by": None}


@shape
class GrantClaimed(_CompleteGrant):
    """A reward was claimed, by the player, by the studio's acknowledgement (`ackedBy`), or by opening its crate."""

    kind: ClassVar[str] = "grant.claimed"

    example: ClassVar = {"status": "claimed"}


@shape
class GrantExpired(_CompleteGrant):
    """A reward was not claimed before `expiresAt`."""

    kind: ClassVar[str] = "grant.expired"

    example: ClassVar = {"status": "expired", "claimed_at": None, "acked_by": None}


@shape
class CrateOpened(Payload):
    """A crate was opened and its contents were drawn from its reward table; they wait in the grant `contentsGrantId`.

    `crateId` is the id of the grant that held the crate.
    """

    kind: ClassVar[str] = "crate.opened"
    crate_id: str
    crate_key: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    contents_grant_id: str
    entries: tuple[RewardEntry, ...]
    opened_at: Timestamp


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

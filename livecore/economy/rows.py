"""Wallet, inventory and grants on the wire: requests and answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Final, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Amount,
    Cursor,
    Delta,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Items,
    Key,
    Limit,
    Metadata,
    Reason,
    ShownExternalId,
    ShownPlayerId,
    Text,
)

_MOST_NAMED: Final = 10
"""How many keys a message names at most."""

SourceRef = Annotated[str, Text(1, 255)]
"""The studio's own reference to the cause of a change."""


@shape
class RewardEntry:
    """One line of a reward; `parameters` are opaque attributes of an item."""

    type: Literal["item", "currency", "crate"]
    resource_key: Key
    amount: Amount
    parameters: Metadata | None | Absent = ABSENT


Entries = Annotated[tuple[RewardEntry, ...], Items(0, 50)]
"""What is won or paid."""


# -- grants ---------------------------------------------------------------------------------------------------------------


@shape
class CreateGrant:
    """A reward for a player, waiting to be claimed."""

    idempotency_key: IdempotencyKey
    entries: Annotated[tuple[RewardEntry, ...], Items(1, 50)]
    kind: Literal["reward", "crate"] = "reward"
    expires_at: Timestamp | None = None
    source_kind: Literal["api", "admin"] = "api"
    source_ref_id: SourceRef | None = None
    metadata: Metadata | None = None


@shape
class CreateGrantAsOperator:
    """A reward that an operator gives to a player, waiting to be claimed."""

    idempotency_key: IdempotencyKey
    external_player_id: ExternalPlayerId
    entries: Annotated[tuple[RewardEntry, ...], Items(1, 50)]
    kind: Literal["reward", "crate"] = "reward"
    expires_at: Timestamp | None = None
    source_kind: Literal["api", "admin"] = "admin"
    source_ref_id: SourceRef | None = None
    metadata: Metadata | None = None


@shape
class GetGrant:
    """One grant, to read."""

    grant_id: Id


@shape
class ForceClaim:
    """One grant, to claim in its player's place."""

    grant_id: Id
    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class OfGrant:
    """One grant, to claim or acknowledge."""

    grant_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class ListPendingGrants:
    """The grants that wait to be claimed, newest first."""

    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GrantRow:
    """One grant."""

    grant_id: str
    status: Literal["pending", "claimed", "expired", "refunded"]
    kind: Literal["reward", "crate"]
    entries: tuple[RewardEntry, ...]
    source_kind: str
    source_ref_id: str | None
    metadata: dict[str, object] | None
    created_at: Timestamp
    expires_at: Timestamp | None
    claimed_at: Timestamp | None
    acked_by: str | None

    example: ClassVar = {"claimed_at": None, "acked_by": None, "metadata": None}


@shape
class OneGrant:
    """A grant that was created, acknowledged or claimed."""

    grant: GrantRow


@shape
class GrantHolder:
    """The player whom a grant is for."""

    player_id: ShownPlayerId
    external_player_id: ShownExternalId


@shape
class GrantForOperator:
    """A grant, the player whom it is for, and the gift that it delivers, if it delivers one."""

    grant: GrantRow
    player: GrantHolder
    gift_id: str | None

    example: ClassVar = {"gift_id": None}


@shape
class PendingGrants:
    """A page of pending grants."""

    grants: tuple[GrantRow, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}


# -- wallet ---------------------------------------------------------------------------------------------------------------


@shape
class GetWallet:
    """A player's balances."""


@shape
class DebitWallet:
    """Spend from a wallet, as the player."""

    economy_key: Key
    amount: Amount
    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class AdjustWallet:
    """Credit or debit a wallet, as the studio's backend."""

    economy_key: Key
    amount: Amount
    reason: Reason | None = None
    source_ref_id: SourceRef | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class AdjustWalletAsOperator:
    """Change a balance by some amount, up or down, as an operator."""

    economy_key: Key
    delta: Delta
    reason: Reason
    idempotency_key: IdempotencyKey | None = None


@shape
class ListWalletEntries:
    """Every change of one balance, newest first."""

    economy_key: Key
    limit: Limit = 50
    cursor: Cursor | None = None


def _unknown(place: str, key: str, known: Sequence[str]) -> str:
    """What is said of a key that an answer does not show."""
    shown = ", ".join(map(repr, known[:_MOST_NAMED])) + (
        f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    )
    return f"the {place} shows no {key!r}: it " + (f"has {shown}" if known else "is empty")


@shape
class BalanceRow:
    """One economy key and how much of it the player has."""

    key: str
    kind: Literal["currency", "progression"]
    balance: int


@shape
class Wallet:
    """Every economy key that the game defines."""

    balances: tuple[BalanceRow, ...]

    def balance(self, economy_key: str) -> int:
        """How much of a currency or progression the player has.

        Raises `LookupError`, which names the keys that there are, for one that this wallet does not show.
        """
        for row in self.balances:
            if row.key == economy_key:
                return row.balance
        raise LookupError(_unknown("wallet", economy_key, [row.key for row in self.balances]))


@shape
class WalletChange:
    """One ledger entry and the balance after it."""

    economy_key: str
    balance: int
    delta: int
    entry_id: str


# -- inventory ------------------------------------------------------------------------------------------------------------


@shape
class GetInventory:
    """A player's items."""


@shape
class ConsumeItem:
    """Use items up, as the player."""

    item_key: Key
    quantity: Amount
    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class RevokeItem:
    """Take items away, as the studio's backend."""

    item_key: Key
    quantity: Amount
    reason: Reason | None = None
    source_ref_id: SourceRef | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class GrantItem:
    """Give items, as the studio's backend; `parameters` override the item's own, key by key."""

    item_key: Key
    quantity: Amount
    reason: Reason | None = None
    source_ref_id: SourceRef | None = None
    parameters: Metadata | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class AdjustItemAsOperator:
    """Change the quantity of an item by some number, up or down, as an operator."""

    item_key: Key
    delta: Delta
    reason: Reason
    idempotency_key: IdempotencyKey | None = None


@shape
class SetAttributes:
    """Set the player's own attributes of an item, as an operator."""

    item_key: Key
    parameters: Metadata | None
    reason: Reason | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class ListItemEntries:
    """Every change of the quantity of one item, newest first."""

    item_key: Key
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class ItemRow:
    """One item, its quantity, and its attributes if it has any."""

    item_key: str
    quantity: int
    parameters: dict[str, object] | Absent = ABSENT

    example: ClassVar[dict[str, object]] = {"quantity": 5}


@shape
class HeldItem(ItemRow):
    """An item with the player's own attributes, which override those of the game's configuration key by key."""

    own_parameters: dict[str, object] | None

    example: ClassVar[dict[str, object]] = {"quantity": 5, "own_parameters": None}


@shape
class OneHeldItem:
    """An item whose attributes were set."""

    item: HeldItem


@shape
class Inventory:
    """Every item of which the player has at least one."""

    items: tuple[ItemRow, ...]

    def quantity(self, item_key: str) -> int:
        """How many of an item the player has: 0 for every key that is not among `items`, the game's own and others."""
        return sum(row.quantity for row in self.items if row.item_key == item_key)

    def item(self, item_key: str) -> ItemRow:
        """The row of an item.

        Raises `LookupError`, which names the items that the player has, where the player has none of it.
        """
        for row in self.items:
            if row.item_key == item_key:
                return row
        raise LookupError(_unknown("inventory", item_key, [row.item_key for row in self.items]))


@shape
class ItemChange:
    """One ledger entry and the quantity after it."""

    item_key: str
    quantity: int
    delta: int
    entry_id: str

    example: ClassVar = {"quantity": 5, "delta": 3}


# -- ledger ---------------------------------------------------------------------------------------------------------------


@shape
class ListLedger:
    """Every change of a player's balances and quantities, newest first."""

    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class LedgerRow:
    """One change of one balance or quantity, and its value after the change."""

    entry_id: str
    type: Literal["currency", "item"]
    resource_key: str
    delta: int
    balance: int
    reason: str | None
    source_ref_id: str | None
    at: Timestamp

    example: ClassVar = {"type": "currency", "resource_key": "gold", "delta": 25, "balance": 125}


@shape
class Ledger:
    """A page of the ledger."""

    entries: tuple[LedgerRow, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}

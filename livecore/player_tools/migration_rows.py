"""Migration on the wire: rows of another backend's players, wallets and inventories, and the result of each row."""

from __future__ import annotations

from typing import Annotated, Final

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Amount,
    ExternalPlayerId,
    IdempotencyKey,
    Items,
    Key,
    Metadata,
    ReadLater,
)
from livecore.players.rows import Avatar, Country, DisplayName

MOST_ROWS: Final = 1_000
"""The most rows of one request."""


# -- rows -----------------------------------------------------------------------------------------------------------------


@shape
class MigratePlayerRow:
    """A player; fields that are left out stay as they are, and a new player begins without them."""

    idempotency_key: IdempotencyKey
    external_player_id: ExternalPlayerId
    name: DisplayName | None | Absent = ABSENT
    avatar: Avatar | None | Absent = ABSENT
    country: Country | None | Absent = ABSENT
    first_seen_at: Timestamp | Absent = ABSENT
    last_seen_at: Timestamp | Absent = ABSENT
    player_context: Metadata | None | Absent = ABSENT


@shape
class MigrateWalletRow:
    """An amount to add to a balance."""

    idempotency_key: IdempotencyKey
    external_player_id: ExternalPlayerId
    economy_key: Key
    amount: Amount


@shape
class MigrateInventoryRow:
    """Items to add, with attributes that override those of the game's configuration."""

    idempotency_key: IdempotencyKey
    external_player_id: ExternalPlayerId
    item_key: Key
    quantity: Amount
    parameters: Metadata | None = None


# -- requests -------------------------------------------------------------------------------------------------------------


@shape
class MigratePlayers:
    """Players to make or to change"""

    rows: Annotated[tuple[Annotated[object, ReadLater(MigratePlayerRow)], ...], Items(1, MOST_ROWS)]
    emit_webhooks: bool = False
    idempotency_key: IdempotencyKey | None = None


@shape
class MigrateWallet:
    """Balances to add to"""

    rows: Annotated[tuple[Annotated[object, ReadLater(MigrateWalletRow)], ...], Items(1, MOST_ROWS)]
    emit_webhooks: bool = False
    idempotency_key: IdempotencyKey | None = None


@shape
class MigrateInventory:
    """Items to add"""

    rows: Annotated[tuple[Annotated[object, ReadLater(MigrateInventoryRow)], ...], Items(1, MOST_ROWS)]
    emit_webhooks: bool = False
    idempotency_key: IdempotencyKey | None = None


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class MigrationFailure:
    """A row that was not applied: its position among the rows, and the reason."""

    index: int
    idempotency_key: str | None
    code: str
    message: str
    details: dict[str, object] | None


@shape
class MigrationOutcome:
    """The results of the rows: each was applied now, had been applied before, or failed."""

    received: int
    applied: int
    replayed: int
    failed: int
    failures: tuple[MigrationFailure, ...]

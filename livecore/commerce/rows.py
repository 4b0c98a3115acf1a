"""Purchases, spend and revenue on the wire: requests and answers.

`amountMinor` in a purchase is in the smallest unit of its currency; in sums it is in US cents. The same sum of the
verified purchases alone is `verifiedAmountMinor`, in every answer that has one.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    Comma,
    Cursor,
    IdempotencyKey,
    Int,
    Items,
    Limit,
    Metadata,
    ShownExternalId,
    ShownPlayerId,
    Text,
)
from livecore.players.rows import Identity

TransactionId = Annotated[str, Text(1, 255)]
"""The store's own id of the transaction, unique within the store."""
StoreName = Annotated[str, Text(1, 64)]
"""The store of the purchase, such as `app_store` or `google_play`."""
ProductId = Annotated[str, Text(1, 64)]
"""The studio's id of the product."""
ProductType = Annotated[str, Text(1, 64)]
"""The sort of product, such as `consumable` or `subscription`."""
Currency = Annotated[str, Text(3, 3, r"[A-Z]{3}", "must be a three-letter currency code such as EUR")]
"""An ISO 4217 currency code."""
MinorAmount = Annotated[int, Int(0)]
"""An amount of money in the currency's smallest unit, at most 2^53 - 1; 0 for a free product."""
ValidationStatus: TypeAlias = Literal["unverified", "verified"]
"""Whether the studio has checked the receipt with the store."""
Days = Annotated[int, Int(1, 3_650)]
"""A number of days, up to ten years."""
Date = Annotated[str, Text(10, 10, r"\d{4}-\d{2}-\d{2}", "must be a UTC date such as 2026-01-31")]
"""A UTC date."""


# -- requests -------------------------------------------------------------------------------------------------------------


@shape
class TrackPurchase:
    """A purchase that the client made. If `purchasedAt` is left out, it is now."""

    transaction_id: TransactionId
    store: StoreName
    product_id: ProductId
    product_type: ProductType
    amount_minor: MinorAmount
    currency: Currency
    purchased_at: Timestamp | None = None
    metadata: Metadata | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class TrackPurchaseAsServer(TrackPurchase):
    """A purchase that the studio's backend reports and may have verified; the client may have reported it before.

    `purchasedAt` and `metadata` of a verified report replace those of an unverified one.
    """

    validation_status: ValidationStatus = "unverified"


@shape
class ListPurchases:
    """A player's purchases, newest first."""

    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GetPlayerSpend:
    """What a player has spent in total, and in the last days of each of `windows`."""

    windows: Annotated[tuple[Days, ...], Comma(), Items(0, 20, unique=True)] = ()


@shape
class ListSpenders:
    """Players by spend, largest first: in the last `windowDays` days, or in total if it is left out."""

    min_amount_minor: Annotated[int, Int(0)] = 1
    window_days: Days | None = None
    limit: Limit = 50
    offset: Annotated[int, Int(0, 100_000)] = 0


@shape
class GetRevenueSummary:
    """Revenue of the UTC days from `from` (included) to `to` (excluded); by default the 30 days that end today."""

    from_: Date | None = None
    to: Date | None = None


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class PurchaseRow:
    """A purchase as stored; `fxRate` is the exchange rate when it was first reported."""

    purchase_id: str
    transaction_id: str
    store: str
    product_id: str
    product_type: str
    amount_minor: int
    currency: str
    normalized_amount_minor: int
    fx_rate: float
    validation_status: ValidationStatus
    purchased_at: Timestamp
    metadata: dict[str, object] | None


@shape
class PurchaseTracked:
    """The stored purchase, and what the player has spent in total, in US cents."""

    purchase: PurchaseRow
    lifetime_amount_minor: int
    purchase_count: int


@shape
class Purchases:
    """A page of purchases."""

    purchases: tuple[PurchaseRow, ...]
    next_cursor: str | None


@shape
class SpendWindow:
    """What a player has spent in the last `days` times 24 hours; `verifiedAmountMinor` is the verified part of it."""

    days: int
    amount_minor: int
    purchase_count: int
    verified_amount_minor: int


@shape
class PlayerSpend:
    """What a player has spent; debug accounts are not left out.

    `verifiedAmountMinor` is the part of `lifetimeAmountMinor` that the studio's backend has verified.
    """

    lifetime_amount_minor: int
    purchase_count: int
    verified_amount_minor: int
    first_purchase_at: Timestamp | None
    last_purchase_at: Timestamp | None
    windows: tuple[SpendWindow, ...]


@shape
class Spender:
    """A player, and what they spent in the requested window; `verifiedAmountMinor` is the verified part of it."""

    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    display_identity: Identity
    amount_minor: int
    purchase_count: int
    verified_amount_minor: int
    last_purchase_at: Timestamp


@shape
class Spenders:
    """A page of players; `total` counts all players that match."""

    players: tuple[Spender, ...]
    total: int
    limit: int
    offset: int


@shape
class ProductRevenue:
    """The revenue of one product; `verifiedAmountMinor` is the verified part of it."""

    product_id: str
    amount_minor: int
    purchase_count: int
    verified_amount_minor: int


@shape
class RevenueDay:
    """The revenue of one UTC day; `verifiedAmountMinor` is the verified part of it."""

    date: str
    amount_minor: int
    purchase_count: int
    paying_players: int
    verified_amount_minor: int


@shape
class RevenueSummary:
    """Revenue of the requested days without debug accounts; `arppuMinor` is the average for each paying player.

    Unverified purchases count. `verifiedAmountMinor` is the part of `grossAmountMinor` that the studio's backend has
    verified.
    """

    from_: str
    to: str
    gross_amount_minor: int
    purchase_count: int
    paying_players: int
    arppu_minor: int | None
    verified_amount_minor: int
    products: tuple[ProductRevenue, ...]
    days: tuple[RevenueDay, ...]

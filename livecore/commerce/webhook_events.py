"""Events about purchases (specification 6.2)."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload


@shape
class PurchaseTracked(Payload):
    """A purchase was recorded, once for each store transaction; a later verification emits no event.

    `amountMinor` is in the smallest unit of `currency`, `normalizedAmountMinor` and `lifetimeAmountMinor` are in US cents.
    """

    kind: ClassVar[str] = "purchase.tracked"
    purchase_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    transaction_id: str
    store: str
    product_id: str
    product_type: str
    amount_minor: int
    currency: str
    normalized_amount_minor: int
    fx_rate: float
    validation_status: Literal["unverified", "verified"]
    purchased_at: Timestamp
    lifetime_amount_minor: int
    purchase_count: int
    metadata: dict[str, object] | None

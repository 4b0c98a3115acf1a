"""What a player's timeline shows of purchases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.commerce.totals import PURCHASES_OF_PLAYER, Purchase
from livecore.kernel.declarations.timeline import TimelineSource, Track
from livecore.kernel.errors import JsonObject
from livecore.kernel.units.unit import Unit


def _purchase(_: Unit, row: Purchase, __: Sequence[Any]) -> JsonObject:
    return {
        "transactionId": row.transaction_id,
        "store": row.store,
        "productId": row.product_id,
        "productType": row.product_type,
        "amountMinor": row.amount_minor,
        "currency": row.currency,
        "normalizedAmountMinor": row.cents,
        "validationStatus": row.validation_status,
    }


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="purchase",
        about="The player bought something with real money.",
        thing="purchase",
        covers=("purchases",),
        tracks=lambda player_id: [Track(PURCHASES_OF_PLAYER, (player_id,))],
        show=_purchase,
    ),
)

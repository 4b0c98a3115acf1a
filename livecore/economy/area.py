"""The economy's area: what players own, and the grants that pay rewards."""

from __future__ import annotations

from typing import Final

from livecore.economy import exports, policies, refusals, soundness
from livecore.economy.grants import GRANTS
from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.economy.reconciliation import LEDGERS
from livecore.kernel.area import Area, refusals_in

__all__ = ["AREA"]

AREA: Final = Area(
    name="economy",
    tables=(HOLDINGS, ENTRIES, GRANTS),
    tags={
        "grants": "Rewards that wait to be claimed.",
        "inventory": "Items, where the service keeps them.",
        "wallet": "Balances of currencies and progression.",
    },
    refusals=refusals_in(refusals),
    rules=soundness.RULES,
    sums=(LEDGERS,),
    folds={HOLDINGS: policies.unite_holdings},
    exports={
        "wallet": exports.exported_wallet,
        "inventory": exports.exported_inventory,
        "ledger": exports.exported_ledger,
        "grants": exports.exported_grants,
    },
)

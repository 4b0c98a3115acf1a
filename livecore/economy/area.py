"""The economy area: ledgers, wallet, inventory, the grants that pay rewards, and crates."""

from __future__ import annotations

from typing import Final

from livecore.economy import (
    advice,
    crate_rows,
    crate_soundness,
    exports,
    policies,
    refusals,
    rows,
    soundness,
    timeline,
    webhook_events,
)
from livecore.economy.crates import DEFINITIONS, OPENINGS, WAITS
from livecore.economy.grants import GRANTS
from livecore.economy.ledger import ENTRIES, HOLDINGS
from livecore.economy.reconciliation import LEDGERS
from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export

AREA: Final = Area(
    name="economy",
    advice=advice.advice_on,
    tables=(HOLDINGS, ENTRIES, GRANTS, OPENINGS, WAITS, DEFINITIONS),
    tags={
        "crates": "Rewards whose contents are drawn when they are opened.",
        "grants": "Rewards that wait to be claimed.",
        "inventory": "Items, where the service keeps them.",
        "ledger": "Every change of balances and items.",
        "wallet": "Balances of currencies and progression.",
    },
    refusals=refusals_in(refusals),
    events={
        "Grants and crates": (
            webhook_events.GrantCreated,
            webhook_events.GrantClaimed,
            webhook_events.GrantExpired,
            webhook_events.CrateOpened,
        ),
        "Inventory and wallet": (
            webhook_events.InventoryChanged,
            webhook_events.WalletChanged,
        ),
    },
    rules=(*soundness.RULES, *crate_soundness.RULES),
    sums=(LEDGERS,),
    folds={HOLDINGS: policies.unite_holdings, WAITS: policies.unite_waits},
    exports={
        "wallet": Export(rows.BalanceRow, exports.exported_wallet),
        "inventory": Export(rows.ItemRow, exports.exported_inventory),
        "ledger": Export(rows.LedgerRow, exports.exported_ledger),
        "grants": Export(rows.GrantRow, exports.exported_grants),
        "crateOpenings": Export(crate_rows.ExportedOpening, exports.exported_openings),
    },
    timeline=timeline.SOURCES,
)

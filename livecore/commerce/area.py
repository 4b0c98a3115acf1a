"""The commerce area: purchases with real money, spend and revenue."""

from __future__ import annotations

from typing import Final

from livecore.commerce import policies, refusals, rows, soundness, timeline, webhook_events
from livecore.commerce.reconciliation import SPENT
from livecore.commerce.report_days import REPORT_DAYS, unite_report_days
from livecore.commerce.totals import PRODUCT_DAYS, PURCHASES, SPEND_DAYS, SPEND_TOTALS
from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export

AREA: Final = Area(
    name="commerce",
    tables=(PURCHASES, SPEND_TOTALS, SPEND_DAYS, PRODUCT_DAYS, REPORT_DAYS),
    tags={
        "purchases": "What players buy with real money.",
        "spend": "What players spend, in US cents, and the game's revenue.",
    },
    refusals=refusals_in(refusals),
    events={"Commerce": (webhook_events.PurchaseTracked,)},
    rules=soundness.RULES,
    sums=(SPENT,),
    folds={SPEND_TOTALS: policies.unite_totals, SPEND_DAYS: policies.unite_days, REPORT_DAYS: unite_report_days},
    exports={"purchases": Export(rows.PurchaseRow, policies.exported_purchases)},
    timeline=timeline.SOURCES,
)

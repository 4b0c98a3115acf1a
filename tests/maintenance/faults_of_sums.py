"""What can be wrong with sums and counts: those of purchases, and those of what happened on a day."""

from __future__ import annotations

from typing import Final

from livecore.commerce.report_days import REPORT_DAYS, ReportDay
from livecore.commerce.totals import PURCHASES, SPEND_DAYS, SPEND_TOTALS, Purchase
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY
from livecore.social.gift_days import GIFT_DAYS_RECEIVED, ReceivedGiftDay
from livecore.social.gifts import GIFT_DAYS
from tests.maintenance.lived_in import BOUGHT_AT
from tests.maintenance.planting import NOBODY, Plant, add, change, player, remove, rows


def bought(tx: Transaction) -> Purchase:
    """What the giver has bought."""
    (purchase,) = rows(tx, PURCHASES)
    assert isinstance(purchase, Purchase)
    return purchase


FAULTS_OF_SUMS: Final[dict[str, tuple[Plant, set[tuple[str, str]]]]] = {
    "a day without gifts": (
        change(GIFT_DAYS, lambda tx: tx.get(GIFT_DAYS, player(tx, "giver").player_id), sent=0),
        {("gift_days", "counts 0 gifts")},
    ),
    "a day on which nothing was received": (
        add(
            GIFT_DAYS_RECEIVED,
            lambda tx: ReceivedGiftDay(recipient_id=player(tx, "giver").player_id, day=1, received=0),
        ),
        {("gift_days_received", "counts 0 gifts")},
    ),
    "gifts received by nobody": (
        add(GIFT_DAYS_RECEIVED, lambda _: ReceivedGiftDay(recipient_id=NOBODY, day=1, received=1)),
        {("gift_days_received", "counts the gifts of a player who does not exist")},
    ),
    "a day without reports": (
        change(REPORT_DAYS, lambda tx: tx.get(REPORT_DAYS, player(tx, "giver").player_id), reported=0),
        {("purchase_report_days", "counts 0 reports")},
    ),
    "reports by nobody": (
        add(REPORT_DAYS, lambda _: ReportDay(player_id=NOBODY, day=1, reported=1)),
        {("purchase_report_days", "counts the reports of a player who does not exist")},
    ),
    "a player who spent for nothing": (
        remove(SPEND_TOTALS, lambda tx: (player(tx, "giver").player_id,)),
        {
            (
                "spend_totals",
                (
                    f"is missing, and should be cents=999 purchases=1 first_at={BOUGHT_AT} last_at={BOUGHT_AT} "
                    "verified_cents=0"
                ),
            )
        },
    ),
    "a purchase that was verified and not counted as such": (
        change(PURCHASES, bought, validation_status="verified"),
        {
            (
                "spend_totals",
                (
                    f"is cents=999 purchases=1 first_at={BOUGHT_AT} last_at={BOUGHT_AT} verified_cents=0, and should be "
                    f"cents=999 purchases=1 first_at={BOUGHT_AT} last_at={BOUGHT_AT} verified_cents=999"
                ),
            ),
            (
                "spend_days",
                (
                    "is cents=999 purchases=1 paid=True paid_before=-1 verified_cents=0, and should be "
                    "cents=999 purchases=1 paid=True paid_before=-1 verified_cents=999"
                ),
            ),
            (
                "product_days",
                "is cents=999 purchases=1 verified_cents=0, and should be cents=999 purchases=1 verified_cents=999",
            ),
        },
    ),
    "a day that was forgotten": (
        remove(SPEND_DAYS, lambda tx: (player(tx, "giver").player_id, bought(tx).purchased_at // DAY)),
        {("spend_days", "is missing, and should be cents=999 purchases=1 paid=True paid_before=-1 verified_cents=0")},
    ),
    "a product that sold more": (
        change(PURCHASES, bought, product_id="pass"),
        {
            ("product_days", "is cents=999 purchases=1 verified_cents=0, and should be missing"),
            ("product_days", "is missing, and should be cents=999 purchases=1 verified_cents=0"),
        },
    ),
}
"""Each kind of fault, as in `tests.maintenance.faults`."""

"""Sums of purchases, updated when a purchase is tracked, so that no request has to add up all purchases.

    Purchase      one transaction
    SpendTotal    all purchases of a player
    SpendDay      a player's purchases of one UTC day, and the last earlier day on which the player paid
    ProductDay    a product's purchases of one UTC day, in several rows, so that not all buyers contend for one row

All amounts here are US cents, converted when the purchase was tracked. Each sum has a second one beside it, of the verified
purchases only: what a client has reported and nobody has checked counts as revenue, and can still be told apart. `livecore
check` computes all sums again from the purchases (`livecore.commerce.reconciliation`).

A player's total is limited to 2^53 - 1, like a balance, and therefore also each day of the player. The sums of a product
have no such limit, because a player who reached it would stop others from buying. Stores hold 64 bits there: with the limit
of one purchase (`PurchaseLimits`) that is more than 900 million of the largest purchases in each part of a product's day.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.commerce.rows import ValidationStatus
from livecore.economy.refusals import BalanceOverflow
from livecore.kernel.storage.reads import Get, Read, Scan
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, day_number
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire.shapes import MAX_AMOUNT

NEVER: Final = -1
"""The earliest day; no payment is before it."""
_PARTS: Final = 8


@record
class Purchase:
    """One transaction of one store.

    `transaction_key` is a hash of store and transaction, so that the purchase stays unique after an erasure removed the id.
    `dated` says that the report gave the time of the purchase; otherwise it is the time of the report.
    """

    purchase_id: str
    player_id: PlayerId
    transaction_key: str
    transaction_id: str | None
    store: str
    product_id: str
    product_type: str
    amount_minor: int
    currency: str
    cents: int
    fx_rate: str
    validation_status: ValidationStatus
    purchased_at: Millis
    dated: bool
    tracked_at: Millis
    metadata: JsonText | None = None


@record
class SpendTotal:
    """All purchases of a player; `verified_cents` is the part of `cents` that the studio's backend has verified."""

    player_id: PlayerId
    cents: int
    purchases: int
    first_at: Millis
    last_at: Millis
    verified_cents: int = 0


@record
class SpendDay:
    """A player's purchases of one UTC day; `paid_before` is the player's last day before it with anything paid."""

    player_id: PlayerId
    day: int
    cents: int
    purchases: int
    paid: bool
    paid_before: int
    verified_cents: int = 0


@record
class ProductDay:
    """A part of one product's purchases of one UTC day."""

    day: int
    product_id: str
    part: int
    cents: int
    purchases: int
    verified_cents: int = 0


PURCHASES = Table(
    "purchases",
    Purchase,
    key=("purchase_id",),
    players={
        "player_id": PlayerColumn(Merge.REASSIGN, Erase.ANONYMISE, personal=("transaction_id", "metadata")),
    },
    export="purchases",
)
PURCHASES_OF_PLAYER = PURCHASES.index("of_player", prefix=("player_id",), order=("purchased_at",))
PURCHASES_BY_TIME = PURCHASES.index("by_time", order=("purchased_at", "player_id", "cents"))

SPEND_TOTALS = Table(
    "spend_totals",
    SpendTotal,
    key=("player_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.RETAIN)},
    export=(),
)
TOP_SPENDERS = SPEND_TOTALS.index("top_spenders", order=("cents",))

SPEND_DAYS = Table(
    "spend_days",
    SpendDay,
    key=("player_id", "day"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.RETAIN)},
    export=(),
)
SPEND_DAYS_OF_PLAYER = SPEND_DAYS.index("of_player", prefix=("player_id",), order=("day",))
SPEND_BY_DAY = SPEND_DAYS.index("by_day", prefix=("day",), order=("player_id", "cents"))
NEW_PAYERS = SPEND_DAYS.index("new_payers", prefix=("day", "paid"), order=("paid_before",))
"""For each day of a range: the players who paid on it and on no earlier day of the range, so each payer counts once."""

PRODUCT_DAYS = Table("product_days", ProductDay, key=("day", "product_id", "part"))
PRODUCTS_BY_DAY = PRODUCT_DAYS.index("by_day", order=("day", "product_id", "part"))


def part_of(purchase_id: str) -> int:
    """The part of its product's day that counts a purchase."""
    return ord(purchase_id[-1]) % _PARTS


def verified_cents(purchase: Purchase) -> int:
    """What a purchase adds to the sums of verified purchases."""
    return purchase.cents if purchase.validation_status == "verified" else 0


def of_player(tx: Transaction, player_id: PlayerId) -> SpendTotal:
    """All purchases of a player; zero at time 0 where there are none."""
    return total_in(tx.get(SPEND_TOTALS, player_id), player_id)


def total_in(found: SpendTotal | None, player_id: PlayerId) -> SpendTotal:
    """All purchases of a player, from the row that was found for them; zero at time 0 where there is none."""
    return found or SpendTotal(player_id=player_id, cents=0, purchases=0, first_at=0, last_at=0)


def adding_reads(player_id: PlayerId, purchased_at: Millis, product_id: str, purchase_id: str) -> list[Read[Any]]:
    """What is read to add such a purchase, for whoever asks for something else with it."""
    day = day_number(purchased_at)
    product = Get(PRODUCT_DAYS, (day, product_id, part_of(purchase_id)))
    return [Get(SPEND_TOTALS, (player_id,)), *_day_reads(player_id, day), product]


def add(tx: Transaction, purchase: Purchase) -> SpendTotal:
    """Add a new purchase to all sums; returns the player's new total. Raises `BalanceOverflow` before any write."""
    total = _with(tx.get(SPEND_TOTALS, purchase.player_id), purchase)
    day = day_number(purchase.purchased_at)
    add_to_day(tx, purchase.player_id, day, purchase.cents, 1, verified=verified_cents(purchase))
    _add_to_product(tx, purchase)
    return tx.put(SPEND_TOTALS, total)


def verify(tx: Transaction, before: Purchase, after: Purchase) -> None:
    """Count a stored purchase as verified, perhaps at another time than before.

    Player, product and amount are the same, and `before` is not verified.
    """
    was, day = day_number(before.purchased_at), day_number(after.purchased_at)
    if was == day:
        add_to_day(tx, after.player_id, day, 0, 0, verified=after.cents)
    else:
        _take_from_day(tx, before.player_id, was, before.cents)
        add_to_day(tx, after.player_id, day, after.cents, 1, verified=after.cents)
    _take_from_product(tx, before)
    _add_to_product(tx, after)
    _verify_total(tx, after)
    if before.purchased_at != after.purchased_at:
        _time_total(tx, after.player_id)


def _verify_total(tx: Transaction, purchase: Purchase) -> None:
    known = tx.get(SPEND_TOTALS, purchase.player_id)
    if known is not None:
        tx.put(SPEND_TOTALS, evolve(known, verified_cents=known.verified_cents + purchase.cents))


def _with(known: SpendTotal | None, purchase: Purchase) -> SpendTotal:
    at = purchase.purchased_at
    if known is None:
        return SpendTotal(
            player_id=purchase.player_id,
            cents=purchase.cents,
            purchases=1,
            first_at=at,
            last_at=at,
            verified_cents=verified_cents(purchase),
        )
    if known.cents + purchase.cents > MAX_AMOUNT:
        raise BalanceOverflow(resource="USD")
    return evolve(
        known,
        cents=known.cents + purchase.cents,
        purchases=known.purchases + 1,
        first_at=min(known.first_at, at),
        last_at=max(known.last_at, at),
        verified_cents=known.verified_cents + verified_cents(purchase),
    )


def _add_to_product(tx: Transaction, purchase: Purchase) -> None:
    day, part = day_number(purchase.purchased_at), part_of(purchase.purchase_id)
    known = tx.get(PRODUCT_DAYS, day, purchase.product_id, part)
    if known is None:
        known = ProductDay(day=day, product_id=purchase.product_id, part=part, cents=0, purchases=0)
    tx.put(
        PRODUCT_DAYS,
        evolve(
            known,
            cents=known.cents + purchase.cents,
            purchases=known.purchases + 1,
            verified_cents=known.verified_cents + verified_cents(purchase),
        ),
    )


def _take_from_product(tx: Transaction, purchase: Purchase) -> None:
    key = day_number(purchase.purchased_at), purchase.product_id, part_of(purchase.purchase_id)
    known = tx.get(PRODUCT_DAYS, *key)
    if known is None or known.purchases == 1:
        tx.delete(PRODUCT_DAYS, *key)
    else:
        tx.put(
            PRODUCT_DAYS,
            evolve(
                known,
                cents=known.cents - purchase.cents,
                purchases=known.purchases - 1,
                verified_cents=known.verified_cents - verified_cents(purchase),
            ),
        )


def _time_total(tx: Transaction, player_id: PlayerId) -> None:
    """Set the times of a player's first and last purchase from the purchases themselves."""
    known, first, last = tx.read_together(
        Get(SPEND_TOTALS, (player_id,)),
        Scan(PURCHASES_OF_PLAYER, (player_id,), limit=1),
        Scan(PURCHASES_OF_PLAYER, (player_id,), reverse=True, limit=1),
    )
    if known is not None and first and last:
        tx.put(SPEND_TOTALS, evolve(known, first_at=first[0].purchased_at, last_at=last[0].purchased_at))


def add_to_day(
    tx: Transaction, player_id: PlayerId, day: int, cents: int, purchases: int, *, verified: int = 0
) -> None:
    """Add purchases to one day of a player. If they are the day's first payment, update the next paid day.

    `verified` is the part of `cents` that is verified, or becomes so.
    """
    known, before, later = tx.read_together(*_day_reads(player_id, day))
    if known is None:
        paid_before = _paid_before(before)
        known = SpendDay(player_id=player_id, day=day, cents=0, purchases=0, paid=False, paid_before=paid_before)
    total = known.cents + cents
    changed = evolve(
        known,
        cents=total,
        purchases=known.purchases + purchases,
        paid=total > 0,
        verified_cents=known.verified_cents + verified,
    )
    tx.put(SPEND_DAYS, changed)
    if changed.paid and not known.paid:
        _update_later_days(tx, player_id, later, paid=day)


def _day_reads(player_id: PlayerId, day: int) -> tuple[Get[SpendDay], Scan[SpendDay], Scan[SpendDay]]:
    """A day of a player, the last one before it, and the first one after it."""
    return (
        Get(SPEND_DAYS, (player_id, day)),
        Scan(SPEND_DAYS_OF_PLAYER, (player_id,), stop=(day,), reverse=True, limit=1),
        _first_from(player_id, day + 1),
    )


def _first_from(player_id: PlayerId, day: int) -> Scan[SpendDay]:
    return Scan(SPEND_DAYS_OF_PLAYER, (player_id,), start=(day,), limit=1)


def _take_from_day(tx: Transaction, player_id: PlayerId, day: int, cents: int) -> None:
    """Subtract one unverified purchase from one day of a player. If it was the day's only payment, update the next days."""
    known, later = tx.read_together(Get(SPEND_DAYS, (player_id, day)), _first_from(player_id, day + 1))
    if known is None:
        return
    left = evolve(known, cents=known.cents - cents, purchases=known.purchases - 1, paid=known.cents > cents)
    if left.purchases:
        tx.put(SPEND_DAYS, left)
    else:
        tx.delete(SPEND_DAYS, player_id, day)
    if known.paid and not left.paid:
        _update_later_days(tx, player_id, later, paid=known.paid_before)


def _update_later_days(tx: Transaction, player_id: PlayerId, found: Sequence[SpendDay], *, paid: int) -> None:
    """Set `paid_before` to `paid` in the day that was found, and in those after it up to the next day with a payment."""
    while found:
        later = tx.put(SPEND_DAYS, evolve(found[0], paid_before=paid))
        if later.paid:
            return
        found = tx.scanned(_first_from(player_id, later.day + 1))


def _paid_before(latest: Sequence[SpendDay]) -> int:
    if not latest:
        return NEVER
    return latest[0].day if latest[0].paid else latest[0].paid_before

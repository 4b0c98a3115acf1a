"""How merging combines sums of purchases, and the part of an export for purchases.

The purchases themselves are reassigned by the declared policy. The totals are added up, and so is each day of both: so a day
on which both paid counts as one paying player.
"""

from __future__ import annotations

from livecore.commerce import purchases
from livecore.commerce.totals import (
    NEVER,
    PURCHASES_OF_PLAYER,
    SPEND_DAYS,
    SPEND_DAYS_OF_PLAYER,
    SPEND_TOTALS,
    SpendDay,
    SpendTotal,
)
from livecore.kernel.declarations.player_lifecycle import Exported, Merging, Slice
from livecore.kernel.storage.paging import page_by_time, page_of
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.players.refusals import InvalidMerge


def unite_totals(unit: Unit, merging: Merging) -> None:
    """Add up both totals. Raises `InvalidMerge` where the sum is too large."""
    source, target = unit.tx.read_together(
        Get(SPEND_TOTALS, (merging.source_id,)), Get(SPEND_TOTALS, (merging.target_id,))
    )
    if source is None:
        return
    unit.tx.delete(SPEND_TOTALS, merging.source_id)
    unit.tx.put(SPEND_TOTALS, _united(evolve(source, player_id=merging.target_id), target))


def _united(one: SpendTotal, other: SpendTotal | None) -> SpendTotal:
    if other is None:
        return one
    if one.cents + other.cents > MAX_AMOUNT:
        raise InvalidMerge(
            "What the two have spent is too large to be added up.", reason="balance_overflow", resource="USD"
        )
    return evolve(
        other,
        cents=one.cents + other.cents,
        purchases=one.purchases + other.purchases,
        first_at=min(one.first_at, other.first_at),
        last_at=max(one.last_at, other.last_at),
        verified_cents=one.verified_cents + other.verified_cents,
    )


def unite_days(unit: Unit, merging: Merging) -> None:
    """Add the source's days to the target's. They cannot overflow, because `unite_totals` has checked the whole."""
    given, own = unit.tx.read_together(
        Scan(SPEND_DAYS_OF_PLAYER, (merging.source_id,)), Scan(SPEND_DAYS_OF_PLAYER, (merging.target_id,))
    )
    if not given:
        return
    before = {day.day: day for day in own}
    united = dict(before)
    for day in given:
        unit.tx.delete(SPEND_DAYS, merging.source_id, day.day)
        united[day.day] = _with_day(evolve(day, player_id=merging.target_id), before.get(day.day))
    paid_before = NEVER
    for number, day in sorted(united.items()):
        after = evolve(day, paid_before=paid_before)
        if number not in before:
            unit.tx.insert(SPEND_DAYS, after)
        elif after != before[number]:
            unit.tx.put(SPEND_DAYS, after)
        paid_before = number if after.paid else paid_before


def _with_day(one: SpendDay, other: SpendDay | None) -> SpendDay:
    """The same day of both; the caller sets the paid day before it."""
    if other is None:
        return one
    return evolve(
        other,
        cents=one.cents + other.cents,
        purchases=one.purchases + other.purchases,
        paid=one.paid or other.paid,
        verified_cents=one.verified_cents + other.verified_cents,
    )


def exported_purchases(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Purchases, newest first by the time of the purchase."""
    page = page_by_time(wanted)
    found = unit.tx.scanned(purchases.newest(player_id, page))
    shown, cursor = page_of(found, page, PURCHASES_OF_PLAYER.position_of)
    return Exported(tuple(map(purchases.row, shown)), cursor)

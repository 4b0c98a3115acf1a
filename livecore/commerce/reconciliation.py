"""Reconciles sums: checks that the stored sums by player, day and product agree with the purchases.

Purchases, days and totals are read in parallel, in the order of the players. So the check holds only one player's days at a
time, and of the products a sum for each day and part.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, TypeAlias

import attrs

from livecore.commerce.totals import (
    NEVER,
    PRODUCT_DAYS,
    PURCHASES,
    SPEND_DAYS,
    SPEND_TOTALS,
    ProductDay,
    Purchase,
    SpendDay,
    SpendTotal,
    part_of,
    verified_cents,
)
from livecore.kernel.storage.examination import Finding, Noted, Sums, Tally, View, in_key_order, walk
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Index, Key, Table
from livecore.kernel.time import day_number

_BY_PLAYER: Final = Index(PURCHASES, "of_players", (), ("player_id", "purchased_at", "purchase_id"))
_OWNER: Final = attrgetter("player_id")
_Row: TypeAlias = "Purchase | SpendDay | SpendTotal"
_ProductKey: TypeAlias = "tuple[int, str, int]"


@attrs.define
class _Player:
    """The sums of one player's purchases, computed and stored."""

    total: SpendTotal | None = None
    days: dict[int, SpendDay] = attrs.Factory(dict)
    kept_total: SpendTotal | None = None
    kept_days: dict[int, SpendDay] = attrs.Factory(dict)

    def add(self, purchase: Purchase) -> None:
        """Count a purchase; they come in the order of their times."""
        owner, at, day = purchase.player_id, purchase.purchased_at, day_number(purchase.purchased_at)
        total = self.total or SpendTotal(player_id=owner, cents=0, purchases=0, first_at=at, last_at=at)
        self.total = evolve(
            total,
            cents=total.cents + purchase.cents,
            purchases=total.purchases + 1,
            last_at=max(total.last_at, at),
            verified_cents=total.verified_cents + verified_cents(purchase),
        )
        known = self.days.get(day) or self._new_day(owner, day)
        cents = known.cents + purchase.cents
        self.days[day] = evolve(
            known,
            cents=cents,
            purchases=known.purchases + 1,
            paid=cents > 0,
            verified_cents=known.verified_cents + verified_cents(purchase),
        )

    def _new_day(self, owner: PlayerId, day: int) -> SpendDay:
        paid_before = max((day for day, known in self.days.items() if known.paid), default=NEVER)
        return SpendDay(player_id=owner, day=day, cents=0, purchases=0, paid=False, paid_before=paid_before)

    def settle(self, owner: str) -> Iterator[Finding]:
        """What is wrong, after all rows were added."""
        if self.total != self.kept_total:
            yield _unlike(SPEND_TOTALS, (owner,), self.kept_total, self.total)
        for day in sorted(self.days.keys() | self.kept_days.keys()):
            kept, right = self.kept_days.get(day), self.days.get(day)
            if kept != right:
                yield _unlike(SPEND_DAYS, (owner, day), kept, right)


def _reconcile(view: View, noted: Noted, _: Tally) -> Iterator[Finding]:
    """Every sum that does not agree with the purchases."""
    products: dict[_ProductKey, ProductDay] = {}
    purchases = walk(view, _BY_PLAYER, noted)
    days, sums = walk(view, in_key_order(SPEND_DAYS), noted), walk(view, in_key_order(SPEND_TOTALS), noted)
    rows: Iterator[_Row] = merge(purchases, days, sums, key=_OWNER)
    for owner, held in groupby(rows, key=_OWNER):
        player = _Player()
        for row in held:
            _take(player, row, products)
        yield from player.settle(owner)
    yield from _products(view, noted, products)


def _take(player: _Player, row: _Row, products: dict[_ProductKey, ProductDay]) -> None:
    if isinstance(row, SpendTotal):
        player.kept_total = row
    elif isinstance(row, SpendDay):
        player.kept_days[row.day] = row
    else:
        player.add(row)
        key = (day_number(row.purchased_at), row.product_id, part_of(row.purchase_id))
        day, product_id, part = key
        known = products.get(key) or ProductDay(day=day, product_id=product_id, part=part, cents=0, purchases=0)
        products[key] = evolve(
            known,
            cents=known.cents + row.cents,
            purchases=known.purchases + 1,
            verified_cents=known.verified_cents + verified_cents(row),
        )


def _products(view: View, noted: Noted, products: dict[_ProductKey, ProductDay]) -> Iterator[Finding]:
    for kept in walk(view, in_key_order(PRODUCT_DAYS), noted):
        right = products.pop((kept.day, kept.product_id, kept.part), None)
        if kept != right:
            yield _unlike(PRODUCT_DAYS, PRODUCT_DAYS.key_of(kept), kept, right)
    for key, right in sorted(products.items()):
        yield _unlike(PRODUCT_DAYS, key, None, right)


def _unlike(table: Table[Any], key: Key, kept: object | None, right: object | None) -> Finding:
    return Finding(table.name, key, f"is {_as_text(table, kept)}, and should be {_as_text(table, right)}")


def _as_text(table: Table[Any], sums: object | None) -> str:
    """Sums as text, without the key."""
    if sums is None:
        return "missing"
    return " ".join(f"{held.name}={getattr(sums, held.name)}" for held in table.columns if held.name not in table.key)


SPENT: Final = Sums(tables=(PURCHASES, SPEND_DAYS, SPEND_TOTALS, PRODUCT_DAYS), check=_reconcile)
"""Every stored sum agrees with the purchases."""

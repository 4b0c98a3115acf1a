"""A year of purchases, written into a database as tracking them one by one would have left it, in a fraction of the time.

Days come one after another, and of each player only the sums so far are kept, so a million purchases need little memory.
Every hundredth player is a debug account. Equal numbers give equal purchases. That the sums are right is tested by adding
the purchases up again, as `livecore check` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, Protocol

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
)
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.store import StoreWrite, Write
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import DAY, Millis, day_number
from livecore.players.moderation import DEBUG_ACCOUNTS, DebugAccount
from livecore.players.player import PLAYERS, Player

DAYS: Final = 365
_PRODUCTS: Final = tuple(f"product-{number}" for number in range(20))
_CENTS: Final = (99, 199, 499, 999, 1_999, 4_999, 9_999)
_DEBUG_EACH: Final = 100
_TOGETHER: Final = 10_000
"""How many rows share a transaction."""


class Shelf(Protocol):
    """What is needed of a store."""

    def apply(self, scope: Scope, writes: list[StoreWrite]) -> None:
        """Apply writes as one step."""


def name_of(number: int) -> str:
    """The studio's id of the player of this number."""
    return f"payer-{number}"


def stock(store: Shelf, scope: Scope, now: Millis, *, players: int, purchases: int) -> None:
    """Write so many players, and so many purchases of the last `DAYS` days, today's until now among them."""
    rows = _rows(now, players, purchases)
    steps: list[StoreWrite] = []
    for table, row in rows:
        steps.append(Write(table, table.key_of(row), None, row))
        if len(steps) == _TOGETHER:
            store.apply(scope, steps)
            steps = []
    if steps:
        store.apply(scope, steps)


def _rows(now: Millis, players: int, purchases: int) -> Iterator[tuple[Table[Any], object]]:
    ids = [PlayerId(f"plr_{number:026d}") for number in range(players)]
    began = (day_number(now) - DAYS) * DAY
    for number, player_id in enumerate(ids):
        player = Player(
            player_id=player_id,
            external_id=name_of(number),
            pool_name="Payer",
            first_seen_at=began,
            last_seen_at=now,
        )
        yield PLAYERS, player
    for player_id in ids[::_DEBUG_EACH]:
        yield DEBUG_ACCOUNTS, DebugAccount(player_id=player_id, flagged_at=now)
    books = _Books()
    for purchase in _bought(now, ids, purchases):
        yield from books.add(purchase)
        yield PURCHASES, purchase
    yield from books.end_day()
    for total in books.totals.values():
        yield SPEND_TOTALS, total


def _bought(now: Millis, ids: Sequence[PlayerId], purchases: int) -> Iterator[Purchase]:
    """In the order of their times, spread evenly."""
    draw = Random(1)  # noqa: S311 - to measure with
    began = (day_number(now) - DAYS + 1) * DAY
    for number in range(purchases):
        cents = draw.choice(_CENTS)
        at = began + (now - began) * number // purchases
        transaction = f"transaction-{number}"
        yield Purchase(
            purchase_id=f"pur_{number:026d}",
            player_id=draw.choice(ids),
            transaction_key=transaction,
            transaction_id=transaction,
            store="store",
            product_id=draw.choice(_PRODUCTS),
            product_type="consumable",
            amount_minor=cents,
            currency="USD",
            cents=cents,
            fx_rate="1",
            validation_status="verified",
            purchased_at=at,
            dated=True,
            tracked_at=at,
        )


@attrs.define
class _Books:
    """The sums, added up as the purchases come, of which all are verified."""

    totals: dict[PlayerId, SpendTotal] = attrs.Factory(dict)
    _paid_on: dict[PlayerId, int] = attrs.Factory(dict)
    _day: int = NEVER
    _of_day: dict[PlayerId, SpendDay] = attrs.Factory(dict)
    _products: dict[tuple[str, int], ProductDay] = attrs.Factory(dict)

    def add(self, purchase: Purchase) -> Iterator[tuple[Table[Any], object]]:
        """Count a purchase; gives the sums of the day before when it is the first of a day."""
        day = day_number(purchase.purchased_at)
        if day != self._day:
            yield from self.end_day()
            self._day = day
        owner, cents, at = purchase.player_id, purchase.cents, purchase.purchased_at
        total = self.totals.get(owner) or SpendTotal(player_id=owner, cents=0, purchases=0, first_at=at, last_at=at)
        self.totals[owner] = evolve(
            total,
            cents=total.cents + cents,
            verified_cents=total.cents + cents,
            purchases=total.purchases + 1,
            last_at=at,
        )
        known = self._of_day.get(owner) or SpendDay(
            player_id=owner, day=day, cents=0, purchases=0, paid=True, paid_before=self._paid_on.get(owner, NEVER)
        )
        self._of_day[owner] = evolve(
            known, cents=known.cents + cents, verified_cents=known.cents + cents, purchases=known.purchases + 1
        )
        place = purchase.product_id, part_of(purchase.purchase_id)
        part = self._products.get(place) or ProductDay(
            day=day, product_id=place[0], part=place[1], cents=0, purchases=0
        )
        self._products[place] = evolve(
            part, cents=part.cents + cents, verified_cents=part.cents + cents, purchases=part.purchases + 1
        )

    def end_day(self) -> Iterator[tuple[Table[Any], object]]:
        """The sums of the day that is over."""
        for row in self._of_day.values():
            self._paid_on[row.player_id] = row.day
            yield SPEND_DAYS, row
        for part in self._products.values():
            yield PRODUCT_DAYS, part
        self._of_day, self._products = {}, {}

"""Revenue of a range of UTC days: gross, paying players, the average for each of them, by product and by day.

Everything is read from the sums that are updated when purchases are tracked. Purchases of debug accounts are subtracted at
each read, so that flagging and unflagging also apply to the past (specification 4.3).
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import attrs

from livecore.commerce.rows import GetRevenueSummary, ProductRevenue, RevenueDay, RevenueSummary
from livecore.commerce.totals import (
    NEW_PAYERS,
    PRODUCTS_BY_DAY,
    PURCHASES_OF_PLAYER,
    SPEND_DAYS_OF_PLAYER,
    SpendDay,
    verified_cents,
)
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.reads import Count, Scan, Sums
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, Millis, day_number
from livecore.kernel.units.unit import Unit
from livecore.players.moderation import ALL_DEBUG_ACCOUNTS

_USUAL_DAYS: Final = 30
_MOST_DAYS: Final = 1_100
"""A little over three years: the answer has a row for each day."""
_MOST_PRODUCTS: Final = 1_000
_EPOCH: Final = dt.date(1970, 1, 1)
_FIRST_DAY: Final = (dt.date.min - _EPOCH).days


@attrs.define
class _Sums:
    """The sums so far: amounts, counts and paying players."""

    amount_by_day: Counter[int] = attrs.Factory(Counter)
    purchases_by_day: Counter[int] = attrs.Factory(Counter)
    payers_by_day: Counter[int] = attrs.Factory(Counter)
    verified_by_day: Counter[int] = attrs.Factory(Counter)
    amount_by_product: Counter[str] = attrs.Factory(Counter)
    purchases_by_product: Counter[str] = attrs.Factory(Counter)
    verified_by_product: Counter[str] = attrs.Factory(Counter)
    payers: int = 0


def get_revenue_summary(unit: Unit, args: GetRevenueSummary) -> RevenueSummary:
    """Revenue from `from` (inclusive) to `to` (exclusive). Raises `ValidationFailed`."""
    first, end = _span(args, unit.now)
    sums, accounts = _sums(unit.tx, first, end)
    own = _with_payers(unit.tx, sums, accounts, first, end)
    _take_off(unit.tx, sums, own, first, end)
    gross = sum(sums.amount_by_day.values())
    return RevenueSummary(
        from_=_date(first),
        to=_date(end),
        gross_amount_minor=gross,
        purchase_count=sum(sums.purchases_by_day.values()),
        paying_players=sums.payers,
        arppu_minor=_average(gross, sums.payers),
        verified_amount_minor=sum(sums.verified_by_day.values()),
        products=tuple(_products(sums)),
        days=tuple(_days(sums, first, end)),
    )


# -- days -----------------------------------------------------------------------------------------------------------------


def _span(args: GetRevenueSummary, now: Millis) -> tuple[int, int]:
    """The requested days, as numbers: the first one, and the one after the last."""
    end = day_number(now) + 1 if args.to is None else _day("to", args.to)
    first = max(end - _USUAL_DAYS, _FIRST_DAY) if args.from_ is None else _day("from", args.from_)
    if not first < end:
        raise ValidationFailed({"from": "must lie before `to`"})
    if end - first > _MOST_DAYS:
        raise ValidationFailed({"from": f"must lie at most {_MOST_DAYS} days before `to`"})
    return first, end


def _day(field: str, text: str) -> int:
    try:
        return (dt.date.fromisoformat(text) - _EPOCH).days
    except ValueError:
        raise ValidationFailed({field: "must be a day of the calendar"}) from None


def _date(day: int) -> str:
    return (_EPOCH + dt.timedelta(days=day)).isoformat()


# -- sums -----------------------------------------------------------------------------------------------------------------


def _sums(tx: Transaction, first: int, end: int) -> tuple[_Sums, list[PlayerId]]:
    """The sums of amounts and purchases, debug accounts included, and these accounts."""
    sums = _Sums()
    into: dict[tuple[str, str], Counter[Any]] = {
        ("cents", "day"): sums.amount_by_day,
        ("purchases", "day"): sums.purchases_by_day,
        ("cents", "product_id"): sums.amount_by_product,
        ("purchases", "product_id"): sums.purchases_by_product,
        ("verified_cents", "day"): sums.verified_by_day,
        ("verified_cents", "product_id"): sums.verified_by_product,
    }
    # The store computes the sums: three years of many products are too many rows to make records of.
    found, (accounts,) = tx.read_lists(
        [Sums(PRODUCTS_BY_DAY, (), of, by, start=(first,), stop=(end,)) for of, by in into], [ALL_DEBUG_ACCOUNTS]
    )
    for counter, of_each in zip(into.values(), found, strict=True):
        counter.update(cast("dict[Any, int]", of_each))
    return sums, [account.player_id for account in accounts]


def _with_payers(
    tx: Transaction, sums: _Sums, accounts: Sequence[PlayerId], first: int, end: int
) -> dict[PlayerId, list[SpendDay]]:
    """Count who paid, debug accounts included; gives the days on which each of those bought something."""
    days = list(sums.amount_by_day)
    payers, first_payers, own = tx.read_lists(
        [Count(NEW_PAYERS, (day, True)) for day in days],
        [Count(NEW_PAYERS, (day, True), stop=(first,)) for day in days],
        [Scan(SPEND_DAYS_OF_PLAYER, (account,), start=(first,), stop=(end,)) for account in accounts],
    )
    sums.payers_by_day.update(dict(zip(days, payers, strict=True)))
    sums.payers = sum(first_payers)
    return dict(zip(accounts, own, strict=True))


def _take_off(tx: Transaction, sums: _Sums, own: Mapping[PlayerId, Sequence[SpendDay]], first: int, end: int) -> None:
    """Subtract the purchases of debug accounts, whose days are given."""
    bought: dict[int, set[PlayerId]] = {}
    for account, days in own.items():
        for day in days:
            sums.amount_by_day[day.day] -= day.cents
            sums.purchases_by_day[day.day] -= day.purchases
            sums.verified_by_day[day.day] -= day.verified_cents
            sums.payers_by_day[day.day] -= day.paid
            bought.setdefault((day.day - first) // _USUAL_DAYS, set()).add(account)
        sums.payers -= any(day.paid for day in days)
    for month, of_month in sorted(bought.items()):
        begin = first + month * _USUAL_DAYS
        _take_off_products(tx, sums, of_month, begin, min(begin + _USUAL_DAYS, end))


def _take_off_products(tx: Transaction, sums: _Sums, accounts: set[PlayerId], first: int, end: int) -> None:
    """Subtract their purchases of each product in a range of days."""
    start, stop = (first * DAY,), (end * DAY,)
    scans = (Scan(PURCHASES_OF_PLAYER, (account,), start=start, stop=stop) for account in accounts)
    for purchase in tx.scan_all(scans):
        sums.amount_by_product[purchase.product_id] -= purchase.cents
        sums.purchases_by_product[purchase.product_id] -= 1
        sums.verified_by_product[purchase.product_id] -= verified_cents(purchase)


# -- rows -----------------------------------------------------------------------------------------------------------------


def _average(gross: int, payers: int) -> int | None:
    """The average for each paying player, rounded half up; `None` where nobody paid."""
    return (2 * gross + payers) // (2 * payers) if payers else None


def _products(sums: _Sums) -> Iterator[ProductRevenue]:
    """Products by revenue, largest first; at most a thousand."""
    ranked = sorted(
        (product for product, purchases in sums.purchases_by_product.items() if purchases),
        key=lambda product: (-sums.amount_by_product[product], product),
    )
    for product in ranked[:_MOST_PRODUCTS]:
        yield ProductRevenue(
            product_id=product,
            amount_minor=sums.amount_by_product[product],
            purchase_count=sums.purchases_by_product[product],
            verified_amount_minor=sums.verified_by_product[product],
        )


def _days(sums: _Sums, first: int, end: int) -> Iterator[RevenueDay]:
    for day in range(first, end):
        yield RevenueDay(
            date=_date(day),
            amount_minor=sums.amount_by_day[day],
            purchase_count=sums.purchases_by_day[day],
            paying_players=sums.payers_by_day[day],
            verified_amount_minor=sums.verified_by_day[day],
        )

"""Spend: every figure of what was bought, added up anew from the list of purchases (contract, purchases)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.laws.area import Area, Operation
from tests.laws.areas.debug_accounts import DebugAccounts
from tests.laws.areas.purchases import Purchase, Purchases
from tests.laws.drawing import NOBODY, Draw
from tests.laws.model_state import DAY, Call, Refused, Reply, Scope, day_of, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step


def _since(rows: Iterable[Purchase], at: int) -> list[Purchase]:
    return [row for row in rows if row.at >= at]


def _verified(rows: Iterable[Purchase]) -> int:
    return sum(row.cents for row in rows if row.verified)


def _spend(call: Call) -> Reply:
    own = call.scope.part(Purchases).of(call.player)
    times = [row.at for row in own]
    windows = [(days, _since(own, call.now - days * DAY)) for days in call["windows"] or []]
    expected = [
        {
            "days": days,
            "amountMinor": sum(row.cents for row in rows),
            "purchaseCount": len(rows),
            "verifiedAmountMinor": _verified(rows),
        }
        for days, rows in windows
    ]

    def check(data: Body) -> None:
        assert (data["lifetimeAmountMinor"], data["purchaseCount"]) == (sum(row.cents for row in own), len(own))
        assert data["verifiedAmountMinor"] == _verified(own)
        shown = [data["firstPurchaseAt"], data["lastPurchaseAt"]]
        assert [at and stamp(at) for at in shown] == ([min(times), max(times)] if times else [None, None])
        assert data["windows"] == expected

    return Reply(check=check)


def _by_player(scope: Scope, rows: Iterable[Purchase]) -> dict[str, list[Purchase]]:
    """Purchases by who made them, those of debug accounts left out."""
    found: dict[str, list[Purchase]] = defaultdict(list)
    for row in rows:
        if row.player not in scope.part(DebugAccounts).reasons:
            found[row.player].append(row)
    return found


def _spenders(call: Call) -> Reply:
    rows = call.scope.part(Purchases).all()
    ever = _by_player(call.scope, rows)
    days = call["windowDays"]
    spent = ever if days is None else _by_player(call.scope, _since(rows, call.now - days * DAY))
    least = 1 if call["minAmountMinor"] is None else call["minAmountMinor"]
    amounts = {name: sum(row.cents for row in rows) for name, rows in spent.items()}
    ranked = sorted((amount for amount in amounts.values() if amount >= least), reverse=True)
    limit, offset = call["limit"] or 50, call["offset"] or 0

    def check(data: Body) -> None:
        assert (data["total"], data["limit"], data["offset"]) == (len(ranked), limit, offset)
        assert [row["amountMinor"] for row in data["players"]] == ranked[offset : offset + limit]
        assert len({row["externalPlayerId"] for row in data["players"]}) == len(data["players"])
        for row in data["players"]:
            name = row["externalPlayerId"]
            assert (row["amountMinor"], row["purchaseCount"]) == (amounts[name], len(spent[name]))
            assert row["verifiedAmountMinor"] == _verified(spent[name])
            assert stamp(row["lastPurchaseAt"]) == max(bought.at for bought in ever[name])

    return Reply(check=check)


def _summary(call: Call) -> Reply:
    end = day_of(call.now) + 1 if call["to"] is None else _day(call["to"])
    first = end - 30 if call["from"] is None else _day(call["from"])
    if first >= end:
        raise Refused(400, "validation_failed")
    within = [row for row in call.scope.part(Purchases).all() if first <= day_of(row.at) < end]
    rows = [row for bought in _by_player(call.scope, within).values() for row in bought]
    gross, payers = sum(row.cents for row in rows), _payers(rows)
    products: dict[str, list[Purchase]] = defaultdict(list)
    for row in rows:
        products[row.told["productId"]].append(row)

    def check(data: Body) -> None:
        shown = (data["grossAmountMinor"], data["purchaseCount"], data["payingPlayers"])
        assert shown == (gross, len(rows), payers)
        assert data["verifiedAmountMinor"] == _verified(rows)
        # Half up: an average of money, not a rate.
        assert data["arppuMinor"] == ((2 * gross + payers) // (2 * payers) if payers else None)
        by_product = {
            row["productId"]: (row["amountMinor"], row["purchaseCount"], row["verifiedAmountMinor"])
            for row in data["products"]
        }
        assert by_product == {
            product: (sum(row.cents for row in bought), len(bought), _verified(bought))
            for product, bought in products.items()
        }
        assert [_day(row["date"]) for row in data["days"]] == list(range(first, end))
        for row in data["days"]:
            today = [bought for bought in rows if day_of(bought.at) == _day(row["date"])]
            assert (row["amountMinor"], row["purchaseCount"], row["payingPlayers"], row["verifiedAmountMinor"]) == (
                sum(bought.cents for bought in today),
                len(today),
                _payers(today),
                _verified(today),
            )

    return Reply(check=check)


def _day(date: str) -> int:
    return day_of(stamp(f"{date}T00:00:00.000Z"))


def _payers(rows: list[Purchase]) -> int:
    """How many players paid, and not only took what was free."""
    return len({row.player for row in rows if row.cents})


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _figures(d: Draw) -> Iterator[Step]:
    """Finance reads, perhaps right after an account was marked as one for debugging."""
    if d.one_in(3):
        yield d.call("server:players.flagDebug", d.one())
    spenders: dict[str, Any] = {}
    if d.one_in(2):
        spenders["windowDays"] = d.of(1, 7, 30)
    if d.one_in(2):
        spenders["minAmountMinor"] = d.of(0, 100, 2_000)
    if d.one_in(3):
        spenders |= {"limit": d.of(1, 2), "offset": d.of(0, 1, 2)}
    if d.one_in(12):
        spenders["offset"] = -1
    yield d.call("server:spend.listPlayers", NOBODY, **spenders)
    days: dict[str, Any] = d.of({}, {}, {"from": "2026-02-20"}, {"from": "2026-02-01", "to": "2026-03-05"})
    if d.one_in(10):
        days = {"from": "2026-03-05", "to": "2026-03-05"}
    yield d.call("server:spend.summary", NOBODY, **days)


def _windows(d: Draw) -> dict[str, Any]:
    return {} if d.one_in(4) else {"windows": [0] if d.one_in(6) else [1, 7, 30]}


AREA: Final = Area(
    operations=(
        Operation(
            "server:spend.get",
            _spend,
            faults=lambda call: any(days < 1 for days in call["windows"] or []),
            read_with=_windows,
            broad=True,
            refuses="player_not_found validation_failed",
        ),
        Operation(
            "server:spend.listPlayers",
            _spenders,
            about="nobody",
            faults=lambda call: (call["offset"] or 0) < 0,
            refuses="validation_failed",
        ),
        Operation("server:spend.summary", _summary, about="nobody", refuses="validation_failed"),
    ),
    broad_scenes=((4, _figures),),
)

"""Purchases and spend: one list of purchases, and every figure added up from it anew (contract, purchases)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final

import attrs

from tests.laws.area import Area, Operation
from tests.laws.areas.moderation import DebugAccounts
from tests.laws.model_state import DAY, MOST, Call, Player, Refused, Reply, Scope, day_of, newest_first, stamp
from tests.laws.routes import Body

__all__ = ["AREA"]

_TOLD: Final = ("productId", "productType", "amountMinor", "currency")
_DECIMALS: Final = {"JPY": 0, "KWD": 3}


# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class _Purchase:
    """A purchase as it was first told, or better by who verified it; `cents` are US cents."""

    player: str
    store: str
    told: Body
    """The request's fields that a repetition must not contradict."""
    cents: int
    at: int
    verified: bool
    purchase_id: str = ""


@attrs.define
class _Purchases:
    """The purchases of a scope, by store and transaction."""

    by_transaction: dict[tuple[str, str], _Purchase] = attrs.field(factory=dict)

    def all(self) -> list[_Purchase]:
        """Every purchase."""
        return list(self.by_transaction.values())


def _of(scope: Scope, name: str) -> list[_Purchase]:
    return [row for row in scope.part(_Purchases).all() if row.player == name]


# -- tracking -------------------------------------------------------------------------------------------------------------


def _track(call: Call) -> Reply:
    verified = call["validationStatus"] == "verified"
    known = call.scope.part(_Purchases).by_transaction.get((call["store"], call["transactionId"]))
    if known is None:
        return _first(call, verified=verified)
    if known.player != call.player:
        raise Refused(409, "transaction_conflict")
    if _contradicts(known, call, verified=verified):
        raise Refused(409, "idempotency_conflict")
    news = verified and not known.verified
    if news:
        _verify(known, call)
    move = "purchase: unverified -verify-> verified" if news else "purchase: told again"
    return Reply(200, (), _tracked(call, known), move, replayed=not news)


def _first(call: Call, *, verified: bool) -> Reply:
    rate = {"USD": "1", **call.scope.config.get("exchangeRates", {})}.get(call["currency"])
    if rate is None:
        raise Refused(400, "unknown_currency")
    cents = _us_cents(call["amountMinor"], call["currency"], rate)
    at = call.now if call["purchasedAt"] is None else stamp(call["purchasedAt"])
    most = call.scope.config.get("purchases", {}).get("maxAmountMinor", 10**9)
    if cents > most or at > call.now + DAY:
        raise Refused(400, "validation_failed")
    if sum(row.cents for row in _of(call.scope, call.player)) + cents > MOST:
        raise Refused(409, "balance_overflow")
    purchase = _Purchase(call.player, call["store"], dict(call.arguments), cents, at, verified)
    call.scope.part(_Purchases).by_transaction[call["store"], call["transactionId"]] = purchase
    return Reply(200, ("purchase.tracked",), _tracked(call, purchase), "purchase: tracked")


def _us_cents(amount: int, currency: str, rate: str) -> int:
    """Half to even, as Python rounds fractions."""
    return round(Fraction(amount) * Fraction(rate) * Fraction(100, 10 ** _DECIMALS.get(currency, 2)))


def _verify(known: _Purchase, call: Call) -> None:
    """What the report that verifies tells of time and metadata holds from now on."""
    at = known.at if call["purchasedAt"] is None else stamp(call["purchasedAt"])
    if at > call.now + DAY:
        raise Refused(400, "validation_failed")
    told = {name: call[name] for name in ("purchasedAt", "metadata") if call[name] is not None}
    known.told, known.at, known.verified = {**known.told, **told}, at, True


def _contradicts(known: _Purchase, call: Call, *, verified: bool) -> bool:
    """Whether two reports differ; what only one tells is no difference, and a verified one knows better than another."""
    if any(known.told.get(name) != call[name] for name in _TOLD):
        return True
    if verified != known.verified:
        return False
    return any(
        call[name] is not None and known.told.get(name) not in (None, call[name])
        for name in ("purchasedAt", "metadata")
    )


def _tracked(call: Call, purchase: _Purchase) -> Callable[[Body], None]:
    own = _of(call.scope, call.player)
    lifetime, count, verified = sum(row.cents for row in own), len(own), purchase.verified

    def check(data: Body) -> None:
        assert (data["lifetimeAmountMinor"], data["purchaseCount"]) == (lifetime, count)
        purchase.purchase_id = purchase.purchase_id or data["purchase"]["purchaseId"]
        assert data["purchase"]["validationStatus"] == ("verified" if verified else "unverified")
        _is_purchase(data["purchase"], purchase)

    return check


def _is_purchase(row: Body, purchase: _Purchase) -> None:
    assert row["purchaseId"] == purchase.purchase_id
    assert {name: row[name] for name in _TOLD} == {name: purchase.told[name] for name in _TOLD}
    assert (row["store"], row["transactionId"]) == (purchase.store, purchase.told["transactionId"])
    assert row["normalizedAmountMinor"] == purchase.cents
    assert stamp(row["purchasedAt"]) == purchase.at
    assert row["metadata"] == purchase.told.get("metadata")


def _list(call: Call) -> Reply:
    own = {row.purchase_id: row for row in _of(call.scope, call.player)}

    def check(data: Body) -> None:
        rows = data["purchases"]
        assert data["nextCursor"] is not None or {row["purchaseId"] for row in rows} == set(own)
        newest_first(row["purchasedAt"] for row in rows)
        for row in rows:
            _is_purchase(row, own[row["purchaseId"]])
            assert (row["validationStatus"] == "verified") == own[row["purchaseId"]].verified

    return Reply(check=check)


# -- adding up ------------------------------------------------------------------------------------------------------------


def _since(rows: Iterable[_Purchase], at: int) -> list[_Purchase]:
    return [row for row in rows if row.at >= at]


def _spend(call: Call) -> Reply:
    own = _of(call.scope, call.player)
    times = [row.at for row in own]
    windows = [(days, _since(own, call.now - days * DAY)) for days in call["windows"] or []]
    expected = [
        {"days": days, "amountMinor": sum(row.cents for row in rows), "purchaseCount": len(rows)}
        for days, rows in windows
    ]

    def check(data: Body) -> None:
        assert (data["lifetimeAmountMinor"], data["purchaseCount"]) == (sum(row.cents for row in own), len(own))
        shown = [data["firstPurchaseAt"], data["lastPurchaseAt"]]
        assert [at and stamp(at) for at in shown] == ([min(times), max(times)] if times else [None, None])
        assert data["windows"] == expected

    return Reply(check=check)


def _by_player(scope: Scope, rows: Iterable[_Purchase]) -> dict[str, list[_Purchase]]:
    """Purchases by who made them, those of debug accounts left out."""
    found: dict[str, list[_Purchase]] = defaultdict(list)
    for row in rows:
        if row.player not in scope.part(DebugAccounts).reasons:
            found[row.player].append(row)
    return found


def _spenders(call: Call) -> Reply:
    rows = call.scope.part(_Purchases).all()
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
            assert stamp(row["lastPurchaseAt"]) == max(bought.at for bought in ever[name])

    return Reply(check=check)


def _summary(call: Call) -> Reply:
    end = day_of(call.now) + 1 if call["to"] is None else _day(call["to"])
    first = end - 30 if call["from"] is None else _day(call["from"])
    if first >= end:
        raise Refused(400, "validation_failed")
    within = [row for row in call.scope.part(_Purchases).all() if first <= day_of(row.at) < end]
    rows = [row for bought in _by_player(call.scope, within).values() for row in bought]
    gross, payers = sum(row.cents for row in rows), _payers(rows)
    products: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        products[row.told["productId"]].append(row.cents)

    def check(data: Body) -> None:
        shown = (data["grossAmountMinor"], data["purchaseCount"], data["payingPlayers"])
        assert shown == (gross, len(rows), payers)
        # Half up: an average of money, not a rate.
        assert data["arppuMinor"] == ((2 * gross + payers) // (2 * payers) if payers else None)
        by_product = {row["productId"]: (row["amountMinor"], row["purchaseCount"]) for row in data["products"]}
        assert by_product == {product: (sum(cents), len(cents)) for product, cents in products.items()}
        assert [_day(row["date"]) for row in data["days"]] == list(range(first, end))
        for row in data["days"]:
            today = [bought for bought in rows if day_of(bought.at) == _day(row["date"])]
            assert (row["amountMinor"], row["purchaseCount"], row["payingPlayers"]) == (
                sum(bought.cents for bought in today),
                len(today),
                _payers(today),
            )

    return Reply(check=check)


def _day(date: str) -> int:
    return day_of(stamp(f"{date}T00:00:00.000Z"))


def _payers(rows: list[_Purchase]) -> int:
    """How many players paid, and not only took what was free."""
    return len({row.player for row in rows if row.cents})


# -- the area -------------------------------------------------------------------------------------------------------------


def _is_no_purchase(call: Call) -> bool:
    return bool(not 0 <= call["amountMinor"] <= MOST or not call["currency"].isupper())


def _cannot_merge(scope: Scope, source: Player, target: Player) -> bool:
    """Whether what the two have spent cannot be added up."""
    spent = {player: [row.cents for row in _of(scope, player.name)] for player in (source, target)}
    return bool(spent[source]) and sum(spent[source]) + sum(spent[target]) > MOST


def _on_rename(scope: Scope, old: str, new: str) -> None:
    for purchase in _of(scope, old):
        purchase.player = new


def _is_exported(call: Call, data: Body) -> None:
    own = {row.purchase_id for row in _of(call.scope, call.player)}
    assert {row["purchaseId"] for row in data["purchases"]} == own


AREA: Final = Area(
    operations=(
        Operation("sdk:purchases.track", _track, faults=_is_no_purchase),
        Operation("server:purchases.track", _track, faults=_is_no_purchase),
        Operation("server:purchases.list", _list),
        Operation("server:spend.get", _spend, faults=lambda call: any(days < 1 for days in call["windows"] or [])),
        Operation("server:spend.listPlayers", _spenders, about="nobody", faults=lambda call: (call["offset"] or 0) < 0),
        Operation("server:spend.summary", _summary, about="nobody"),
    ),
    cannot_merge=_cannot_merge,
    on_rename=_on_rename,
    is_exported=_is_exported,
)

"""Purchases: tracked by the game or the studio's backend, told again, verified (contract, purchases)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final

import attrs

from tests.laws.area import Area, Operation, plainly
from tests.laws.areas.players import come_back
from tests.laws.drawing import DAY_MS, Draw
from tests.laws.model_state import DAY, MOST, Call, Player, Refused, Reply, Scope, day_of, newest_first, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step

_TOLD: Final = ("productId", "productType", "amountMinor", "currency")
_DECIMALS: Final = {"JPY": 0, "KWD": 3}


# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Purchase:
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
class Reported:
    """How many purchases a player's client reported, by UTC day."""

    on: dict[int, int] = attrs.field(factory=dict)


@attrs.define
class Purchases:
    """The purchases of a scope, by store and transaction."""

    by_transaction: dict[tuple[str, str], Purchase] = attrs.field(factory=dict)

    def all(self) -> list[Purchase]:
        """Every purchase."""
        return list(self.by_transaction.values())

    def of(self, name: str) -> list[Purchase]:
        """A player's purchases."""
        return [row for row in self.all() if row.player == name]


# -- tracking -------------------------------------------------------------------------------------------------------------


def _track(call: Call) -> Reply:
    verified = call["validationStatus"] == "verified"
    known = call.scope.part(Purchases).by_transaction.get((call["store"], call["transactionId"]))
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
    reported, by_client = call.me.part(Reported).on, call.name == "sdk:purchases.track"
    today = reported.get(day_of(call.now), 0)
    if by_client and today >= call.scope.config.get("purchases", {}).get("dailyReportLimit", 200):
        raise Refused(409, "purchase_limit_reached")
    if sum(row.cents for row in call.scope.part(Purchases).of(call.player)) + cents > MOST:
        raise Refused(409, "balance_overflow")
    reported[day_of(call.now)] = today + by_client
    purchase = Purchase(call.player, call["store"], dict(call.arguments), cents, at, verified)
    call.scope.part(Purchases).by_transaction[call["store"], call["transactionId"]] = purchase
    return Reply(200, ("purchase.tracked",), _tracked(call, purchase), "purchase: tracked")


def _us_cents(amount: int, currency: str, rate: str) -> int:
    """Half to even, as Python rounds fractions."""
    return round(Fraction(amount) * Fraction(rate) * Fraction(100, 10 ** _DECIMALS.get(currency, 2)))


def _verify(known: Purchase, call: Call) -> None:
    """What the report that verifies tells of time and metadata holds from now on."""
    at = known.at if call["purchasedAt"] is None else stamp(call["purchasedAt"])
    if at > call.now + DAY:
        raise Refused(400, "validation_failed")
    told = {name: call[name] for name in ("purchasedAt", "metadata") if call[name] is not None}
    known.told, known.at, known.verified = {**known.told, **told}, at, True


def _contradicts(known: Purchase, call: Call, *, verified: bool) -> bool:
    """Whether two reports differ; what only one tells is no difference, and a verified one knows better than another."""
    if any(known.told.get(name) != call[name] for name in _TOLD):
        return True
    if verified != known.verified:
        return False
    return any(
        call[name] is not None and known.told.get(name) not in (None, call[name])
        for name in ("purchasedAt", "metadata")
    )


def _tracked(call: Call, purchase: Purchase) -> Callable[[Body], None]:
    own = call.scope.part(Purchases).of(call.player)
    lifetime, count, verified = sum(row.cents for row in own), len(own), purchase.verified

    def check(data: Body) -> None:
        assert (data["lifetimeAmountMinor"], data["purchaseCount"]) == (lifetime, count)
        purchase.purchase_id = purchase.purchase_id or data["purchase"]["purchaseId"]
        assert data["purchase"]["validationStatus"] == ("verified" if verified else "unverified")
        _is_purchase(data["purchase"], purchase)

    return check


def _is_purchase(row: Body, purchase: Purchase) -> None:
    assert row["purchaseId"] == purchase.purchase_id
    assert {name: row[name] for name in _TOLD} == {name: purchase.told[name] for name in _TOLD}
    assert (row["store"], row["transactionId"]) == (purchase.store, purchase.told["transactionId"])
    assert row["normalizedAmountMinor"] == purchase.cents
    assert stamp(row["purchasedAt"]) == purchase.at
    assert row["metadata"] == purchase.told.get("metadata")


def _list(call: Call) -> Reply:
    own = {row.purchase_id: row for row in call.scope.part(Purchases).of(call.player)}

    def check(data: Body) -> None:
        rows = data["purchases"]
        assert data["nextCursor"] is not None or {row["purchaseId"] for row in rows} == set(own)
        newest_first(row["purchasedAt"] for row in rows)
        for row in rows:
            _is_purchase(row, own[row["purchaseId"]])
            assert (row["validationStatus"] == "verified") == own[row["purchaseId"]].verified

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def a_purchase(d: Draw) -> dict[str, Any]:
    """A purchase, its transaction often one that is met again."""
    bought: dict[str, Any] = {
        "transactionId": f"t{d.chance.below(2**40) if d.one_in(2) else d.chance.below(20)}",
        "store": d.of("app_store", "google_play"),
        "productId": d.of("gems", "gems", "skin", "pass"),
        "productType": "consumable",
        "amountMinor": d.of(0, 99, 99, 499, 1999, 12_345),
        "currency": d.of("USD", "USD", "EUR", "JPY", "KWD"),
    }
    if d.one_in(4):
        bought["purchasedAt"] = f"@in:{d.of(-40, -29, -2, -1, 0, 1, 2) * DAY_MS - d.of(0, 5)}"
    if d.one_in(3):
        bought["metadata"] = {"shop": d.of("start", "event"), "sale": True}
    return bought


def _buy(d: Draw) -> Iterator[Step]:
    """A purchase, which the backend verifies or others report as well, as it was or otherwise."""
    player, other = d.two()
    bought = a_purchase(d)
    if d.one_in(12):
        bought |= d.of({"currency": "GBP"}, {"currency": "gbp"}, {"amountMinor": -1}, {"amountMinor": MOST})
    surfaces = ("sdk:purchases.track", "server:purchases.track")
    yield d.call(d.of(*surfaces), player, key=d.key(), **bought)
    if d.one_in(2):
        status: dict[str, Any] = {"validationStatus": d.of("verified", "verified", "unverified")}
        if status["validationStatus"] == "verified":
            status |= d.of({}, {"purchasedAt": f"@in:{-3 * DAY_MS}"}, {"metadata": {"order": 7}})
        yield d.call("server:purchases.track", player, key=d.key(), **{**bought, **status})
    if d.one_in(3):
        changes = d.of({}, {"amountMinor": 7}, {"productId": "skin"}, {"metadata": {"shop": "other"}})
        yield d.call(d.of(*surfaces), d.of(player, other), key=d.key(), **{**bought, **changes})
    if d.one_in(3):
        yield d.call(d.of("server:purchases.list", "server:spend.get"), player)


def _fortune(d: Draw) -> Iterator[Step]:
    """More than can be added up: by one player, and by two who are to become one."""
    one, other = d.two()
    spent: dict[str, Any] = {
        "store": "dev",
        "productId": "moon",
        "productType": "permanent",
        "currency": "USD",
        "amountMinor": MOST,
    }
    surface = d.of("sdk:purchases.track", "server:purchases.track")
    for player in (one, one, other):
        yield d.call(surface, player, transactionId=f"f{d.chance.below(2**40)}", **spent)
    yield d.call("server:players.merge", one, toExternalId=other)
    yield d.call("server:players.erase", one)
    yield from come_back(d, one)


def _bought_anew(d: Draw) -> dict[str, Any]:
    return {**a_purchase(d), "transactionId": f"b{d.chance.below(2**40)}"}


def _two_buyers(d: Draw) -> Iterator[Step]:
    """Two who have both bought something become one, whose spend is the sum; perhaps one has reported very much."""
    one, other = d.two()
    for player in (one, other):
        yield d.call("sdk:purchases.track", player, **_bought_anew(d))
    for _ in range(d.of(0, 2, 4)):
        bought = _bought_anew(d)
        yield d.call("sdk:purchases.track", one, **bought)
        yield d.call("server:purchases.track", one, **bought)
    yield d.call("server:players.merge", one, toExternalId=other)
    yield d.call("sdk:purchases.track", other, **_bought_anew(d))
    yield d.call(d.of("server:spend.get", "server:purchases.list"), other)
    yield d.call("server:purchases.track", other, **a_purchase(d))
    yield from come_back(d, one)


# -- the area -------------------------------------------------------------------------------------------------------------


def _is_no_purchase(call: Call) -> bool:
    return bool(not 0 <= call["amountMinor"] <= MOST or not call["currency"].isupper())


def _cannot_merge(scope: Scope, source: Player, target: Player) -> bool:
    """Whether what the two have spent cannot be added up."""
    spent = {player: [row.cents for row in scope.part(Purchases).of(player.name)] for player in (source, target)}
    return bool(spent[source]) and sum(spent[source]) + sum(spent[target]) > MOST


def _on_rename(scope: Scope, old: str, new: str) -> None:
    for purchase in scope.part(Purchases).of(old):
        purchase.player = new


def _on_merge(_scope: Scope, source: Player, target: Player, _now: int) -> list[str]:
    """What the clients of both reported on a day counts as one's."""
    reported = target.part(Reported).on
    for day, count in source.part(Reported).on.items():
        reported[day] = reported.get(day, 0) + count
    return []


def _is_exported(call: Call, data: Body) -> None:
    own = {row.purchase_id for row in call.scope.part(Purchases).of(call.player)}
    assert {row["purchaseId"] for row in data["purchases"]} == own


AREA: Final = Area(
    operations=(
        Operation(
            "sdk:purchases.track",
            _track,
            faults=_is_no_purchase,
            refuses=(
                "idempotency_conflict player_banned player_not_found purchase_limit_reached transaction_conflict "
                "unknown_currency validation_failed"
            ),
            seldom="balance_overflow",
        ),
        Operation(
            "server:purchases.track",
            _track,
            faults=_is_no_purchase,
            refuses=("idempotency_conflict player_not_found transaction_conflict unknown_currency validation_failed"),
            seldom="balance_overflow",
        ),
        Operation("server:purchases.list", _list, read_with=plainly, broad=True, refuses="player_not_found"),
    ),
    transitions=(
        "purchase: tracked",
        "purchase: told again",
        "purchase: unverified -verify-> verified",
    ),
    cannot_merge=_cannot_merge,
    on_merge=_on_merge,
    on_rename=_on_rename,
    is_exported=_is_exported,
    broad_scenes=((10, _buy), (1, _fortune), (2, _two_buyers)),
)

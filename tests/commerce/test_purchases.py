"""Purchases: once for each transaction, at the rate of the moment, and what contradicts what."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from livecore import World
from livecore.api.configuration.game_config import parse_config
from livecore.commerce.totals import (
    PRODUCT_DAYS,
    PURCHASES,
    SPEND_DAYS,
    SPEND_TOTALS,
    ProductDay,
    SpendTotal,
    add_to_day,
)
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import DAY, Timestamp, day_number
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.world import WorldPlayer
from tests.commerce.shop import GEMS, RATES, buy, found_wrong, report, shop
from tests.worlds import Reply, Since, ask, ban, http, rows_of, world


def _replayed(reply: Reply) -> bool:
    return ("Idempotent-Replay", "true") in reply.response.headers


def test_a_purchase_is_stored_counted_and_told_once() -> None:
    """The event carries the row and the player's totals after it."""
    game = shop()
    anna = game.player("anna")
    seen = Since(game)
    reply = buy(anna, "t1", currency="EUR", metadata={"shop": "start"})
    assert reply.status == 200
    assert reply["purchase.normalizedAmountMinor"] == 1079
    assert (reply["lifetimeAmountMinor"], reply["purchaseCount"]) == (1079, 1)
    assert seen.kinds == ["purchase.tracked"]
    (payload,) = seen.of("purchase.tracked")
    purchase = reply["purchase"]
    assert isinstance(purchase, dict)
    told = {"playerId": anna.player_id, "externalPlayerId": "anna", "lifetimeAmountMinor": 1079, "purchaseCount": 1}
    assert payload == {**purchase, **told}
    assert buy(anna, "t2")["lifetimeAmountMinor"] == 2078


def test_the_same_transaction_again_is_a_replay() -> None:
    """From either side; one row, one event, and the header that says so."""
    game = shop()
    anna = game.player("anna")
    seen = Since(game)
    first = buy(anna, "t1")
    for again in (buy(anna, "t1"), report(anna, "t1"), buy(anna, "t1", idempotency_key="k")):
        assert again.data == first.data
        assert _replayed(again)
    assert not _replayed(first)
    assert len(rows_of(game, PURCHASES)) == 1
    assert seen.kinds == ["purchase.tracked"]


@pytest.mark.parametrize(
    ("changed", "value"),
    [("product_id", "coins"), ("product_type", "subscription"), ("amount_minor", 998), ("currency", "EUR"),
     ("purchased_at", "2025-12-31T00:00:00Z"), ("metadata", {"shop": "end"})],
)  # fmt: skip
def test_a_replay_that_differs_is_refused(changed: str, value: object) -> None:
    """409, and what was stored stands."""
    game = shop()
    anna = game.player("anna")
    whole = {"purchased_at": "2026-01-01T00:00:00Z", "metadata": {"shop": "start"}}
    first = buy(anna, "t1", **whole)
    assert buy(anna, "t1", **{**whole, changed: value}).refusal == (409, "idempotency_conflict")
    assert buy(anna, "t1").data == first.data


def test_what_only_one_side_tells_is_no_contradiction() -> None:
    """The client knows no exact time, the backend no shop: both have reported the same purchase."""
    game = shop()
    anna = game.player("anna")
    first = buy(anna, "t1", metadata={"shop": "start"})
    game.advance(hours=1)
    assert report(anna, "t1", purchased_at="2026-01-01T00:00:05Z").data == first.data


def test_the_order_of_metadata_members_tells_nothing() -> None:
    """However a client's map is written down, it is the same report; another value is another one."""
    game = shop()
    anna = game.player("anna")
    first = buy(anna, "t1", metadata={"shop": {"aisle": 1, "shelf": 2}, "sale": True})
    again = buy(anna, "t1", metadata={"sale": True, "shop": {"shelf": 2, "aisle": 1}})
    assert again.data == first.data
    assert _replayed(again)
    other = buy(anna, "t1", metadata={"sale": 1, "shop": {"aisle": 1, "shelf": 2}})
    assert other.refusal == (409, "idempotency_conflict")
    assert "transaction" in other.text("message")


def test_a_transaction_belongs_to_one_player_of_one_store() -> None:
    """Another player's is 409; the same id of another store is another transaction."""
    game = shop()
    anna, bert = game.player("anna"), game.player("bert")
    buy(anna, "t1")
    assert buy(bert, "t1").refusal == (409, "transaction_conflict")
    assert report(bert, "t1").refusal == (409, "transaction_conflict")
    assert buy(bert, "t1", store="google_play").status == 200


def test_unverified_becomes_verified_and_never_the_other_way() -> None:
    """Without a second event and without counting again; a change is no replay."""
    game = shop()
    anna = game.player("anna")
    seen = Since(game)
    assert buy(anna, "t1")["purchase.validationStatus"] == "unverified"
    verified = report(anna, "t1", validation_status="verified")
    assert verified["purchase.validationStatus"] == "verified"
    assert verified["purchaseCount"] == 1
    assert not _replayed(verified)
    for again in (report(anna, "t1"), buy(anna, "t1"), report(anna, "t1", validation_status="verified")):
        assert again["purchase.validationStatus"] == "verified"
        assert _replayed(again)
    assert seen.kinds == ["purchase.tracked"]


def test_a_report_that_verifies_wins_in_time_and_metadata() -> None:
    """What the store told the backend replaces what a device said; product, price and frozen rate stay."""
    game = shop()
    anna = game.player("anna")
    seen = Since(game)
    first = buy(anna, "t1", currency="EUR", purchased_at="2026-01-01T00:00:00Z", metadata={"shop": "start"})
    game.configure({"exchangeRates": {**RATES, "EUR": "2"}})
    told = {"purchased_at": "2025-12-30T11:00:00Z", "metadata": {"order": 7}}
    verified = report(anna, "t1", currency="EUR", validation_status="verified", **told)
    changed = {"purchasedAt": "2025-12-30T11:00:00.000Z", "metadata": {"order": 7}, "validationStatus": "verified"}
    assert verified["purchase"] == {**cast(JsonObject, first["purchase"]), **changed}
    assert not _replayed(verified)
    assert seen.kinds == ["purchase.tracked"]
    assert found_wrong(game) == []


def test_what_a_report_that_verifies_leaves_out_stays() -> None:
    """It says nothing against the time and the metadata that are known."""
    game = shop()
    anna = game.player("anna")
    first = buy(anna, "t1", purchased_at="2025-12-31T00:00:00Z", metadata={"shop": "start"})
    assert report(anna, "t1", validation_status="verified")["purchase"] == {
        **cast(JsonObject, first["purchase"]), "validationStatus": "verified",
    }  # fmt: skip


@pytest.mark.parametrize("first", ["client", "backend"])
def test_whoever_came_first_the_unverified_report_is_told_of_the_verified_one(first: str) -> None:
    """The client's own report again, or a device whose clock is off, is a replay; another verified report is not."""
    game = shop()
    anna = game.player("anna")
    device = {"purchased_at": "2026-01-01T00:00:09Z", "metadata": {"shop": "start"}}
    checked = {"purchased_at": "2025-12-30T11:00:00Z", "metadata": {"order": 7}, "validation_status": "verified"}
    if first == "client":
        buy(anna, "t1", **device)
    verified = report(anna, "t1", **checked)
    again = buy(anna, "t1", **device)
    assert again.data == verified.data
    assert _replayed(again)
    for other in ({"purchased_at": "2025-12-30T11:00:01Z"}, {"metadata": {"order": 8}}):
        assert report(anna, "t1", **{**checked, **other}).refusal == (409, "idempotency_conflict")


@pytest.mark.parametrize(
    ("changed", "value"),
    [("product_id", "coins"), ("product_type", "subscription"), ("amount_minor", 998), ("currency", "EUR")],
)
def test_verifying_changes_no_product_and_no_price(changed: str, value: object) -> None:
    """409, and the purchase stays unverified, where it was."""
    game = shop()
    anna = game.player("anna")
    first = buy(anna, "t1")
    told = {"validation_status": "verified", "purchased_at": "2025-12-30T11:00:00Z", changed: value}
    assert report(anna, "t1", **told).refusal == (409, "idempotency_conflict")
    assert buy(anna, "t1").data == first.data


def test_verifying_dates_nothing_into_the_future() -> None:
    """The bounds are those of a first report."""
    game = shop()
    anna = game.player("anna")
    first = buy(anna, "t1")
    reply = report(anna, "t1", validation_status="verified", purchased_at="2026-01-02T00:00:01Z")
    assert (reply.refusal, reply.fields) == ((400, "validation_failed"), ["purchasedAt"])
    assert buy(anna, "t1").data == first.data


def test_the_client_cannot_say_that_a_purchase_is_verified() -> None:
    """The field is the backend's."""
    game = shop()
    anna = game.player("anna")
    assert buy(anna, "t1", validation_status="verified").fields == ["validationStatus"]


def test_the_rate_is_frozen() -> None:
    """A rate that is configured later changes no past purchase."""
    game = shop()
    anna = game.player("anna")
    first = buy(anna, "t1", currency="EUR")
    game.configure({"exchangeRates": {**RATES, "EUR": "2"}})
    assert buy(anna, "t1", currency="EUR").data == first.data
    assert buy(anna, "t2", currency="EUR")["purchase.normalizedAmountMinor"] == 1998


def test_a_currency_without_a_rate_is_refused_until_there_is_one() -> None:
    """400, and the same report is taken once the rate is configured."""
    game = shop()
    anna = game.player("anna")
    assert buy(anna, "t1", currency="GBP").refusal == (400, "unknown_currency")
    game.configure({"exchangeRates": {**RATES, "GBP": "1.27"}})
    assert buy(anna, "t1", currency="GBP").status == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [("transactionId", ""), ("transactionId", "x" * 256), ("store", ""), ("store", "x" * 65), ("productId", "x" * 65),
     ("productType", ""), ("amountMinor", -1), ("amountMinor", MAX_AMOUNT + 1), ("amountMinor", 9.5),
     ("amountMinor", True), ("currency", "eur"), ("currency", "EURO"), ("purchasedAt", "yesterday"),
     ("purchasedAt", "1969-12-31T23:59:59Z"), ("purchasedAt", "2026-01-02T00:00:01Z"), ("validationStatus", "maybe"),
     ("metadata", {"x": "y" * 17_000})],
)  # fmt: skip
def test_what_is_no_purchase_names_the_field(field: str, value: object) -> None:
    """400, and nothing is stored."""
    game = shop()
    game.player("anna")
    body = {
        "transactionId": "t1", "store": "app_store", "productId": "gems", "productType": "consumable",
        "amountMinor": 999, "currency": "USD", field: value,
    }  # fmt: skip
    reply = http(game.server, "POST", "/server/v1/players/anna/purchases", body)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == [field]
    assert rows_of(game, PURCHASES) == []


@pytest.mark.parametrize("reporting", [buy, report])
def test_a_purchase_ends_at_ten_million_dollars(reporting: Callable[..., Reply]) -> None:
    """A larger one is a lie or a slip, whoever reports it; the answer says what it comes to and which setting that is."""
    game = shop()
    anna = game.player("anna")
    refused = reporting(anna, "t1", amount_minor=10**9, currency="EUR")
    assert refused.fields == ["amountMinor"]
    assert "1000000000 US cents" in str(refused["details.fields"])
    assert "purchases.maxAmountMinor" in str(refused["details.fields"])
    assert "1080000000" in str(refused["details.fields"])
    assert reporting(anna, "t2", amount_minor=10**9 + 1).fields == ["amountMinor"]
    assert reporting(anna, "t3", amount_minor=10**9)["lifetimeAmountMinor"] == 10**9


def test_a_game_says_what_a_purchase_may_come_to() -> None:
    """A lower limit holds for what is new; what was tracked before is answered as it stands."""
    game = shop()
    anna = game.player("anna")
    first = buy(anna, "t1", amount_minor=10_000)
    game.configure({"exchangeRates": {**RATES}, "purchases": {"maxAmountMinor": 9_999}})
    assert buy(anna, "t2", amount_minor=10_000).fields == ["amountMinor"]
    assert buy(anna, "t1", amount_minor=10_000).data == first.data
    assert report(anna, "t1", amount_minor=10_000, validation_status="verified").status == 200
    assert buy(anna, "t3", amount_minor=9_999).status == 200
    assert found_wrong(game) == []


def _spent(game: World, player: WorldPlayer, cents: int) -> None:
    """As if the player had bought for so much years ago."""

    def spend(unit: Unit) -> None:
        owner = PlayerId(player.player_id)
        unit.tx.put(SPEND_TOTALS, SpendTotal(player_id=owner, cents=cents, purchases=1, first_at=0, last_at=0))
        add_to_day(unit.tx, owner, 0, cents, 1)

    game.unit_of_work(spend)


def test_a_players_own_total_ends_where_balances_do() -> None:
    """A purchase that would take it beyond 2^53 - 1 US cents is refused, and nothing is counted."""
    game = shop()
    anna = game.player("anna")
    _spent(game, anna, MAX_AMOUNT - 500)
    before = rows_of(game, SPEND_DAYS)
    assert buy(anna, "t1", amount_minor=501).refusal == (409, "balance_overflow")
    assert rows_of(game, SPEND_DAYS) == before
    assert buy(anna, "t2", amount_minor=500)["lifetimeAmountMinor"] == MAX_AMOUNT


def test_a_client_reports_a_limited_number_of_purchases_a_day() -> None:
    """Of two hundred million-dollar purchases that a client makes up, three are stored; the next day it may report again."""
    game = world(purchases={"dailyReportLimit": 3})
    anna = game.player("anna")
    replies = [buy(anna, f"t{number}", amount_minor=10**8) for number in range(200)]
    assert [reply.status for reply in replies] == [200] * 3 + [409] * 197
    assert replies[3].refusal == (409, "purchase_limit_reached")
    assert replies[3]["details"] == {
        "dailyReportLimit": 3, "reportedToday": 3, "resetsAt": "2026-01-02T00:00:00.000Z",
    }  # fmt: skip
    assert len(rows_of(game, PURCHASES)) == 3
    assert ask(game.server, "spend.summary")["grossAmountMinor"] == 3 * 10**8
    game.advance(hours=24)
    assert buy(anna, "t3", amount_minor=10**8).status == 200


def test_neither_a_repetition_nor_a_refusal_nor_the_backend_uses_up_the_limit() -> None:
    """A client whose answer was lost asks again, also after the last one of the day."""
    game = world(purchases={"dailyReportLimit": 2})
    anna = game.player("anna")
    assert [buy(anna, "t1").status for _ in range(3)] == [200] * 3
    assert buy(anna, "t2", currency="XXX").code == "unknown_currency"
    assert [report(anna, f"s{number}").status for number in range(5)] == [200] * 5
    assert buy(anna, "t2").status == 200
    assert [buy(anna, "t2").status, buy(anna, "s1").status] == [200, 200]
    assert buy(anna, "t3").code == "purchase_limit_reached"
    assert report(anna, "t3").status == 200


def test_the_limit_of_reports_is_two_hundred_unless_the_game_says_otherwise() -> None:
    """`null` is any number, and 0 leaves reporting to the backend."""
    assert parse_config({}).purchases.daily_report_limit == 200
    unlimited, none = (world(purchases={"dailyReportLimit": limit}).player("anna") for limit in (None, 0))
    assert {buy(unlimited, f"t{number}").status for number in range(201)} == {200}
    assert buy(none, "t1").code == "purchase_limit_reached"
    assert report(none, "t1").status == 200


def test_the_limit_of_reports_is_one_persons() -> None:
    """What the clients of both reported today counts together after a merge."""
    game = world(purchases={"dailyReportLimit": 3})
    anna, bert = game.player("anna"), game.player("bert")
    assert [buy(anna, "a1").status, buy(anna, "a2").status, buy(bert, "b1").status] == [200] * 3
    ask(game.server, "players.merge", external_id="anna", to_external_id="bert")
    assert buy(bert, "b2").code == "purchase_limit_reached"
    assert found_wrong(game) == []


def test_nobody_can_use_up_what_others_may_buy() -> None:
    """However much a product's day has come to, the next player's purchase of it is taken, and sums go on being exact."""
    game = shop()
    day, gross = day_number(game.now), 8 * 2**59

    def fill(unit: Unit) -> None:
        for part in range(8):
            unit.tx.put(PRODUCT_DAYS, ProductDay(day=day, product_id="gems", part=part, cents=2**59, purchases=1))

    game.unit_of_work(fill)
    for number in range(20):
        assert buy(game.player("anna"), f"t{number}", product_id="gems", amount_minor=10**9).status == 200
    summary = ask(game.server, "spend.summary")
    assert summary["grossAmountMinor"] == gross + 20 * 10**9


def test_a_banned_player_reports_nothing_but_the_backend_may() -> None:
    """What was bought was bought."""
    game = shop()
    anna = game.player("anna")
    ban(anna)
    assert buy(anna, "t1").refusal == (403, "player_banned")
    assert report(anna, "t1").status == 200


def test_the_backend_reports_for_known_players_only() -> None:
    """404, and nobody is made."""
    game = shop()
    reply = ask(game.server, "purchases.track", external_id="nobody", transaction_id="t1", **GEMS)
    assert reply.refusal == (404, "player_not_found")


def test_purchases_are_listed_newest_first_in_pages() -> None:
    """By the time of the purchase, not of the report; pages joined are the whole list."""
    game = shop()
    anna, bert = game.player("anna"), game.player("bert")
    start = game.now
    for days in (3, 1, 2, 0):
        report(anna, f"t{days}", purchased_at=str(Timestamp(start - days * DAY)))
    report(bert, "b1")
    ids: list[str] = []
    cursor = ""
    while True:
        query = "limit=3" + (f"&cursor={cursor}" if cursor else "")
        page = http(game.server, "GET", "/server/v1/players/anna/purchases", query=query)
        ids += [str(row["transactionId"]) for row in page.list("purchases")]
        if page["nextCursor"] is None:
            break
        cursor = page.text("nextCursor")
    assert ids == ["t0", "t1", "t2", "t3"]

"""Purchases and spend, as the specification and the wire contract show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall, for_operators
from tests.contract.stories import MARK, Life, Step, Walk

# -- samples --------------------------------------------------------------------------------------------------------------


def purchase(purchase_id: str = "pur_1") -> JsonObject:
    """A purchase."""
    return {
        "purchaseId": purchase_id,
        "transactionId": "t1",
        "store": "app_store",
        "productId": "gems",
        "productType": "consumable",
        "amountMinor": 999,
        "currency": "EUR",
        "normalizedAmountMinor": 1079,
        "fxRate": 1.08,
        "validationStatus": "unverified",
        "purchasedAt": NOON,
        "metadata": {"shop": "start"},
    }


TRACKED: Final[JsonObject] = {"purchase": purchase(), "lifetimeAmountMinor": 1079, "purchaseCount": 1}
PURCHASES: Final[JsonObject] = {"purchases": [purchase()], "nextCursor": None}
SPEND: Final[JsonObject] = {
    "lifetimeAmountMinor": 1079,
    "purchaseCount": 1,
    "verifiedAmountMinor": 1079,
    "firstPurchaseAt": NOON,
    "lastPurchaseAt": NOON,
    "windows": [{"days": 7, "amountMinor": 1079, "purchaseCount": 1, "verifiedAmountMinor": 1079}],
}
SPENDER: Final[JsonObject] = {
    "playerId": "plr_1",
    "externalPlayerId": "anna",
    "displayIdentity": {"name": "Brisk Otter", "avatar": None, "country": "SE"},
    "amountMinor": 1079,
    "purchaseCount": 1,
    "verifiedAmountMinor": 1079,
    "lastPurchaseAt": NOON,
}
REVENUE: Final[JsonObject] = {
    "from": "2026-01-31",
    "to": "2026-02-01",
    "grossAmountMinor": 1079,
    "purchaseCount": 1,
    "payingPlayers": 1,
    "arppuMinor": 1079,
    "verifiedAmountMinor": 1079,
    "products": [{"productId": "gems", "amountMinor": 1079, "purchaseCount": 1, "verifiedAmountMinor": 1079}],
    "days": [
        {
            "date": "2026-01-31",
            "amountMinor": 1079,
            "purchaseCount": 1,
            "payingPlayers": 1,
            "verifiedAmountMinor": 1079,
        }
    ],
}

# -- operations -----------------------------------------------------------------------------------------------------------

_BOUGHT: Final = "transactionId store productId productType amountMinor currency purchasedAt? metadata?"
_REFUSED: Final = "unknown_currency transaction_conflict idempotency_conflict balance_overflow"
_SENT: Final[JsonObject] = {
    "transactionId": "t1", "store": "app_store", "productId": "gems", "productType": "consumable", "amountMinor": 999,
    "currency": "EUR",
}  # fmt: skip

_ROUTES: Final = (
    Route(
        "sdk", "purchases.track", "POST /purchases",
        asks=f"{_BOUGHT} {KEY}",
        answers="purchase:purchase lifetimeAmountMinor purchaseCount",
        refusals=f"player_banned purchase_limit_reached {_REFUSED} storage_limit_reached",
        calls=(
            SdkCall(
                lambda c: c.purchases.track(
                    transaction_id="t1", store="app_store", product_id="gems", product_type="consumable",
                    amount_minor=999, currency="EUR", purchased_at=datetime(2026, 1, 31, 12, tzinfo=UTC),
                    metadata={"shop": "start"},
                ),
                TRACKED,
                body={**_SENT, "purchasedAt": NOON, "metadata": {"shop": "start"}},
            ),
        ),
    ),
    Route(
        "server", "purchases.track", "POST /purchases",
        asks=f"{_BOUGHT} validationStatus? {KEY}",
        answers="purchase:purchase lifetimeAmountMinor purchaseCount",
        refusals=f"player_not_found {_REFUSED}",
        calls=(
            ServerCall(
                lambda c: c.purchases.track(
                    "anna", transaction_id="t1", store="app_store", product_id="gems", product_type="consumable",
                    amount_minor=999, currency="EUR", validation_status="verified",
                ),
                TRACKED,
                body={**_SENT, "validationStatus": "verified"},
            ),
        ),
    ),
    Route(
        "server", "purchases.list", "GET /purchases",
        asks=PAGE,
        answers="purchases:purchase[] nextCursor",
        refusals="player_not_found",
        calls=(
            ServerCall(
                lambda c: c.purchases.list("anna", limit=5, cursor="c1"),
                PURCHASES,
                query={"limit": "5", "cursor": "c1"},
            ),
        ),
    ),
    Route(
        "server", "spend.get", "GET /spend",
        asks="windows?",
        answers="lifetimeAmountMinor purchaseCount verifiedAmountMinor firstPurchaseAt lastPurchaseAt windows:window[]",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.spend.get("anna", windows=[7, 30]), SPEND, query={"windows": "7,30"}),),
    ),
    Route(
        "server", "spend.listPlayers", "GET /spend/players", below="",
        asks="minAmountMinor? windowDays? limit? offset?",
        answers="players:spender[] total limit offset",
        calls=(
            ServerCall(
                lambda c: c.spend.list_players(min_amount_minor=500, window_days=30, offset=50),
                {"players": [SPENDER], "total": 1, "limit": 50, "offset": 0},
                query={"minAmountMinor": "500", "windowDays": "30", "offset": "50"},
            ),
        ),
    ),
    Route(
        "server", "spend.summary", "GET /spend/summary", below="",
        asks="from? to?",
        answers=(
            "from to grossAmountMinor purchaseCount payingPlayers arppuMinor verifiedAmountMinor products:product[] "
            "days:day[]"
        ),
        calls=(
            ServerCall(
                lambda c: c.spend.summary(from_="2026-01-31", to="2026-02-01"),
                REVENUE,
                query={"from": "2026-01-31", "to": "2026-02-01"},
            ),
        ),
    ),
)  # fmt: skip

_ADMIN: Final = tuple(
    for_operators(route, "revenue.read")
    for route in _ROUTES
    if route.operation in {"spend.listPlayers", "spend.summary"}
)

# -- the walk -------------------------------------------------------------------------------------------------------------

_GEMS: Final = {
    "store": "app_store", "product_id": "gems", "product_type": "consumable", "amount_minor": 999, "currency": "EUR",
}  # fmt: skip


def _buy(walk: Walk) -> None:
    walk.ask(walk.player("anna"), "purchases.track", transaction_id="t1", metadata={"shop": "start"}, **_GEMS)
    for status in ("verified", "unverified"):
        walk.ask(
            walk.server, "purchases.track", external_id="anna", transaction_id="t1", validation_status=status, **_GEMS
        )
    walk.ask(walk.server, "purchases.track", external_id="bert", transaction_id="t2", **_GEMS)


def _look(walk: Walk) -> None:
    walk.ask(walk.server, "purchases.list", external_id="anna")
    walk.ask(walk.server, "spend.get", external_id="anna", windows=[7, 30])
    walk.ask(walk.server, "spend.get", external_id="carl")
    for arguments in ({}, {"window_days": 30}):
        walk.ask(walk.server, "spend.listPlayers", **arguments)
    walk.ask(walk.server, "spend.summary")


_WALK: Final = (
    # one of anna, who reported it and had it verified, one of bert
    Step("trade", _buy, {"purchase.tracked": 2}),
    Step("look", _look),
)

# -- the marked life ------------------------------------------------------------------------------------------------------


def _buy_marked(life: Life) -> None:
    more = {**_GEMS, "metadata": {MARK: MARK}}
    life.ask(life.marked, "purchases.track", transaction_id=MARK, **more)
    life.ask(life.server, "purchases.track", external_id=MARK, transaction_id=f"{MARK} 2", **more)


AREA: Final = Area(
    routes=(*_ROUTES, *_ADMIN),
    rows={
        "purchase": (
            "purchaseId transactionId store productId productType amountMinor currency normalizedAmountMinor fxRate "
            "validationStatus purchasedAt metadata"
        ),
        "window": "days amountMinor purchaseCount verifiedAmountMinor",
        "spender": (
            "playerId externalPlayerId displayIdentity:identity amountMinor purchaseCount verifiedAmountMinor lastPurchaseAt"
        ),
        "product": "productId amountMinor purchaseCount verifiedAmountMinor",
        "day": "date amountMinor purchaseCount payingPlayers verifiedAmountMinor",
    },
    refusals={400: "unknown_currency", 409: "transaction_conflict purchase_limit_reached"},
    walk=_WALK,
    marked=(Step("trade", _buy_marked),),
    names_nobody={
        "currency": "of ISO 4217",
        "store": "of a game's own catalogue, kept in sums over all players",
        "productId": "of a game's own catalogue, kept in sums over all players",
        "productType": "of a game's own catalogue",
    },
)

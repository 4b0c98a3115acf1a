"""Wallets and inventories, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import give

# -- samples --------------------------------------------------------------------------------------------------------------

WALLET: Final[JsonObject] = {"balances": [{"key": "gold", "kind": "currency", "balance": 75}]}
WALLET_CHANGE: Final[JsonObject] = {
    "economyKey": "gold",
    "balance": 50,
    "delta": -25,
    "entryId": "01900000-0000-7000-8000-000000000003",
}
INVENTORY: Final[JsonObject] = {"items": [{"itemKey": "potion", "quantity": 2, "parameters": {"level": 3}}]}
ITEM_CHANGE: Final[JsonObject] = {
    "itemKey": "potion",
    "quantity": 1,
    "delta": -1,
    "entryId": "01900000-0000-7000-8000-000000000004",
}
LEDGER: Final[JsonObject] = {
    "entries": [
        {
            "entryId": "01900000-0000-7000-8000-000000000003",
            "type": "currency",
            "resourceKey": "gold",
            "delta": -25,
            "balance": 50,
            "reason": "shop",
            "sourceRefId": None,
            "at": NOON,
        }
    ],
    "nextCursor": None,
}

# -- operations -----------------------------------------------------------------------------------------------------------

_SOURCE: Final = f"reason? sourceRefId? {KEY}"
_BALANCE: Final = "economyKey balance delta entryId"
_QUANTITY: Final = "itemKey quantity delta entryId"
_WALLET: Final = "economy_key_not_found system_resource_locked economy_not_platform_managed"
_ITEMS: Final = "item_not_found economy_not_platform_managed"
_GOLD: Final = {"economyKey": "gold"}
_POTION: Final = {"itemKey": "potion"}

_SDK: Final = (
    Route(
        "sdk", "wallet.get", "GET /wallet",
        answers="balances:balance[]",
        calls=(SdkCall(lambda c: c.wallet.get(), WALLET),),
    ),
    Route(
        "sdk", "wallet.debit", "POST /wallet/{economyKey}/debit",
        asks=f"economyKey amount reason? {KEY}",
        answers=_BALANCE,
        refusals=f"player_banned {_WALLET} insufficient_balance storage_limit_reached",
        body={"amount": 1},
        calls=(
            SdkCall(
                lambda c: c.wallet.debit("gold", amount=25, reason="shop"),
                WALLET_CHANGE,
                at=_GOLD, body={"amount": 25, "reason": "shop"},
            ),
        ),
    ),
    Route(
        "sdk", "inventory.get", "GET /inventory",
        answers="items:item[]",
        calls=(SdkCall(lambda c: c.inventory.get(), INVENTORY),),
    ),
    Route(
        "sdk", "inventory.consume", "POST /inventory/{itemKey}/consume",
        asks=f"itemKey quantity reason? {KEY}",
        answers=_QUANTITY,
        refusals=f"player_banned {_ITEMS} insufficient_quantity storage_limit_reached",
        calls=(
            SdkCall(
                lambda c: c.inventory.consume("potion", quantity=1), ITEM_CHANGE, at=_POTION, body={"quantity": 1}
            ),
        ),
    ),
)  # fmt: skip

_SERVER: Final = (
    Route(
        "server", "wallet.get", "GET /wallet",
        answers="balances:balance[]",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.wallet.get("anna"), WALLET),),
    ),
    Route(
        "server", "wallet.credit", "POST /wallet/{economyKey}/credit",
        asks=f"economyKey amount {_SOURCE}",
        answers=_BALANCE,
        refusals=f"player_not_found {_WALLET} balance_overflow",
        calls=(
            ServerCall(
                lambda c: c.wallet.credit("anna", "gold", amount=5, source_ref_id="order-7"),
                WALLET_CHANGE,
                at=_GOLD, body={"amount": 5, "sourceRefId": "order-7"},
            ),
        ),
    ),
    Route(
        "server", "wallet.debit", "POST /wallet/{economyKey}/debit",
        asks=f"economyKey amount {_SOURCE}",
        answers=_BALANCE,
        refusals=f"player_not_found {_WALLET} insufficient_balance",
        body={"amount": 1},
        calls=(
            ServerCall(
                lambda c: c.wallet.debit("anna", "gold", amount=5), WALLET_CHANGE, at=_GOLD, body={"amount": 5}
            ),
        ),
    ),
    Route(
        "server", "inventory.get", "GET /inventory",
        answers="items:item[]",
        refusals="player_not_found",
        calls=(ServerCall(lambda c: c.inventory.get("anna"), INVENTORY),),
    ),
    Route(
        "server", "inventory.grant", "POST /inventory/{itemKey}/grant",
        asks=f"itemKey quantity parameters? {_SOURCE}",
        answers=_QUANTITY,
        refusals=f"player_not_found {_ITEMS} balance_overflow",
        calls=(
            ServerCall(
                lambda c: c.inventory.grant("anna", "potion", quantity=2, parameters={"level": 3}),
                ITEM_CHANGE,
                at=_POTION, body={"quantity": 2, "parameters": {"level": 3}},
            ),
        ),
    ),
    Route(
        "server", "inventory.revoke", "POST /inventory/{itemKey}/revoke",
        asks=f"itemKey quantity {_SOURCE}",
        answers=_QUANTITY,
        refusals=f"player_not_found {_ITEMS} insufficient_quantity",
        calls=(
            ServerCall(
                lambda c: c.inventory.revoke("anna", "potion", quantity=2, reason="refund"),
                ITEM_CHANGE,
                at=_POTION, body={"quantity": 2, "reason": "refund"},
            ),
        ),
    ),
    Route(
        "server", "ledger.list", "GET /ledger",
        asks=PAGE,
        answers="entries:posting[] nextCursor",
        refusals="player_not_found",
        calls=(
            ServerCall(
                lambda c: c.ledger.list("anna", limit=20, cursor="c1"), LEDGER, query={"limit": "20", "cursor": "c1"}
            ),
        ),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _earn(walk: Walk) -> None:
    """Bert is given something, of which a part is taken away and a part used."""
    bert = walk.player("bert")
    for operation in ("wallet.credit", "wallet.debit"):
        walk.ask(walk.server, operation, external_id="bert", economy_key="gems", amount=2, reason="test")
    for operation in ("inventory.grant", "inventory.revoke"):
        walk.ask(walk.server, operation, external_id="bert", item_key="potion", quantity=2)
    for key in ("gold", "potion", "sword"):
        give(bert, key, 1)
    walk.ask(bert, "wallet.debit", economy_key="gold", amount=1)
    walk.ask(bert, "inventory.consume", item_key="sword", quantity=1)


def _look(walk: Walk) -> None:
    """Anna has no items, and bert some with parameters and some without."""
    for operation in ("wallet.get", "inventory.get"):
        for name in ("anna", "bert"):
            walk.ask(walk.player(name), operation)
        walk.ask(walk.server, operation, external_id="bert")
    walk.ask(walk.server, "ledger.list", external_id="bert")


_WALK: Final = (
    # gems come and go, gold is given and spent; potions come and go, a potion and a sword are given, the sword is used
    Step("earn", _earn, {"wallet.changed": 4, "inventory.changed": 5}),
    Step("look", _look),
)

# -- the marked life ------------------------------------------------------------------------------------------------------


def _earn_marked(life: Life) -> None:
    about: dict[str, object] = {"external_id": MARK, "reason": MARK, "source_ref_id": MARK}
    for key in ("gold", "potion"):
        give(life.marked, key, 50)
    life.ask(life.server, "wallet.credit", economy_key="gold", amount=2, **about)
    life.ask(life.server, "wallet.debit", economy_key="gold", amount=2, **about)
    parameters = {MARK: {MARK: [MARK]}}
    life.ask(life.server, "inventory.grant", item_key="sword", quantity=2, parameters=parameters, **about)
    life.ask(life.server, "inventory.revoke", item_key="sword", quantity=1, **about)
    life.ask(life.marked, "wallet.debit", economy_key="gold", amount=1, reason=MARK)
    life.ask(life.marked, "inventory.consume", item_key="potion", quantity=1, reason=MARK)


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _given(scene: Scene, key: str) -> str:
    give(scene.me, key, 10)
    return key


AREA: Final = Area(
    routes=(*_SDK, *_SERVER),
    rows={"balance": "key kind balance", "item": "itemKey quantity parameters?"},
    refusals={
        404: "economy_key_not_found item_not_found",
        409: (
            "insufficient_balance insufficient_quantity balance_overflow economy_not_platform_managed "
            "system_resource_locked"
        ),
    },
    walk=_WALK,
    marked=(Step("earn", _earn_marked),),
    things={
        "economyKey": Thing(lambda scene: _given(scene, "gold")),
        "itemKey": Thing(lambda scene: _given(scene, "potion")),
    },
)

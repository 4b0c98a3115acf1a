"""Rows that move in, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from livecore_client import rows
from tests.contract.expected import KEY, Area, Route, ServerCall
from tests.contract.stories import CORE, MARK, Life, Step, Walk

MIGRATED: Final[JsonObject] = {
    "received": 2,
    "applied": 1,
    "replayed": 0,
    "failed": 1,
    "failures": [
        {
            "index": 1,
            "idempotencyKey": "m2",
            "code": "item_not_found",
            "message": "The game defines no such item.",
            "details": None,
        }
    ],
}


def _of(what: str, *calls: ServerCall) -> Route:
    """An operation that takes many rows of a sort."""
    return Route(
        "server",
        f"migrate.{what}",
        f"POST /migrate/{what}",
        below="",
        asks=f"rows emitWebhooks? {KEY}",
        answers="received applied replayed failed failures:failure[]",
        calls=calls,
    )


_ROUTES: Final = (
    _of(
        "players",
        ServerCall(
            lambda c: c.migrate.players(
                rows=[rows.MigratePlayerRow(idempotency_key="m1", external_player_id="anna", name="Anna", country=None)]
            ),
            MIGRATED,
            body={"rows": [{"idempotencyKey": "m1", "externalPlayerId": "anna", "name": "Anna", "country": None}]},
        ),
    ),
    _of(
        "wallet",
        ServerCall(
            lambda c: c.migrate.wallet(
                emit_webhooks=True,
                rows=[
                    rows.MigrateWalletRow(
                        idempotency_key="m1", external_player_id="anna", economy_key="gold", amount=5
                    )
                ],
            ),
            MIGRATED,
            body={
                "emitWebhooks": True,
                "rows": [{"idempotencyKey": "m1", "externalPlayerId": "anna", "economyKey": "gold", "amount": 5}],
            },
        ),
    ),
    _of(
        "inventory",
        ServerCall(
            lambda c: c.migrate.inventory(
                rows=[
                    rows.MigrateInventoryRow(
                        idempotency_key="m1", external_player_id="anna", item_key="sword", quantity=1,
                        parameters={"level": 3},
                    )
                ]
            ),
            MIGRATED,
            body={
                "rows": [
                    {"idempotencyKey": "m1", "externalPlayerId": "anna", "itemKey": "sword", "quantity": 1,
                     "parameters": {"level": 3}},
                ],
            },
        ),
    ),
)  # fmt: skip


def _move_in(walk: Walk) -> None:
    """With a row that fails, and one that comes twice."""
    players = [
        {"idempotencyKey": "m1", "externalPlayerId": "ivan", "name": "Ivan"},
        {"idempotencyKey": "m2", "externalPlayerId": "jane", "name": ""},
    ]
    walk.ask(walk.server, "migrate.players", rows=players)
    coins = {"idempotencyKey": "m1", "externalPlayerId": "ivan", "economyKey": "gold", "amount": 5}
    walk.ask(walk.server, "migrate.wallet", rows=[coins, coins])
    potions = {"idempotencyKey": "m1", "externalPlayerId": "ivan", "itemKey": "potion", "quantity": 2}
    walk.ask(walk.server, "migrate.inventory", rows=[potions])


def _move_in_marked(life: Life) -> None:
    row = {"idempotencyKey": f"{CORE} row", "externalPlayerId": MARK}
    life.ask(life.server, "migrate.players", rows=[{**row, "name": MARK}])
    life.ask(life.server, "migrate.wallet", rows=[{**row, "economyKey": "gold", "amount": 5}])
    swords = {"itemKey": "sword", "quantity": 1, "parameters": {MARK: MARK}}
    life.ask(life.server, "migrate.inventory", rows=[{**row, **swords}])


AREA: Final = Area(
    routes=_ROUTES,
    rows={"failure": "index idempotencyKey code message details"},
    walk=(Step("leave", _move_in),),
    marked=(Step("earn", _move_in_marked),),
)

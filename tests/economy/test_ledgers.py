"""Wallet and inventory: adjustments by player and studio, the order of refusals, entries and their events."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.economy.ledger import HOLDINGS
from livecore.kernel.errors import Json
from livecore.kernel.time import Timestamp
from tests.worlds import Since, ask, befriend, give, http, rows_of, studio_world, total, world

CHANGES: Final = ("wallet.credit", "wallet.debit", "inventory.grant", "inventory.revoke")


def test_the_answer_of_a_wallet_change() -> None:
    """Key, balance after it, signed delta and the entry's id; `wallet.changed` says the same and why."""
    game = world()
    anna = game.player("anna")
    seen = Since(game)
    reply = ask(
        game.server, "wallet.credit", external_id="anna", economy_key="gold", amount=5, reason="refund",
        source_ref_id="order-1",
    )  # fmt: skip
    assert reply.data == {"economyKey": "gold", "balance": 5, "delta": 5, "entryId": reply["entryId"]}
    assert seen.kinds == ["wallet.changed"]
    assert seen.of("wallet.changed") == [
        {
            "playerId": anna.player_id,
            "externalPlayerId": "anna",
            "economyKey": "gold",
            "delta": 5,
            "balance": 5,
            "reason": "refund",
            "sourceRefId": "order-1",
            "entryId": reply["entryId"],
            "changedAt": Timestamp(game.now).wire,
        }
    ]
    spent = ask(anna, "wallet.debit", economy_key="gold", amount=2)
    assert (spent["balance"], spent["delta"]) == (3, -2)


def test_the_answer_of_an_item_change() -> None:
    """The same for items, with `quantity` and `inventory.changed`."""
    game = world()
    anna = game.player("anna")
    seen = Since(game)
    reply = ask(game.server, "inventory.grant", external_id="anna", item_key="potion", quantity=5)
    assert reply.data == {"itemKey": "potion", "quantity": 5, "delta": 5, "entryId": reply["entryId"]}
    (payload,) = seen.of("inventory.changed")
    assert (payload["itemKey"], payload["quantity"], payload["delta"], payload["reason"]) == ("potion", 5, 5, None)
    used = ask(anna, "inventory.consume", item_key="potion", quantity=2, reason="drunk")
    assert (used["quantity"], used["delta"]) == (3, -2)


@pytest.mark.parametrize("operation", ["wallet.debit", "inventory.revoke"])
def test_nothing_falls_below_zero(operation: str) -> None:
    """409 with what was needed and what is there; taking exactly what is there leaves nothing."""
    game = world()
    anna = game.player("anna")
    key, name = ("gold", "amount") if operation == "wallet.debit" else ("potion", "quantity")
    give(anna, key, 3)
    where = {"external_id": "anna", ("economy_key" if key == "gold" else "item_key"): key}
    reply = ask(game.server, operation, **where, **{name: 4})
    assert reply.refusal == (409, "insufficient_balance" if key == "gold" else "insufficient_quantity")
    assert reply["details"] == {"resource": key, "needed": 4, "have": 3}
    assert ask(game.server, operation, **where, **{name: 3}).status == 200
    assert total(anna, key) == 0


# -- the order of refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("surface", ["sdk", "server"])
@pytest.mark.parametrize("mode", ["platform", "studio"])
def test_order_of_refusals_of_the_wallet(surface: str, mode: str) -> None:
    """Shape, unknown player, unknown key, system key, a studio's economy, the balance."""
    game = world() if mode == "platform" else studio_world()
    anna = game.player("anna")
    caller = anna if surface == "sdk" else game.server

    def debit(key: str, amount: Json = 1, player: str = "anna") -> tuple[int, str | None]:
        return http(caller, "POST", f"/{surface}/v1/players/{player}/wallet/{key}/debit", {"amount": amount}).refusal

    assert debit("silver", 0) == (400, "validation_failed")
    assert debit("silver", 1, "nobody") == (404, "player_not_found")
    assert debit("silver") == (404, "economy_key_not_found")
    assert debit("sessions") == (409, "system_resource_locked")
    short = (409, "insufficient_balance")
    assert debit("gold") == (short if mode == "platform" else (409, "economy_not_platform_managed"))


@pytest.mark.parametrize("mode", ["platform", "studio"])
def test_order_of_refusals_of_the_inventory(mode: str) -> None:
    """Shape, unknown player, unknown item, a studio's economy, the quantity."""
    game = world() if mode == "platform" else studio_world()
    game.player("anna")

    def revoke(key: str, quantity: Json = 1, player: str = "anna") -> tuple[int, str | None]:
        path = f"/server/v1/players/{player}/inventory/{key}/revoke"
        return http(game.server, "POST", path, {"quantity": quantity}).refusal

    assert revoke("gold", 0) == (400, "validation_failed")
    assert revoke("gold", 1, "nobody") == (404, "player_not_found")
    assert revoke("gold") == (404, "item_not_found")
    short = (409, "insufficient_quantity")
    assert revoke("potion") == (short if mode == "platform" else (409, "economy_not_platform_managed"))


def test_an_adjustment_makes_no_player() -> None:
    """An unknown player is 404 on all four routes."""
    game = world()
    for operation in CHANGES:
        what = {"economy_key": "gold", "amount": 1} if "wallet" in operation else {"item_key": "potion", "quantity": 1}
        assert ask(game.server, operation, external_id="nobody", **what).refusal == (404, "player_not_found")


def test_only_the_studio_credits() -> None:
    """There is no such route on the client surface."""
    anna = world().player("anna")
    for path in ("wallet/gold/credit", "inventory/potion/grant", "inventory/potion/revoke"):
        reply = http(anna, "POST", f"/sdk/v1/players/anna/{path}", {"amount": 1})
        assert reply.refusal == (404, "route_not_found")


# -- reading --------------------------------------------------------------------------------------------------------------


def test_a_wallet_lists_every_key_of_the_game() -> None:
    """Also what the player never had, and the two keys that every game has."""
    game = world()
    anna = game.player("anna")
    give(anna, "gems", 4)
    assert ask(anna, "wallet.get").data == {
        "balances": [
            {"key": "gold", "kind": "currency", "balance": 0},
            {"key": "gems", "kind": "currency", "balance": 4},
            {"key": "xp", "kind": "progression", "balance": 0},
            {"key": "sessions", "kind": "progression", "balance": 1},
            {"key": "login_streak", "kind": "progression", "balance": 1},
        ]
    }


def test_an_inventory_lists_what_is_above_zero() -> None:
    game = world()
    anna = game.player("anna")
    give(anna, "potion", 1)
    assert ask(anna, "inventory.get").data == {"items": [{"itemKey": "potion", "quantity": 1}]}
    ask(anna, "inventory.consume", item_key="potion", quantity=1)
    assert ask(anna, "inventory.get").data == {"items": []}


def test_parameters_lie_over_the_items_own_key_by_key() -> None:
    """Defaults of the configuration, then what grants and the studio brought, the last one winning for each key."""
    game = world()
    anna = game.player("anna")
    give(anna, "sword", 1)

    def shown() -> Json:
        return ask(anna, "inventory.get")["items.0.parameters"]

    assert shown() == {"level": 1, "gem": None}
    where = {"external_id": "anna", "item_key": "sword", "quantity": 1}
    ask(game.server, "inventory.grant", **where, parameters={"level": 2, "name": "Sting"})
    assert shown() == {"level": 2, "gem": None, "name": "Sting"}
    entry = {"type": "item", "resourceKey": "sword", "amount": 1, "parameters": {"level": 3}}
    made = ask(game.server, "grants.create", external_id="anna", idempotency_key="g", entries=[entry])
    assert shown() == {"level": 2, "gem": None, "name": "Sting"}
    ask(anna, "grants.claim", grant_id=made["grant.grantId"])
    assert shown() == {"level": 3, "gem": None, "name": "Sting"}
    game.configure({"economyMode": "platform", "items": [{"key": "sword", "parameters": {"weight": 7}}]})
    assert shown() == {"weight": 7, "level": 3, "name": "Sting"}


@pytest.mark.parametrize("spent", ["consume", "revoke", "gift"])
def test_attributes_end_with_the_stack(spent: str) -> None:
    """Whatever took the last one, a stack that begins anew is as the game declares the item, and what remains stays."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    where = {"external_id": "anna", "item_key": "sword"}

    def take_one() -> None:
        if spent == "consume":
            ask(anna, "inventory.consume", item_key="sword", quantity=1)
        elif spent == "revoke":
            ask(game.server, "inventory.revoke", **where, quantity=1)
        else:
            ask(anna, "gifts.send", external_player_id="bert", type="item", resource_key="sword", amount=1)
            game.advance(days=2)

    ask(game.server, "inventory.grant", **where, quantity=2, parameters={"level": 9, "name": "Sting"})
    take_one()
    assert ask(anna, "inventory.get")["items.0.parameters"] == {"level": 9, "gem": None, "name": "Sting"}
    take_one()
    (stack,) = (row for row in rows_of(game, HOLDINGS) if row.asset_kind == "item" and row.player_id == anna.player_id)
    assert (stack.amount, stack.parameters) == (0, None)
    (shown,) = ask(game.server, "players.export", external_id="anna").list("inventory")
    assert shown == {"itemKey": "sword", "quantity": 0, "parameters": {"level": 1, "gem": None}}
    ask(game.server, "inventory.grant", **where, quantity=1, parameters={"gem": "ruby"})
    assert ask(anna, "inventory.get")["items.0.parameters"] == {"level": 1, "gem": "ruby"}


def test_the_backend_reads_what_the_player_reads() -> None:
    """Every balance, progression included, and every item with its parameters; of a player who exists, banned or not."""
    game = world()
    anna, server = game.player("anna"), game.server
    for key, amount in (("gold", 5), ("gems", 6), ("xp", 7), ("potion", 2)):
        give(anna, key, amount)
    for operation in ("wallet.get", "inventory.get"):
        assert ask(server, operation, external_id="anna").data == ask(anna, operation).data
        assert ask(server, operation, external_id="nobody").refusal == (404, "player_not_found")
    balances = ask(server, "wallet.get", external_id="anna").list("balances")
    assert {row["key"]: row["balance"] for row in balances} == {
        "gold": 5, "gems": 6, "xp": 7, "sessions": 1, "login_streak": 1,
    }  # fmt: skip
    ask(server, "players.ban", external_id="anna", reason="rude")
    assert ask(server, "inventory.get", external_id="anna").list("items")


def test_a_studio_game_reads_empty() -> None:
    """Wallet and inventory are the studio's: both reads are empty, whatever the configuration defines."""
    anna = studio_world().player("anna")
    assert ask(anna, "wallet.get").data == {"balances": []}
    assert ask(anna, "inventory.get").data == {"items": []}


def test_the_backend_reads_progression_of_a_studio_game() -> None:
    """It is kept in both modes, so a support desk sees it; currencies and items are the studio's own."""
    game = studio_world()
    anna = game.player("anna")
    entries: list[Json] = [
        {"type": "currency", "resourceKey": "gold", "amount": 3}, {"type": "currency", "resourceKey": "xp", "amount": 4},
        {"type": "item", "resourceKey": "potion", "amount": 1},
    ]  # fmt: skip
    made = ask(game.server, "grants.create", external_id="anna", idempotency_key="g1", entries=entries)
    ask(anna, "grants.claim", grant_id=made["grant.grantId"])
    assert ask(game.server, "wallet.get", external_id="anna").data == {
        "balances": [
            {"key": "xp", "kind": "progression", "balance": 4},
            {"key": "sessions", "kind": "progression", "balance": 1},
            {"key": "login_streak", "kind": "progression", "balance": 1},
        ]
    }
    assert ask(game.server, "inventory.get", external_id="anna").data == {"items": []}


def test_what_was_there_comes_back_with_the_platform() -> None:
    """Switching a game to the studio and back loses no balance."""
    game = world()
    anna = game.player("anna")
    give(anna, "gold", 5)
    game.configure({"economyMode": "studio", "economy": [{"key": "gold"}]})
    assert ask(anna, "wallet.get").data == {"balances": []}
    game.configure({"economyMode": "platform", "economy": [{"key": "gold"}]})
    assert total(anna, "gold") == 5

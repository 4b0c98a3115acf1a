"""A configuration that takes away what players hold: how many hold how much of it, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.api.operating import taken_away
from livecore.kernel.errors import JsonObject
from livecore.world import World

_CHEST: JsonObject = {"key": "chest", "name": "Chest", "rolls": [{"rows": [{"weight": 1, "entries": [
    {"type": "currency", "resourceKey": "gold", "amount": 1}]}]}]}  # fmt: skip
_CONFIG: JsonObject = {
    "economyMode": "platform",
    "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}, {"key": "gems"}],
    "items": [{"key": "potion"}, {"key": "sword"}],
    "crates": [_CHEST],
}
_BARE: JsonObject = {"economyMode": "platform", "economy": [{"key": "gold"}]}
_UNTIL = "until the key is declared again"


def test_what_players_hold_is_counted_before_it_is_taken_away() -> None:
    """`settings.difference` says it for each environment; what nobody holds is no loss, nor what is still declared."""
    world = World(_CONFIG)
    for name, amount in (("ann", 5), ("bea", 7)):
        world.player(name)
        world.server.call("wallet.credit", external_id=name, economy_key="gems", amount=amount, reason="test")
        world.server.call("inventory.grant", external_id=name, item_key="potion", quantity=1)
    world.server.call("wallet.credit", external_id="ann", economy_key="gold", amount=1, reason="test")
    for number in range(2):
        entries = [{"type": "crate", "resourceKey": "chest", "amount": 1}]
        made: Any = world.server.call(
            "grants.create", external_id="ann", entries=entries, idempotency_key=f"chest-{number}", source_kind="api"
        )
        world.player("ann").call("grants.claim", grant_id=made["grant"]["grantId"])
    compared: Any = world.operator().call("settings.difference", config=_BARE)
    shown = {one["path"]: one for one in compared["takenAway"]}
    assert {path: one["message"] for path, one in shown.items()} == {
        "economy[gems]": (
            f"2 players in test hold 12 of it: no wallet shows it and nobody can spend or get any {_UNTIL}"
        ),
        "items[potion]": (
            f"2 players in test hold 2 of it: it stays in the inventories, where nobody can use or get any {_UNTIL}"
        ),
        "crates[chest]": f"1 player in test holds 2 of it: players keep the crates and cannot open them {_UNTIL}",
    }
    assert [one["atLeast"] for one in compared["takenAway"]] == [False] * 3
    kept: Any = world.operator().call("settings.difference", config=_CONFIG)
    assert kept["takenAway"] == []


def test_what_is_said_becomes_of_it_does() -> None:
    """Out of use without its declaration, and back with it."""
    world = World(_CONFIG)
    ann = world.player("ann")
    world.server.call("wallet.credit", external_id="ann", economy_key="gems", amount=5, reason="test")
    world.configure(_BARE)
    wallet: Any = ann.call("wallet.get")
    assert "gems" not in {one["key"] for one in wallet["balances"]}
    world.configure(_CONFIG)
    wallet = ann.call("wallet.get")
    assert {one["key"]: one["balance"] for one in wallet["balances"]}["gems"] == 5


@pytest.mark.parametrize(
    ("most", "says"),
    [(3, "at least 3 players in test hold at least 6 of it"), (9, "5 players in test hold 10 of it")],
)
def test_the_count_is_bounded(monkeypatch: pytest.MonkeyPatch, most: int, says: str) -> None:
    """It reads so many rows of each environment and no more, some at a time; each figure is then a lower bound."""
    monkeypatch.setattr(taken_away, "MOST_ROWS", most)
    monkeypatch.setattr(taken_away, "ROWS_AT_ONCE", 2)
    world = World(_CONFIG)
    for number in range(5):
        world.player(f"player-{number}")
        world.server.call("wallet.credit", external_id=f"player-{number}", economy_key="gems", amount=2, reason="test")
    compared: Any = world.operator().call("settings.difference", config=_BARE)
    (shown,) = compared["takenAway"]
    assert shown["message"].startswith(says)
    assert (shown["players"], shown["atLeast"]) == (min(most, 5), most < 5)


def test_so_many_things_are_counted_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who takes everything away need not be told a thousand times."""
    monkeypatch.setattr(taken_away, "MOST_THINGS", 1)
    world = World(_CONFIG)
    world.player("ann")
    for key in ("potion", "sword"):
        world.server.call("inventory.grant", external_id="ann", item_key=key, quantity=1)
    wanted = {**_CONFIG, "items": []}
    compared: Any = world.operator().call("settings.difference", config=wanted)
    assert [one["key"] for one in compared["takenAway"]] == ["potion"]

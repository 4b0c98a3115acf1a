"""What the page about moving from PlayFab says of fields and of its script; `tests/test_docs.py` runs the whole page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

import attrs
import pytest

from livecore import ServerSurface
from livecore.kernel.errors import camel
from livecore.testing import World
from livecore_client.rows import (
    MigrateInventoryRow,
    MigratePlayerRow,
    MigrateWalletRow,
    MigrationFailure,
)
from tests.pages import ROOT, blocks

PAGE: Final = ROOT / "docs/how-to/move-from-playfab.md"
GAME: Final = {
    "economyMode": "platform",
    "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}],
    "items": [{"key": "sword", "parameters": {"level": "1"}}, {"key": "potion"}],
    "leaderboards": [{"key": "high-score", "name": "High score", "reset": "never"}],
}
Move = Callable[[ServerSurface, Iterable[str]], list[MigrationFailure]]


@pytest.fixture
def script() -> dict[str, Any]:
    """The names of the page's first program, which moves players."""
    names: dict[str, Any] = {}
    exec(next(blocks(PAGE, "python"))[1], names)  # noqa: S102 - our own page, as a reader would
    return names


def moved(script: dict[str, Any], world: World, player: str = "A1", **parts: object) -> list[MigrationFailure]:
    """Move one player with these parts of PlayFab's answer; gives the failures."""
    items = parts.pop("Items", [])
    answer = {"PlayFabId": player, "InfoResultPayload": parts, "Items": items}
    return cast(Move, script["move"])(world.server, [json.dumps(answer)])


def test_the_fields_of_the_table_are_there() -> None:
    """The rows of `migrate` have each field that the table gives to them, and the server each operation."""
    rows = {"players": MigratePlayerRow, "wallet": MigrateWalletRow, "inventory": MigrateInventoryRow}
    fields = {camel(field.name) for row in rows.values() for field in attrs.fields(row)}
    table = [
        line.split("|")[2] for line in PAGE.read_text("utf-8").split("## The script")[0].splitlines() if "|" in line
    ]
    named = {name for cell in table for name in re.findall(r"`(\w+)`", cell)} - {"score", "reason", "migrate"}
    assert len(named) == 12
    assert named <= fields
    operations = {name for cell in table for name in re.findall(r"`(\w+\.\w+)`", cell)}
    pages = sorted((ROOT / "docs/reference/server").glob("*.md"))
    reference = "\n".join(page.read_text("utf-8") for page in pages)
    assert {"migrate.players", "leaderboards.submit"} < operations
    assert [name for name in operations if f"\n## {name}\n" not in reference] == []


@pytest.mark.parametrize(
    "parts",
    [
        {"UserVirtualCurrency": {"XX": 1}},
        {"UserInventory": [{"ItemId": "axe", "ItemInstanceId": "1"}]},
        {"PlayerStatistics": [{"StatisticName": "Wins", "Value": 1}]},
        {"Items": [{"Id": "axe", "Amount": 1, "Type": "catalogItem"}]},
        {"Items": [{"Id": "XX", "Amount": 1, "Type": "currency"}]},
    ],
)
def test_nothing_is_forgotten_without_notice(script: dict[str, Any], parts: dict[str, Any]) -> None:
    """What the tables of the script lack stops it."""
    with pytest.raises(KeyError):
        moved(script, World(GAME), **parts)


def test_a_row_that_fails_is_given_back(script: dict[str, Any]) -> None:
    """An item that the game does not declare, and a name that is too long; the other rows are applied."""
    script["ITEMS"]["axe"] = "axe"
    world = World(GAME)
    failures = moved(
        script,
        world,
        UserInventory=[{"ItemId": "axe", "ItemInstanceId": "1"}],
        PlayerProfile={"DisplayName": "x" * 41},
        UserVirtualCurrency={"GO": 7},
    )
    assert {failure.idempotency_key for failure in failures} == {"playfab:A1", "playfab:A1:1"}
    assert world.server.wallet.get("A1").balance("gold") == 7


def test_instances_and_stacks_are_added_up(script: dict[str, Any]) -> None:
    """A player has one stack of an item; its attributes are those of the last row, key by key."""
    world = World(GAME)
    instances = [
        {"ItemId": "sword_01", "ItemInstanceId": "1", "CustomData": {"level": "7", "gem": "ruby"}},
        {"ItemId": "sword_01", "ItemInstanceId": "2", "CustomData": {"level": "3"}},
    ]
    stacks = [
        {"Id": "potion_hp", "Amount": 2, "Type": "catalogItem"},
        {"Id": "potion_hp", "StackId": "bag", "Amount": 3, "Type": "catalogItem", "DisplayProperties": {"hue": 1}},
        {"Id": "GO", "StackId": "default", "Amount": 11, "Type": "currency"},
    ]
    for _ in range(2):
        assert moved(script, world, UserInventory=instances, Items=stacks) == []
        inventory = world.server.inventory.get("A1")
        assert (inventory.quantity("sword"), inventory.quantity("potion")) == (2, 5)
        assert inventory.item("sword").parameters == {"level": "3", "gem": "ruby"}
        assert inventory.item("potion").parameters == {"hue": 1}
        assert world.server.wallet.get("A1").balance("gold") == 11


def test_a_player_without_anything_is_moved(script: dict[str, Any]) -> None:
    """For a new player PlayFab gives no profile."""
    world = World(GAME)
    assert moved(script, world) == []
    assert world.server.players.get("A1").player.external_player_id == "A1"


def test_more_rows_than_a_request_takes(script: dict[str, Any]) -> None:
    """A player with 1,200 instances."""
    world = World(GAME)
    instances = [{"ItemId": "potion_hp", "ItemInstanceId": str(number)} for number in range(1_200)]
    assert moved(script, world, UserInventory=instances) == []
    assert world.server.inventory.get("A1").quantity("potion") == 1_200

"""What operators change of balances, items and attributes: laws over many changes, refusals, the ledger and the trail."""

from __future__ import annotations

import json
import random
from typing import Final

import pytest

from livecore import World
from livecore.access.audit import AUDIT, AuditEntry
from livecore.economy.ledger import ENTRIES
from livecore.kernel.errors import Json, JsonObject
from tests.commerce.shop import found_wrong
from tests.worlds import Reply, Since, ask, give, rows_of, studio_world, total, world

MOST: Final = 2**53 - 1
KINDS: Final = ("wallet", "inventory")
KEYS: Final = {"wallet": {"economy_key": "gold"}, "inventory": {"item_key": "potion"}}
SPENT: Final = {"wallet": "insufficient_balance", "inventory": "insufficient_quantity"}


@pytest.fixture
def game() -> World:
    """A world with a player."""
    made = world()
    made.player("anna")
    return made


def adjust(game: World, kind: str, delta: Json, **more: object) -> Reply:
    """Have an operator change anna's gold or potions."""
    asked = {"external_id": "anna", "reason": "ticket 1", **KEYS[kind], **more}
    return ask(game.operator(), f"{kind}.adjust", delta=delta, **asked)


def have(game: World, kind: str) -> int:
    """How much anna has of it."""
    return total(game.player("anna"), "gold" if kind == "wallet" else "potion")


def trail(game: World, action: str) -> list[AuditEntry]:
    """The entries of an action, oldest first."""
    return sorted((row for row in rows_of(game, AUDIT) if row.action == action), key=lambda row: (row.at, row.audit_id))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_what_there_is_is_the_sum_of_all_changes(game: World, kind: str, seed: int) -> None:
    """Over many changes up and down, some of them refused or repeated; never below zero."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    expected, kept = 0, 0
    for number in range(40):
        delta = draw.choice([-30, -10, -1, 1, 5, 40])
        first = adjust(game, kind, delta, idempotency_key=f"k{number}")
        again = adjust(game, kind, delta, idempotency_key=f"k{number}")
        if expected + delta < 0:
            assert first.refusal == again.refusal == (409, SPENT[kind])
            assert first.details == {"resource": next(iter(KEYS[kind].values())), "needed": -delta, "have": expected}
            continue
        expected += delta
        kept += 1
        assert (first.status, again.status, first.data) == (200, 200, again.data)
        assert first["balance" if kind == "wallet" else "quantity"] == expected
        assert have(game, kind) == expected
    entries = rows_of(game, ENTRIES)
    assert (len(entries), sum(row.delta for row in entries)) == (kept, expected)
    assert len(trail(game, f"admin:{kind}.adjust")) == kept
    assert found_wrong(game) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_told_and_kept(game: World, kind: str) -> None:
    """One webhook, one entry with the reason, one line of the trail with both sides."""
    since = Since(game)
    said = adjust(game, kind, 25, reason="lost in a crash\nticket 7")
    assert since.kinds == [f"{kind}.changed"]
    (event,) = since.of(f"{kind}.changed")
    assert (event["delta"], event["reason"], event["entryId"]) == (25, "lost in a crash\nticket 7", said["entryId"])
    (entry,) = trail(game, f"admin:{kind}.adjust")
    name = "balance" if kind == "wallet" else "quantity"
    before, after = json.loads(str(entry.before)), json.loads(str(entry.after))
    assert (before[name], after[name], after["reason"]) == (0, 25, "lost in a crash\nticket 7")
    assert (entry.permission, entry.player_id) == (f"{kind}.adjust", game.player("anna").player_id)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "changes",
    [{"delta": 0}, {"delta": True}, {"delta": 1.5}, {"delta": "1"}, {"delta": MOST + 1}, {"delta": -MOST - 1},
     {"reason": ""}, {"reason": None}, {"reason": "x" * 501}, {"reason": "a\x00"}],
)  # fmt: skip
def test_the_form_of_a_change(game: World, kind: str, changes: JsonObject) -> None:
    """A whole number that is not 0, and a reason; also for a player who is not there."""
    for name in ("anna", "nobody"):
        asked: JsonObject = {"delta": 1, "external_id": name, **changes}
        assert adjust(game, kind, **asked).refusal == (400, "validation_failed")


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_that_cannot_be(game: World, kind: str) -> None:
    """In the order of the refusals: the player, the key, the service's own counters, the economy, the amount."""
    unknown = {"economy_key": "none"} if kind == "wallet" else {"item_key": "none"}
    own = {"economy_key": "sessions"} if kind == "wallet" else {"item_key": "login_streak"}
    code = "economy_key_not_found" if kind == "wallet" else "item_not_found"
    assert adjust(game, kind, 1, external_id="nobody").refusal == (404, "player_not_found")
    assert adjust(game, kind, 1, environment="live").refusal == (404, "player_not_found")
    assert adjust(game, kind, 1, **unknown).refusal == (404, code)
    assert adjust(game, kind, 1, **own).refusal == (409, "system_resource_locked")
    assert adjust(game, kind, -1).refusal == (409, SPENT[kind])
    assert adjust(game, kind, MOST).status == 200
    assert adjust(game, kind, 1).refusal == (409, "balance_overflow")
    studio = studio_world()
    studio.player("anna")
    assert adjust(studio, kind, 1, **own).refusal == (409, "system_resource_locked")
    assert adjust(studio, kind, 1).refusal == (409, "economy_not_platform_managed")
    assert adjust(studio, "wallet", 1, economy_key="xp").refusal == (409, "economy_not_platform_managed")


def test_a_key_is_the_operators_own(game: World) -> None:
    """The studio's backend may use the same idempotency key for its own change, and both take effect."""
    adjust(game, "wallet", 5, idempotency_key="same")
    ask(game.server, "wallet.credit", external_id="anna", economy_key="gold", amount=7, idempotency_key="same")
    assert have(game, "wallet") == 12
    assert adjust(game, "wallet", 6, idempotency_key="same").refusal == (409, "idempotency_conflict")
    game.advance(days=2)
    assert adjust(game, "wallet", 5, idempotency_key="same").status == 200
    assert have(game, "wallet") == 12


# -- the ledger of one key ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [1, 3, 50])
def test_pages_of_entries_joined_are_all_of_one_key(game: World, kind: str, limit: int) -> None:
    """Newest first, nothing twice, and no other key's; also with many entries of one millisecond."""
    for number in range(7):
        adjust(game, kind, number + 1)
        adjust(game, "wallet", 1, economy_key="gems")
        adjust(game, "inventory", 1, item_key="sword")
        game.advance(seconds=number % 2)
    cursor: Json = None
    rows: list[JsonObject] = []
    for _ in range(20):
        asked = {"external_id": "anna", "limit": limit, "cursor": cursor, **KEYS[kind]}
        page = ask(game.operator(), f"{kind}.entries", **asked)
        rows += page.list("entries")
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert {row["resourceKey"] for row in rows} == set(KEYS[kind].values())
    assert sorted(int(str(row["delta"])) for row in rows) == [1, 2, 3, 4, 5, 6, 7]
    places = [(str(row["at"]), str(row["entryId"])) for row in rows]
    assert places == sorted(places, reverse=True)


def test_entries_of_what_is_not_there(game: World) -> None:
    """An unknown key or player is 404; a key of the service's own counters has no entries."""
    desk = game.operator()
    for asked, code in (
        ({"external_id": "anna", "economy_key": "none"}, "economy_key_not_found"),
        ({"external_id": "nobody", "economy_key": "gold"}, "player_not_found"),
    ):
        assert ask(desk, "wallet.entries", **asked).refusal == (404, code)
    assert ask(desk, "inventory.entries", external_id="anna", item_key="none").code == "item_not_found"
    assert ask(desk, "wallet.entries", external_id="anna", economy_key="sessions").list("entries") == []


# -- attributes -----------------------------------------------------------------------------------------------------------


def attributes(game: World, parameters: object, **more: object) -> Reply:
    """Have an operator set anna's own attributes of the sword."""
    asked = {"external_id": "anna", "item_key": "sword", **more}
    return ask(game.operator(), "inventory.setAttributes", parameters=parameters, **asked)


def test_the_players_own_override_the_games_key_by_key(game: World) -> None:
    """The whole of them is replaced; what is not among them is as the game says."""
    anna = game.player("anna")
    give(anna, "sword", 2)
    since = Since(game)
    for own, shown in (
        ({"level": 7, "rune": [1]}, {"level": 7, "gem": None, "rune": [1]}),
        ({"gem": "ruby"}, {"level": 1, "gem": "ruby"}),
        ({}, {"level": 1, "gem": None}),
        (None, {"level": 1, "gem": None}),
    ):
        said = attributes(game, own, reason="ticket 5")
        assert (said["item.parameters"], said["item.ownParameters"]) == (shown, own or None)
        assert ask(anna, "inventory.get").list("items") == [{"itemKey": "sword", "quantity": 2, "parameters": shown}]
        game.advance(seconds=1)
    assert since.kinds == []
    sides = [json.loads(str(row.after))["ownParameters"] for row in trail(game, "admin:inventory.setAttributes")]
    assert sides == [{"level": 7, "rune": [1]}, {"gem": "ruby"}, None, None]
    assert found_wrong(game) == []


def test_attributes_live_as_long_as_the_stack(game: World) -> None:
    """A stack that was used up begins anew; an empty one has no place for them."""
    anna = game.player("anna")
    assert attributes(game, {"level": 7}).refusal == (409, "insufficient_quantity")
    give(anna, "sword", 1)
    attributes(game, {"level": 7})
    ask(anna, "inventory.consume", item_key="sword", quantity=1)
    assert attributes(game, {"level": 7}).refusal == (409, "insufficient_quantity")
    give(anna, "sword", 1)
    assert ask(anna, "inventory.get").list("items")[0]["parameters"] == {"level": 1, "gem": None}


def test_attributes_that_cannot_be(game: World) -> None:
    """The form, the player, the item, the service's own counters, the economy."""
    give(game.player("anna"), "sword", 1)
    for parameters in ("level", [1], 7, {"big": "x" * 16_400}):
        assert attributes(game, parameters).refusal == (400, "validation_failed")
    assert attributes(game, {}, external_id="nobody").refusal == (404, "player_not_found")
    assert attributes(game, {}, item_key="none").refusal == (404, "item_not_found")
    assert attributes(game, {}, item_key="sessions").refusal == (409, "system_resource_locked")
    studio = studio_world()
    studio.player("anna")
    assert attributes(studio, {}).refusal == (409, "economy_not_platform_managed")


def test_erasing_a_player_empties_what_operators_left(game: World) -> None:
    """Reasons, attributes and both sides of every change."""
    give(game.player("anna"), "sword", 1)
    attributes(game, {"engraved": "marked-text"}, reason="marked-text")
    adjust(game, "wallet", 5, reason="marked-text")
    adjust(game, "inventory", 5, reason="marked-text")
    assert "marked-text" in repr(game.store.dump())
    ask(game.operator(), "players.erase", external_id="anna")
    game.advance(days=2)
    left = game.store.dump()
    assert "marked-text" not in repr(left)

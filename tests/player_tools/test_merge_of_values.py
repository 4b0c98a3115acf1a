"""Merging: what becomes of the balances, items, grants and gifts of two players who become one."""

from __future__ import annotations

from typing import cast

import pytest

from livecore import World
from livecore.economy.grants import GRANTS
from livecore.economy.ledger import ENTRIES
from livecore.kernel.errors import JsonObject
from livecore.players.player import PLAYERS
from tests.player_tools.merging import merge, two
from tests.player_tools.soundness import faults_of
from tests.worlds import Since, ask, befriend, gift, give, grant, rows_of, total, world

pytestmark = pytest.mark.usefixtures("few")


def test_balances_and_items_are_added_up(game: World) -> None:
    """By entries that say so; the ledger of both is the target's, and every running balance follows."""
    source, target = two(game)
    for player, amounts in ((source, (7, 3)), (target, (20, 0))):
        for key, amount in zip(("gold", "potion"), amounts, strict=True):
            if amount:
                give(player, key, amount)
    ask(source, "wallet.debit", economy_key="gold", amount=2)
    give(source, "xp", 4)
    ask(game.server, "wallet.debit", external_id="guest", economy_key="xp", amount=4)
    since = Since(game)
    merge(source, target)
    assert [total(target, key) for key in ("gold", "potion", "xp")] == [25, 3, 0]
    entries = rows_of(game, ENTRIES)
    assert {entry.player_id for entry in entries} == {target.player_id}
    carried = [(entry.asset_key, entry.delta, entry.balance) for entry in entries if entry.reason == "player_merged"]
    assert sorted(carried) == [("gold", -5, 0), ("gold", 5, 25), ("potion", -3, 0), ("potion", 3, 3)]
    changed = [(event["playerId"], event["delta"], event["balance"]) for event in since.of("wallet.changed")]
    assert changed == [(source.player_id, -5, 0), (target.player_id, 5, 25)]
    assert faults_of(game) == []


def test_attributes_of_items_are_united(game: World) -> None:
    """Key by key; the target's win."""
    source, target = two(game)
    for name, parameters in (("guest", {"level": 9, "gem": "ruby"}), ("account", {"level": 3})):
        ask(game.server, "inventory.grant", external_id=name, item_key="sword", quantity=1, parameters=parameters)
    merge(source, target)
    (row,) = ask(target, "inventory.get").list("items")
    assert (row["quantity"], row["parameters"]) == (2, {"level": 3, "gem": "ruby"})


def test_attributes_of_a_stack_that_was_used_up_are_not_united(game: World) -> None:
    """What neither of the two has any more has no attributes left to bring along, on either side."""
    source, target = two(game)
    for name, level in (("guest", 9), ("account", 3)):
        where = {"external_id": name, "item_key": "sword", "quantity": 1}
        ask(game.server, "inventory.grant", **where, parameters={"level": level, f"by {name}": True})
        ask(game.server, "inventory.revoke", **where)
    ask(game.server, "inventory.grant", external_id="guest", item_key="sword", quantity=1)
    merge(source, target)
    (row,) = ask(target, "inventory.get").list("items")
    assert (row["quantity"], row["parameters"]) == (1, {"level": 1, "gem": None})
    assert faults_of(game) == []


def test_grants_follow_and_pay_the_target(game: World) -> None:
    """Those of every state; a late repetition of the studio's request finds its grant, and makes nobody new."""
    source, target = two(game)
    grant(source, amount=5, named="claimed")
    pending = grant(source, amount=6, named="pending")
    oldest = ask(source, "grants.listPending").list("grants")[-1]
    ask(game.server, "grants.ack", external_id="guest", grant_id=oldest["grantId"])
    merge(source, target)
    assert {row.player_id for row in rows_of(game, GRANTS)} == {target.player_id}
    left = [row["grantId"] for row in ask(target, "grants.listPending").list("grants")]
    assert len(left) == 1
    ask(target, "grants.claim", grant_id=left[0])
    assert total(target, "gold") == 11
    game.advance(days=2)
    again = grant(source, amount=6, named="pending")
    assert (again.status, again["grant.grantId"]) == (200, pending["grant.grantId"])
    assert [row.external_id for row in rows_of(game, PLAYERS) if not row.gone] == ["account"]


def test_gifts_follow_on_both_sides(game: World) -> None:
    """A gift to the source is the target's to claim; one from the source comes back to the target when it expires."""
    source, target = two(game)
    friend = game.player("friend")
    befriend(source, friend)
    for player in (source, friend):
        give(player, "gold", 20)
    sent = gift(source, friend, amount=8)
    got = gift(friend, source, amount=5)
    merge(source, target)
    assert ask(target, "gifts.claim", gift_id=got["gift.giftId"]).status == 200
    assert total(target, "gold") == 17
    assert [row["giftId"] for row in ask(target, "gifts.sent").list("gifts")] == [sent["gift.giftId"]]
    game.advance(days=8)
    assert (total(target, "gold"), total(friend, "gold")) == (25, 15)
    assert faults_of(game) == []


def test_a_gift_between_the_two_stays_claimable(game: World) -> None:
    """It is in both boxes, incoming in the one and outgoing in the other, from the player to themself."""
    source, target = two(game)
    befriend(source, target)
    give(source, "gold", 20)
    sent = gift(source, target, amount=8, message="to me")
    merge(source, target)
    for box, direction in (("gifts.inbox", "incoming"), ("gifts.sent", "outgoing")):
        (row,) = ask(target, box).list("gifts")
        assert (row["direction"], cast(JsonObject, row["player"])["externalPlayerId"]) == (direction, "account")
    claimed = ask(target, "gifts.claim", gift_id=sent["gift.giftId"])
    assert (claimed["gift.status"], claimed["gift.direction"]) == ("claimed", "incoming")
    assert total(target, "gold") == 20
    assert faults_of(game) == []


def test_the_daily_limit_is_one_persons() -> None:
    """What both sent today counts together."""
    game = world(gifting={"enabled": True, "dailySendLimit": 2, "cooldownSeconds": 0, "resources": [
        {"type": "currency", "key": "xp", "maxAmount": 5}]})  # fmt: skip
    source, target = two(game)
    friend = game.player("friend")
    for player in (source, target):
        befriend(player, friend)
        gift(player, friend, "xp", 1)
    merge(source, target)
    assert gift(target, friend, "xp", 1).refusal == (409, "gift_limit_reached")


def test_what_a_player_may_receive_is_one_persons() -> None:
    """What both received today counts together, and what one of them received yesterday does not."""
    game = world(gifting={"enabled": True, "dailyReceiveLimit": 2, "cooldownSeconds": 0, "resources": [
        {"type": "currency", "key": "xp", "maxAmount": 5}]})  # fmt: skip
    source, target = two(game)
    friend = game.player("friend")
    for player in (source, target):
        befriend(player, friend)
    for _ in range(2):
        gift(friend, source, "xp", 1)
    game.advance(hours=24)
    for player in (source, target):
        gift(friend, player, "xp", 1)
    merge(source, target)
    assert gift(friend, target, "xp", 1).refusal == (409, "gift_receive_limit_reached")
    assert faults_of(game) == []

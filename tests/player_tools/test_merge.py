"""Merging: what becomes of each thing that two players have when they become one."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from livecore import World
from livecore.economy.grants import GRANTS
from livecore.economy.ledger import ENTRIES
from livecore.kernel import player_lifecycle
from livecore.kernel.errors import JsonObject
from livecore.kernel.shapes import MAX_AMOUNT
from livecore.players.player import PLAYERS
from livecore.social.gifts import GIFTS
from livecore.social.relations import RELATIONS
from livecore.world import WorldPlayer
from tests.player_tools.soundness import faults_of
from tests.worlds import (
    Reply,
    Since,
    ask,
    ban,
    befriend,
    gift,
    give,
    grant,
    player_row,
    rows_of,
    total,
    world,
)


@pytest.fixture(params=[player_lifecycle.FEW, 0], ids=["row by row", "in bulk"], autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds however many rows a player has; the world is too small to have many."""
    monkeypatch.setattr(player_lifecycle, "FEW", request.param)


@pytest.fixture
def game() -> World:
    """A world."""
    return world()


def merge(source: WorldPlayer | str, target: WorldPlayer | str, game: World | None = None) -> Reply:
    """Ask to merge."""
    names = [one if isinstance(one, str) else str(one.external_id) for one in (source, target)]
    at = game or cast(WorldPlayer, source).world
    return ask(at.server, "players.merge", external_id=names[0], to_external_id=names[1])


def two(game: World) -> tuple[WorldPlayer, WorldPlayer]:
    """A source and a target, in this order; the target's id is the lower one in half of the tests' relations."""
    target = game.player("account")
    game.advance(seconds=1)
    return game.player("guest"), target


# -- the answer and who is who --------------------------------------------------------------------------------------------


def test_the_answer_names_both_and_the_placeholder(game: World) -> None:
    """The source's external id is rewritten; the event tells the same."""
    source, target = two(game)
    since = Since(game)
    merged = merge(source, target)
    assert merged.status == 200
    assert (merged["status"], merged["fromPlayerId"], merged["toPlayerId"]) == (
        "merged", source.player_id, target.player_id,
    )  # fmt: skip
    placeholder = merged.text("anonymizedExternalPlayerId")
    assert placeholder.startswith("__merged_")
    assert placeholder.endswith("__")
    (event,) = since.of("player.merged")
    assert event == {
        "fromPlayerId": source.player_id,
        "fromExternalPlayerId": "guest",
        "toPlayerId": target.player_id,
        "toExternalPlayerId": "account",
        "anonymizedExternalPlayerId": placeholder,
        "mergedAt": game.time.wire,
        "actor": {"kind": "api_key", "prefix": ask(game.server, "ping")["apiKeyPrefix"]},
    }


def test_a_replay_is_without_effect(game: World) -> None:
    """It answers the same ids, tells nobody and changes no row."""
    source, target = two(game)
    first = merge(source, target)
    before, since = rows_of(game, PLAYERS), Since(game)
    again = merge(source, target)
    assert again.data == {**first.data, "status": "no_op_already_merged"}
    assert (rows_of(game, PLAYERS), since.kinds) == (before, [])


def test_a_replay_after_the_target_went_on(game: World) -> None:
    """The same merge stays the same merge when its target was merged or erased since; another target is a stranger."""
    source, target = two(game)
    merge(source, target)
    third = game.player("third")
    merge(target, third)
    assert merge(source, target)["status"] == "no_op_already_merged"
    assert merge(source, third).refusal == (404, "player_not_found")
    ask(game.server, "players.erase", external_id="third")
    assert merge(target, third)["status"] == "no_op_already_merged"


def test_an_id_that_was_registered_anew_is_somebody_new(game: World) -> None:
    """And merging them is a new merge."""
    source, target = two(game)
    merge(source, target)
    game._players.clear()
    anew = game.player("guest")
    assert anew.player_id != source.player_id
    give(anew, "gold", 3)
    merged = merge(anew, target)
    assert (merged["status"], merged["fromPlayerId"]) == ("merged", anew.player_id)
    assert total(target, "gold") == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda game: ask(game.player("guest"), "players.getProfile"),
        lambda game: ask(game.server, "players.get", external_id="guest"),
        lambda game: ask(game.server, "wallet.credit", external_id="guest", economy_key="gold", amount=1),
        lambda game: ask(game.server, "players.export", external_id="guest"),
        lambda game: ask(game.server, "players.merge", external_id="account", to_external_id="guest"),
        lambda game: ask(game.player("third"), "friends.sendRequest", external_player_id="guest"),
    ],
)
def test_the_old_id_is_unknown(game: World, call: Callable[[World], Reply]) -> None:
    """404 wherever it is used."""
    source, target = two(game)
    merge(source, target)
    assert call(game).refusal == (404, "player_not_found")


def test_the_targets_identity_stands(game: World) -> None:
    """Name, secret and friend code are the target's; the source's are dead, and its code is never given out again."""
    source, target = two(game)
    for player, name in ((source, "Guest"), (target, "Account")):
        ask(player, "players.setIdentity", name=name)
    dead, code = (ask(player, "friends.getCode").text("friendCode") for player in (source, target))
    merge(source, target)
    assert ask(target, "players.getProfile")["displayIdentity.name"] == "Account"
    assert ask(target, "friends.getCode")["friendCode"] == code
    third = game.player("third")
    assert ask(third, "friends.sendRequest", friend_code=dead).refusal == (404, "friend_code_invalid")
    assert ask(third, "friends.search", q="guest").list("players") == []
    assert [row["externalPlayerId"] for row in ask(third, "friends.suggestions").list("suggestions")] == ["account"]


# -- refusals -------------------------------------------------------------------------------------------------------------


def test_what_cannot_be_merged(game: World) -> None:
    """422 with the reason for the same player, a banned target and an erased one; 404 for whoever is not there."""
    source, target = two(game)
    for name in ("banned", "erased"):
        game.player(name)
    ban(game.player("banned"))
    ask(game.server, "players.erase", external_id="erased")
    wrong = {"guest": "same_player", "banned": "target_banned", "erased": "target_deleted"}
    for name, reason in wrong.items():
        refused = merge(source, name)
        assert (refused.refusal, refused["details.reason"]) == ((422, "invalid_merge"), reason)
    for one, other in (("guest", "nobody"), ("nobody", "account"), ("erased", "account"), ("nobody", "nobody")):
        assert merge(one, other, game).refusal == (404, "player_not_found")
    assert merge(source, "__merged_x__").refusal == (400, "validation_failed")
    assert merge(source, target)["status"] == "merged"


def test_a_balance_that_would_overflow(game: World) -> None:
    """422 with the resource, and nothing has changed; one less goes through."""
    source, target = two(game)
    give(source, "gold", 10)
    give(target, "gold", MAX_AMOUNT - 9)
    refused = merge(source, target)
    assert refused.refusal == (422, "invalid_merge")
    assert refused["details"] == {"reason": "balance_overflow", "resource": "gold"}
    assert (total(source, "gold"), total(target, "gold")) == (10, MAX_AMOUNT - 9)
    ask(source, "wallet.debit", economy_key="gold", amount=1)
    merge(source, target)
    assert total(target, "gold") == MAX_AMOUNT
    assert faults_of(game) == []


# -- what the two have ----------------------------------------------------------------------------------------------------


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


# -- the social graph -----------------------------------------------------------------------------------------------------


def standing(player: WorldPlayer) -> dict[str, object]:
    """Everybody whom a player has something to do with."""
    requests = ask(player, "friends.listRequests")
    return {
        **{str(row["externalPlayerId"]): "friends" for row in ask(player, "friends.list").list("friends")},
        **{
            str(cast(JsonObject, row["player"])["externalPlayerId"]): direction
            for direction in ("incoming", "outgoing")
            for row in requests.list(direction)
        },
        **{str(row["externalPlayerId"]): "blocked" for row in ask(player, "friends.listBlocks").list("blocks")},
    }


def asks(one: WorldPlayer, other: WorldPlayer) -> None:
    """Send a request."""
    ask(one, "friends.sendRequest", external_player_id=other.external_id)


def blocks(one: WorldPlayer, other: WorldPlayer) -> None:
    """Block."""
    ask(one, "friends.block", external_player_id=other.external_id)


Deed = Callable[[WorldPlayer, WorldPlayer], object]


def nothing(_: WorldPlayer, __: WorldPlayer) -> None:
    """Do nothing."""


@pytest.mark.parametrize("low_first", [True, False])
@pytest.mark.parametrize(
    ("of_source", "of_target", "expected"),
    [
        (befriend, nothing, "friends"),
        (befriend, befriend, "friends"),
        (befriend, asks, "friends"),
        (asks, nothing, "outgoing"),
        (lambda me, other: asks(other, me), nothing, "incoming"),
        (asks, lambda me, other: asks(other, me), "outgoing"),
        (lambda me, other: asks(other, me), asks, "incoming"),
        (blocks, befriend, "blocked"),
        (befriend, blocks, "blocked"),
        (blocks, asks, "blocked"),
        (lambda me, other: blocks(other, me), befriend, None),
    ],
)
def test_two_relations_become_one(of_source: Deed, of_target: Deed, expected: str | None, low_first: bool) -> None:
    """Friends are united, any block wins, and of two requests the older stands; whoever has the lower id."""
    game = world()
    names = ["guest", "third", "account"] if low_first else ["account", "third", "guest"]
    made = {}
    for name in names:
        made[name] = game.player(name)
        game.advance(seconds=1)
    source, third, target = made["guest"], made["third"], made["account"]
    of_source(source, third)
    game.advance(seconds=1)
    of_target(target, third)
    since = Since(game)
    merge(source, target)
    assert standing(target) == ({} if expected is None else {"third": expected})
    mirrored = {"friends": "friends", "outgoing": "incoming", "incoming": "outgoing"}.get(expected or "")
    theirs = "blocked" if expected is None else mirrored
    assert standing(third) == ({} if theirs is None else {"account": theirs})
    assert "friend.removed" not in since.kinds
    assert faults_of(game) == []


def test_what_the_two_were_to_each_other_goes(game: World) -> None:
    """Friendship, request or block: nobody has a relation to themself."""
    source, target = two(game)
    befriend(source, target)
    merge(source, target)
    assert (standing(target), rows_of(game, RELATIONS)) == ({}, [])


def test_a_cooldown_is_the_later_one(game: World) -> None:
    """Merging lets nobody send sooner."""
    source, target = two(game)
    friend = game.player("friend")
    for player in (source, target):
        befriend(player, friend)
        give(player, "gold", 50)
    gift(target, friend)
    game.advance(hours=5)
    gift(source, friend)
    merge(source, target)
    refused = gift(target, friend)
    assert refused.refusal == (409, "gift_cooldown")
    assert refused["details.giftCooldownUntil"] == "2026-01-02T05:00:01.000Z"


def test_limits_may_be_passed_by_a_union() -> None:
    """Nobody loses a friend by it; new ones are refused."""
    game = world(social={"maxFriends": 1})
    source, target = two(game)
    befriend(source, game.player("one"))
    befriend(target, game.player("two"))
    merge(source, target)
    assert standing(target) == {"one": "friends", "two": "friends"}
    asked = ask(game.player("three"), "friends.sendRequest", external_player_id="account")
    refused = ask(target, "friends.acceptRequest", request_id=asked["request.requestId"])
    assert refused.refusal == (409, "friend_limit_reached")


# -- being there, bans ----------------------------------------------------------------------------------------------------


def test_sessions_are_added_up_and_the_longer_streak_stands(game: World) -> None:
    """Also what the short memory holds; and what it held before the merge does not come back afterwards."""
    target = game.player("account")
    source = game.player("guest")
    for _ in range(2):
        game.advance(days=1)
        ask(source, "players.getProfile")
    ask(target, "players.getProfile")
    merge(source, target)
    shown = ask(game.server, "players.get", external_id="account")
    assert (shown["player.sessions"], shown["player.loginStreak"]) == (5, {"current": 3, "best": 3})
    game.flush()
    assert player_row(target).sessions == 5
    game.advance(days=1)
    ask(target, "players.getProfile")
    assert ask(target, "players.getProfile")["loginStreak"] == {"current": 4, "best": 4}


def test_a_ban_moves_to_the_target(game: World) -> None:
    """A banned source may merge; the target is banned from then on, and that is told."""
    source, target = two(game)
    ban(source)
    since = Since(game)
    assert merge(source, target)["status"] == "merged"
    assert ask(target, "players.setIdentity", name="X").refusal == (403, "player_banned")
    (event,) = since.of("player.banned")
    assert (event["playerId"], event["reason"]) == (target.player_id, "cheating")
    assert since.of("player.unbanned") == []


def test_the_source_leaves_an_empty_row(game: World) -> None:
    """Ids, the first contact and into whom: nothing else."""
    source, target = two(game)
    ask(source, "players.setIdentity", name="Guest", avatar="x")
    ask(source, "presence.heartbeat", status="here")
    merge(source, target)
    game.flush()
    (left,) = (row for row in rows_of(game, PLAYERS) if row.player_id == source.player_id)
    kept = {"player_id", "external_id", "pool_name", "first_seen_at", "last_seen_at", "merged_into", "upheavals"}
    assert {column.name for column in PLAYERS.columns if getattr(left, column.name)} <= kept
    assert left.merged_into == target.player_id


def test_a_chain_of_merges_ends_in_one_player(game: World) -> None:
    """Whoever was merged before goes along; nothing names anybody in between."""
    a, b, c = (game.player(name) for name in "abc")
    for player in (a, b, c):
        give(player, "gold", 1)
    merge(a, b)
    merge(b, c)
    assert total(c, "gold") == 3
    assert {row.merged_into for row in rows_of(game, PLAYERS)} == {None, c.player_id}
    assert {row.recipient_id for row in rows_of(game, GIFTS)} == set()
    assert faults_of(game) == []

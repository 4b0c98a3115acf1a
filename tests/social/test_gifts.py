"""Gifts from sending to the end: escrow, cooldown, daily limit, the boxes, and the switch."""

from __future__ import annotations

import re
from typing import cast

import pytest

from livecore.economy.ledger import ENTRIES
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import DAY, Timestamp
from livecore.social.gifts import GIFTS
from livecore.world import WorldPlayer
from tests.worlds import (
    GIFTING,
    Since,
    ask,
    befriend,
    config,
    gift,
    give,
    http,
    rows_of,
    studio_world,
    total,
    world,
)

UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def _friends(**gifting: Json) -> tuple[WorldPlayer, WorldPlayer]:
    game = world(gifting={**GIFTING, **gifting})
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 100)
    return anna, bert


# -- sending --------------------------------------------------------------------------------------------------------------


def test_a_sent_gift_is_a_pending_grant_too() -> None:
    """201 with the gift; the recipient finds it in the inbox and among the pending grants, under one `expiresAt`."""
    anna, bert = _friends()
    sent = gift(anna, bert, message="For you")
    now = anna.world.now
    assert sent.status == 201
    assert sent["gift"] == {
        "giftId": sent["gift.giftId"],
        "grantId": sent["gift.grantId"],
        "direction": "outgoing",
        "player": {"externalPlayerId": "bert", "displayIdentity": sent["gift.player.displayIdentity"]},
        "type": "currency",
        "resourceKey": "gold",
        "amount": 10,
        "message": "For you",
        "status": "pending",
        "sentAt": Timestamp(now).wire,
        "claimedAt": None,
        "expiresAt": Timestamp(now + 7 * DAY).wire,
    }
    received = ask(bert, "gifts.inbox").list("gifts")[0]
    assert received["direction"] == "incoming"
    assert received["giftId"] == sent["gift.giftId"]
    pending = ask(bert, "grants.listPending").list("grants")[0]
    assert pending["grantId"] == sent["gift.grantId"]
    assert pending["entries"] == [{"type": "currency", "resourceKey": "gold", "amount": 10}]
    assert (pending["sourceKind"], pending["sourceRefId"]) == ("gift", sent["gift.giftId"])
    assert pending["expiresAt"] == sent["gift.expiresAt"]


def test_gift_and_grant_ids_are_uuids() -> None:
    """Version 7, as text."""
    anna, bert = _friends()
    sent = gift(anna, bert)
    assert UUID7.fullmatch(sent.text("gift.giftId"))
    assert UUID7.fullmatch(sent.text("gift.grantId"))


def test_a_paid_gift_leaves_the_sender_at_once() -> None:
    """The sender pays when sending, and is told by `wallet.changed` beside `gift.sent` and `grant.created`."""
    anna, bert = _friends()
    seen = Since(anna.world)
    sent = gift(anna, bert, amount=30)
    assert total(anna, "gold") == 70
    assert total(bert, "gold") == 0
    assert seen.kinds == ["gift.sent", "grant.created", "wallet.changed"]
    (payload,) = seen.of("gift.sent")
    assert payload == {
        "giftId": sent["gift.giftId"],
        "grantId": sent["gift.grantId"],
        "senderPlayerId": anna.player_id,
        "senderExternalPlayerId": "anna",
        "recipientPlayerId": bert.player_id,
        "recipientExternalPlayerId": "bert",
        "type": "currency",
        "resourceKey": "gold",
        "amount": 30,
        "deductedFromSender": True,
        "message": None,
        "sentAt": sent["gift.sentAt"],
        "expiresAt": sent["gift.expiresAt"],
    }
    (change,) = seen.of("wallet.changed")
    assert (change["playerId"], change["delta"], change["balance"]) == (anna.player_id, -30, 70)


@pytest.mark.parametrize(("key", "amount"), [("gems", 5), ("xp", 7), ("potion", 2)])
def test_a_free_gift_costs_nothing_and_is_minted_at_claim(key: str, amount: int) -> None:
    """Currency, progression and items without `costsSender` leave the sender's ledger alone."""
    anna, bert = _friends()
    before = len(rows_of(anna.world, ENTRIES))
    seen = Since(anna.world)
    sent = gift(anna, bert, key, amount)
    assert seen.kinds == ["gift.sent", "grant.created"]
    assert seen.of("gift.sent")[0]["deductedFromSender"] is False
    assert len(rows_of(anna.world, ENTRIES)) == before
    ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])
    assert total(bert, key) == amount
    assert total(anna, key) == 0


def test_a_paid_item_moves_from_inventory_to_inventory() -> None:
    """Items are taken and given like currencies."""
    anna, bert = _friends()
    give(anna, "sword", 1)
    sent = gift(anna, bert, "sword", 1)
    assert total(anna, "sword") == 0
    ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])
    assert total(bert, "sword") == 1


def test_a_gift_may_never_expire() -> None:
    """`claimExpirySeconds` null: no `expiresAt`, and it is still there after months."""
    anna, bert = _friends(claimExpirySeconds=None)
    sent = gift(anna, bert)
    assert sent["gift.expiresAt"] is None
    anna.world.advance(days=60)
    assert ask(bert, "gifts.claim", gift_id=sent["gift.giftId"]).status == 200


# -- cooldown and daily limit ---------------------------------------------------------------------------------------------


def test_the_cooldown_ends_at_its_instant() -> None:
    """A friend can be gifted again exactly when `giftCooldownUntil` has come, and the list stops showing it then."""
    anna, bert = _friends(cooldownSeconds=60)
    gift(anna, bert)
    anna.world.advance_to(anna.world.now + 59_999)
    assert gift(anna, bert).refusal == (409, "gift_cooldown")
    anna.world.advance_to(anna.world.now + 1)
    assert "giftCooldownUntil" not in ask(anna, "friends.list").list("friends")[0]
    assert gift(anna, bert).status == 201


def test_without_a_cooldown_there_is_none_even_for_a_request_that_came_earlier() -> None:
    """Two requests may take effect in the other order than they came: the later one's time is no reason to refuse."""
    anna, bert = _friends(cooldownSeconds=0)
    assert gift(anna, bert).status == 201
    anna.world.now -= 5
    assert "giftCooldownUntil" not in ask(anna, "friends.list").list("friends")[0]
    assert gift(anna, bert).status == 201


def test_the_cooldown_is_per_friend() -> None:
    """Another friend can be gifted meanwhile, and the recipient may gift back."""
    anna, bert = _friends()
    carl = anna.world.player("carl")
    befriend(anna, carl)
    give(bert, "gold", 10)
    assert [gift(anna, bert).status, gift(anna, carl).status, gift(bert, anna).status] == [201, 201, 201]


def test_no_cooldown_at_all() -> None:
    """`cooldownSeconds` 0 lets two gifts follow each other at once."""
    anna, bert = _friends(cooldownSeconds=0)
    assert [gift(anna, bert).status, gift(anna, bert).status] == [201, 201]


def test_the_daily_limit_counts_utc_days() -> None:
    """It counts what was sent since UTC midnight, whoever received it, claimed or not."""
    anna, bert = _friends(dailySendLimit=2, cooldownSeconds=0)
    assert [gift(anna, bert).status for _ in range(3)] == [201, 201, 409]
    assert ask(anna, "gifts.catalog")["sentToday"] == 2
    anna.world.advance(hours=24)
    assert ask(anna, "gifts.catalog")["sentToday"] == 0
    assert gift(anna, bert).status == 201


def test_many_senders_together_do_not_pass_what_one_player_may_receive() -> None:
    """Forty accounts, each befriended for it, give as much as the limit says; the next day they give again."""
    game = world(gifting={**GIFTING, "dailyReceiveLimit": 5})
    bert = game.player("bert")
    senders = [game.player(f"new-{number}") for number in range(40)]
    for sender in senders:
        befriend(sender, bert)
    assert [gift(sender, bert, "xp", 1).status for sender in senders] == [201] * 5 + [409] * 35
    assert gift(bert, senders[0], "xp", 1).status == 201
    game.advance(hours=24)
    refused = [gift(sender, bert, "xp", 1) for sender in senders[5:11]]
    assert [reply.status for reply in refused] == [201] * 5 + [409]
    assert refused[-1].refusal == (409, "gift_receive_limit_reached")


def test_claiming_and_expiring_give_no_room_for_more_gifts() -> None:
    """The limit counts what was sent to the player on the day, whatever became of it."""
    anna, bert = _friends(dailyReceiveLimit=1, cooldownSeconds=0, claimExpirySeconds=60)
    assert gift(anna, bert, "xp", 1).status == 201
    anna.world.advance(minutes=2)
    assert gift(anna, bert, "xp", 1).refusal == (409, "gift_receive_limit_reached")


def test_a_limit_counts_from_when_it_holds() -> None:
    """Gifts of the day from before it are not counted, and one that is lifted counts no more."""
    anna, bert = _friends(cooldownSeconds=0)
    game = anna.world
    assert gift(anna, bert, "xp", 1).status == 201
    game.configure(config(gifting={**GIFTING, "cooldownSeconds": 0, "dailyReceiveLimit": 1}))
    assert [gift(anna, bert, "xp", 1).status for _ in range(2)] == [201, 409]


def test_a_refused_gift_does_not_count() -> None:
    """Neither the cooldown nor the day's count moves when a gift is refused."""
    anna, bert = _friends(dailySendLimit=1)
    assert gift(anna, bert, amount=500).status == 400
    assert ask(anna, "gifts.catalog")["sentToday"] == 0
    assert gift(anna, bert).status == 201


def test_two_sends_at_once_cannot_both_pass() -> None:
    """Without a key the second of two equal sends meets the cooldown; with another friend, the balance."""
    anna, bert = _friends()
    carl = anna.world.player("carl")
    befriend(anna, carl)
    assert [gift(anna, bert, amount=60).status, gift(anna, bert, amount=60).status] == [201, 409]
    assert gift(anna, carl, amount=60).refusal == (409, "gift_insufficient_balance")


# -- the catalog ----------------------------------------------------------------------------------------------------------


def test_the_catalog() -> None:
    """Cooldown, limit (null: unlimited), today's count and the list with its caps."""
    anna, _ = _friends()
    assert ask(anna, "gifts.catalog").data == {
        "cooldownSeconds": 86_400,
        "dailySendLimit": None,
        "sentToday": 0,
        "resources": [{"costsSender": False, **row} for row in cast("list[JsonObject]", GIFTING["resources"])],
    }


def test_defaults_of_a_game_that_says_nothing() -> None:
    """Gifting is off, the cooldown 24 hours, no daily limit, an empty list."""
    anna = world(gifting={}).player("anna")
    assert ask(anna, "gifts.catalog").data == {
        "cooldownSeconds": 86_400,
        "dailySendLimit": None,
        "sentToday": 0,
        "resources": [],
    }


# -- the boxes ------------------------------------------------------------------------------------------------------------


def test_boxes_show_pending_ones_alone_when_asked() -> None:
    """`pendingOnly=true` leaves claimed and expired gifts out, in both boxes; `false` is the default."""
    anna, bert = _friends(cooldownSeconds=0, claimExpirySeconds=3600)
    expired = gift(anna, bert).text("gift.giftId")
    anna.world.advance(hours=2)
    claimed = gift(anna, bert).text("gift.giftId")
    ask(bert, "gifts.claim", gift_id=claimed)
    anna.world.advance(seconds=1)
    pending = gift(anna, bert).text("gift.giftId")
    for player, box in ((bert, "inbox"), (anna, "sent")):
        whole = ask(player, f"gifts.{box}").list("gifts")
        assert [(row["giftId"], row["status"]) for row in whole] == [
            (pending, "pending"), (claimed, "claimed"), (expired, "expired"),
        ]  # fmt: skip
        for flag, ids in ((True, [pending]), (False, [pending, claimed, expired])):
            shown = ask(player, f"gifts.{box}", pending_only=flag).list("gifts")
            assert [row["giftId"] for row in shown] == ids


def test_boxes_show_the_newest_two_hundred() -> None:
    """Without `limit` a box shows 200 gifts, and a cursor to the others."""
    anna, bert = _friends(cooldownSeconds=0)
    for _ in range(203):
        gift(anna, bert, "xp", 1)
    first = ask(bert, "gifts.inbox")
    assert len(first.list("gifts")) == 200
    rest = ask(bert, "gifts.inbox", cursor=first["nextCursor"])
    assert len(rest.list("gifts")) == 3
    assert rest["nextCursor"] is None
    seen = {row["giftId"] for page in (first, rest) for row in page.list("gifts")}
    assert seen == {row.gift_id for row in rows_of(anna.world, GIFTS)}


def test_the_studio_reads_either_direction_with_the_grants_status() -> None:
    """`received` is the default; each row has the counterparty and `grantStatus`."""
    anna, bert = _friends()
    sent = gift(anna, bert)
    server = anna.world.server
    received = ask(server, "gifts.list", external_id="bert").list("gifts")
    assert [(row["giftId"], row["direction"], row["grantStatus"]) for row in received] == [
        (sent["gift.giftId"], "incoming", "pending")
    ]
    assert ask(server, "gifts.list", external_id="anna").list("gifts") == []
    row = ask(server, "gifts.list", external_id="anna", direction="sent").list("gifts")[0]
    assert (row["direction"], row["grantStatus"]) == ("outgoing", "pending")
    assert ask(server, "gifts.list", external_id="anna", direction="both").refusal == (400, "validation_failed")
    assert "grantStatus" not in ask(bert, "gifts.inbox").list("gifts")[0]


# -- the switch -----------------------------------------------------------------------------------------------------------


def test_switching_gifting_off_blocks_sending_only() -> None:
    """History, for player and studio, and claiming go on; sending is 403."""
    anna, bert = _friends()
    sent = gift(anna, bert)
    anna.world.configure(config(gifting={**GIFTING, "enabled": False}))
    assert gift(anna, bert).refusal == (403, "gifting_disabled")
    assert len(ask(bert, "gifts.inbox").list("gifts")) == 1
    assert len(ask(anna, "gifts.sent").list("gifts")) == 1
    assert len(ask(anna.world.server, "gifts.list", external_id="bert").list("gifts")) == 1
    assert ask(bert, "gifts.claim", gift_id=sent["gift.giftId"]).status == 200


@pytest.mark.parametrize("name", ["gifts.inbox", "gifts.sent"])
def test_a_game_that_never_had_gifting_has_no_boxes(name: str) -> None:
    """Where gifting was never switched on, history answers 403 too, for the player."""
    anna = world(gifting={}).player("anna")
    assert ask(anna, name).refusal == (403, "gifting_disabled")


def test_a_game_that_never_had_gifting_has_no_history() -> None:
    """And for the studio; claiming as well."""
    anna = world(gifting={}).player("anna")
    assert ask(anna.world.server, "gifts.list", external_id="anna").refusal == (403, "gifting_disabled")
    assert ask(anna, "gifts.claim", gift_id="0").refusal == (403, "gifting_disabled")


# -- a studio-managed game ------------------------------------------------------------------------------------------------


def test_a_studio_game_mints_gifts_and_refuses_to_charge() -> None:
    """`costsSender` is `gift_not_allowed`; a free gift is sent, and its claim credits nothing but progression."""
    game = studio_world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    assert gift(anna, bert, "potion", 1).refusal == (403, "gift_not_allowed")
    sent = gift(anna, bert, "gold", 5)
    seen = Since(game)
    assert ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])["gift.status"] == "claimed"
    assert seen.kinds == ["gift.claimed", "grant.claimed"]
    assert rows_of(game, ENTRIES) == []


def test_a_studio_game_keeps_progression() -> None:
    """XP is credited at claim in both modes and read through `progression`; no `wallet.changed` is told."""
    game = studio_world()
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    sent = gift(anna, bert, "xp", 7)
    seen = Since(game)
    ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])
    assert seen.kinds == ["gift.claimed", "grant.claimed"]
    code = http(bert, "GET", "/sdk/v1/players/bert/friends/code", query="progression=xp")
    assert code["progression"] == {"xp": 7}

"""Gifts, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import KEY, NOON, PAGE, Area, Route, SdkCall, ServerCall
from tests.contract.operations.friends import COUNTERPARTY
from tests.contract.stories import MARK, Life, Scene, Step, Thing, Walk
from tests.worlds import befriend, give
from tests.worlds import gift as send_gift

# -- samples --------------------------------------------------------------------------------------------------------------


def gift(gift_id: str = "01900000-0000-7000-8000-000000000001") -> JsonObject:
    """A gift (specification 2.11)."""
    return {
        "giftId": gift_id,
        "grantId": "01900000-0000-7000-8000-000000000002",
        "direction": "outgoing",
        "player": COUNTERPARTY,
        "type": "currency",
        "resourceKey": "gold",
        "amount": 25,
        "message": None,
        "status": "pending",
        "sentAt": NOON,
        "claimedAt": None,
        "expiresAt": NOON,
    }


GIFT: Final[JsonObject] = {"gift": gift()}
GIFTS: Final[JsonObject] = {"gifts": [gift()], "nextCursor": None}
GIFTS_FOR_SERVER: Final[JsonObject] = {"gifts": [{**gift(), "grantStatus": "pending"}], "nextCursor": None}
CATALOG: Final[JsonObject] = {
    "cooldownSeconds": 86400,
    "dailySendLimit": None,
    "sentToday": 0,
    "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
}

# -- operations -----------------------------------------------------------------------------------------------------------

_SDK: Final = (
    Route(
        "sdk", "gifts.catalog", "GET /friends/gifts/catalog",
        answers="cooldownSeconds dailySendLimit sentToday resources:giftable[]",
        calls=(SdkCall(lambda c: c.gifts.catalog(), CATALOG),),
    ),
    Route(
        "sdk", "gifts.send", "POST /friends/gifts",
        statuses=(201,),
        asks=f"type resourceKey amount friendCode? externalPlayerId? message? {KEY}",
        answers="gift:gift",
        refusals=(
            "player_banned cannot_gift_self gifting_disabled player_not_found friend_code_invalid player_blocked "
            "not_friends gift_not_allowed gift_amount_invalid gift_cooldown gift_limit_reached gift_receive_limit_reached "
            "gift_insufficient_balance storage_limit_reached"
        ),
        body={"externalPlayerId": "giver", "type": "currency", "resourceKey": "gold", "amount": 1},
        calls=(
            SdkCall(
                lambda c: c.gifts.send(
                    type="currency", resource_key="gold", amount=25, external_player_id="bea", message="!"
                ),
                GIFT,
                body={
                    "externalPlayerId": "bea", "type": "currency", "resourceKey": "gold", "amount": 25, "message": "!",
                },
            ),
        ),
    ),
    Route(
        "sdk", "gifts.claim", "POST /friends/gifts/{giftId}/claim",
        asks=f"giftId {KEY}",
        answers="gift:gift",
        refusals="player_banned gifting_disabled gift_not_found grant_already_claimed gift_expired balance_overflow",
        calls=(SdkCall(lambda c: c.gifts.claim("0190-1"), GIFT, at={"giftId": "0190-1"}),),
    ),
    Route(
        "sdk", "gifts.inbox", "GET /friends/gifts/inbox",
        asks=f"pendingOnly? {PAGE}",
        answers="gifts:gift[] nextCursor",
        refusals="gifting_disabled",
        calls=(SdkCall(lambda c: c.gifts.inbox(pending_only=True), GIFTS, query={"pendingOnly": "true"}),),
    ),
    Route(
        "sdk", "gifts.sent", "GET /friends/gifts/sent",
        asks=f"pendingOnly? {PAGE}",
        answers="gifts:gift[] nextCursor",
        refusals="gifting_disabled",
        calls=(SdkCall(lambda c: c.gifts.sent(limit=10), GIFTS, query={"limit": "10"}),),
    ),
)  # fmt: skip

_SERVER: Final = (
    Route(
        "server", "gifts.list", "GET /gifts",
        asks=f"direction? {PAGE}",
        answers="gifts:gift[] nextCursor",
        refusals="player_not_found gifting_disabled",
        calls=(
            ServerCall(
                lambda c: c.gifts.list("anna", direction="sent", limit=9),
                GIFTS_FOR_SERVER,
                query={"direction": "sent", "limit": "9"},
            ),
        ),
    ),
)  # fmt: skip

# -- the walk -------------------------------------------------------------------------------------------------------------


def _give(walk: Walk) -> None:
    """Two friends give each other something, one of which is claimed."""
    anna, bert = walk.player("anna"), walk.player("bert")
    give(anna, "gold", 100)
    walk.ask(anna, "gifts.catalog")
    gold = {"type": "currency", "resource_key": "gold", "amount": 5}
    sent = walk.ask(anna, "gifts.send", external_player_id="bert", message="For you", **gold)
    walk.ask(bert, "gifts.claim", gift_id=sent["gift.giftId"])
    walk.ask(bert, "gifts.send", external_player_id="anna", type="item", resource_key="potion", amount=1)
    for player in (anna, bert):
        walk.ask(player, "gifts.inbox")
        walk.ask(player, "gifts.sent", pending_only=True)
        walk.ask(walk.server, "gifts.list", external_id=player.external_id, direction="sent")


_WALK: Final = (
    # given 100, sent 5, claimed 5; the potion costs nothing, and waits in vain
    Step("trade", _give, {
        "wallet.changed": 3, "gift.sent": 2, "grant.created": 2, "gift.claimed": 1, "grant.claimed": 1,
    }, then={"grant.expired": 1}),
)  # fmt: skip

# -- the marked life ------------------------------------------------------------------------------------------------------


def _give_marked(life: Life) -> None:
    """The marker gives, claims, and leaves a gift where it is."""
    giver = life.world.player("giver")
    befriend(giver, life.marked)
    for player in (life.marked, life.friend, giver):
        give(player, "gold", 50)
    gold = {"type": "currency", "resource_key": "gold", "amount": 5}
    life.ask(life.marked, "gifts.send", external_player_id="friend", message=MARK, **gold)
    sent = life.ask(life.friend, "gifts.send", external_player_id=MARK, message=f"For {MARK}", **gold)
    life.ask(life.marked, "gifts.claim", gift_id=sent["gift.giftId"])
    life.ask(giver, "gifts.send", external_player_id=MARK, message=MARK, **gold)


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


def _given(scene: Scene) -> str:
    giver = scene.world.player("giver")
    befriend(scene.me, giver)
    for player in (scene.me, giver):
        give(player, "gold", 10)
    return send_gift(giver, scene.me, "gold", 1).text("gift.giftId")


AREA: Final = Area(
    routes=(*_SDK, *_SERVER),
    rows={
        "gift": (
            "giftId grantId direction player:counterparty type resourceKey amount message status sentAt claimedAt "
            "expiresAt grantStatus?"
        ),
        "giftable": "type key maxAmount costsSender",
    },
    refusals={
        400: "cannot_gift_self gift_amount_invalid",
        403: "gifting_disabled not_friends gift_not_allowed",
        404: "gift_not_found",
        409: "gift_cooldown gift_limit_reached gift_receive_limit_reached gift_insufficient_balance",
        410: "gift_expired",
    },
    walk=_WALK,
    marked=(Step("trade", _give_marked),),
    things={"giftId": Thing(_given, "gift_not_found")},
)

"""The model of gifts: sending with its refusals in the contract's order, claiming, boxes (specification 2.11, 3.2, 7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.laws.model_friends import target
from tests.laws.model_state import Asset, Call, Gift, Grant, Player, Refused, Reply, day_of
from tests.laws.model_value import change_event, pay, stamps
from tests.laws.routes import Body

__all__ = ["GIFTS"]


def send_gift(call: Call) -> Reply:  # noqa: C901 - a flat ladder of refusals in the contract's order
    """A gift to a friend; the refusals come in the contract's order."""
    gifting = call.scope.gifting
    if (call["friendCode"] is None) == (call["externalPlayerId"] is None):
        raise Refused(400, "validation_failed")
    if call["externalPlayerId"] == call.player or (
        call["friendCode"] is not None and call["friendCode"] == call.me.code
    ):
        raise Refused(400, "cannot_gift_self")
    if not gifting["enabled"]:
        raise Refused(403, "gifting_disabled")
    other = target(call, "cannot_gift_self")
    pair = call.scope.pair(call.player, other.name)
    if pair.blocked_at:
        raise Refused(403, "player_blocked")
    if pair.state != "friends":
        raise Refused(403, "not_friends")
    if other.ban is not None:
        raise Refused(403, "gift_not_allowed")
    asset: Asset = (call["type"], call["resourceKey"])
    listed = {(entry["type"], entry["key"]): entry for entry in gifting["resources"]}.get(asset)
    if listed is None or (listed["costsSender"] and not call.scope.platform):
        raise Refused(403, "gift_not_allowed")
    if not 1 <= call["amount"] <= listed["maxAmount"]:
        raise Refused(400, "gift_amount_invalid")
    if call.now < pair.gifted_at.get(call.player, -(2**60)) + gifting["cooldownSeconds"] * 1000:
        raise Refused(409, "gift_cooldown")
    today = call.me.sent_on.get(day_of(call.now), 0)
    if gifting["dailySendLimit"] is not None and today >= gifting["dailySendLimit"]:
        raise Refused(409, "gift_limit_reached")
    if listed["costsSender"] and call.me.holds(asset) < call["amount"]:
        raise Refused(409, "gift_insufficient_balance")
    call.me.sent_on[day_of(call.now)] = today + 1
    pair.gifted_at[call.player] = call.now
    return _sent(call, other, asset, paid=listed["costsSender"])


def _sent(call: Call, other: Player, asset: Asset, *, paid: bool) -> Reply:
    lifetime = call.scope.gifting["claimExpirySeconds"]
    expires_at = None if lifetime is None else call.now + lifetime * 1000
    gift = Gift("", call.player, other.name, asset, call["amount"], paid, call.now)
    grant = Grant("", other.name, [(asset, call["amount"])], call.now, expires_at, gift=gift)
    if paid:
        call.me.add(asset, -call["amount"])

    def learn(data: Body) -> None:
        gift.gift_id, grant.grant_id = data["gift"]["giftId"], data["gift"]["grantId"]
        call.scope.grants[grant.grant_id] = call.scope.gifts[gift.gift_id] = grant
        _is_gift(data["gift"], grant, outgoing=True)
        assert data["gift"]["message"] == call["message"]

    events = ("gift.sent", "grant.created", *([change_event(asset)] if paid else []))
    kind = "item" if asset[0] == "item" else call.scope.economy[asset[1]]
    return Reply(201, events, learn, f"gift: sent, {'paid' if paid else 'free'} {kind}")


def _is_gift(row: Body, grant: Grant, *, outgoing: bool) -> None:
    """Of a gift between two players who have become one, the side is the one that was asked about."""
    gift = grant.gift
    assert gift is not None
    assert (row["giftId"], row["grantId"], row["status"]) == (gift.gift_id, grant.grant_id, grant.status)
    assert row["direction"] == ("outgoing" if outgoing else "incoming")
    assert row["player"]["externalPlayerId"] == (gift.recipient if outgoing else gift.sender)
    assert ((row["type"], row["resourceKey"]), row["amount"]) == (gift.asset, gift.amount)
    assert stamps(row, "sentAt", "expiresAt", "claimedAt") == [gift.sent_at, grant.expires_at, grant.claimed_at]


def claim_gift(call: Call) -> Reply:
    """Claim by the gift's own id, as its recipient."""
    grant = call.scope.gifts.get(call["giftId"])
    if grant is None or grant.player != call.player:
        raise Refused(404, "gift_not_found")
    events = pay(call, grant, "player")
    return Reply(
        200,
        tuple(events),
        lambda data: _is_gift(data["gift"], grant, outgoing=False),
        "gift: pending -claim-> claimed",
    )


def _box(call: Call, *, received: bool, with_grant: bool = False) -> Reply:
    gifts = {
        id_: grant for id_, grant in call.scope.gifts.items() if grant.gift and _in_box(grant.gift, call, received)
    }
    if call["pendingOnly"]:
        gifts = {id_: grant for id_, grant in gifts.items() if grant.status == "pending"}

    def check(data: Body) -> None:
        assert {row["giftId"] for row in data["gifts"]} == set(gifts)
        times = [row["sentAt"] for row in data["gifts"]]
        assert times == sorted(times, reverse=True)
        for row in data["gifts"]:
            _is_gift(row, gifts[row["giftId"]], outgoing=not received)
            assert row.get("grantStatus") == (gifts[row["giftId"]].status if with_grant else None)

    return Reply(check=check)


def _in_box(gift: Gift, call: Call, received: bool) -> bool:
    return (gift.recipient if received else gift.sender) == call.player


def _history(call: Call) -> Reply:
    if not call.scope.gifting_seen:
        raise Refused(403, "gifting_disabled")
    return _box(call, received=call["direction"] != "sent", with_grant=True)


def catalog(call: Call) -> Reply:
    """The gift list and today's count."""
    gifting = call.scope.gifting

    def check(data: Body) -> None:
        assert (data["cooldownSeconds"], data["dailySendLimit"]) == (
            gifting["cooldownSeconds"],
            gifting["dailySendLimit"],
        )
        assert data["sentToday"] == call.me.sent_on.get(day_of(call.now), 0)
        assert data["resources"] == (gifting["resources"] if gifting["enabled"] else [])

    return Reply(check=check)


GIFTS: Final[dict[str, Callable[[Call], Reply]]] = {
    "sdk:gifts.send": send_gift,
    "sdk:gifts.claim": claim_gift,
    "sdk:gifts.inbox": lambda call: _box(call, received=True),
    "sdk:gifts.sent": lambda call: _box(call, received=False),
    "server:gifts.list": _history,
    "sdk:gifts.catalog": catalog,
}
"""The rules of this part by operation."""

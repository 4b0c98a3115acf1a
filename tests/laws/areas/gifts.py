"""Gifts: sending with its refusals in the contract's order, claiming, boxes (specification 2.11, 3.2, 7).

A gift is delivered by a grant, and its state is its grant's. If it costs the sender anything, the amount is taken from them,
and goes back to them when the gift's time passes.
"""

from __future__ import annotations

from typing import Final

import attrs

from tests.laws.area import Area, Operation
from tests.laws.areas.economy import Holdings, change_event, is_platform, kinds_of
from tests.laws.areas.friends import Graph, target
from tests.laws.areas.grants import Delivery, Grant, Grants, pay
from tests.laws.model_state import HOUR, MOST, Asset, Call, Player, Refused, Reply, Scope, day_of, newest_first, stamps
from tests.laws.routes import Body

__all__ = ["AREA"]


# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class _Gift:
    gift_id: str
    sender: str
    recipient: str
    asset: Asset
    amount: int
    paid: bool
    sent_at: int
    grant: Grant


@attrs.define
class _Gifts:
    """The gifts of a scope."""

    by_id: dict[str, _Gift] = attrs.field(factory=dict)

    def delivered_by(self, grant: Grant) -> _Gift:
        """The gift that a grant delivers."""
        return next(gift for gift in self.by_id.values() if gift.grant is grant)


@attrs.define
class _Sent:
    """How many gifts a player sent, by UTC day."""

    on: dict[int, int] = attrs.field(factory=dict)


def _gifting(scope: Scope) -> Body:
    settings: Body = scope.config["gifting"]
    return settings


# -- sending --------------------------------------------------------------------------------------------------------------


def _send(call: Call) -> Reply:  # noqa: C901 - a flat ladder of refusals in the contract's order
    """A gift to a friend; the refusals come in the contract's order."""
    gifting, graph, sent = _gifting(call.scope), call.scope.part(Graph), call.me.part(_Sent).on
    if (call["friendCode"] is None) == (call["externalPlayerId"] is None):
        raise Refused(400, "validation_failed")
    if call["externalPlayerId"] == call.player or (
        call["friendCode"] is not None and call["friendCode"] == graph.codes.get(call.me)
    ):
        raise Refused(400, "cannot_gift_self")
    if not gifting["enabled"]:
        raise Refused(403, "gifting_disabled")
    other = target(call, "cannot_gift_self")
    pair = graph.pair(call.player, other.name)
    if pair.blocked_at:
        raise Refused(403, "player_blocked")
    if pair.state != "friends":
        raise Refused(403, "not_friends")
    if other.ban is not None:
        raise Refused(403, "gift_not_allowed")
    asset: Asset = (call["type"], call["resourceKey"])
    listed = {(entry["type"], entry["key"]): entry for entry in gifting["resources"]}.get(asset)
    if listed is None or (listed["costsSender"] and not is_platform(call.scope)):
        raise Refused(403, "gift_not_allowed")
    if not 1 <= call["amount"] <= listed["maxAmount"]:
        raise Refused(400, "gift_amount_invalid")
    if call.now < pair.gifted_at.get(call.player, -(2**60)) + gifting["cooldownSeconds"] * 1000:
        raise Refused(409, "gift_cooldown")
    today = sent.get(day_of(call.now), 0)
    if gifting["dailySendLimit"] is not None and today >= gifting["dailySendLimit"]:
        raise Refused(409, "gift_limit_reached")
    if listed["costsSender"] and call.me.part(Holdings).amount(asset) < call["amount"]:
        raise Refused(409, "gift_insufficient_balance")
    sent[day_of(call.now)] = today + 1
    pair.gifted_at[call.player] = call.now
    return _sent(call, other, asset, paid=listed["costsSender"])


def _sent(call: Call, other: Player, asset: Asset, *, paid: bool) -> Reply:
    lifetime = _gifting(call.scope)["claimExpirySeconds"]
    expires_at = None if lifetime is None else call.now + lifetime * 1000
    grant = Grant("", other.name, [(asset, call["amount"])], call.now, expires_at, _DELIVERY)
    gift = _Gift("", call.player, other.name, asset, call["amount"], paid, call.now, grant)
    if paid:
        call.me.part(Holdings).add(asset, -call["amount"])

    def learn(data: Body) -> None:
        gift.gift_id, grant.grant_id = data["gift"]["giftId"], data["gift"]["grantId"]
        call.scope.part(Grants).by_id[grant.grant_id] = grant
        call.scope.part(_Gifts).by_id[gift.gift_id] = gift
        _is_gift(data["gift"], gift, outgoing=True)
        assert data["gift"]["message"] == call["message"]

    events = ("gift.sent", "grant.created", *([change_event(asset)] if paid else []))
    kind = "item" if asset[0] == "item" else kinds_of(call.scope)[asset[1]]
    return Reply(201, events, learn, f"gift: sent, {'paid' if paid else 'free'} {kind}")


def _is_gift(row: Body, gift: _Gift, *, outgoing: bool) -> None:
    """Of a gift between two players who have become one, the side is the one that was asked about."""
    grant = gift.grant
    assert (row["giftId"], row["grantId"], row["status"]) == (gift.gift_id, grant.grant_id, grant.status)
    assert row["direction"] == ("outgoing" if outgoing else "incoming")
    assert row["player"]["externalPlayerId"] == (gift.recipient if outgoing else gift.sender)
    assert ((row["type"], row["resourceKey"]), row["amount"]) == (gift.asset, gift.amount)
    assert stamps(row, "sentAt", "expiresAt", "claimedAt") == [gift.sent_at, grant.expires_at, grant.claimed_at]


def _claim(call: Call) -> Reply:
    """Claim by the gift's own id, as its recipient."""
    gift = call.scope.part(_Gifts).by_id.get(call["giftId"])
    if gift is None or gift.recipient != call.player:
        raise Refused(404, "gift_not_found")
    events = pay(call, gift.grant, "player")
    return Reply(
        200,
        tuple(events),
        lambda data: _is_gift(data["gift"], gift, outgoing=False),
        "gift: pending -claim-> claimed",
    )


# -- reading --------------------------------------------------------------------------------------------------------------


def _box(call: Call, *, received: bool, with_grant: bool = False) -> Reply:
    gifts = {
        id_: gift
        for id_, gift in call.scope.part(_Gifts).by_id.items()
        if (gift.recipient if received else gift.sender) == call.player
        and (gift.grant.status == "pending" or not call["pendingOnly"])
    }

    def check(data: Body) -> None:
        assert {row["giftId"] for row in data["gifts"]} == set(gifts)
        newest_first(row["sentAt"] for row in data["gifts"])
        for row in data["gifts"]:
            gift = gifts[row["giftId"]]
            _is_gift(row, gift, outgoing=not received)
            assert row.get("grantStatus") == (gift.grant.status if with_grant else None)

    return Reply(check=check)


def _catalog(call: Call) -> Reply:
    """The gift list and today's count."""
    gifting = _gifting(call.scope)

    def check(data: Body) -> None:
        assert (data["cooldownSeconds"], data["dailySendLimit"]) == (
            gifting["cooldownSeconds"],
            gifting["dailySendLimit"],
        )
        assert data["sentToday"] == call.me.part(_Sent).on.get(day_of(call.now), 0)
        assert data["resources"] == (gifting["resources"] if gifting["enabled"] else [])

    return Reply(check=check)


# -- time -----------------------------------------------------------------------------------------------------------------


def _expire(scope: Scope, grant: Grant, now: int) -> Reply:
    """A pending gift past its time expires, and what was paid for it goes back to its sender.

    A refund for which the sender's balance has no room has to wait an hour; the grant is pending still. A sender who was
    erased gets nothing back of what was on its way to somebody else.
    """
    gift = scope.part(_Gifts).delivered_by(grant)
    sender = scope.players.get(gift.sender)
    if not gift.paid or sender is None:
        grant.status = "expired"
        end = "paid gift: pending -time-> expired, of nobody any more" if gift.paid else _FREE_EXPIRED
        return Reply(events=("grant.expired",), move=end)
    holdings = sender.part(Holdings)
    if holdings.amount(gift.asset) + gift.amount > MOST:
        grant.retry_at = now + HOUR
        return Reply(move="paid gift: pending -time-> pending, as the refund has no room")
    grant.status = "expired"
    holdings.add(gift.asset, gift.amount)
    return Reply(
        events=("grant.expired", change_event(gift.asset)), move="paid gift: pending -time-> expired, refunded"
    )


_FREE_EXPIRED: Final = "free gift: pending -time-> expired"
_DELIVERY: Final = Delivery("gift by its grant", "gift_expired", ("gift.claimed",), _expire)


# -- merging, erasing, exporting ------------------------------------------------------------------------------------------


def _on_merge(_scope: Scope, source: Player, target: Player, _now: int) -> list[str]:
    """What both sent on a day counts as one's."""
    sent = target.part(_Sent).on
    for day, count in source.part(_Sent).on.items():
        sent[day] = sent.get(day, 0) + count
    return []


def _on_erase(scope: Scope, player: Player, now: int) -> list[str]:
    """What the player could still have claimed ends as if its time had passed.

    They are still there then: a gift of theirs to themselves, which a merge can leave, goes back into their ledger.
    """
    events: list[str] = []
    for gift in scope.part(_Gifts).by_id.values():
        if gift.recipient == player.name and gift.grant.status == "pending":
            gift.grant.expires_at = now
            events += _expire(scope, gift.grant, now).events
    return events


def _on_rename(scope: Scope, old: str, new: str) -> None:
    for gift in scope.part(_Gifts).by_id.values():
        gift.sender = new if gift.sender == old else gift.sender
        gift.recipient = new if gift.recipient == old else gift.recipient


def _is_exported(call: Call, data: Body) -> None:
    gifts = call.scope.part(_Gifts).by_id
    own = {id_ for id_, gift in gifts.items() if call.player in {gift.sender, gift.recipient}}
    assert {row["giftId"] for row in data["gifts"]} == own


# -- the area -------------------------------------------------------------------------------------------------------------

AREA: Final = Area(
    operations=(
        Operation("sdk:gifts.send", _send, judges_amount=True, key_kept_by="gifts"),
        Operation("sdk:gifts.claim", _claim),
        Operation("sdk:gifts.inbox", lambda call: _box(call, received=True)),
        Operation("sdk:gifts.sent", lambda call: _box(call, received=False)),
        Operation("server:gifts.list", lambda call: _box(call, received=call["direction"] != "sent", with_grant=True)),
        Operation("sdk:gifts.catalog", _catalog),
    ),
    on_merge=_on_merge,
    on_erase=_on_erase,
    on_rename=_on_rename,
    is_exported=_is_exported,
)

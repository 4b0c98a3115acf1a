"""Gifts: sending with its refusals in the contract's order, claiming, expiring (specification 2.11, 3.2, 7).

A gift is delivered by a grant, and its state is its grant's. If it costs the sender anything, the amount is taken from them,
and goes back to them when the gift's time passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.area import Area, Named, Operation
from tests.laws.areas.economy import Holdings, change_event, is_platform, kinds_of
from tests.laws.areas.grants import Delivery, Grant, Grants, pay
from tests.laws.areas.relations import Graph, target
from tests.laws.drawing import MOST, PLAYERS, Draw
from tests.laws.model_state import HOUR, Asset, Call, Player, Refused, Reply, Scope, day_of, stamps
from tests.laws.routes import Body
from tests.laws.steps import Step, Switch, Wait

# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Gift:
    """A gift and the grant that delivers it."""

    gift_id: str
    sender: str
    recipient: str
    asset: Asset
    amount: int
    paid: bool
    sent_at: int
    grant: Grant


@attrs.define
class Gifts:
    """The gifts of a scope."""

    by_id: dict[str, Gift] = attrs.field(factory=dict)

    def delivered_by(self, grant: Grant) -> Gift:
        """The gift that a grant delivers."""
        return next(gift for gift in self.by_id.values() if gift.grant is grant)


@attrs.define
class Sent:
    """How many gifts a player sent, by UTC day."""

    on: dict[int, int] = attrs.field(factory=dict)


@attrs.define
class Received:
    """How many gifts a player received, by UTC day, while the game limited that."""

    on: dict[int, int] = attrs.field(factory=dict)


def gifting_of(scope: Scope) -> Body:
    """The gifting settings of the game."""
    settings: Body = scope.config["gifting"]
    return settings


# -- sending --------------------------------------------------------------------------------------------------------------


def _send(call: Call) -> Reply:  # noqa: C901, PLR0912 - a flat ladder of refusals in the contract's order
    """A gift to a friend; the refusals come in the contract's order."""
    gifting, graph, sent = gifting_of(call.scope), call.scope.part(Graph), call.me.part(Sent).on
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
    received = other.part(Received).on
    if gifting["dailyReceiveLimit"] is not None and received.get(day_of(call.now), 0) >= gifting["dailyReceiveLimit"]:
        raise Refused(409, "gift_receive_limit_reached")
    if listed["costsSender"] and call.me.part(Holdings).amount(asset) < call["amount"]:
        raise Refused(409, "gift_insufficient_balance")
    sent[day_of(call.now)] = today + 1
    if gifting["dailyReceiveLimit"] is not None:
        received[day_of(call.now)] = received.get(day_of(call.now), 0) + 1
    pair.gifted_at[call.player] = call.now
    return _sent(call, other, asset, paid=listed["costsSender"])


def _sent(call: Call, other: Player, asset: Asset, *, paid: bool) -> Reply:
    lifetime = gifting_of(call.scope)["claimExpirySeconds"]
    expires_at = None if lifetime is None else call.now + lifetime * 1000
    grant = Grant("", other.name, [(asset, call["amount"])], call.now, expires_at, _DELIVERY)
    gift = Gift("", call.player, other.name, asset, call["amount"], paid, call.now, grant)
    if paid:
        call.me.part(Holdings).add(asset, -call["amount"])

    def learn(data: Body) -> None:
        gift.gift_id, grant.grant_id = data["gift"]["giftId"], data["gift"]["grantId"]
        call.scope.part(Grants).by_id[grant.grant_id] = grant
        call.scope.part(Gifts).by_id[gift.gift_id] = gift
        is_gift(data["gift"], gift, outgoing=True)
        assert data["gift"]["message"] == call["message"]

    events = ("gift.sent", "grant.created", *([change_event(asset)] if paid else []))
    kind = "item" if asset[0] == "item" else kinds_of(call.scope)[asset[1]]
    return Reply(201, events, learn, f"gift: sent, {'paid' if paid else 'free'} {kind}")


def is_gift(row: Body, gift: Gift, *, outgoing: bool) -> None:
    """A row shows a gift.

    Of a gift between two players who have become one, the side is the one that was asked about.
    """
    grant = gift.grant
    assert (row["giftId"], row["grantId"], row["status"]) == (gift.gift_id, grant.grant_id, grant.status)
    assert row["direction"] == ("outgoing" if outgoing else "incoming")
    assert row["player"]["externalPlayerId"] == (gift.recipient if outgoing else gift.sender)
    assert ((row["type"], row["resourceKey"]), row["amount"]) == (gift.asset, gift.amount)
    assert stamps(row, "sentAt", "expiresAt", "claimedAt") == [gift.sent_at, grant.expires_at, grant.claimed_at]


def _claim(call: Call) -> Reply:
    """Claim by the gift's own id, as its recipient."""
    gift = call.scope.part(Gifts).by_id.get(call["giftId"])
    if gift is None or gift.recipient != call.player:
        raise Refused(404, "gift_not_found")
    events = pay(call, gift.grant, "player")
    return Reply(
        200,
        tuple(events),
        lambda data: is_gift(data["gift"], gift, outgoing=False),
        "gift: pending -claim-> claimed",
    )


# -- time -----------------------------------------------------------------------------------------------------------------


def _expire(scope: Scope, grant: Grant, now: int) -> Reply:
    """A pending gift past its time expires, and what was paid for it goes back to its sender.

    A refund for which the sender's balance has no room has to wait an hour; the grant is pending still. A sender who was
    erased gets nothing back of what was on its way to somebody else.
    """
    gift = scope.part(Gifts).delivered_by(grant)
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
    received = target.part(Received).on
    for day, count in source.part(Received).on.items():
        received[day] = received.get(day, 0) + count
    sent = target.part(Sent).on
    for day, count in source.part(Sent).on.items():
        sent[day] = sent.get(day, 0) + count
    return []


def _on_erase(scope: Scope, player: Player, now: int) -> list[str]:
    """What the player could still have claimed ends as if its time had passed.

    They are still there then: a gift of theirs to themselves, which a merge can leave, goes back into their ledger.
    """
    events: list[str] = []
    for gift in scope.part(Gifts).by_id.values():
        if gift.recipient == player.name and gift.grant.status == "pending":
            gift.grant.expires_at = now
            events += _expire(scope, gift.grant, now).events
    return events


def _on_rename(scope: Scope, old: str, new: str) -> None:
    for gift in scope.part(Gifts).by_id.values():
        gift.sender = new if gift.sender == old else gift.sender
        gift.recipient = new if gift.recipient == old else gift.recipient


def _is_exported(call: Call, data: Body) -> None:
    gifts = call.scope.part(Gifts).by_id
    own = {id_ for id_, gift in gifts.items() if call.player in {gift.sender, gift.recipient}}
    assert {row["giftId"] for row in data["gifts"]} == own


# -- scenes ---------------------------------------------------------------------------------------------------------------


_RESOURCES: Final = (
    ("currency", "gold", 100),
    ("currency", "gold", 100),
    ("item", "potion", 5),
    ("currency", "xp", 50),
    ("item", "sword", 2),
    ("currency", "gems", 5),
)


def _give(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    if d.one_in(2):
        yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
        yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)
    kind, resource, most = _RESOURCES[d.chance.below(len(_RESOURCES))]
    if resource == "gold" and not d.one_in(4):
        yield d.call("server:wallet.credit", one, key=d.key(), economyKey="gold", amount=150)
    if resource == "potion" and not d.one_in(4):
        yield d.call("server:inventory.grant", one, key=d.key(), itemKey="potion", quantity=6)
    amount = d.of(0, -1, most + 1) if d.one_in(9) else 1 + d.chance.below(most)
    if d.one_in(15):
        resource = d.of("doubloons", "sessions")
    message = {"message": "For you"} if d.one_in(2) else {}
    to = d.target(one if d.one_in(20) else other)
    yield d.call("sdk:gifts.send", one, key=d.key(), type=kind, resourceKey=resource, amount=amount, **to, **message)
    if d.one_in(3):
        yield from _claim_of(d, other, "@gift:-1", "@grant-of-gift:-1")


def _generous(d: Draw) -> Iterator[Step]:
    """Gift after gift to the same two friends: cooldown and daily limits, also that of what one may receive."""
    one = d.one()
    others = [name for name in PLAYERS if name != one][:2]
    for other in others:
        yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
        yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)
    for _ in range(3):
        for other in others:
            kind, resource = d.of(("currency", "xp"), ("item", "sword"), ("item", "potion"))
            yield d.call("sdk:gifts.send", one, type=kind, resourceKey=resource, amount=1, externalPlayerId=other)
        yield Wait(d.of(3_599_999, 3_600_000))
    for _ in range(4):
        yield d.call("sdk:gifts.send", one, type="currency", resourceKey="xp", amount=1, externalPlayerId=others[0])


def _brim(d: Draw) -> Iterator[Step]:
    """A paid gift that comes back to a sender whose purse is full."""
    one, other = PLAYERS[-1], d.of(*PLAYERS[:-1])
    yield d.call("sdk:players.register", one)
    yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
    yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)
    yield d.call("server:wallet.credit", one, economyKey="gold", amount=50)
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="gold", amount=50, externalPlayerId=other)
    yield d.call("server:wallet.credit", one, economyKey="gold", amount=d.of(MOST, MOST - 49, MOST - 50))
    yield Wait(172_800_000)
    yield d.call("sdk:gifts.claim", other, giftId="@gift:-1")
    yield d.call("server:wallet.debit", one, economyKey="gold", amount=MOST - 200)
    yield Wait(3_600_000)


def _claim_of(d: Draw, player: str, gift: str, grant: str) -> Iterator[Step]:
    if d.one_in(10):
        yield Wait(172_800_000)
    yield d.of(
        d.call("sdk:gifts.claim", player, key=d.key(), giftId=gift),
        d.call("sdk:gifts.claim", player, giftId=gift),
        d.call("sdk:grants.claim", player, key=d.key(), grantId=grant),
        d.call("server:grants.ack", player, key=d.key(), grantId=grant),
    )


def _claim_something(d: Draw) -> Iterator[Step]:
    yield from _claim_of(d, d.one(), d.ref("gift"), d.ref(d.of("grant", "grant-of-gift")))


def _switched_off(d: Draw) -> Iterator[Step]:
    """Nothing can be sent while gifting is off, and everything claimed."""
    one, other = d.two()
    yield Switch(d.place.game, enabled=False)
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="xp", amount=1, **d.target(other))
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="xp", amount=1, friendCode=f"@code:{one}:-1")
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="xp", amount=1)
    yield d.call("sdk:gifts.send", one, type="item", resourceKey="x", amount=0, friendCode="A", externalPlayerId=one)
    yield from _claim_something(d)
    yield d.call("server:gifts.list", one)
    yield Switch(d.place.game, enabled=True)


def _ids(_player: str, data: Body) -> list[tuple[str, str]]:
    if "gift" not in data:
        return []
    return [("gift", data["gift"]["giftId"]), ("grant-of-gift", data["gift"]["grantId"])]


def _ill_formed(d: Draw) -> list[Step]:
    one, other = d.two()
    potion: dict[str, Any] = {"type": "item", "resourceKey": "potion", "amount": 1}
    return [
        d.call("sdk:gifts.send", one, type="currency", resourceKey="gold", amount=1),
        d.call("sdk:gifts.send", one, externalPlayerId=one, friendCode="A", **potion),
        d.call("sdk:gifts.send", one, externalPlayerId=other, type="currency", resourceKey="gold", amount=True),
    ]


# -- the area -------------------------------------------------------------------------------------------------------------

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:gifts.send",
            _send,
            judges_amount=True,
            key_kept_by="gifts",
            refuses=(
                "cannot_gift_self friend_code_invalid gift_amount_invalid gift_cooldown "
                "gift_insufficient_balance gift_limit_reached gift_not_allowed gift_receive_limit_reached gifting_disabled "
                "not_friends player_blocked validation_failed"
            ),
        ),
        Operation(
            "sdk:gifts.claim",
            _claim,
            refuses="gift_expired gift_not_found grant_already_claimed",
            seldom="balance_overflow gifting_disabled",
            names=Named("giftId", ("gift",), "gift_not_found"),
        ),
    ),
    transitions=(
        "gift: sent, paid currency",
        "gift: sent, paid item",
        "gift: sent, free currency",
        "gift: sent, free item",
        "gift: sent, free progression",
        "gift: pending -claim-> claimed",
        "gift by its grant: pending -claim-> claimed",
        "gift by its grant: pending -acknowledge-> claimed",
        "free gift: pending -time-> expired",
        "paid gift: pending -time-> expired, refunded",
        "paid gift: pending -time-> expired, of nobody any more",
        "paid gift: pending -time-> pending, as the refund has no room",
    ),
    on_merge=_on_merge,
    on_erase=_on_erase,
    on_rename=_on_rename,
    is_exported=_is_exported,
    scenes=((16, _give), (3, _generous), (2, _brim), (12, _claim_something), (1, _switched_off)),
    ill_formed=_ill_formed,
    ids=_ids,
)

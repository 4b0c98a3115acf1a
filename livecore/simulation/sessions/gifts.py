"""Giving: whom, what and how much, by generosity."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.kernel.time import SECOND
from livecore.simulation.behaviour import Me
from livecore.social.config import GiftResource

_MOST_IN_SESSION = 6
_KEEPS = 2
"""What costs the sender is given where so many times as much remains."""


def give(me: Me) -> Iterator[float]:
    """Send gifts to friends who may get one."""
    gifting = me.game.config.gifting
    ready = sorted(name for name, after in me.known.friends.items() if after <= me.now)
    if not me.game.gifts or not ready:
        return
    wanted = round(me.traits.generosity * _MOST_IN_SESSION * me.draw("gifts").unit_interval() + 0.3)
    if gifting.daily_send_limit is not None:
        wanted = min(wanted, gifting.daily_send_limit - me.known.gifts_sent)
    if wanted < 1:
        return
    yield me.wait("gift", 5, 30)
    for name in me.draw("gifted").weighted_sample(ready, [1.0] * len(ready), wanted):
        resource = _affordable(me)
        if resource is None:
            return
        amount = _amount(me, resource)
        sent = me.do(
            "gifts.send", external_player_id=name, type=resource.type, resource_key=resource.key, amount=amount
        )
        # A refusal is remembered as well, so that a client does not ask again and again.
        me.known.friends[name] = me.now + gifting.cooldown_seconds * SECOND
        if sent.ok:
            me.known.gifts_sent += 1
            _paid(me, resource, amount)
        elif sent.code == "gift_limit_reached":
            return


def _affordable(me: Me) -> GiftResource | None:
    found = [one for one in me.game.gifts if not one.costs_sender or _held(me, one) > _KEEPS]
    return me.choose("gift", found) if found else None


def _held(me: Me, resource: GiftResource) -> int:
    held = me.known.wallet if resource.type == "currency" else me.known.items
    return held.get(resource.key, 0)


def _amount(me: Me, resource: GiftResource) -> int:
    most = resource.max_amount
    if resource.costs_sender:
        most = min(most, max(1, _held(me, resource) // _KEEPS))
    share = me.draw("gift-amount").unit_interval() * (0.3 + 0.7 * me.traits.generosity)
    return max(1, round(most * (1.0 if not resource.costs_sender else share)))


def _paid(me: Me, resource: GiftResource, amount: int) -> None:
    if resource.costs_sender and resource.type == "currency":
        me.known.spent(resource.key, amount)
    elif resource.costs_sender:
        me.known.got_item(resource.key, -amount)


def look_at_boxes(me: Me) -> Iterator[float]:
    """Look at gifts that came and went."""
    for box in ("gifts.inbox", "gifts.sent"):
        yield me.wait("box", 2, 8)
        me.do(box, pending_only=True)

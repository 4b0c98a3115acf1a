"""Trying what is refused: impossible scores, gifts over every limit, requests to whoever does not want them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from livecore.simulation.behaviour import Me
from livecore.simulation.sessions.events import is_open, running


def grieve(me: Me) -> Iterator[float]:
    """Try a few things that the rules refuse."""
    for number in range(2):
        yield me.wait("grieve", 2, 8)
        me.choose(f"grief-{number}", _TRICKS)(me)


def _cheat(me: Me) -> None:
    """Report a score that nobody reaches."""
    for event in me.game.events.values():
        row = is_open(me, event)
        attempt = None if row is None else running(me, row)
        value = None if attempt is None else event.unbelievable(attempt.score or 0)
        if attempt is not None and value is not None:
            metrics = {event.definition.score_metric.key: value}
            done = me.do("events.progress", key=event.key, attempt_id=attempt.attempt_id, metrics=metrics)
            if done.ok:
                me.known.attempts[event.key] = done.row.attempt
            return


def _overgive(me: Me) -> None:
    """Give more than may be given, or again within the cooldown."""
    if not me.game.gifts or not me.known.friends:
        return
    resource = me.choose("overgiven", me.game.gifts)
    amount = resource.max_amount + me.draw("overgiven-amount").below(2)
    friend = me.choose("overgiven-to", sorted(me.known.friends))
    me.do("gifts.send", external_player_id=friend, type=resource.type, resource_key=resource.key, amount=amount)


def _spam(me: Me) -> None:
    """Ask somebody who was asked already, or who has refused."""
    order, names = me.community.order[me.name], me.community.names
    name = names[me.draw("spammed").below(max(order, 1))]
    if name in me.community.codes:
        me.do("friends.sendRequest", external_player_id=name)


def _befriend_self(me: Me) -> None:
    me.do("friends.sendRequest", external_player_id=me.name)


def _overdraw(me: Me) -> None:
    """Take more from the wallet than is there."""
    keys = [key.key for key in me.game.config.economy if key.kind == "currency"]
    if me.game.managed and keys:
        key = me.choose("overdrawn", keys)
        me.do("wallet.debit", economy_key=key, amount=me.known.wallet.get(key, 0) + 1_000_000, reason="shop:theft")


def _restart(me: Me) -> None:
    """Start where no attempt is left or nothing can pay for it."""
    for event in me.game.events.values():
        row = is_open(me, event)
        if row is not None and event.format == "solo" and running(me, row) is None:
            done = me.do("events.start", key=event.key)
            if done.ok:
                me.known.attempts[event.key] = done.row.attempt
            return


def _found_second(me: Me) -> None:
    """Found a guild while in one, or without paying."""
    if me.game.config.guilds.enabled:
        done = me.do("guilds.create", name=f"Rogues {me.name[-12:]}-{me.sessions}")
        me.known.guild_read = me.known.guild_read and not done.ok


_TRICKS: tuple[Callable[[Me], None], ...] = (
    _cheat,
    _overgive,
    _spam,
    _befriend_self,
    _overdraw,
    _restart,
    _found_second,
)

"""The session of all presets: what is done follows from the game, and how often from the behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from livecore.simulation.behaviour import Me
from livecore.simulation.game import PlayedEvent
from livecore.simulation.sessions import (
    boards,
    claims,
    economy,
    events,
    friends,
    gifts,
    griefing,
    guilds,
    lobbies,
    teams,
)

_MOST_EVENTS = 2
"""To so many events a player turns in one session."""


class PresetBehaviour:
    """Plays every part of the game that the configuration has, by the behaviour's traits."""

    def session(self, me: Me) -> Iterator[float]:
        """Greet, take what waits, then do this and that in an order of one's own until the time is over."""
        yield from _greet(me)
        yield from claims.collect(me)
        doings = _doings(me)
        for part in me.draw("order").weighted_sample(doings, [1.0] * len(doings), len(doings)):
            if me.seconds_left <= 0:
                return
            yield from part(me)
        if me.traits.griefing and me.chance("griefing", me.traits.griefing):
            yield from griefing.grieve(me)


def _greet(me: Me) -> Iterator[float]:
    if me.chance("status", 0.05):
        me.do("presence.heartbeat", status=me.choose("mood", ("in the lobby", "looking for a team", "back soon")))
    else:
        me.do("presence.heartbeat")
    if me.sessions == 1:
        yield from friends.introduce(me)
    if me.first_today:
        me.known.gifts_sent = 0
        friends.read_friends(me)
        yield from friends.answer_requests(me)
        if me.game.managed and (me.game.config.economy or me.game.config.items):
            economy.read_holdings(me)
    events.read_events(me)


def _doings(me: Me) -> list[Callable[[Me], Iterator[float]]]:
    """The parts of the game that the player may turn to in this session."""
    config = me.game.config
    played = list(me.game.events.values())
    some = me.draw("events").weighted_sample(played, [1.0] * len(played), _MOST_EVENTS)
    found: list[Callable[[Me], Iterator[float]]] = [_event(event) for event in some]
    if me.first_today:
        found.append(friends.seek_friends)
    if me.game.gifts:
        found.append(gifts.give)
    if config.guilds.enabled:
        found.append(guilds.live_in_guild)
    if me.game.boards:
        found.append(boards.submit_scores)
    found += [economy.shop, economy.buy]
    if me.chance("look-around", 0.15):
        found.append(_look_around)
    return found


def _event(event: PlayedEvent) -> Callable[[Me], Iterator[float]]:
    how = {"solo": events.play, "lobby": lobbies.play_in_lobby}.get(event.format, teams.play_in_team)
    return lambda me: how(me, event)


def _look_around(me: Me) -> Iterator[float]:
    """Look at what is there without changing anything."""
    yield from boards.look_at_boards(me)
    if me.game.gifts and me.chance("look-at-boxes", me.traits.generosity):
        yield from gifts.look_at_boxes(me)
    if me.game.config.crates and me.chance("look-at-crates", 0.3 * me.traits.activities.crates):
        yield from claims.look_at_crates(me)
    if me.game.events and me.chance("look-back", 0.3):
        yield from events.look_back(me, me.choose("looked-back", list(me.game.events.values())))
    if me.chance("profile", 0.2):
        me.do("players.getProfile")
    if me.chance("privacy", 0.02):
        me.do("players.setPrivacy", presence_to="friends")

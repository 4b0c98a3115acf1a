"""Playing events in lobbies: joining, waiting until the lobby starts, and playing the session."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.kernel.time import SECOND, Timestamp
from livecore.simulation.behaviour import Me
from livecore.simulation.game import PlayedEvent
from livecore.simulation.sessions.events import is_open, may_start, report, running, start

_FORMING = 202
_MOST_WAITS = 4
_LONGEST_WAIT = 180.0
_REPORTS = 3


def play_in_lobby(me: Me, event: PlayedEvent) -> Iterator[float]:
    """Play one session of an event with lobbies."""
    row = is_open(me, event)
    if row is None or not me.chance(f"lobby-{event.key}", me.traits.activities.lobbies):
        return
    attempt = running(me, row)
    if attempt is None:
        if not may_start(me, event, row):
            return
        done = start(me, event)
        for _ in range(_MOST_WAITS):
            if done.refusal is None or done.status != _FORMING:
                break
            lobby = done.refusal.details
            if me.chance("look-at-lobby", 0.2):
                me.do("lobbies.get", lobby_id=lobby["lobbyId"])
            left = (Timestamp.parse(str(lobby["fillBy"])) - me.now) / SECOND
            yield min(max(left, 0.0), _LONGEST_WAIT) + 0.5
            if me.chance("leave-lobby", 0.04) and left > _LONGEST_WAIT:
                break
            done = start(me, event)
        if done.refusal is not None and done.status == _FORMING:
            me.do("lobbies.leave", lobby_id=done.refusal.details["lobbyId"])
        if not done.ok:
            return
        attempt = done.row.attempt
    yield from report(me, event, attempt, _REPORTS)

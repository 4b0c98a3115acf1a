"""How erasing a player changes the events that name them: a body is kept only as long as it is needed.

Events whose deliveries have ended are emptied at once. Events with waiting deliveries are marked, and emptied when those
end, at the latest after thirty days. So a studio still receives a purchase from before the erasure, and then the erasure,
in their order. A job handles players with very many events.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.player_lifecycle import Erasing
from livecore.kernel.reads import Get, Scan
from livecore.kernel.unit import Unit
from livecore.webhooks.mentions import EVENT_MENTIONS, MENTIONS_OF_PLAYER
from livecore.webhooks.outbox import (
    EVENTS,
    EVENTS_OF_OTHER,
    EVENTS_OF_PLAYER,
    OF_EVENT,
    empty_or_mark,
)

__all__ = ["SCRUB", "empty_events"]


def _scrub(unit: Unit, player_id: str, _cursor: Cursor) -> Cursor | None:
    """Empty or mark events that name a player. That changes `personal`, so these events leave the index."""
    left = MOST_ROWS
    for index in (EVENTS_OF_PLAYER, EVENTS_OF_OTHER):
        events = unit.tx.scan(index, player_id, "kept", limit=left)
        unit.tx.prefetch(Scan(OF_EVENT, (event.event_id,)) for event in events)
        for event in events:
            empty_or_mark(unit, event)
        left -= len(events)
        if not left:
            return START
    return START if _scrub_mentioning(unit, player_id, left) == left else None


def _scrub_mentioning(unit: Unit, player_id: str, most: int) -> int:
    """The same for events that name the player besides two others; deletes the mentions and returns how many."""
    mentions = unit.tx.scan(MENTIONS_OF_PLAYER, player_id, limit=most)
    unit.tx.prefetch(
        read for row in mentions for read in (Get(EVENTS, (row.event_id,)), Scan(OF_EVENT, (row.event_id,)))
    )
    for row in mentions:
        unit.tx.delete(EVENT_MENTIONS, row.event_id, row.player_id)
        event = unit.tx.get(EVENTS, row.event_id)
        if event is not None and event.personal == "kept":
            empty_or_mark(unit, event)
    return len(mentions)


SCRUB: Final = Job("webhooks.scrub", _scrub)
"""Empties the events that name the player with this id."""


def empty_events(unit: Unit, erasing: Erasing) -> None:
    """Empty the events that name the player."""
    SCRUB.start_now(unit, erasing.player_id)

"""The bodies of old events are emptied, where the deployment keeps them for less than the events themselves.

A daily job in steps goes backwards from the youngest deliveries that are old enough, and stops where a few days of them were
handled before. What still waits to be delivered is emptied once it is delivered or has failed: the studio is to hear of it.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.reads import Get
from livecore.kernel.time import DAY, Millis, next_midnight
from livecore.kernel.unit import Unit
from livecore.webhooks.outbox import DELIVERIES_BY_TIME, EVENTS, empty_or_mark

__all__ = ["FORGET_BODIES"]

_LOOKED_BACK: Final[Millis] = 3 * DAY


def _forget(unit: Unit, _: str, cursor: Cursor) -> Cursor | None:
    kept_for = unit.retention.bodies
    if kept_for is None:
        return None
    before = unit.now - kept_for
    rows = unit.tx.scan(DELIVERIES_BY_TIME, stop=cursor or (before,), reverse=True, limit=MOST_ROWS)
    unit.tx.prefetch(Get(EVENTS, (row.event_id,)) for row in rows)
    kept = False
    for row in rows:
        event = unit.tx.get(EVENTS, row.event_id)
        if event is not None and event.personal == "kept":
            kept = True
            empty_or_mark(unit, event)
    near = bool(rows) and rows[-1].queued_at > before - _LOOKED_BACK
    return DELIVERIES_BY_TIME.place_of(rows[-1]) if len(rows) == MOST_ROWS and (kept or near) else None


FORGET_BODIES: Final = Job("webhooks.forget_bodies", _forget, recurs=next_midnight)
"""Empties each day the bodies that the deployment no longer keeps."""

"""The bodies of old events are emptied, where the deployment keeps them for less than the events themselves.

A daily job in steps goes backwards from the youngest deliveries that are old enough, and stops where a few days of them were
handled before. What still waits to be delivered is emptied once it is delivered or has failed: the studio is to hear of it.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.time import DAY, Millis, next_midnight
from livecore.kernel.units.unit import Unit
from livecore.webhooks.outbox import DELIVERIES_BY_TIME, empty_or_mark, events_of

_LOOKED_BACK: Final[Millis] = 3 * DAY


def _forget(unit: Unit, _: str, cursor: Cursor) -> Cursor | None:
    kept_for = unit.deployment.retention.bodies
    if kept_for is None:
        return None
    before = unit.now - kept_for
    rows = unit.tx.scan(DELIVERIES_BY_TIME, stop=cursor or (before,), reverse=True, limit=MOST_ROWS)
    events = {event.event_id: event for event in events_of(unit.tx, rows) if event is not None}
    kept = [event for event in events.values() if event.personal == "kept"]
    empty_or_mark(unit, kept)
    near = bool(rows) and rows[-1].queued_at > before - _LOOKED_BACK
    return DELIVERIES_BY_TIME.position_of(rows[-1]) if len(rows) == MOST_ROWS and (kept or near) else None


FORGET_BODIES: Final = Job("webhooks.forget_bodies", _forget, recurs=next_midnight)
"""Empties each day the bodies that the deployment no longer keeps."""

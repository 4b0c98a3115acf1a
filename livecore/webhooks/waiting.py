"""What waits when a pause ends, an endpoint is removed or the clock is set back: however much it is, it is moved in steps.

A pause may have held back a month of events, and no unit of work may be as long as that. So these are jobs.

    unpause ──> gather ──> release ──> (sent, oldest first)
    remove ───> discard
    a clock that goes back ──> bring forward
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.records import evolve
from livecore.kernel.unit import Unit
from livecore.webhooks import delivery as delivery_rules
from livecore.webhooks.outbox import (
    DELIVERIES,
    DUE,
    DUE_OF_ENDPOINT,
    ENDPOINTS,
    EVENTS,
    HELD,
    delivery_state,
    ended,
    with_delivery_state,
)

__all__ = ["BRING_FORWARD", "DISCARD", "GATHER", "RELEASE"]


def _release_step(unit: Unit, endpoint_id: str, _cursor: Cursor, *, most: int = MOST_ROWS) -> Cursor | None:
    """Make what is held due, oldest first; what has waited too long is given up."""
    if _is_paused_or_gone(unit, endpoint_id):
        return None
    rows = unit.tx.scan(HELD, endpoint_id, "held", limit=most)
    for row in rows:
        state = delivery_rules.discarded(delivery_state(row), unit.now)
        if state.status == "held":
            state = delivery_rules.released(state, unit.now)
        unit.tx.put(DELIVERIES, with_delivery_state(row, state))
        if state.status == "discarded":
            ended(unit, row.event_id)
    return START if len(rows) == most else None


def _gather_step(unit: Unit, endpoint_id: str, cursor: Cursor) -> Cursor | None:
    """Hold what waits for a retry, and begin to release where nothing is left.

    What was failing before the pause waits for its retry, for hours perhaps, and is older than what the pause held back. So
    one order is made of both before the first of them goes. What a sender has in its hands stays there.
    """
    if _is_paused_or_gone(unit, endpoint_id):
        return None
    # An earlier pause's release may be under way still; it would let the younger go first.
    RELEASE.cancel(unit, endpoint_id)
    rows = unit.tx.scan(DUE_OF_ENDPOINT, endpoint_id, after=cursor or None, limit=MOST_ROWS)
    for row in rows:
        if row.leased_until is None or row.leased_until <= unit.now:
            unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.held(delivery_state(row))))
    if len(rows) == MOST_ROWS:
        return DUE_OF_ENDPOINT.place_of(rows[-1])
    if _release_step(unit, endpoint_id, START, most=MOST_ROWS - len(rows)) is not None:
        RELEASE.start(unit, endpoint_id)
    return None


def _discard_step(unit: Unit, endpoint_id: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(DUE_OF_ENDPOINT, endpoint_id, limit=MOST_ROWS)
    rows += unit.tx.scan(HELD, endpoint_id, "held", limit=MOST_ROWS - len(rows))
    unit.tx.prefetch((EVENTS, (row.event_id,)) for row in rows)
    for row in rows:
        unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.abandoned(delivery_state(row))))
        ended(unit, row.event_id)
    return START if len(rows) == MOST_ROWS else None


def _bring_forward_step(unit: Unit, _ref: str, cursor: Cursor) -> Cursor | None:
    start = None if cursor else (unit.now + 1,)
    rows = unit.tx.scan(DUE, start=start, after=cursor or None, limit=MOST_ROWS)
    for row in rows:
        before = delivery_state(row)
        after = delivery_rules.brought_forward(before, unit.now)
        if after is not before:
            unit.tx.put(DELIVERIES, evolve(with_delivery_state(row, after), leased_until=None))
    return DUE.place_of(rows[-1]) if len(rows) == MOST_ROWS else None


def _is_paused_or_gone(unit: Unit, endpoint_id: str) -> bool:
    endpoint = unit.tx.get(ENDPOINTS, endpoint_id)
    return endpoint is None or endpoint.status == "paused"


GATHER: Final = Job("webhooks.gather", _gather_step)
"""A pause has ended: what waits for a retry at the endpoint of this id is held with the rest, and then all is released."""
RELEASE: Final = Job("webhooks.release", _release_step)
"""What is held for the endpoint of this id is let go, oldest first."""
DISCARD: Final = Job("webhooks.discard", _discard_step)
"""The endpoint of this id is removed: what was on its way to it is discarded, and nobody sends it any more."""
BRING_FORWARD: Final = Job("webhooks.bring_forward", _bring_forward_step)
"""The clock was set back: a delivery waits no longer than the schedule of retries can have it wait from now on."""

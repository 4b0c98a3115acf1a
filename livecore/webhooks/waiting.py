"""Jobs for waiting deliveries: when a pause ends, an endpoint is removed or the clock is set back.

A pause may have held a month of events, which is too much for one unit of work. So jobs move them in steps.

    unpause ──> gather ──> release ──> (sent, oldest first)
    remove ───> discard
    a clock that goes back ──> bring forward
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.webhooks import delivery as delivery_rules
from livecore.webhooks.outbox import (
    DELIVERIES,
    DUE,
    DUE_OF_ENDPOINT,
    ENDPOINTS,
    HELD,
    Delivery,
    delivery_state,
    ended,
    events_of,
    with_delivery_state,
)


def _release_step(unit: Unit, endpoint_id: str, _cursor: Cursor, *, most: int = MOST_ROWS) -> Cursor | None:
    """Make held deliveries due, oldest first; those that have waited too long are discarded."""
    if _is_paused_or_gone(unit, endpoint_id):
        return None
    rows = unit.tx.scan(HELD, endpoint_id, "held", limit=most)
    over: list[Delivery] = []
    for row in rows:
        state = delivery_rules.discarded(delivery_state(row), unit.now)
        if state.status == "held":
            state = delivery_rules.released(state, unit.now)
        unit.tx.put(DELIVERIES, with_delivery_state(row, state))
        if state.status == "discarded":
            over.append(row)
    ended(unit, events_of(unit.tx, over))
    return START if len(rows) == most else None


def _gather_step(unit: Unit, endpoint_id: str, cursor: Cursor) -> Cursor | None:
    """Hold deliveries that wait for a retry; when none is left, begin the release.

    Deliveries that failed before the pause may wait hours for their retry, and are older than those that the pause held. So
    both are put into one order before the first is sent. Deliveries that a sender has leased are left alone.
    """
    if _is_paused_or_gone(unit, endpoint_id):
        return None
    # The release of an earlier pause may still be under way; it would send newer deliveries first.
    RELEASE.cancel(unit, endpoint_id)
    rows = unit.tx.scan(DUE_OF_ENDPOINT, endpoint_id, after=cursor or None, limit=MOST_ROWS)
    for row in rows:
        if row.leased_until is None or row.leased_until <= unit.now:
            unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.held(delivery_state(row))))
    if len(rows) == MOST_ROWS:
        return DUE_OF_ENDPOINT.position_of(rows[-1])
    if _release_step(unit, endpoint_id, START, most=MOST_ROWS - len(rows)) is not None:
        RELEASE.start(unit, endpoint_id)
    return None


def _discard_step(unit: Unit, endpoint_id: str, _cursor: Cursor) -> Cursor | None:
    due, held = unit.tx.read_together(
        Scan(DUE_OF_ENDPOINT, (endpoint_id,), limit=MOST_ROWS), Scan(HELD, (endpoint_id, "held"), limit=MOST_ROWS)
    )
    rows = [*due, *held][:MOST_ROWS]
    for row in rows:
        unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.abandoned(delivery_state(row))))
    ended(unit, events_of(unit.tx, rows))
    return START if len(rows) == MOST_ROWS else None


def _bring_forward_step(unit: Unit, _ref: str, cursor: Cursor) -> Cursor | None:
    start = None if cursor else (unit.now + 1,)
    rows = unit.tx.scan(DUE, start=start, after=cursor or None, limit=MOST_ROWS)
    for row in rows:
        before = delivery_state(row)
        after = delivery_rules.brought_forward(before, unit.now)
        if after is not before:
            unit.tx.put(DELIVERIES, evolve(with_delivery_state(row, after), leased_until=None))
    return DUE.position_of(rows[-1]) if len(rows) == MOST_ROWS else None


def _is_paused_or_gone(unit: Unit, endpoint_id: str) -> bool:
    endpoint = unit.tx.get(ENDPOINTS, endpoint_id)
    return endpoint is None or endpoint.status == "paused"


GATHER: Final = Job("webhooks.gather", _gather_step)
"""After a pause: holds the endpoint's deliveries that wait for a retry, and then starts `RELEASE`."""
RELEASE: Final = Job("webhooks.release", _release_step)
"""Releases the held deliveries of the endpoint with this id, oldest first."""
DISCARD: Final = Job("webhooks.discard", _discard_step)
"""Discards the waiting deliveries of the removed endpoint with this id."""
BRING_FORWARD: Final = Job("webhooks.bring_forward", _bring_forward_step)
"""After the clock was set back: no delivery waits longer than the schedule of retries allows from now on."""

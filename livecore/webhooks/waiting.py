"""What waits for an endpoint when a pause ends or the endpoint is removed: however much it is, it is moved in steps.

A pause may have held back a month of events, and no unit of work may be as long as that. So each step moves a batch, and
schedules the next one where there may be more.

    unpause ──> gather ──> release ──> (sent, oldest first)
    remove ───> discard
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.unit import Unit
from livecore.webhooks import delivery as delivery_rules
from livecore.webhooks.outbox import (
    DELIVERIES,
    DUE_OF_ENDPOINT,
    ENDPOINTS,
    EVENTS,
    HELD,
    delivery_state,
    ended,
    with_delivery_state,
)

__all__ = ["DISCARD", "GATHER", "RELEASE", "discard_waiting", "gather_waiting", "release_held"]

GATHER: Final = "webhooks.gather"
"""Due work: a pause has ended, and what waits for a retry at the endpoint of this id is to be held with the rest."""
RELEASE: Final = "webhooks.release"
"""Due work: what is held for the endpoint of this id is to be let go, oldest first."""
DISCARD: Final = "webhooks.discard"
"""Due work: the endpoint of this id is removed, and what was on its way to it is to be discarded."""
_BATCH: Final = 500


def gather_waiting(unit: Unit, endpoint_id: str) -> None:
    """Hold what waits at an endpoint whose pause has ended, in batches, and then release all that is held.

    What was failing before the pause waits for its retry, for hours perhaps, and is older than what the pause held back. So
    one order is made of both before the first of them goes. What a sender has in its hands stays there.
    """
    endpoint = unit.tx.get(ENDPOINTS, endpoint_id)
    if endpoint is None or endpoint.status == "paused":
        return
    # An earlier pause's release may be under way still; it would let the younger go first.
    unit.cancel(RELEASE, endpoint_id)
    rows = unit.tx.scan(DUE_OF_ENDPOINT, endpoint_id, limit=_BATCH)
    for row in rows:
        if row.leased_until is None or row.leased_until <= unit.now:
            unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.held(delivery_state(row))))
    if len(rows) == _BATCH:
        unit.schedule(GATHER, endpoint_id, unit.now)
    else:
        release_held(unit, endpoint_id)


def release_held(unit: Unit, endpoint_id: str) -> None:
    """Make what an endpoint's pause held back due, oldest first, in batches; what has waited too long is given up."""
    endpoint = unit.tx.get(ENDPOINTS, endpoint_id)
    if endpoint is None or endpoint.status == "paused":
        return
    rows = unit.tx.scan(HELD, endpoint_id, "held", limit=_BATCH)
    for row in rows:
        state = delivery_rules.discarded(delivery_state(row), unit.now)
        if state.status == "held":
            state = delivery_rules.released(state, unit.now)
        unit.tx.put(DELIVERIES, with_delivery_state(row, state))
        if state.status == "discarded":
            ended(unit, row.event_id)
    if len(rows) == _BATCH:
        unit.schedule(RELEASE, endpoint_id, unit.now)


def discard_waiting(unit: Unit, endpoint_id: str) -> None:
    """Discard what was on its way to an endpoint that is removed, in batches; nobody sends it any more."""
    rows = unit.tx.scan(DUE_OF_ENDPOINT, endpoint_id, limit=_BATCH)
    rows += unit.tx.scan(HELD, endpoint_id, "held", limit=_BATCH - len(rows))
    unit.tx.prefetch((EVENTS, (row.event_id,)) for row in rows)
    for row in rows:
        unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.abandoned(delivery_state(row))))
        ended(unit, row.event_id)
    if len(rows) == _BATCH:
        unit.schedule(DISCARD, endpoint_id, unit.now)

"""The sender's units of work: look, lease, record. Each is a plain function that an executor may run more than once."""

from __future__ import annotations

import attrs

from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.webhooks import dispatch, outbox
from livecore.webhooks.dispatch import Attempt
from livecore.webhooks.outbox import Endpoint
from livecore.webhooks.outcome import Outcome


@attrs.frozen
class Leased:
    """The result of reading a scope: attempts to make, and the time of the next read."""

    attempts: list[Attempt]
    next_due: Millis | None


def first_due(tx: Transaction) -> Millis | None:
    """When the first delivery of a scope is, or was, due."""
    rows = tx.scan(outbox.DUE, limit=1)
    return rows[0].due_at if rows else None


def lease(unit: Unit, most: int) -> Leased:
    """Lease up to `most` due attempts.

    Deliveries that stay due after that have to wait for their endpoint; the end of an attempt makes the sender read them
    again. So the next read is needed when a further delivery becomes due or a lease expires.
    """
    attempts = dispatch.lease_due(unit, most)
    later = unit.tx.scan(outbox.DUE, start=(unit.now + 1,), limit=1)
    return Leased(attempts, later[0].due_at if later else None)


def record(unit: Unit, attempt: Attempt, outcome: Outcome, threshold: int) -> Endpoint | None:
    """Record how an attempt ended; returns the endpoint if that paused it."""
    return dispatch.record_attempt(unit, attempt.delivery_id, attempt.number, outcome, threshold=threshold)

"""A clock that was set back: what was dated ahead by it must not wait until the clock gets there once more.

What somebody was promised by a date keeps it: a grant expires, a cooldown ends and an answer is forgotten when the clock
says so. What is only the service's own pace is brought forward: recurring work runs at once, what a pause held back is let
go, and a delivery waits no longer than its place in the schedule of retries allows, counted from now.

    start = None
    while (start := bring_forward(unit of its own, start)) is not None: ...

Hosts run this in every scope when they see their clock go back, and at their start where `noticed` says so. To run it
without need changes nothing.
"""

from __future__ import annotations

from typing import Final

from livecore.api.areas import AREAS
from livecore.kernel import due
from livecore.kernel.area import Areas
from livecore.kernel.records import evolve
from livecore.kernel.store import Transaction
from livecore.kernel.time import DAY, Millis
from livecore.kernel.unit import Unit
from livecore.webhooks import delivery, outbox, waiting

__all__ = ["bring_forward", "noticed"]

_BATCH: Final = 500


def noticed(tx: Transaction, now: Millis, areas: Areas = AREAS) -> bool:
    """Whether recurring work lies further ahead than it is ever scheduled: a day."""
    rows = (tx.get(due.DUE, kind, "") for kind in areas.recurring)
    return any(row is not None and row.due_at > now + DAY for row in rows)


def bring_forward(unit: Unit, start: Millis | None = None) -> Millis | None:
    """Bring forward what waits too long for nobody's sake, from `start` on; gives where to go on, `None` at the end."""
    if start is None:
        _bring_work_forward(unit)
        start = unit.now + 1
    rows = unit.tx.scan(outbox.DUE, start=(start,), limit=_BATCH)
    for row in rows:
        before = outbox.delivery_state(row)
        after = delivery.brought_forward(before, unit.now)
        if after is not before:
            unit.tx.put(outbox.DELIVERIES, evolve(outbox.with_delivery_state(row, after), leased_until=None))
    last = rows[-1].due_at if len(rows) == _BATCH else None
    return None if last is None else max(last, start + 1)


def _bring_work_forward(unit: Unit) -> None:
    releases = [
        (kind, endpoint.endpoint_id)
        for endpoint in unit.tx.scan(outbox.ALL_ENDPOINTS)
        for kind in (waiting.GATHER, waiting.RELEASE)
    ]
    for kind, ref in [*((kind, "") for kind in unit.areas.recurring), *releases]:
        work = unit.tx.get(due.DUE, kind, ref)
        if work is not None and work.due_at > unit.now:
            unit.schedule(kind, ref, unit.now)

"""Clock rollback: brings forward work that was scheduled too far ahead, because the clock was set back afterwards.

Times that callers rely on stay as they are: a grant expires, a cooldown ends and an answer is deleted when the clock
reaches that time. Internal schedules are brought forward: recurring work runs at once, a job that is under way continues,
and a delivery waits no longer than its step of the retry schedule, counted from now.

    after = run_unit(bring_forward)
    while after is not None:
        after = run_unit(partial(bring_forward, after=after))

Hosts run this in every scope when they see that their clock was set back, and at their start if `noticed` returns true.
Without need it changes nothing.
"""

from __future__ import annotations

from livecore.api.areas import AREAS
from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.jobs import MOST_ROWS
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import DAY, Millis
from livecore.kernel.units import due
from livecore.kernel.units.due import DueWork
from livecore.kernel.units.unit import Unit
from livecore.webhooks.waiting import BRING_FORWARD


def noticed(tx: Transaction, now: Millis, areas: Areas = AREAS) -> bool:
    """Whether recurring work is scheduled more than a day ahead, which never happens without a rollback."""
    return any(row is not None and row.due_at > now + DAY for row in _recurring(tx, areas))


def bring_forward(unit: Unit, after: Key | None = None) -> Key | None:
    """Bring forward internal work that waits too long, after a place; returns where to continue, `None` at the end.

    Recurring work is last, so that `noticed` is still true after an interruption.
    """
    rows = unit.tx.scan(due.UNDER_WAY, after=after, limit=MOST_ROWS)
    for work in rows:
        _do_now(unit, work)
    if len(rows) == MOST_ROWS:
        return due.UNDER_WAY.position_of(rows[-1])
    for recurring in _recurring(unit.tx, Areas.of(unit)):
        _do_now(unit, recurring)
    BRING_FORWARD.start_now(unit)
    return None


def _recurring(tx: Transaction, areas: Areas) -> list[DueWork | None]:
    """The recurring work, as far as it is scheduled."""
    return tx.read_all(Get(due.DUE, (kind, "")) for kind in areas.recurring)


def _do_now(unit: Unit, work: DueWork | None) -> None:
    if work is not None and work.due_at > unit.now:
        unit.tx.put(due.DUE, evolve(work, due_at=unit.now, attempts=0))

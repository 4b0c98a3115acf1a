"""Due work: whatever happens later is a durable row, written in the transaction that causes it.

There is no other timer. The server's loop and the simulation's clock both run the rows that are due. Each runs in its own
unit of work, which also deletes the row, so each takes effect exactly once. Work is named by what it does and what it is
about (`grants.expire`, a grant id); scheduling the same work again moves it. Work that is too much for one unit is a job,
which continues from a cursor (`livecore.kernel.declarations.jobs`).
"""

from __future__ import annotations

from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.values import keyword_value as record

_RETRY_BASE: Millis = 1_000
_RETRY_MOST: Millis = 3_600_000


@record
class DueWork:
    """Something to do at `due_at`; `attempts` counts the times it failed.

    `cursor` and `begun_at` belong to a job that is under way: where its next step begins (`None`: at the start), and when
    the job began.
    """

    kind: str
    ref: str
    due_at: Millis
    attempts: int = 0
    cursor: JsonText | None = None
    begun_at: Millis | None = None


DUE = Table("due_work", DueWork, key=("kind", "ref"))
DUE_BY_TIME = DUE.index("by_time", order=("due_at",))
DUE_IN_ANY_SCOPE = DUE.time_index("due_at")
UNDER_WAY = DUE.index("under_way", order=("begun_at",))
"""The jobs that are under way."""


@record
class RecurringWork:
    """A kind of recurring work that was scheduled in this scope, and so must be for ever.

    Where a later release has one more kind, a scope without this row tells that no server of that release has prepared it
    yet. Without it, this could not be distinguished from a row of `DueWork` that was lost.
    """

    kind: str


RECURRING = Table("recurring_work", RecurringWork, key=("kind",))


def schedule_recurring(tx: Transaction, kind: str, due_at: Millis) -> None:
    """Schedule a kind of recurring work if it is not scheduled, and note that it is. It can be repeated safely."""
    if tx.get(DUE, kind, "") is None:
        schedule(tx, kind, "", due_at)
    if tx.get(RECURRING, kind) is None:
        tx.insert(RECURRING, RecurringWork(kind=kind))


def schedule(tx: Transaction, kind: str, ref: str, due_at: Millis, *, fresh: bool = False) -> None:
    """Have `kind` run for `ref` once `due_at` has come; the same work scheduled before is moved.

    `fresh` says that nothing can be scheduled for `ref` yet, because it was just made; this saves a read.
    """
    store = tx.insert if fresh else tx.put
    store(DUE, DueWork(kind=kind, ref=ref, due_at=due_at))


def cancel(tx: Transaction, kind: str, ref: str) -> None:
    """Delete scheduled work."""
    tx.delete(DUE, kind, ref)


def due(tx: Transaction, now: Millis, limit: int) -> list[DueWork]:
    """Work that is due, earliest first."""
    return tx.scan(DUE_BY_TIME, stop=(now + 1,), limit=limit)


def earliest(tx: Transaction) -> Millis | None:
    """When the next work of this scope is due."""
    rows = tx.scan(DUE_BY_TIME, limit=1)
    return rows[0].due_at if rows else None


def postpone(tx: Transaction, work: DueWork, now: Millis) -> None:
    """Schedule failed work again: 1 s after the first failure, then twice as long each time, at most an hour."""
    wait = min(_RETRY_BASE << min(work.attempts, 20), _RETRY_MOST)
    tx.put(DUE, evolve(work, due_at=now + wait, attempts=work.attempts + 1))

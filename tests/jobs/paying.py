"""A job that pays every row of a table once, and what runs it: `python -m tests.jobs.paying URL NOW` is a process of it.

Paying is not repeatable: a row that a step pays twice has been paid twice. So the outcome shows every repetition.
"""

from __future__ import annotations

import sys
from typing import Final

from livecore.api import maintenance
from livecore.api.areas import AREAS
from livecore.api.deploying import new_deployment
from livecore.kernel.declarations.area import Area
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.units import due
from livecore.kernel.units.due import DueWork
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore_server.storage.database import store_at

SCOPE: Final = Scope("gam_00000000000000000000000001", "test")


@record
class Rank:
    """Somebody who is to be paid; several share a place."""

    rank_id: str
    place: int
    paid: int = 0


@record
class Payment:
    """What has been paid so far."""

    name: str
    rows: int
    steps: int


RANKS = Table("test_ranks", Rank, key=("rank_id",))
BY_PLACE = RANKS.index("by_place", order=("place",))
PAYMENTS = Table("test_payments", Payment, key=("name",))


def _pay(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(BY_PLACE, after=cursor or None, limit=MOST_ROWS)
    for row in rows:
        unit.tx.put(RANKS, evolve(row, paid=row.paid + 1))
    before = unit.tx.get(PAYMENTS, ref) or Payment(name=ref, rows=0, steps=0)
    unit.tx.put(PAYMENTS, Payment(name=ref, rows=before.rows + len(rows), steps=before.steps + 1))
    return BY_PLACE.position_of(rows[-1]) if len(rows) == MOST_ROWS else None


PAY: Final = Job("test.pay", _pay)
WITH_PAY: Final = AREAS.plus(Area(name="test", jobs=(PAY,)))


def system(tx: Transaction, now: Millis) -> Unit:
    """A unit of the service."""
    return maintenance.system_unit(tx, None, now, b"seed", new_deployment(areas=WITH_PAY))


def owe(store: Store, rows: int, now: Millis) -> None:
    """Have so many to pay, three to a place."""

    def work(tx: Transaction) -> None:
        for number in range(rows):
            tx.insert(RANKS, Rank(rank_id=f"r{number * 7919 % 10_007:05d}", place=number // 3))
        PAY.start(system(tx, now), "board")

    store.write(SCOPE, work)


def run_once(store: Store, work: DueWork, now: Millis) -> bool:
    """One unit of due work, as a host runs it; says whether it was still to be done."""
    return store.write(SCOPE, lambda tx: maintenance.run_due(system(tx, now), work))


def main(url: str, now: Millis) -> None:
    """Run what is due until nothing is, and say each time that a step has been begun."""
    with store_at(url) as store:
        while found := store.read(SCOPE, lambda tx: due.due(tx, now, 10)):
            for work in found:
                sys.stdout.write("step\n")
                sys.stdout.flush()
                run_once(store, work, now)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

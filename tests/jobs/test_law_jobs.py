"""The law of jobs: to be killed at any step, or run by two processes at once, changes nothing of the outcome."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.api import maintenance
from livecore.api.clock_rollback import bring_forward
from livecore.kernel.declarations.jobs import MOST_CURSOR_BYTES, MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.store import Store, StoreConflict, Transaction
from livecore.kernel.time import DAY, HOUR, Millis, next_hour
from livecore.kernel.units import due
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.units.unit import Unit
from tests.jobs.paying import BY_PLACE, PAY, PAYMENTS, RANKS, SCOPE, owe, run_once, system

NOW: Millis = 1_800_000_000_000

Event: TypeAlias = Literal["step", "killed before", "killed after", "twice", "late", "fails", "back", "forward"]
_events = st.lists(
    st.sampled_from(["step", "killed before", "killed after", "twice", "late", "fails", "back", "forward"]), max_size=24
)


class Killed(Exception):
    """The process ends here."""


@attrs.define(eq=False)
class Life:
    """A job that is run by processes to which things happen."""

    store: Store
    now: Millis = NOW

    def work(self) -> DueWork | None:
        """The job's row."""
        return self.store.read(SCOPE, lambda tx: tx.get(DUE, PAY.kind, "board"))

    def happen(self, event: Event, work: DueWork) -> None:
        """Something happens to the next step, which `work` stands for."""
        match event:
            case "killed before":
                with pytest.raises(Killed):
                    self.store.write(SCOPE, lambda tx: self._killed(tx, work))
            case "twice":
                self._at_once(work)
            case "late":  # somebody who looked before the last step comes with what it saw then
                run_once(self.store, work, self.now)
                run_once(self.store, work, self.now)
            case "fails":
                self.store.write(SCOPE, lambda tx: due.postpone(tx, work, self.now))
                self.now += HOUR
            case "back":
                self.now -= DAY
                self._bring_forward()
            case "forward":
                self.now += DAY
            case "step" | "killed after":  # what is lost with the process then is nothing that anybody needs
                assert run_once(self.store, work, self.now)

    def _killed(self, tx: Transaction, work: DueWork) -> None:
        maintenance.run_due(system(tx, self.now), work)
        raise Killed

    def _at_once(self, work: DueWork) -> None:
        """Two begin on the same rows; what the later one wants to write no longer fits, and it looks again."""
        tries = []

        def later(tx: Transaction) -> None:
            tries.append(tx)
            maintenance.run_due(system(tx, self.now), work)
            if len(tries) == 1:
                run_once(self.store, work, self.now)
                raise StoreConflict

        try:
            self.store.write(SCOPE, later)
        except StoreConflict:
            self.store.write(SCOPE, later)

    def _bring_forward(self) -> None:
        after = None
        while (after := self.store.write(SCOPE, lambda tx: bring_forward(system(tx, self.now), after))) is not None:
            pass


@given(rows=st.integers(0, 450), events=_events)
def test_whatever_happens_each_row_is_done_once(rows: int, events: list[Event]) -> None:
    """Kills, repetitions, failures and clocks: every row is paid once, in full steps, and nothing is left to do."""
    life = Life(MemoryStore())
    owe(life.store, rows, life.now)
    while (work := life.work()) is not None:
        life.happen(events.pop() if events else "step", work)
    paid = life.store.read(SCOPE, lambda tx: [row.paid for row in tx.scan(BY_PLACE)])
    assert paid == [1] * rows
    payment = life.store.read(SCOPE, lambda tx: tx.get(PAYMENTS, "board"))
    assert payment is not None
    assert (payment.rows, payment.steps) == (rows, rows // MOST_ROWS + 1)


def test_no_step_does_more_than_its_rows() -> None:
    """A hundred rows, the count, and the job's own row; the next step is due at once."""
    store = MemoryStore()
    owe(store, 250, NOW)

    def step(tx: Transaction) -> dict[str, int]:
        (work,) = due.due(tx, NOW, 10)
        maintenance.run_due(system(tx, NOW), work)
        tables = [str(step.table.name) for step in tx.writes()]
        return {name: tables.count(name) for name in tables}

    wrote = [store.write(SCOPE, step) for _ in range(3)]
    assert [counted["test_ranks"] for counted in wrote] == [100, 100, 50]
    assert {counted["due_work"] for counted in wrote} == {1}
    assert store.read(SCOPE, due.earliest) is None


def _endless(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:  # noqa: ARG001 - as a step is asked
    return START if unit.now < NOW + 10 else None


ENDLESS = Job("test.endless", _endless, recurs=next_hour)


def test_what_recurs_begins_again_at_its_time_and_not_between_its_steps() -> None:
    """While it is under way the next step is due at once; when it is done it waits, and is under way no more."""
    store = MemoryStore()

    def step(tx: Transaction, now: Millis) -> DueWork:
        unit = system(tx, now)
        work = tx.get(DUE, ENDLESS.kind, "")
        if work is None:
            ENDLESS.start_now(unit)
        else:
            ENDLESS.run(unit, work)
        after = tx.get(DUE, ENDLESS.kind, "")
        assert after is not None
        return after

    seen = [store.write(SCOPE, lambda tx, now=now: step(tx, now)) for now in (NOW, NOW + 1, NOW + 10)]  # type: ignore[misc] # bound at once
    assert [(work.due_at, work.begun_at) for work in seen] == [
        (NOW, NOW),
        (NOW + 1, NOW),
        (next_hour(NOW + 10), None),
    ]


def test_a_job_that_is_started_again_begins_at_the_start() -> None:
    """Where it was is forgotten; and one that is cancelled is gone."""
    store = MemoryStore()
    owe(store, 150, NOW)
    (work,) = store.read(SCOPE, lambda tx: due.due(tx, NOW, 10))
    run_once(store, work, NOW)
    half = store.read(SCOPE, lambda tx: tx.get(DUE, PAY.kind, "board"))
    assert half is not None
    assert half.cursor is not None
    store.write(SCOPE, lambda tx: PAY.start(system(tx, NOW + 5), "board"))
    again = store.read(SCOPE, lambda tx: tx.get(DUE, PAY.kind, "board"))
    assert again is not None
    assert (again.cursor, again.begun_at, again.due_at) == (None, NOW + 5, NOW + 5)
    store.write(SCOPE, lambda tx: PAY.cancel(system(tx, NOW), "board"))
    assert store.read(SCOPE, due.earliest) is None
    assert {row.paid for row in store.read(SCOPE, lambda tx: tx.scan(BY_PLACE))} == {0, 1}


def test_a_step_that_fails_keeps_its_place() -> None:
    """It is put off and tried again from the same cursor."""
    store = MemoryStore()
    owe(store, 150, NOW)
    life = Life(store)
    life.happen("step", _there(life))
    half = _there(life)
    assert half.cursor is not None
    life.happen("fails", half)
    put_off = _there(life)
    assert (put_off.cursor, put_off.begun_at, put_off.attempts) == (half.cursor, half.begun_at, 1)
    life.happen("step", put_off)
    assert [row.paid for row in store.read(SCOPE, lambda tx: tx.scan(BY_PLACE))] == [1] * 150


def _there(life: Life) -> DueWork:
    work = life.work()
    assert work is not None
    return work


def test_what_waits_for_a_date_is_not_brought_forward() -> None:
    """A clock that goes back hurries the jobs that are under way, and none that has not begun."""
    store = MemoryStore()
    store.write(SCOPE, lambda tx: PAY.start_at(system(tx, NOW), NOW + DAY, "window"))
    owe(store, 150, NOW)
    store.write(SCOPE, lambda tx: bring_forward(system(tx, NOW - DAY)))
    rows = store.read(SCOPE, lambda tx: tx.scan(due.DUE_BY_TIME))
    assert [(row.ref, row.due_at) for row in rows] == [("board", NOW - DAY), ("window", NOW + DAY)]


def test_many_jobs_are_brought_forward_in_steps() -> None:
    """However many are under way, one unit of work touches no more than a hundred."""
    store = MemoryStore()
    for number in range(250):
        store.write(SCOPE, lambda tx, ref=str(number): PAY.start(system(tx, NOW), ref))  # type: ignore[misc] # bound at once
    after, touched = None, []
    while True:

        def step(tx: Transaction, after: Cursor | None = after) -> Cursor | None:
            following = bring_forward(system(tx, NOW - DAY), after)
            touched.append(len(tx.writes()))
            return following

        after = store.write(SCOPE, step)
        if after is None:
            break
    assert touched == [100, 100, 50]
    assert {row.due_at for row in store.read(SCOPE, lambda tx: tx.scan(due.DUE_BY_TIME))} == {NOW - DAY}


def test_a_cursor_is_small() -> None:
    """A place, not a load: a longer one is a fault of the job, and nothing is written."""
    store = MemoryStore()
    job = Job("test.long", lambda _unit, _ref, _cursor: ("x" * MOST_CURSOR_BYTES,))
    with pytest.raises(ValueError, match=r"the cursor of test\.long is longer than 1000 bytes"):
        store.write(SCOPE, lambda tx: job.start_now(system(tx, NOW)))
    assert store.read(SCOPE, due.earliest) is None


def test_every_kind_of_value_comes_back_from_a_cursor() -> None:
    """Texts, numbers, truth values and nothing, as an index's places have them."""
    given: list[Cursor] = []
    place: Cursor = ('é"\\', 2**53, True, None)

    def step(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:  # noqa: ARG001 - as a step is asked
        given.append(cursor)
        return place if len(given) == 1 else None

    job, store = Job("test.values", step), MemoryStore()
    store.write(SCOPE, lambda tx: job.start_now(system(tx, NOW), "r"))
    (work,) = store.read(SCOPE, lambda tx: due.due(tx, NOW, 10))
    store.write(SCOPE, lambda tx: job.run(system(tx, NOW), work))
    assert given == [START, place]
    assert store.read(SCOPE, lambda tx: tx.scan(RANKS.indexes[0])) == []

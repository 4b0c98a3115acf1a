"""Jobs: due work that is too much for one unit of work, and goes on in bounded steps from where it stopped.

A step is one unit of work. It does its rows, at most `MOST_ROWS` of them, stores the cursor at which the next step begins,
and schedules that step, all in one transaction. So a process may be killed at any moment, and two processes may run the same
step at once: one of the two transactions takes effect, and the outcome is that of a run without any interruption.

A *cursor* is a place in an index, as `Index.place_of` gives it, or whatever else the step wants to be given back. A step
whose rows leave the index as they are done (they are deleted, or change the column that the index begins with) always
begins at the start, and says `START` where there may be more.

    def sweep(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:
        rows = unit.tx.scan(BY_EXPIRY, stop=(unit.now + 1,), limit=MOST_ROWS)
        ...
        return START if len(rows) == MOST_ROWS else None

    SWEEP = Job("answers.sweep", sweep, recurs=next_hour)

The work of a job that has been started and is not done yet is *under way*. That is the service's own pace: where the clock
is set back it goes on at once, while work that is scheduled for a date waits for its date (`livecore.api.clock_rollback`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, TypeAlias

import attrs

from livecore.kernel.due import DUE, DueWork
from livecore.kernel.records import JsonText
from livecore.kernel.tables import Key
from livecore.kernel.time import Millis
from livecore.kernel.unit import Unit
from livecore.kernel.wire import compact

__all__ = ["MOST_CURSOR_BYTES", "MOST_ROWS", "START", "Cursor", "Job", "Step"]

MOST_ROWS: Final = 100
"""The most rows that a step does. With what they touch that is a few milliseconds; where a row is dear, take fewer."""
MOST_CURSOR_BYTES: Final = 1_000
"""The longest cursor as JSON: what lies at a place is read again by the next step and not carried along."""

Cursor: TypeAlias = Key
"""Where a step begins."""
START: Final[Cursor] = ()
"""At the start."""
Step: TypeAlias = "Callable[[Unit, str, Cursor], Cursor | None]"
"""One step of a job about a `ref`; gives the cursor of the next one, or `None` when the job is done.

It neither schedules nor cancels its own job: what it returns says that.
"""


@attrs.frozen(eq=False)
class Job:
    """Due work of one kind that goes on in steps."""

    kind: str
    step: Step
    recurs: Callable[[Millis], Millis] | None = None
    """When the job begins again that is done now; at most a day ahead. Its `ref` is then the empty text."""

    def start(self, unit: Unit, ref: str = "") -> None:
        """Have the job begin as soon as possible; one that is under way for `ref` begins again."""
        self._continue(unit, ref, START, begun_at=unit.now)

    def start_now(self, unit: Unit, ref: str = "") -> None:
        """Run the first step in this unit already, and the others as soon as possible.

        One that is under way for `ref` begins again.
        """
        self._run(unit, ref, START, begun_at=unit.now)

    def start_at(self, unit: Unit, moment: Millis, ref: str = "") -> None:
        """Have the job begin at a moment; one that is under way for `ref` ends here, and begins again then."""
        unit.schedule(self.kind, ref, moment)

    def cancel(self, unit: Unit, ref: str = "") -> None:
        """End the job where it is."""
        unit.cancel(self.kind, ref)

    def run(self, unit: Unit, work: DueWork) -> None:
        """Run the step that `work` stands for, the scheduled row of this job."""
        cursor = START if work.cursor is None else tuple(json.loads(work.cursor))
        self._run(unit, work.ref, cursor, begun_at=unit.now if work.begun_at is None else work.begun_at)

    def _run(self, unit: Unit, ref: str, cursor: Cursor, *, begun_at: Millis) -> None:
        following = self.step(unit, ref, cursor)
        if following is not None:
            self._continue(unit, ref, following, begun_at=begun_at)
        elif self.recurs is not None and not ref:
            self.start_at(unit, self.recurs(unit.now))
        else:
            self.cancel(unit, ref)

    def _continue(self, unit: Unit, ref: str, cursor: Cursor, *, begun_at: Millis) -> None:
        text = compact(list(cursor)) if cursor else None
        if text is not None and len(text.encode()) > MOST_CURSOR_BYTES:
            raise ValueError(f"the cursor of {self.kind} is longer than {MOST_CURSOR_BYTES} bytes")
        work = DueWork(
            kind=self.kind,
            ref=ref,
            due_at=unit.now,
            cursor=None if text is None else JsonText(text),
            begun_at=begun_at,
        )
        unit.tx.put(DUE, work)

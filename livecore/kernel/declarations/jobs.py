"""Jobs: due work that is too much for one unit of work, and therefore runs in bounded steps.

A step is one unit of work. In one transaction it handles at most `MOST_ROWS` rows, stores the cursor at which the next step
begins, and schedules that step. So a process may be killed at any moment. Two processes may also run the same step at once:
only one of the two transactions takes effect. In both cases the outcome is that of an uninterrupted run.

A *cursor* is a position in an index, as `Index.position_of` gives it, or any other value that the next step needs. Some
steps remove the rows that they handle from the index: they delete them, or change the column that the index begins with.
Such a step always begins at the start, and returns `START` where there may be more.

    def sweep(unit: Unit, ref: str, cursor: Cursor) -> Cursor | None:
        rows = unit.tx.scan(BY_EXPIRY, stop=(unit.now + 1,), limit=MOST_ROWS)
        ...
        return START if len(rows) == MOST_ROWS else None

    SWEEP = Job("answers.sweep", sweep, recurs=next_hour)

A job that has been started and is not done yet is *under way*. If the clock is set back, a job that is under way continues
at once, while work that is scheduled for a date waits for that date (`livecore.api.clock_rollback`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, TypeAlias

import attrs

from livecore.kernel.storage.records import JsonText
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Millis
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact

MOST_ROWS: Final = 100
"""The most rows that a step handles: a few milliseconds of work. A job whose rows are expensive takes fewer."""
MOST_CURSOR_BYTES: Final = 1_000
"""The longest cursor as JSON. It holds a position; the next step reads the rows at that position again."""

Cursor: TypeAlias = Key
"""Where a step begins."""
START: Final[Cursor] = ()
"""At the start."""
JobStep: TypeAlias = "Callable[[Unit, str, Cursor], Cursor | None]"
"""One step of a job for a `ref`; returns the cursor of the next step, or `None` when the job is done.

It does not schedule or cancel its own job; its return value decides that.
"""


@attrs.frozen(eq=False)
class Job:
    """Due work of one kind that runs in steps."""

    kind: str
    step: JobStep
    recurs: Callable[[Millis], Millis] | None = None
    """When a job that is done now begins again, at most a day ahead. Such a job's `ref` is the empty text."""
    in_games: bool = True
    """Whether each scope of a game has one, if it recurs."""
    in_directory: bool = False
    """Whether the directory has one, if it recurs."""

    def start(self, unit: Unit, ref: str = "") -> None:
        """Schedule the job to begin as soon as possible. If it is under way for `ref`, it begins again."""
        self._continue(unit, ref, START, begun_at=unit.now)

    def start_now(self, unit: Unit, ref: str = "") -> None:
        """Run the first step in this unit, and the others as soon as possible.

        If the job is under way for `ref`, it begins again.
        """
        self._run(unit, ref, START, begun_at=unit.now)

    def start_at(self, unit: Unit, moment: Millis, ref: str = "") -> None:
        """Schedule the job to begin at a moment. If it is under way for `ref`, it stops now and begins again then."""
        unit.schedule(self.kind, ref, moment)

    def resume(self, unit: Unit, ref: str, cursor: Cursor, at: Millis | None = None) -> None:
        """Schedule the job to go on from a cursor, after its caller has done the steps before it: at a moment, or at once.

        A caller that goes on by itself names a moment until which nobody else shall.
        """
        self._continue(unit, ref, cursor, begun_at=unit.now, due_at=at)

    def cancel(self, unit: Unit, ref: str = "") -> None:
        """Cancel the job and its remaining steps."""
        unit.cancel(self.kind, ref)

    def run(self, unit: Unit, work: DueWork) -> None:
        """Run the step of `work`, a scheduled row of this job."""
        self._run(unit, work.ref, self.cursor_of(work), begun_at=unit.now if work.begun_at is None else work.begun_at)

    @staticmethod
    def cursor_of(work: DueWork) -> Cursor:
        """The cursor at which the step of a scheduled row begins."""
        return START if work.cursor is None else tuple(json.loads(work.cursor))

    def _run(self, unit: Unit, ref: str, cursor: Cursor, *, begun_at: Millis) -> None:
        following = self.step(unit, ref, cursor)
        if following is not None:
            self._continue(unit, ref, following, begun_at=begun_at)
        elif self.recurs is not None and not ref:
            self.start_at(unit, self.recurs(unit.now))
        else:
            self.cancel(unit, ref)

    def _continue(
        self, unit: Unit, ref: str, cursor: Cursor, *, begun_at: Millis, due_at: Millis | None = None
    ) -> None:
        text = compact(list(cursor)) if cursor else None
        if text is not None and len(text.encode()) > MOST_CURSOR_BYTES:
            raise ValueError(f"the cursor of {self.kind} is longer than {MOST_CURSOR_BYTES} bytes")
        work = DueWork(
            kind=self.kind,
            ref=ref,
            due_at=unit.now if due_at is None else due_at,
            cursor=None if text is None else JsonText(text),
            begun_at=begun_at,
        )
        unit.tx.put(DUE, work)

"""A batch: the units that share one group commit, from the queue to their answers.

    run                  take units from the queue, one after another; each sees what earlier ones wrote
    begin, write_down    for a batch that ran ahead of the previous commit: write the rows of its units
    settle               after the commit, answer them all
    requeue              put them back into the queue, to run again

A unit that wrote nothing, and read only durable rows, gets its answer early: at once, or if it ran ahead, as soon as its
group commit has begun and no other process has written meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import StoreWrite, Transaction
from livecore_server.storage.queued_unit import QueuedUnit
from livecore_server.storage.sqlite.connections import is_storage_failure
from livecore_server.storage.sqlite.group_commit import GroupCommit
from livecore_server.storage.sqlite.read_ahead import NeedsCommit

T = TypeVar("T")


@attrs.define(slots=True, eq=False)
class PendingWrite(QueuedUnit[T]):
    """One accepted write, whose answer waits for the commit."""

    writes: list[StoreWrite] = attrs.field(factory=list)
    rests: bool = False
    """Whether the work has read uncommitted rows, so that its result depends on them."""

    def run(self, transaction: Transaction) -> None:
        """Run the work. Raises `NeedsCommit`, and the store's own failures."""
        self.error, self.writes, self.notices = None, [], ()
        try:
            self.result = self.work(transaction)
        except Exception as error:
            if is_storage_failure(error):
                raise
            self.error = error
        else:
            self.writes, self.notices = transaction.writes(), transaction.notices


Queue = deque[PendingWrite[Any]]


class Batch:
    """A group commit and the units that it serves."""

    __slots__ = ("_begun", "group_commit", "run_seconds", "stopped", "units")

    def __init__(self, group_commit: GroupCommit, *, begun: bool) -> None:
        self.group_commit = group_commit
        self.units: list[PendingWrite[Any]] = []
        self.run_seconds = 0.0
        """How long its units ran."""
        self.stopped = False
        """Whether the next unit needs rows that are being committed, or has to be alone in its batch."""
        self._begun = begun

    def takes_more(self, most: int) -> bool:
        """Whether another unit may join."""
        return not self.stopped and len(self.units) < most

    def run(self, queue: Queue, most: int, clock: Callable[[], float], seconds: float) -> bool:
        """Run units until there are `most`, the queue is empty, or the time is up.

        `False` means that one unit could not be written and has failed; the group must be rolled back, and the others are
        queued again. Raises the store's failures.
        """
        started = clock()
        try:
            while queue and self.takes_more(most):
                pending = queue.popleft()
                if pending.future.done():
                    continue  # the caller is gone
                self.units.append(pending)
                if not self._take(pending, queue):
                    return False
                if clock() >= started + seconds:
                    break
        finally:
            self.run_seconds += clock() - started
        return True

    def _take(self, pending: PendingWrite[Any], queue: Queue) -> bool:
        group = self.group_commit
        try:
            pending.run(group.transaction(pending.scope))
            pending.rests = group.saw_uncommitted
            if not pending.writes:
                if self._begun and not pending.rests:
                    self.units.pop().conclude()
                return True
            if self._begun and any(isinstance(step, Rewrite) for step in pending.writes):
                self._write_last(pending, queue)
                return True
            if self._begun and not self._write(pending, queue):
                return False
            group.note(pending.scope, pending.writes)
        except NeedsCommit:
            self.stopped = True
            queue.appendleft(self.units.pop())
        return True

    def _write_last(self, pending: PendingWrite[Any], queue: Queue) -> None:
        """Have the committer's thread write a unit that may change very many rows; it is alone, so that it fails alone."""
        self.stopped = True
        if len(self.units) > 1:
            queue.appendleft(self.units.pop())
        else:
            self.group_commit.defer(pending.scope, pending.writes)

    def _write(self, pending: PendingWrite[Any], queue: Queue) -> bool:
        try:
            self.group_commit.write(pending.scope, pending.writes)
        except Exception as error:
            if is_storage_failure(error):
                raise
            self.units.remove(pending)
            pending.refuse(error)
            self.requeue(queue)
            return False
        return True

    def begin(self, queue: Queue) -> None:
        """Begin the group commit of a batch that ran ahead. Raises `sqlite3.Error` if another process holds the lock.

        If another process has written meanwhile, the units are queued again, to run on the current rows.
        """
        if not self.group_commit.begin():
            self.requeue(queue)
        self._begun, self.stopped = True, False

    def write_down(self, queue: Queue) -> bool:
        """After `begin`, write the rows of the units; `False` as for `run`. Raises the store's failures."""
        for pending in tuple(self.units):
            if pending.writes:
                if not self._write(pending, queue):
                    return False
            elif not pending.rests:
                self.units.remove(pending)
                pending.conclude()
        return True

    def requeue(self, queue: Queue) -> None:
        """Put the units back to the front of the queue, in their order."""
        queue.extendleft(reversed(self.units))
        self.units = []

    def settle(self) -> int:
        """Answer every unit with its result; returns their number."""
        answered, self.units = self.units, []
        for pending in answered:
            pending.conclude()
        return len(answered)

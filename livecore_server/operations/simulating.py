"""Runs the plans of a simulation, each in a process of its own where there are several.

No process outlives the call: where it is interrupted or one run fails, the others are ended at once, and where the process
that has asked for the runs is killed, they end themselves.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from threading import Thread
from typing import Final

from livecore.simulation.observed import Observed
from livecore.simulation.run import Plan, end_of, header_of, run
from livecore_server.operations.journals import recording
from livecore_server.problem import Problem

LEAST_SHARED = 1_000
"""Days of single players from which it is worth starting processes."""
_KILLED: Final = (
    "a process that played a season was killed, probably because memory is short: play fewer players or fewer replicas"
)
_hours: SimpleQueue[int | None] | None = None
"""In a process that runs plans: where it says how many hours are over."""


def run_all(plans: Sequence[Plan], advance: Callable[[int], None], record: Path | None = None) -> list[Observed]:
    """Run all plans, as many at once as there are processors; gives what each has shown, in the order of the plans.

    `advance` is called with the number of hours of virtual time that are over since it was called before. `record` is the
    file for the journal of the first plan. Raises `Problem` where the system kills one of the processes.
    """
    files = [record, *[None] * (len(plans) - 1)]
    if len(plans) == 1 or sum(plan.players * plan.days for plan in plans) < LEAST_SHARED:
        with _seldom_collected():
            return [_play(plan, file, advance) for plan, file in zip(plans, files, strict=True)]
    context = get_context("spawn")
    hours: SimpleQueue[int | None] = context.SimpleQueue()
    listener = Thread(target=_listen, args=(hours, advance), daemon=True)
    listener.start()
    others = set(active_children())
    workers = min(len(plans), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(hours,)) as pool:
        try:
            observed = list(pool.map(_run, plans, files))
        except BaseException as fault:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - others:
                process.terminate()
            if isinstance(fault, BrokenProcessPool):
                raise Problem(_KILLED) from fault
            raise
    # Only now: a process that was ended may have kept the queue's lock, and then nobody can write to it.
    hours.put(None)
    listener.join()
    return observed


def _listen(hours: SimpleQueue[int | None], advance: Callable[[int], None]) -> None:
    while (passed := hours.get()) is not None:
        advance(passed)


def _begin(hours: SimpleQueue[int | None]) -> None:
    global _hours  # noqa: PLW0603 - one for each process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that has asked for the runs ends them
    Thread(target=_end_with_parent, daemon=True).start()
    _hours = hours


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None  # noqa: S101 - the pool has started this process
    parent.join()
    os._exit(1)


def _run(plan: Plan, record: Path | None) -> Observed:
    hours = _hours
    assert hours is not None  # noqa: S101 - the pool has set it
    with _seldom_collected():
        return _play(plan, record, hours.put)


def _play(plan: Plan, record: Path | None, advance: Callable[[int], None]) -> Observed:
    if record is None:
        return run(plan, _in_hours(advance))
    with recording(record, header_of(plan)) as recorder:
        observed = run(plan, _in_hours(advance), recorder.command)
        recorder.end(end_of(plan))
    return observed


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Have the collector look for cycles more seldom: a run makes millions of objects, and hardly a cycle."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _in_hours(advance: Callable[[int], None]) -> Callable[[float], None]:
    """Turns days that are over in all into hours that are over since the last call."""
    told = 0

    def progress(days: float) -> None:
        nonlocal told
        hours = round(days * 24)
        if hours > told:
            advance(hours - told)
            told = hours

    return progress

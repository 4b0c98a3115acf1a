"""Runs the plans of a simulation, each in a process of its own where there are several."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from threading import Thread

from livecore.simulation.observed import Observed
from livecore.simulation.run import Plan, run

_days: SimpleQueue[int | None] | None = None
"""In a process that runs plans: where it says that a day is over."""


def run_all(plans: Sequence[Plan], advance: Callable[[int], None]) -> list[Observed]:
    """Run all plans, as many at once as there are processors; gives what each has shown, in the order of the plans.

    `advance` is called with the number of days that are over since it was called before.
    """
    if len(plans) == 1:
        return [run(plans[0], lambda _: advance(1))]
    context = get_context("spawn")
    days: SimpleQueue[int | None] = context.SimpleQueue()
    listener = Thread(target=_listen, args=(days, advance), daemon=True)
    listener.start()
    workers = min(len(plans), os.cpu_count() or 1)
    try:
        with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(days,)) as pool:
            return list(pool.map(_run, plans))
    finally:
        days.put(None)
        listener.join()


def _listen(days: SimpleQueue[int | None], advance: Callable[[int], None]) -> None:
    while (passed := days.get()) is not None:
        advance(passed)


def _begin(days: SimpleQueue[int | None]) -> None:
    global _days  # noqa: PLW0603 - one for each process
    _days = days


def _run(plan: Plan) -> Observed:
    days = _days
    assert days is not None  # noqa: S101 - the pool has set it
    return run(plan, lambda _: days.put(1))

"""Jobs in real processes over one database: two at once, of which some are killed in the middle of a step."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from livecore.kernel.declarations.jobs import MOST_ROWS
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.time import Millis
from livecore.kernel.units import due
from livecore.kernel.units.due import DUE
from livecore_server.storage.database import Database, store_at
from tests.jobs.paying import BY_PLACE, PAY, PAYMENTS, SCOPE, owe, run_once
from tests.patience import PATIENCE_SECONDS

NOW: Millis = 1_800_000_000_000


def check(store: Database, rows: int) -> None:
    """Every row has been paid once, in full steps, and nothing is left to do."""
    assert store.read(SCOPE, lambda tx: [row.paid for row in tx.scan(BY_PLACE)]) == [1] * rows
    payment = store.read(SCOPE, lambda tx: tx.get(PAYMENTS, "board"))
    assert payment is not None
    assert (payment.rows, payment.steps) == (rows, rows // MOST_ROWS + 1)
    assert store.read(SCOPE, due.earliest) is None


def test_killed_processes_leave_no_step_half_done(url: str) -> None:
    """Two work on the same job; each is killed after a few steps, and another takes its place, until all is done."""
    with store_at(url, create=True) as store:
        owe(store, 1_950, NOW)
    command = [sys.executable, "-m", "tests.jobs.paying", url, str(NOW)]
    killed = 0
    with ExitStack() as stack:
        first, second = (stack.enter_context(_started(command)) for _ in range(2))
        for number in range(3):
            begun = sum(_says_that_it_goes_on(first) for _ in range(1 + _drawn(number, 4)))
            first.kill()
            first.wait(PATIENCE_SECONDS)
            killed += begun > 0
            first, second = second, stack.enter_context(_started(command))
        for last in (first, second):
            assert last.stdout is not None
            last.stdout.read()
            assert last.wait(PATIENCE_SECONDS) == 0
    assert killed
    with store_at(url) as store:
        check(store, 1_950)


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def _says_that_it_goes_on(process: subprocess.Popen[bytes]) -> bool:
    assert process.stdout is not None
    return process.stdout.readline() == b"step\n"


def _drawn(number: int, most: int) -> int:
    return int(Entropy(derive_seed(b"jobs", "kill", number)).unit_interval() * most)


def test_two_stores_that_run_the_same_step_at_once_do_it_once(url: str) -> None:
    """Both have seen the same row; one does the step, and the other the next one or nothing."""
    with ExitStack() as stack:
        stores = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        owe(stores[0], 950, NOW)
        with ThreadPoolExecutor(2) as pool:
            while (work := stores[0].read(SCOPE, lambda tx: tx.get(DUE, PAY.kind, "board"))) is not None:
                ran = list(pool.map(run_once, stores, [work] * 2, [NOW] * 2))
                assert True in ran
        check(stores[0], 950)

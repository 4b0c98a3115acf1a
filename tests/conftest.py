"""Fixtures of the whole suite; the one that matters stands around every request (see `tests.refusals`)."""

from __future__ import annotations

import gc
import os
import random
import ssl
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import certifi
import psycopg_pool.base
import pytest
from hypothesis import HealthCheck, settings

from livecore.api.application import Application
from livecore.kernel.storage.memory import MemoryStore
from livecore_server.storage.sqlite import store as sqlite_store
from tests.postgres.server import ready_database
from tests.refusals import CHECKED, counted, sealed, watched
from tests.server.commands import Command
from tests.stores.copied_files import migrate_or_copy

# Hundreds of tests start a program that imports the server. Where the environment says that Python keeps no compiled file,
# each of them, and each process of the suite, would compile all files again, which takes longer than most tests. What is
# kept lies in the folders `__pycache__`, which git overlooks. The processes of the suite inherit this environment.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How long an example takes to make or to try says how busy the machine is, and no test here measures time. A failure prints
# the line that replays it.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("suite")


_LONG = frozenset(
    {
        "test_agreement.py",
        "test_bench.py",
        "test_behind_nginx.py",
        "test_browser.py",
        "test_check_after_sequences.py",
        "test_dev.py",
        "test_drill.py",
        "test_every_code.py",
        "test_every_code_of_operators.py",
        "test_examples.py",
        "test_failures.py",
        "test_kill.py",
        "test_law_move_on.py",
        "test_laws_can_fail.py",
        "test_operators_are_bound_as_well.py",
        "test_player_tools_lose_nothing.py",
        "test_postgres.py",
        "test_schemathesis.py",
        "test_schemathesis_operators.py",
        "test_stores_are_indistinguishable.py",
        "test_supervisor.py",
        "test_the_model_agrees.py",
    }
)
"""Files with tests that take up to a minute; nearly all are proofs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have every process begin with its part of the long tests: in the end none should have one left while others wait.

    At first each process gets as many of the tests as any other, one after another; later it takes over some of the last.
    Before all others comes the test whose failure explains theirs.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    first = [item for item in items if item.path.name == "test_private_names.py"]
    long = [item for item in items if item.path.name in _LONG]
    short = [item for item in items if item not in first and item.path.name not in _LONG]
    share = -(-len(short) // processes)
    parts = ((long[at::processes], short[at * share : (at + 1) * share]) for at in range(processes))
    items[:] = [*first, *(item for part in parts for several in part for item in several)]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database of each kind; the one on PostgreSQL has the service's tables already."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'game.db'}"
        return
    with ready_database() as made:
        yield made


@pytest.fixture(autouse=True, scope="session")
def _pools_have_chance_of_their_own() -> Iterator[None]:
    """Psycopg's pool draws from the generator that everybody shares, in a thread of its own, whenever it has connected.

    Hypothesis would say that a strategy does so, whichever it is in the middle of.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg_pool.base, "random", random.SystemRandom().random)
        yield


@pytest.fixture(autouse=True, scope="session")
def _refusals_change_nothing() -> Iterator[None]:
    """Look at the store around every request that the suite makes of an application, and keep refused writes from hosts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Application, "perform", watched(Application.perform))
        patch.setattr(Application, "run", sealed(Application.run))
        patch.setattr(MemoryStore, "apply", counted(MemoryStore.apply))
        yield


@pytest.fixture(autouse=True, scope="session")
def _certificates_are_read_once() -> Iterator[None]:
    """Give every client and server of the suite's own processes one context of the usual authorities for TLS.

    To read their certificates costs more than most tests, and each client and each server would do it.
    """
    make = cache(ssl.create_default_context)
    usual: tuple[dict[str, str], ...] = ({}, {"cafile": certifi.where()})
    with pytest.MonkeyPatch.context() as patch:
        unshared = ssl.create_default_context
        patch.setattr(
            ssl, "create_default_context", lambda *a, **of: make(**of) if not a and of in usual else unshared(*a, **of)
        )
        yield


@pytest.fixture(autouse=True, scope="session")
def _new_files_are_copies() -> Iterator[None]:
    """Copy each new database file of the suite's own processes from one that was migrated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_store, "migrate", migrate_or_copy)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write a sequence for which a law has failed as a script, and have the report say where it is."""
    report = yield
    if call.excinfo is not None and report.failed:
        from tests.laws.counterexamples import counterexamples_in, write_counterexample  # noqa: PLC0415 - a failure needs it

        written = [str(write_counterexample(*found)) for found in counterexamples_in(call.excinfo.value)]
        if written:
            report.sections.append(("Counterexample, as a script", "\n".join(written)))
    return report


def pytest_collection_finish() -> None:
    """Keep ten thousand tests and the modules out of every later collection of garbage: they live as long as the process."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what a worker has counted to the process that reports."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["checked"] = dict(CHECKED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - pytest-xdist publishes no types
    """Add what a worker has counted; one that has crashed has handed nothing over."""
    CHECKED.update(getattr(node, "workeroutput", {}).get("checked", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often the check ran."""
    refused = sum(count for name, count in CHECKED.items() if name.isdecimal())
    if refused:
        terminalreporter.write_line(f"{refused} refused requests left every row as it was")


@pytest.fixture
def livecore(capsys: pytest.CaptureFixture[str]) -> Command:
    """The program, in this process."""
    return Command(capsys)

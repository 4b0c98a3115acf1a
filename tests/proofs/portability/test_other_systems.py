"""Servers, commands and the plugin where everything has been taken away that Windows or macOS lacks, at length.

The suite's own tests of the programs run once more, in a Python that has less; `tests/portability` has the short form.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import pytest

from tests.portability.other_system import ROOT, run_on, started_on
from tests.portability.systems import System
from tests.postgres.server import fresh_database, started_server

PYTEST = ("-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider")
COMMANDS = (
    "tests/server/test_cli.py",
    "tests/server/test_cli_audit.py",
    "tests/server/test_cli_crates.py",
    "tests/server/test_cli_members.py",
    "tests/delivery/test_deliveries_cli.py",
    "tests/delivery/test_webhooks_cli.py",
    "tests/moving_in/test_migrate_in.py",
    "tests/proofs/maintenance/test_backup.py",
    "tests/proofs/maintenance/test_copy.py",
)
"""The tests of all commands, also on PostgreSQL."""
ONE_RUN = "tests/moving_in/test_migrate_in.py::test_one_run_at_a_time"
"""Windows has no lock for a file that others may still read, so there a second run is not refused; the page says so."""
PROCESSES = (
    "tests/notices",
    "tests/proofs/notices",
    "tests/proofs/workers/test_agreement.py",
    "tests/workers/test_counts.py",
    "tests/workers/test_folder.py",
    "tests/proofs/workers/test_sessions.py",
    "tests/proofs/workers/test_ephemeral_state.py",
    "tests/proofs/workers/test_supervisor.py",
    "tests/workers/test_writer_lock.py",
)
"""The tests of several processes."""


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    """A PostgreSQL that was started for the tests ends with them."""
    with started_server():
        yield


def passes(system: System, *tests: str) -> None:
    """The tests pass in a Python of that system; what they write is in a folder with a short path, which a socket needs."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        given = (*PYTEST, "-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", f"--basetemp={folder}/t")
        # Without locks, a server of another test would take folders of these commands for left behind.
        ran = run_on(
            system, ROOT, *given, *tests, patience=None, TMPDIR=folder
        )  # each of the tests has a bound of its own
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("tests", COMMANDS)
def test_every_command_works_on_windows(tests: str) -> None:
    """On files and on PostgreSQL."""
    passes("windows", tests, f"--deselect={ONE_RUN}")


@pytest.mark.parametrize("tests", PROCESSES)
def test_several_processes_work_on_macos(tests: str) -> None:
    """They start, share a lock and notices, are replaced, and end."""
    passes("macos", tests)


@pytest.mark.parametrize("system", ["windows", "macos"])
def test_a_games_own_tests_pass(system: System) -> None:
    """By the plugin and its fixtures."""
    passes(system, "examples/game_tests")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "ending", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1], ids=["Ctrl+C", "TERM", "Ctrl+Break"]
)
def test_serve_works_on_windows_and_ends_in_order(kind: str, ending: signal.Signals, tmp_path: Path) -> None:
    """With a loop that watches the sockets of PostgreSQL, and with the usual one."""
    with fresh_database() as url:
        where = ("--database", "sqlite:///game.db" if kind == "sqlite" else url)
        made = run_on("windows", tmp_path, "-m", "livecore_server", "init", *where)
        assert (made.returncode, made.stderr) == (0, "")
        serve = ("serve", *where, "--port", "0")
        with started_on("windows", tmp_path, *serve, until=" info listening on", by="stderr") as running:
            address = running.shown.split("listening on ")[1].split()[0]
            with urlopen(f"{address}/admin/v1/ready") as answer:  # noqa: S310 - the test's own server
                assert answer.status == 200
            assert running.end(ending) == (0, "stopped")


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGHUP], ids=["Ctrl+C", "HUP"])
def test_dev_on_macos_ends_in_order(tmp_path: Path, ending: signal.Signals) -> None:
    """Also when its terminal is closed."""
    with started_on("macos", tmp_path, "dev", "--port", "0", until="API ") as running:
        assert "export LIVECORE_BASE_URL=" in running.shown
        assert running.end(ending) == (0, "stopped")

"""Starts programs in a Python from which everything has been taken that another system lacks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import attrs
import pytest

from tests.patience import PATIENCE_SECONDS
from tests.portability.systems import System

ROOT = Path(__file__).parent.parent.parent


def _environment(system: System, more: dict[str, str]) -> dict[str, str]:
    """The environment in which Python is that of another system, also in processes that the program starts."""
    path = os.pathsep.join((str(Path(__file__).parent / "hiding"), str(ROOT)))
    kept = {name: text for name, text in os.environ.items() if name != "MSYSTEM"}
    return {**kept, "SYSTEM_OF_THE_TEST": system, "PYTHONPATH": path, **more}


def run_on(
    system: System, folder: Path, *arguments: str, patience: float | None = PATIENCE_SECONDS, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments in a folder, and give what it printed. `more` are variables of its environment."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=_environment(system, more), capture_output=True, text=True,
        timeout=patience, check=False,
    )  # fmt: skip


@attrs.frozen
class Started:
    """A server that listens, and what it has printed so far."""

    process: subprocess.Popen[str]
    shown: str

    def end(self, ending: signal.Signals) -> tuple[int, str]:
        """Send a signal, and wait for the end; gives the status, and what was logged at the end."""
        self.process.send_signal(ending)
        _, log = self.process.communicate(timeout=PATIENCE_SECONDS)
        return self.process.returncode, log.strip().rpartition("info ")[2]


@contextmanager
def started_on(
    system: System, folder: Path, *command: str, until: str, by: Literal["stdout", "stderr"] = "stdout", **more: str
) -> Iterator[Started]:
    """A command of `livecore` that serves, once it has printed `until`; killed at the end if it still runs."""
    arguments = [sys.executable, "-m", "livecore_server", *command]
    with subprocess.Popen(
        arguments, cwd=folder, env=_environment(system, more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, bufsize=1,
    ) as process:  # fmt: skip
        try:
            yield Started(process, _read(process, until, by))
        finally:
            if process.poll() is None:
                process.kill()


def _read(process: subprocess.Popen[str], until: str, by: str) -> str:
    stream = process.stdout if by == "stdout" else process.stderr
    assert stream is not None
    shown = ""
    for line in stream:
        shown += line
        if until in line:
            return shown
    pytest.fail(f"it ended:\n{shown}{process.communicate()[1]}")

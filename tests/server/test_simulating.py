"""Seasons in several processes: none of the processes outlives what has asked for the seasons."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from threading import Event
from typing import Final

import pytest

from livecore.demo import DEMO
from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for the processes in /proc")
PAUSE: Final = Event()
PROGRAM = (sys.executable, "-c", "from livecore_server.cli import main; main()")
YEARS = ("--players", "400", "--days", "3650", "--replicas", "2")
"""Seasons that would take far longer than the test waits."""


def workers_of(pid: int) -> list[int]:
    """The processes that play for a process."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def is_there(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def playing(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A call that plays two seasons, and the processes that play them."""
    game = tmp_path / "game.json"
    game.write_text(DEMO, "utf-8")
    call = [*PROGRAM, "simulate", str(game), *YEARS]
    workers: list[int] = []
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            ends = time.monotonic() + PATIENCE_SECONDS
            while len(workers) < min(2, os.cpu_count() or 1) and time.monotonic() < ends:
                PAUSE.wait(0.05)
                workers = workers_of(program.pid)
            assert workers
            yield program, workers
        finally:
            for pid in (program.pid, *workers):
                if is_there(pid):
                    os.kill(pid, signal.SIGKILL)


def wait_for_the_end_of(workers: list[int]) -> None:
    """Wait until no worker is there."""
    for pid in workers:
        try:
            watched = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            ended, _, _ = select([watched], [], [], PATIENCE_SECONDS)
        finally:
            os.close(watched)
        assert ended, "a worker plays on"


def test_an_interrupted_call_ends_at_once(tmp_path: Path) -> None:
    """It does not wait for the seasons that are being played."""
    with playing(tmp_path) as (program, workers):
        program.send_signal(signal.SIGINT)
        assert program.wait(PATIENCE_SECONDS) == 130
        wait_for_the_end_of(workers)


def test_a_killed_worker_ends_the_call_with_a_sentence(tmp_path: Path) -> None:
    """As the system does where memory is short."""
    with playing(tmp_path) as (program, workers):
        os.kill(workers[0], signal.SIGKILL)
        assert program.wait(PATIENCE_SECONDS) == 1
        assert program.stderr is not None
        said = program.stderr.read()
        assert said.startswith("livecore: a process that played a season was killed")
        assert "Traceback" not in said
        wait_for_the_end_of(workers)


def test_workers_end_with_a_killed_call(tmp_path: Path) -> None:
    """Nobody is left who would wait for them."""
    with playing(tmp_path) as (program, workers):
        program.kill()
        wait_for_the_end_of(workers)

"""The examples, run as a reader would run them; the webhook receivers have their own tests in `tests/examples`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*arguments: str, **environment: str) -> str:
    """What a Python program prints, started in the repository; fails when the program does."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_equal_seeds_give_equal_weeks() -> None:
    """The simulated week of a seed is the same to the last letter, however Python hashes; another seed's is not."""
    one = run("examples/simulated_week.py", "1", PYTHONHASHSEED="1")
    assert run("examples/simulated_week.py", "1", PYTHONHASHSEED="2") == one
    assert run("examples/simulated_week.py", "2") != one


def test_the_week_tells_what_happened() -> None:
    """Seven days, twelve players, gifts that came back, and where the gold is."""
    lines = run("examples/simulated_week.py").splitlines()
    assert [line.partition(":")[0] for line in lines[:7]] == [f"day {day}" for day in range(1, 8)]
    assert len(lines) == 7 + 12 + 1
    assert any(" 0 came back" not in line for line in lines[:7])
    assert lines[-1].startswith("gold: ")


def test_the_games_own_tests_pass() -> None:
    """A studio's unit tests run against the world by pytest and the plugin alone."""
    assert " passed" in run("-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/game_tests")


def test_an_example_is_short_enough_to_be_read() -> None:
    """An example that needs 120 lines needs to be two."""
    lengths = {path.name: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "examples").rglob("*.py")}
    assert {name: length for name, length in lengths.items() if length >= 120} == {}

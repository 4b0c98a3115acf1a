"""A law that fails leaves a script behind, which shows the fault alone, in a process without this repository's tests."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.laws.counterexamples import counterexamples_in, write_counterexample
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.sequences import seeded
from tests.laws.worlds import Worlds
from tests.patience import PATIENCE_SECONDS

_ROOT: Final = Path(__file__).parents[3]
_LAW: Final = "tests/laws/test_gifts_conserve_value.py"
_PLANTED: Final = "tests.proofs.laws.planted_fault"


def _run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS,
        env={name: text for name, text in os.environ.items() if name != "LIVECORE_LAW_EXAMPLES"} | environment,
    )  # fmt: skip


class FailsInAnArena(Witness):
    """A law that holds in Worlds, as one does that only another store breaks."""

    def answered(self, play: Play, _asked: Asked, _answer: Answered) -> None:
        """Fail at the first answer."""
        assert isinstance(play.arena, Worlds)


def test_what_no_world_shows_is_a_program_over_the_arena(tmp_path: Path) -> None:
    """It plays the sequence before the same law, and fails the same way."""
    with pytest.raises(AssertionError) as failed:
        play(seeded(0, 1), FailsInAnArena())
    ((failure, found),) = counterexamples_in(ExceptionGroup("several", [failed.value]))
    script = write_counterexample(failure, found, tmp_path)
    assert "It needs this repository." in script.read_text("utf-8")
    with pytest.raises(AssertionError):
        runpy.run_path(str(script))


@pytest.mark.parametrize("test", ["test_gifts_conserve_value", "test_gifts_conserve_value_in_any_sequence"])
def test_a_failing_law_names_a_script_that_shows_the_fault(test: str, tmp_path: Path) -> None:
    """For a sequence of a fixed seed, and for one that Hypothesis has made."""
    run = _run(
        "-m", "pytest", "-q", "-n0", f"-p{_PLANTED}", f"{_LAW}::{test}",
        folder=_ROOT, LIVECORE_COUNTEREXAMPLES=str(tmp_path),
    )  # fmt: skip
    assert run.returncode == 1, run.stdout
    (script,) = tmp_path.iterdir()
    assert f"\n{script}\n" in run.stdout
    text = script.read_text("utf-8")
    assert set(re.findall(r"^(?:from|import) ([a-z]+)", text, re.MULTILINE)) == {"json", "warnings", "livecore"}
    assert "A counterexample to the law GiftsConserveValue." in text

    planted = f"import runpy, {_PLANTED}; runpy.run_path({str(script)!r}, run_name='__main__')"
    faulty = _run("-c", planted, folder=_ROOT)
    assert faulty.returncode == 1
    assert "AssertionError: the law does not hold" in faulty.stderr
    sound = _run(str(script), folder=tmp_path)
    assert sound.returncode == 0, sound.stderr
    assert "wallet.changed" in sound.stdout
    assert "wallet.changed" not in faulty.stdout

"""How a law is tested: on a few fixed seeds, and on sequences that Hypothesis makes and, where one fails, makes smaller.

Both are deterministic. `LIVECORE_LAW_EXAMPLES=500` looks further: that many new sequences and as many seeds for each law.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests.laws.playing import Play, Witness, play
from tests.laws.sequences import seeded

_WANTED: Final = os.environ.get("LIVECORE_LAW_EXAMPLES")
SHORT_RUN: Final = _WANTED is None
"""Whether this is the suite's own run, and not the session `laws`, which looks further."""
SEEDS: Final = range(2 if _WANTED is None else int(_WANTED))
_SCENES: Final = 60

seeds = pytest.mark.parametrize("seed", SEEDS)
"""Runs a test on each of the seeds."""

generated = settings(
    max_examples=8 if _WANTED is None else int(_WANTED),
    derandomize=_WANTED is None,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""Runs a test on sequences made by Hypothesis."""


def hold_on_seeds(seed: int, *laws: Callable[[], Witness], scenes: int = _SCENES) -> Play:
    """Play the sequence of a seed before fresh witnesses."""
    return play(seeded(seed, scenes), *(law() for law in laws), note=f"The sequence of seed {seed}, {scenes} scenes:")

"""What a simulated season answers is what a server answers: here a short season, in `tests/proofs/simulation` a long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from tests.simulation.recording import record
from tests.simulation.sending import send


def test_a_short_season_is_answered_alike_by_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over HTTP, with SQLite: every answer, with its ids, and in the end every row."""
    config = load_config(DEMO)
    recorded = record(config, monkeypatch, players=20, days=2, seed=3)
    compared = send(recorded, config, "sqlite", tmp_path, monkeypatch)
    assert compared.answers > 300

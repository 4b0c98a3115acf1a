"""What a simulated season answers is what a server answers: 200 players for five days, over HTTP, on both stores."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from livecore.simulation.season import play_season
from tests.simulation.recording import RecordedWorld, Sent, record
from tests.simulation.sending import STORES, send

_CONFIG: Final = load_config(DEMO)


@pytest.fixture(scope="module")
def recorded() -> RecordedWorld:
    """The season."""
    with pytest.MonkeyPatch.context() as patch:
        return record(_CONFIG, patch, players=200, days=5, seed=7)


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("store", sorted(STORES))
def test_a_season_is_answered_alike_by_a_server(
    recorded: RecordedWorld, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every answer, with its ids and moments, and in the end every row of every scope."""
    compared = send(recorded, _CONFIG, store, tmp_path, monkeypatch)
    assert compared.answers > 8_000
    assert compared.refusals > 10


def test_the_season_asks_for_much_of_what_players_and_backends_can(recorded: RecordedWorld) -> None:
    """Otherwise it would have compared little; and recording changes nothing."""
    router = recorded.application.router
    asked = {router.of(line.request)[0].id for line in recorded.lines if isinstance(line, Sent)}
    assert len(asked) > 40, sorted(asked)
    unrecorded = play_season(_CONFIG, players=200, days=5, seed=7)
    assert unrecorded.store.dump() == recorded.store.dump()


def test_another_answer_is_noticed(recorded: RecordedWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that draws otherwise gives another id at once."""
    monkeypatch.setattr(recorded, "seed", recorded.seed + 1)
    with pytest.raises(AssertionError):
        send(recorded, _CONFIG, "sqlite", tmp_path, monkeypatch)

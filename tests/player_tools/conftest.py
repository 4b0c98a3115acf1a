"""Fixtures of the tests of merging."""

from __future__ import annotations

import pytest

from livecore import World
from livecore.kernel.declarations import player_lifecycle
from tests.worlds import world


@pytest.fixture(params=[player_lifecycle.FEW, 0], ids=["row by row", "in bulk"])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds however many rows a player has; the world is too small to have many."""
    monkeypatch.setattr(player_lifecycle, "FEW", request.param)


@pytest.fixture
def game() -> World:
    """A world."""
    return world()

"""What the tests with several workers share: a database file."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The URL of a database file that is not there yet."""
    return f"sqlite:///{tmp_path / 'game.db'}"

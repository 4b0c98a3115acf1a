"""Fixtures of the server tests."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own environment must not reach the programs under test."""
    for name in [name for name in os.environ if name.startswith("LIVECORE_")]:
        monkeypatch.delenv(name)

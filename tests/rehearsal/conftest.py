"""What the tests of rehearsals share."""

from __future__ import annotations

import pytest

from tests.server.commands import Command


@pytest.fixture
def livecore(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """The program, without settings from the environment."""
    for name in ("DATABASE", "GAME", "VAULT_KEY", "PRODUCTION"):
        monkeypatch.delenv(f"LIVECORE_{name}", raising=False)
    return Command(capsys)

"""What the tests of `livecore webhooks` share: an operator of a fresh database."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from livecore.access.directory import Game
from livecore.api.configuration.game_config import GameConfig
from livecore.api.maintenance import make_game
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.unit import Actor
from livecore_server.storage.sqlite import SqliteStore
from tests.delivery.operators import Operator


@pytest.fixture
def operator(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Operator:
    """An operator of a fresh database."""
    for name in ("DATABASE", "GAME", "VAULT_KEY", "PRODUCTION", "WEBHOOK_NETWORKS"):
        monkeypatch.delenv(f"LIVECORE_{name}", raising=False)
    path = tmp_path / "cli.db"
    with closing(SqliteStore(path)) as store:
        first, second = (_make_game(store, number) for number in (1, 2))
    return Operator(path, (first, second), capsys)


def _make_game(store: SqliteStore, number: int) -> Game:
    entropy, actor = Entropy(bytes([number])), Actor("system")
    return store.write(
        DIRECTORY, lambda tx: make_game(tx, GameConfig(), number, entropy, studio_name="S", actor=actor)
    ).game

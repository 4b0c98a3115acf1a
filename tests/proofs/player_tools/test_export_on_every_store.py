"""A player's export is the same on every store."""

from __future__ import annotations

from pathlib import Path

import pytest

from livecore.player_tools import export
from tests.contract.stories import MARK
from tests.player_tools.exported_life import bundle_of, full_life, listed
from tests.player_tools.stores import STORES


def test_the_three_stores_answer_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte, for a player with everything, whole and by pages of three."""
    found = []
    for opened in STORES.values():
        with opened(tmp_path) as store, monkeypatch.context() as patched:
            patched.setattr("livecore.world.game.MemoryStore", lambda store=store: store)
            here = full_life()
            whole = bundle_of(here, MARK)
            patched.setattr(export, "MOST_ROWS", 3)
            found.append((whole, {name: listed(here, name, MARK) for name in export.LISTS}))
    assert found[0] == found[1] == found[2]

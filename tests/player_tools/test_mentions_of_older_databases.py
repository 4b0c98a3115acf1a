"""Databases from before there were mentions: they are brought forward, and erased as ever."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from livecore import World
from livecore.api.requests.answer_mentions import ANSWER_MENTIONS
from livecore.webhooks.mentions import EVENT_MENTIONS
from tests.older_databases import KINDS, Layout, make_older, place_of, store_in
from tests.player_tools.parties import (
    TEN,
    bodies,
    delivered,
    erase,
    listening,
    settled,
    world_over,
)
from tests.player_tools.soundness import faults_of
from tests.worlds import befriend, gift, give

_NEW: Final = (ANSWER_MENTIONS.name, EVENT_MENTIONS.name)
_FORGET: Final = (
    *(f"DROP TABLE {name}" for name in _NEW),
    "DELETE FROM livecore_migrations WHERE number = 3",
)


def _forget(layout: Layout) -> None:
    for name in _NEW:
        layout.pop(name, None)


def _lived(world: World) -> None:
    """A gift between two, its kept answer and its events."""
    listening(world, "a")
    anna, bert = world.player("anna"), world.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 10)
    assert gift(anna, bert, idempotency_key="gift").status == 201
    delivered(world)


def _erased_well(world: World) -> None:
    """Erase the one whom the other's answer shows; no text names them any more, and new ones name many."""
    assert '"bert"' in bodies(world)
    erase(world, "bert")
    delivered(world)
    assert "bert" not in bodies(world)
    settled(world)
    erase(world, TEN[9])
    delivered(world)
    assert f'"{TEN[9]}"' not in bodies(world)
    assert faults_of(world) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_database_from_before_is_brought_forward(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its texts are erased as ever, and those that come name any number; older code is kept out from then on."""
    with place_of(kind, tmp_path) as place:
        with closing(store_in(place)) as store:
            world = world_over(store, monkeypatch)
            _lived(world)
        make_older(place, _FORGET, _forget)
        with closing(store_in(place)) as store:
            assert store.migrated == ["mentions", "grow:answer_mentions,event_mentions"]
            _continue(world, store)
            _erased_well(world)


def _continue(world: World, store: Any) -> None:  # noqa: ANN401 - a store that is not the world's own
    world.store = store
    world.application.store = store

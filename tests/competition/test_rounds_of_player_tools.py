"""On a store that is far away, a merge, a ban and an erasure wait as often for many events and leaderboards as for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from livecore import World
from livecore.leaderboards.boards import BOARDS
from tests.competition.games import event, leaderboard
from tests.competition.playing import score
from tests.competition.shared import score as shared_score
from tests.laws.far_store import FarStore
from tests.worlds import ask, config, rows_of

_BY_LEAGUE: Final[Any] = {"attempts": {"maxPerWindow": 9}, "board": {"by": "segment", "segment": "league"}}
_SOURCE: Final[Any] = {"external_id": "source"}


def _merge(game: World) -> None:
    assert ask(game.server, "players.merge", **_SOURCE, to_external_id="target").status == 200


def _ban(game: World) -> None:
    assert ask(game.server, "players.ban", **_SOURCE, reason="cheating").status == 200


def _erase(game: World) -> None:
    assert ask(game.server, "players.erase", **_SOURCE).status < 300


def _nothing(_: World) -> None:
    """Both stand on all boards."""


def _exclude(game: World) -> None:
    """The source is excluded from all boards."""
    for board in rows_of(game, BOARDS):
        named: dict[str, Any] = {"key": board.key} if board.kind == "shared" else {"leaderboard_id": board.board_id}
        name = "leaderboards.removeEntry" if board.kind == "shared" else "leaderboards.removeEventEntry"
        assert ask(game.server, name, **_SOURCE, **named, exclude=True).status == 200


@pytest.mark.parametrize(
    ("before", "work"),
    [(_nothing, _merge), (_exclude, _merge), (_nothing, _ban), (_nothing, _erase)],
    ids=["a merge", "a merge of somebody who is excluded", "a ban", "an erasure"],
)
def test_the_rounds_do_not_grow_with_events_and_leaderboards(
    before: Callable[[World], None], work: Callable[[World], None]
) -> None:
    """Rows of all of them are asked for together."""
    assert len({_rounds(number, before, work) for number in (1, 2, 5)}) == 1


def _rounds(number: int, before: Callable[[World], None], work: Callable[[World], None]) -> int:
    """How many rounds the work takes in a game with so many events and leaderboards, on which two players stand."""
    events = [event(f"event_{place}", **_BY_LEAGUE) for place in range(number)]
    game = World({**config(), "events": events, "leaderboards": [leaderboard(f"board_{n}") for n in range(number)]})
    for player in (game.player("source"), game.player("target")):
        for place in range(number):
            score(player, 9, f"event_{place}", player_context={"league": player.external_id})
            assert shared_score(player, 5, f"board_{place}").status == 200
    before(game)
    far = FarStore(game.store)
    game.store = game.application.store = far
    work(game)
    return far.taken_rounds()

"""On a store that is far away, a score takes two rounds: the leaderboard and its period, and the board that they give."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore import World
from livecore.leaderboards.boards import BOARDS
from livecore_server.known_request import expect_reads
from tests.competition.shared import divisions, score, shared
from tests.laws.far_store import FarStore
from tests.laws.warm_rankings import WarmRankings, keep_rankings
from tests.worlds import Reply, rows_of

_DIVIDED: Final[dict[str, Any]] = {"divisions": divisions(("bronze", 1, 0), ("gold", 0, 1))}


def _scored(game: World, name: str, points: int) -> tuple[Reply, int]:
    """A player submits a score; with it, in how many rounds was read, without the commit."""
    player = game.player(name)
    far = FarStore(game.store)
    application, plain = game.application, game.store
    application.begun = expect_reads
    keep_rankings(application, WarmRankings(far))
    game.store = application.store = far
    reply = score(player, points)
    game.store = application.store = plain
    return reply, sum(unit.rounds for unit in far.units)


@pytest.mark.parametrize(
    "fields", [{}, _DIVIDED, {**_DIVIDED, "cohortSize": 2}], ids=["one board", "divisions", "cohorts"]
)
def test_a_first_score_takes_two_rounds(fields: dict[str, Any]) -> None:
    """Whether it makes the board, comes to one with others, or begins the next cohort."""
    game = shared(**fields)
    found = [_scored(game, name, points) for name, points in (("ann", 5), ("bob", 9), ("cyd", 7))]
    assert [rounds for _, rounds in found] == [2, 2, 2]
    ranks = [1, 1, 1] if "cohortSize" in fields else [1, 1, 2]
    assert [(reply["entry.rank"], reply["previous"]) for reply, _ in found] == [(rank, None) for rank in ranks]
    assert len(rows_of(game, BOARDS)) == (2 if "cohortSize" in fields else 1)


@pytest.mark.parametrize("weeks", [1, 5])
def test_the_first_score_of_a_later_period_takes_two_rounds(weeks: int) -> None:
    """The division that the last period has earned is found with what it leads to, however long that was ago."""
    game = shared(**_DIVIDED, cohortSize=2)
    for name, points in (("ann", 5), ("bob", 9)):
        _scored(game, name, points)
    for _ in range(weeks):
        game.advance(days=7)
    reply, rounds = _scored(game, "bob", 3)
    assert (reply["entry.rank"], rounds) == (1, 2)
    assert {board.division for board in rows_of(game, BOARDS)} == {"bronze", "gold"}

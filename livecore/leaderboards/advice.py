"""Advice on leaderboards: values that are allowed, and that have no effect or probably another one than meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from livecore.kernel.wire.config import Advice
from livecore.leaderboards.config import LeaderboardsConfig
from livecore.leaderboards.definition import Division, LeaderboardDefinition
from livecore.leaderboards.definition_rows import RankReward


def advice_on(config: LeaderboardsConfig) -> Iterator[Advice]:
    """What is probably not meant in leaderboards."""
    for index, board in enumerate(config.leaderboards):
        yield from _on_board(board, f"leaderboards[{index}]")


def out_of_reach(rewards: Sequence[RankReward], seats: int, of: str, path: str) -> Iterator[Advice]:
    """Rewards of ranks that nobody can have, because a board has no more than so many places."""
    for index, reward in enumerate(rewards):
        if reward.from_ > seats:
            yield f"{path}[{index}].from", f"is beyond the {seats} {of}, so nobody reaches this rank"


def _on_board(board: LeaderboardDefinition, path: str) -> Iterator[Advice]:
    if not board.divisions:
        return
    if board.reset == "never":
        yield (
            f"{path}.reset",
            "is 'never', so nobody ever changes the division: write 'weekly' or 'monthly', or leave out the divisions",
        )
    if board.divisions[0].relegate:
        yield f"{path}.divisions[0].relegate", "has no effect: there is no division below the first one"
    last = len(board.divisions) - 1
    if board.divisions[last].promote:
        yield f"{path}.divisions[{last}].promote", "has no effect: there is no division above the last one"
    if board.cohort_size is not None:
        yield from out_of_reach(board.rank_rewards, board.cohort_size, "players of a cohort", f"{path}.rankRewards")
        for index, division in enumerate(board.divisions):
            yield from _on_division(division, board.cohort_size, f"{path}.divisions[{index}]")


def _on_division(division: Division, cohort_size: int, path: str) -> Iterator[Advice]:
    for name, moved in (("promote", division.promote), ("relegate", division.relegate)):
        if moved > cohort_size:
            yield f"{path}.{name}", f"is more than the 'cohortSize' of {cohort_size}, so everybody of a cohort moves"
    yield from out_of_reach(division.rank_rewards, cohort_size, "players of a cohort", f"{path}.rankRewards")

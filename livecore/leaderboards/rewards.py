"""Rewards of events and leaderboards, each a grant that waits to be claimed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from livecore.economy.grants import award
from livecore.economy.rows import RewardEntry
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.definition_rows import RankReward
from livecore.players.player import Player

Source: TypeAlias = Literal[
    "event_milestone",
    "event_completion",
    "event_rank",
    "leaderboard_rank",
    "event_team_milestone",
    "event_team_goal",
    "event_team_rank",
]
"""What a reward is for, as `sourceKind` of its grant."""


def reward_of_rank(rewards: Sequence[RankReward], rank: int) -> tuple[RewardEntry, ...]:
    """What a rank wins."""
    return next((found.entries for found in rewards if found.from_ <= rank <= found.to), ())


def last_rewarded(rewards: Sequence[RankReward]) -> int:
    """The last rank that wins anything; 0 if none does."""
    return max((found.to for found in rewards), default=0)


def reward(
    unit: Unit, player: Player, entries: tuple[RewardEntry, ...], source: Source, source_ref_id: str
) -> str | None:
    """Grant entries to a player; returns the grant's id, or `None` where nothing is won.

    A player who was erased, or merged into another since, wins nothing: nobody could claim it.
    """
    if not entries or player.gone:
        return None
    return award(unit, player, entries, source, source_ref_id).grant_id

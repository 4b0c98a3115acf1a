"""The parts of definitions that the wire shows as the game's configuration declares them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from livecore.economy.rows import RewardEntry
from livecore.kernel.shapes import MAX_AMOUNT, Int, Items, Text, shape

__all__ = [
    "Aggregation",
    "DefinitionKey",
    "Entries",
    "Metric",
    "Milestone",
    "Order",
    "RankReward",
    "RankRewards",
    "Score",
]

DefinitionKey = Annotated[
    str, Text(1, 64, r"[a-z0-9_.-]+", "must be 1 to 64 of the characters a to z, 0 to 9, '_', '.' and '-'")
]
"""The key of an event, a leaderboard, or a part of one."""
Entries = Annotated[tuple[RewardEntry, ...], Items(0, 50)]
"""What is won or paid."""
Score = Annotated[int, Int(-MAX_AMOUNT, MAX_AMOUNT)]
"""A value of a metric."""
Aggregation: TypeAlias = Literal["sum", "best", "lowest", "last"]
"""How a metric takes a new value: it is added, or the largest, the smallest or the newest is kept."""
Order: TypeAlias = Literal["desc", "asc"]
"""Whether more is better (`desc`), or less is (`asc`)."""


@shape
class Metric:
    """Something that is counted in an attempt."""

    key: DefinitionKey
    aggregation: Aggregation = "sum"


@shape
class Milestone:
    """A score on the way, and what crossing it wins."""

    key: DefinitionKey
    threshold: Score
    entries: Entries = ()


@shape
class RankReward:
    """What the ranks `from` to `to` win, both included; the first rank is 1."""

    from_: Annotated[int, Int(1, MAX_AMOUNT)]
    to: Annotated[int, Int(1, MAX_AMOUNT)]
    entries: Entries


RankRewards = Annotated[tuple[RankReward, ...], Items(0, 200)]

"""The parts of definitions that the wire shows as the game's configuration declares them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from livecore.economy.rows import Entries
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import MAX_AMOUNT, Int, Items

Score = Annotated[int, Int(-MAX_AMOUNT, MAX_AMOUNT)]
"""A value of a metric."""
Aggregation: TypeAlias = Literal["sum", "best", "lowest", "last"]
"""How a metric takes a new value: it is added, or the largest, the smallest or the newest is kept."""
Order: TypeAlias = Literal["desc", "asc"]
"""Whether more is better (`desc`), or less is (`asc`)."""


@shape
class RankReward:
    """What the ranks `from` to `to` win, both included; the first rank is 1."""

    from_: Annotated[int, Int(1, MAX_AMOUNT)]
    to: Annotated[int, Int(1, MAX_AMOUNT)]
    entries: Entries


RankRewards = Annotated[tuple[RankReward, ...], Items(0, 200)]

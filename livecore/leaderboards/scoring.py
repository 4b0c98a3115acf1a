"""How a score is taken: what an aggregation makes of a new value, and whether a threshold is reached."""

from __future__ import annotations

from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.leaderboards.definition_rows import Aggregation, Order


def fault_of(aggregation: Aggregation, before: int | None, value: int) -> str | None:
    """What is wrong with a new value of something that has this value (`None`: none yet)."""
    if aggregation == "sum" and value < 0:
        return "must be at least 0, because it is added"
    if abs(applied(aggregation, before, value)) > MAX_AMOUNT:
        return f"would make the sum pass {MAX_AMOUNT}"
    return None


def applied(aggregation: Aggregation, before: int | None, value: int) -> int:
    """The value after a new one has been taken."""
    if before is None or aggregation == "last":
        return value
    if aggregation == "sum":
        return before + value
    return max(before, value) if aggregation == "best" else min(before, value)


def reaches(order: Order, score: int | None, threshold: int) -> bool:
    """Whether a score has reached a threshold."""
    if score is None:
        return False
    return score >= threshold if order == "desc" else score <= threshold

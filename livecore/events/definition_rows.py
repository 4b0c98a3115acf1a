"""The parts of an event's declaration that the wire shows as the game's configuration declares them."""

from __future__ import annotations

from livecore.economy.rows import Entries
from livecore.kernel.shapes import DefinitionKey, shape
from livecore.leaderboards.definition_rows import Aggregation, Score

__all__ = ["Metric", "Milestone"]


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

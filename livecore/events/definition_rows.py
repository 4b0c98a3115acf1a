"""The parts of an event's declaration that the wire shows as the game's configuration declares them."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from livecore.economy.rows import Entries
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import DefinitionKey, Int
from livecore.leaderboards.definition_rows import Aggregation, Score


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


MOST_SEATS: Final = 10_000
"""The most seats of a team, which only a team of the studio's backend can have."""

Formation: TypeAlias = Literal["open", "partner", "external"]
"""Who forms teams: players, who found and join them; two players, by an invitation; or the studio's backend."""


@shape
class TeamSize:
    """How many seats a team has; with fewer members than `min` it is still forming."""

    min: Annotated[int, Int(1, MOST_SEATS)] = 1
    max: Annotated[int, Int(1, MOST_SEATS)]

"""How a game declares a shared leaderboard: what feeds it, how often it begins anew, and its divisions."""

from __future__ import annotations

from typing import Annotated, Literal

from livecore.competition.definition_rows import Aggregation, Order, RankRewards
from livecore.competition.event_config import Validators
from livecore.kernel.wire.config import Name
from livecore.kernel.wire.shapes import DefinitionKey, Int, Items, shape

__all__ = ["Division", "LeaderboardDefinition"]


@shape
class Division:
    """One division of a leaderboard. At the end of a period the best `promote` move up and the last `relegate` move down."""

    key: DefinitionKey
    promote: Annotated[int, Int(0, 1_000_000)] = 0
    relegate: Annotated[int, Int(0, 1_000_000)] = 0
    rank_rewards: RankRewards = ()


@shape
class LeaderboardDefinition:
    """A shared leaderboard. Its divisions are listed from the lowest; with `cohortSize` each is filled into cohorts.

    Weeks begin on Monday at 00:00 UTC and months on the 1st.
    """

    key: DefinitionKey
    name: Name
    reset: Literal["never", "weekly", "monthly"] = "never"
    order: Order = "desc"
    aggregation: Aggregation = "best"
    source: Literal["client", "server", "event"] = "client"
    event: DefinitionKey | None = None
    validators: Validators = ()
    rank_rewards: RankRewards = ()
    divisions: Annotated[tuple[Division, ...], Items(0, 20)] = ()
    cohort_size: Annotated[int, Int(2, 1_000_000)] | None = None

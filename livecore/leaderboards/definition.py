"""How a game declares a shared leaderboard: what feeds it, how often it begins anew, and its divisions."""

from __future__ import annotations

from typing import Annotated, Literal

from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Name
from livecore.kernel.wire.shapes import MAX_AMOUNT, DefinitionKey, Int, Items
from livecore.leaderboards.definition_rows import Aggregation, Order, RankRewards, Score


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


@shape
class Validator:
    """A limit that progress is held to. Beyond it the progress is flagged, or rejected.

    `max_rate` limits the mean increase per second, `max_step` the change by one write, `range` the value after it. A value
    at a limit is within it. A program that embeds the service may have further kinds.
    """

    key: DefinitionKey
    kind: DefinitionKey
    metric: DefinitionKey | None = None
    limit: Annotated[int, Int(0, MAX_AMOUNT)] | None = None
    min: Score | None = None
    max: Score | None = None
    verdict: Literal["flag", "reject"]


Validators = Annotated[tuple[Validator, ...], Items(0, 50)]

"""Events about leaderboards that become final (specification 6.2): their span, number of participants and first ten."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload


@shape
class RankRow:
    """One rank on a finalised leaderboard: a player's, a bot's (no player ids) or a team's (its id and key)."""

    rank: int
    score: int
    name: str
    player_id: ShownPlayerId | None
    external_player_id: ShownExternalId | None
    event_team_id: str | Absent = ABSENT
    team_key: str | Absent = ABSENT


@shape
class LeaderboardPeriodFinalized(Payload):
    """A shared leaderboard moved to its next period; the bounds are those of the period that ended."""

    kind: ClassVar[str] = "leaderboard.period_finalized"
    leaderboard_id: str
    leaderboard_key: str
    period: Literal["weekly", "monthly"]
    status: Literal["finalized"]
    period_starts_at: Timestamp
    period_ends_at: Timestamp
    entry_count: int
    top_ranks: tuple[RankRow, ...]
    finalized_at: Timestamp


@shape
class MetricSnapshot:
    """The validator's measurement: one metric before and after, its rate of increase and the limit, in units per second."""

    metric_key: str
    before: float
    after: float
    elapsed_sec: float
    avg_rate: float
    limit: float

"""How a game declares an event: when its windows are open, what is counted, and what players pay and win."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from livecore.competition.definition_rows import Metric, Milestone, Order, RankRewards, Score
from livecore.economy.rows import Entries
from livecore.kernel.wire.config import Name
from livecore.kernel.wire.shapes import MAX_AMOUNT, DefinitionKey, Int, Items, Text, Timestamp, shape
from livecore.lobbies.config import LobbyRules, SessionRules
from livecore.teams.config import TeamRules

__all__ = [
    "LEAST_PERIOD_SECONDS",
    "AttemptRules",
    "BoardRule",
    "EventDefinition",
    "Schedule",
    "ScheduledWindow",
    "Seconds",
    "Validator",
    "Validators",
]

_LONGEST_SECONDS: Final = 10 * 365 * 86_400
Seconds = Annotated[int, Int(1, _LONGEST_SECONDS)]
LEAST_PERIOD_SECONDS: Final = 5
"""How often windows may recur: each costs rows and work in both environments, whether anybody plays or not."""


@shape
class ScheduledWindow:
    """One window of a schedule; it begins at `startsAt` and is over at `endsAt`."""

    starts_at: Timestamp
    ends_at: Timestamp


@shape
class Schedule:
    """When the windows of an event are open: a list of `windows`, or from `startsAt` on one window every so many seconds.

    Each environment has windows of its own. Windows of one event do not overlap. Windows recur at most every 5 seconds; a
    configuration that a game has since before this limit is still read and played, and refused when it is applied again.
    """

    windows: Annotated[tuple[ScheduledWindow, ...], Items(1, 1_000)] | None = None
    starts_at: Timestamp | None = None
    every_seconds: Annotated[int, Int(1, _LONGEST_SECONDS, least_new=LEAST_PERIOD_SECONDS)] | None = None
    duration_seconds: Seconds | None = None
    until: Timestamp | None = None


@shape
class AttemptRules:
    """How long an attempt may take, how many a player has in a window (`null`: any number), and which of them counts."""

    duration_seconds: Seconds | None = None
    max_per_window: Annotated[int, Int(1, 1_000_000)] | None = 1
    counts: Literal["best", "last"] = "best"


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


@shape
class BoardRule:
    """Which attempts share a leaderboard: all of a window, those with the same value of `segment`, or those of a lobby.

    A segment is `country` or a key of the player context. It is read when a player's first attempt in a window starts, and
    holds for the player's further attempts there. An event with lobbies has a
    leaderboard for each lobby, also where nothing is said here.
    """

    by: Literal["window", "segment", "lobby"] = "window"
    segment: Annotated[str, Text(1, 64)] | None = None


@shape
class EventDefinition:
    """An event as the game declares it."""

    key: DefinitionKey
    name: Name
    schedule: Schedule
    metrics: Annotated[tuple[Metric, ...], Items(1, 20)]
    score: DefinitionKey | None = None
    order: Order = "desc"
    target: Score | None = None
    attempts: AttemptRules = AttemptRules()
    entry_cost: Entries = ()
    milestones: Annotated[tuple[Milestone, ...], Items(0, 100)] = ()
    completion_rewards: Entries = ()
    rank_rewards: RankRewards = ()
    validators: Validators = ()
    board: BoardRule = BoardRule()
    lobby: LobbyRules | None = None
    session: SessionRules | None = None
    teams: TeamRules | None = None

    @property
    def score_metric(self) -> Metric:
        """The metric that counts as the score."""
        return next((metric for metric in self.metrics if metric.key == self.score), self.metrics[0])

    @property
    def boards_by(self) -> Literal["window", "segment", "lobby"]:
        """Which attempts share a leaderboard; with lobbies, those of one lobby."""
        return self.board.by if self.lobby is None else "lobby"

    @property
    def ranks_teams(self) -> bool:
        """Whether the teams of a window have a leaderboard."""
        return self.teams is not None and self.teams.board

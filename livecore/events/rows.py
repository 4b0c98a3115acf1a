"""Events and attempts on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.economy.rows import Entries
from livecore.events.definition_rows import Formation, Metric, Milestone, TeamSize
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Cursor,
    DefinitionKey,
    Id,
    IdempotencyKey,
    Limit,
    Members,
    Metadata,
)
from livecore.leaderboards.definition_rows import Order, RankRewards, Score

# -- requests -------------------------------------------------------------------------------------------------------------


@shape
class ListEvents:
    """The events of the game, for a player."""


@shape
class StartAttempt:
    """Start an attempt at an event.

    The context is kept as the player's latest one. The segment of the player's first attempt in a window is read from it.
    """

    key: DefinitionKey
    player_context: Metadata | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class ReportProgress:
    """Progress of an attempt: for a metric that sums what is added, for the others their value."""

    key: DefinitionKey
    attempt_id: Id
    metrics: Annotated[dict[str, Score], Members(1, 20)]
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"metrics": {"points": 120}}


@shape
class ListAttempts:
    """A player's attempts at an event, newest first."""

    key: DefinitionKey
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GetAttempt:
    """One attempt of a player."""

    key: DefinitionKey
    attempt_id: Id


@shape
class EndWindow:
    """End the open window of an event at once."""

    event_key: DefinitionKey
    idempotency_key: IdempotencyKey | None = None


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class AttemptRow:
    """An attempt: what it belongs to, its state and its score (`null` before its first value).

    `attemptCount` is 1 for the player's first attempt in the window. `milestones` are the keys of those that it has reached.
    """

    attempt_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str | None
    lobby_id: str | None
    event_team_id: str | None
    status: Literal["in_progress", "completed", "expired"]
    score: int | None
    metrics: dict[str, int]
    started_at: Timestamp
    ends_at: Timestamp
    completed_at: Timestamp | None
    frozen_at: Timestamp | None
    flagged: bool
    attempt_count: int
    milestones: tuple[str, ...]

    example: ClassVar = {"attempt_id": "att_00000000000000000000000001", "metrics": {"points": 120}, "score": 120}


@shape
class EventLobbyRow:
    """The lobbies of an event: how many seats each has."""

    capacity: int


@shape
class EventTeamsRow:
    """The teams of an event: who forms them, and how many seats each has."""

    formation: Formation
    size: TeamSize


@shape
class EventWindowRow:
    """The open window of an event.

    `leaderboardId` is `null` where each segment or lobby has a leaderboard of its own, `teamLeaderboardId` where teams have
    none.
    """

    event_window_id: str
    starts_at: Timestamp
    ends_at: Timestamp
    leaderboard_id: str | None
    team_leaderboard_id: str | None


@shape
class NextWindowRow:
    """The next window of an event to open."""

    event_window_id: str
    starts_at: Timestamp
    ends_at: Timestamp


@shape
class EventShown:
    """An event of the game: its windows, its rules, what it costs and what it pays."""

    event_id: str
    event_key: str
    name: str
    status: Literal["scheduled", "active", "ended"]
    window: EventWindowRow | None
    next_window: NextWindowRow | None
    metrics: tuple[Metric, ...]
    score: str
    order: Order
    target: int | None
    attempt_duration_seconds: int | None
    max_attempts: int | None
    entry_cost: Entries
    milestones: tuple[Milestone, ...]
    completion_rewards: Entries
    rank_rewards: RankRewards
    lobby: EventLobbyRow | None
    teams: EventTeamsRow | None


@shape
class EventRow(EventShown):
    """An event of the game: its windows, its rules, what it costs and what it pays.

    `attempt` is the player's newest in the open window, or `null`; it is shown only to the player.
    """

    attempt: AttemptRow | None | Absent = ABSENT


@shape
class EventsList:
    """The events of the game in the order of its configuration."""

    events: tuple[EventRow, ...]


@shape
class Started:
    """The attempt that has begun, or that is running."""

    attempt: AttemptRow


@shape
class MilestoneReached:
    """A milestone that this progress has reached; the reward waits in the grant, `null` where there is none."""

    key: str
    threshold: int
    grant_id: str | None


@shape
class Progressed:
    """The attempt after the progress, the milestones that it has reached by it, and the player's rank."""

    attempt: AttemptRow
    milestones: tuple[MilestoneReached, ...]
    rank: int | None


@shape
class Attempts:
    """A page of a player's attempts."""

    attempts: tuple[AttemptRow, ...]
    next_cursor: str | None


@shape
class AttemptView:
    """An attempt and the player's rank, `null` without progress."""

    attempt: AttemptRow
    rank: int | None


@shape
class EndedWindow:
    """What ending a window has done; of a large window the rest follows as due work."""

    event_window_id: str
    attempts_expired: int
    leaderboards_finalized: int
    grants_created: int
    lobbies_closed: int


@shape
class WindowEnded:
    """The windows that the request has ended: one, or none if no window was open."""

    event_key: str
    windows: tuple[EndedWindow, ...]

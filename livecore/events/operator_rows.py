"""Events, windows, attempts and leaderboards on the operators' surface: requests and answers."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from livecore.economy.rows import GrantRow
from livecore.events.rows import AttemptRow, EventLobbyRow, EventShown, EventTeamsRow
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    Cursor,
    DefinitionKey,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Limit,
    Reason,
    ShownExternalId,
    ShownPlayerId,
)
from livecore.leaderboards.definition_rows import Score
from livecore.leaderboards.operator_rows import RejectionRow
from livecore.leaderboards.rows import LeaderboardRow
from livecore.players.rows import Identity

AttemptStatus: TypeAlias = Literal["in_progress", "completed", "expired"]
"""Whether an attempt goes on, has been completed, or is over without that."""
WindowStatus: TypeAlias = Literal["scheduled", "active", "closing", "closed"]
"""Whether a window is still to come, is open, is over and being settled, or is settled."""


# -- requests: events and windows -----------------------------------------------------------------------------------------


@shape
class ListAllEvents:
    """The events of the game."""


@shape
class GetEvent:
    """One event."""

    event_key: DefinitionKey


@shape
class ListWindows:
    """The windows of an event, the latest first: those to come, the open one, and those of the past."""

    event_key: DefinitionKey
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GetWindow:
    """One window of an event."""

    event_key: DefinitionKey
    window_id: Id


@shape
class ListLeaderboardsOfWindow:
    """The leaderboards of a window."""

    event_key: DefinitionKey
    window_id: Id
    limit: Limit = 50
    cursor: Cursor | None = None


# -- requests: attempts ---------------------------------------------------------------------------------------------------


@shape
class ListAttemptsOfWindow:
    """The attempts of a window, newest first, or the best first, which leaves out those that cannot stand on a leaderboard.

    `state` and `status` are two names for the same: one state. Without `flagged` it is both those that a validator has
    flagged and the others.
    """

    event_key: DefinitionKey
    window_id: Id
    state: AttemptStatus | None = None
    status: AttemptStatus | None = None
    flagged: bool | None = None
    player: ExternalPlayerId | None = None
    sort: Literal["startedAt", "score"] = "startedAt"
    limit: Limit = 50
    cursor: Cursor | None = None

    example: ClassVar = {"state": "in_progress", "sort": "score"}


@shape
class ListAttemptsOfPlayer:
    """A player's attempts at all events, newest first."""

    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class GetAnyAttempt:
    """One attempt, whoever has made it."""

    attempt_id: Id


@shape
class ForceComplete:
    """Complete an attempt in progress; `score` replaces its score, and without it the score stays."""

    attempt_id: Id
    reason: Reason
    score: Score | None = None
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"reason": "The game hung at the last lap, ticket 4720", "score": 120}


@shape
class RetryRewardRoll:
    """Grant what a completed attempt wins, if nothing has been granted for it."""

    attempt_id: Id
    idempotency_key: IdempotencyKey | None = None


# -- requests: leaderboards -----------------------------------------------------------------------------------------------


# -- answers: events and windows ------------------------------------------------------------------------------------------


@shape
class AttemptCounts:
    """How many attempts a window has, by their state; those whose time has just run out may still count as in progress."""

    in_progress: int
    completed: int
    expired: int


@shape
class LobbyCounts:
    """How many lobbies a window has, by their state."""

    forming: int
    active: int
    closed: int


@shape
class OperatorEventRow(EventShown):
    """An event of the game with its rules, which attempts share a leaderboard, and the attempts of its open window.

    `attempts` is `null` where no window is open.
    """

    boards_by: Literal["window", "segment", "lobby"]
    segment: str | None
    attempts: AttemptCounts | None


@shape
class EventsGiven:
    """The events of the game in the order of its configuration."""

    events: tuple[OperatorEventRow, ...]


@shape
class EventGiven:
    """An event."""

    event: OperatorEventRow


@shape
class WindowRow:
    """A window of an event: when it is open, and where it is ranked.

    `leaderboardId` is `null` where each segment or lobby has a leaderboard of its own, `teamLeaderboardId` where teams have
    none. A window that is still to come has the rules that the event has now.
    """

    event_window_id: str
    event_id: str
    event_key: str
    status: WindowStatus
    starts_at: Timestamp
    ends_at: Timestamp
    opened_at: Timestamp | None
    closed_at: Timestamp | None
    boards_by: Literal["window", "segment", "lobby"]
    leaderboard_id: str | None
    team_leaderboard_id: str | None
    lobby: EventLobbyRow | None
    teams: EventTeamsRow | None

    example: ClassVar = {"event_window_id": "win_00000000000000000000000001"}


@shape
class WindowsPage:
    """Windows, the latest first."""

    windows: tuple[WindowRow, ...]
    next_cursor: str | None


@shape
class WindowInDetail(WindowRow):
    """A window of an event, and how much goes on in it; `lobbies` is `null` without lobbies, `teamCount` without teams."""

    attempts: AttemptCounts
    lobbies: LobbyCounts | None
    team_count: int | None


@shape
class WindowGiven:
    """A window of an event."""

    window: WindowInDetail


# -- answers: attempts ----------------------------------------------------------------------------------------------------


@shape
class ExportedAttempt(AttemptRow):
    """An attempt in the export of its player, with its last 20 reports that a validator rejected, the newest first."""

    rejections: tuple[RejectionRow, ...]


@shape
class OperatorAttemptRow(AttemptRow):
    """An attempt, the player who has made it, and its last 20 reports that a validator rejected, the newest first."""

    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    display_identity: Identity
    rejections: tuple[RejectionRow, ...]


@shape
class AttemptsPage:
    """A page of attempts, newest first."""

    attempts: tuple[OperatorAttemptRow, ...]
    next_cursor: str | None


@shape
class AttemptGiven:
    """An attempt, the player's rank (`null` without progress), and the grants that are linked to it, newest first."""

    attempt: OperatorAttemptRow
    rank: int | None
    grants: tuple[GrantRow, ...]


@shape
class RewardsRolled:
    """The grants that a completed attempt has won by this request."""

    attempt: OperatorAttemptRow
    grants: tuple[GrantRow, ...]
    grant_count: int

    example: ClassVar = {"grant_count": 1}


# -- answers: leaderboards ------------------------------------------------------------------------------------------------


@shape
class LeaderboardsOfWindow:
    """Leaderboards of a window, by their ids."""

    leaderboards: tuple[LeaderboardRow, ...]
    next_cursor: str | None

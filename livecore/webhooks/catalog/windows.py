"""Events of the calendar: windows, leaderboards and sudden-death sessions begin and end (specification 6.2).

Payloads of windows have the event, the state and the span. Payloads of finalised leaderboards have the span, the number of
participants and the first ten.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from livecore.kernel.shapes import ABSENT, Absent, ShownExternalId, ShownPlayerId, Timestamp, shape
from livecore.webhooks.catalog.payload import Payload

__all__ = [
    "TITLE",
    "LeaderboardFinalized",
    "LeaderboardPeriodFinalized",
    "RankRow",
    "SessionFrozen",
    "SessionTerminated",
    "WindowClosed",
    "WindowOpened",
]

TITLE: Final = "Windows, leaderboards and sessions"
"""What documents call these kinds together."""


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
class WindowOpened(Payload):
    """A window of an event opened on schedule."""

    kind: ClassVar[str] = "window.opened"
    event_window_id: str
    event_id: str
    event_key: str
    status: Literal["active"]
    starts_at: Timestamp
    ends_at: Timestamp
    opened_at: Timestamp


@shape
class WindowClosed(Payload):
    """A window of an event closed."""

    kind: ClassVar[str] = "window.closed"
    event_window_id: str
    event_id: str
    event_key: str
    status: Literal["closed"]
    starts_at: Timestamp
    ends_at: Timestamp
    closed_at: Timestamp


@shape
class LeaderboardFinalized(Payload):
    """A window closed and one of its leaderboards is final; a leaderboard of teams adds `participantScope`."""

    kind: ClassVar[str] = "leaderboard.finalized"
    leaderboard_id: str
    event_id: str
    event_key: str
    event_window_id: str
    lobby_id: str | None
    status: Literal["finalized"]
    starts_at: Timestamp
    ends_at: Timestamp
    entry_count: int
    top_ranks: tuple[RankRow, ...]
    finalized_at: Timestamp
    participant_scope: Literal["team"] | Absent = ABSENT


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
class SessionTerminated(Payload):
    """A trigger ended a sudden-death session early; `frozenCount` is the number of attempts that were still in progress."""

    kind: ClassVar[str] = "session.terminated"
    lobby_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str
    fired_trigger: str
    fired_trigger_type: str
    resolution: Literal["freeze", "close"]
    frozen_count: int
    terminated_at: Timestamp


@shape
class SessionFrozen(Payload):
    """One player's attempt froze in a sudden-death session, once for each attempt and session."""

    kind: ClassVar[str] = "session.frozen"
    lobby_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str
    attempt_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    status: Literal["frozen"]
    score: int | None
    fired_trigger: str
    fired_trigger_type: str
    frozen_at: Timestamp

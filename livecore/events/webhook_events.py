"""Webhooks about time-boxed events: players' attempts, and windows that open and close (specification 3.4 and 6.2).

Where the specification does not define an attempt's payload, it has the fields of `event.attempt_started`: the attempt and
all it belongs to, with its status, score and times. Events of windows have the event, the state and the span.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, ShownExternalId, ShownPlayerId
from livecore.leaderboards.webhook_events import MetricSnapshot, RankRow
from livecore.webhooks.payload import Payload


@shape
class EntryCostPart:
    """One currency of an entry cost."""

    key: str
    amount: int


@shape
class EntryCostItem:
    """One item of an entry cost."""

    key: str
    quantity: int


@shape
class EntryCost:
    """What entering an event costs."""

    currencies: tuple[EntryCostPart, ...]
    items: tuple[EntryCostItem, ...]


@shape
class AttemptStarted(Payload):
    """A player began an attempt; `attemptCount` is 1 for the first in the window."""

    kind: ClassVar[str] = "event.attempt_started"
    attempt_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str | None
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    started_at: Timestamp
    ends_at: Timestamp | None
    attempt_count: int


@shape
class AttemptRestarted(Payload):
    """A player began another attempt in a window after one that had ended; `event.attempt_started` is emitted as well."""

    kind: ClassVar[str] = "event.attempt_restarted"
    attempt_id: str
    prior_attempt_id: str
    prior_score: int | None
    prior_status: Literal["completed", "expired"]
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str | None
    player_id: ShownPlayerId
    external_player_id: ShownExternalId

    example: ClassVar = {"prior_attempt_id": "att_00000000000000000000000002"}


@shape
class _CompleteAttempt(Payload):
    """An attempt at the time of the event, and all it belongs to."""

    attempt_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str | None
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    status: Literal["in_progress", "completed", "expired"]
    score: int | None
    started_at: Timestamp
    ends_at: Timestamp | None


@shape
class EventProgressUpdated(_CompleteAttempt):
    """An attempt made progress. Emitted with a delay of about five seconds, so that one event covers several changes."""

    kind: ClassVar[str] = "event.progress_updated"
    metrics: dict[str, int]
    updated_at: Timestamp


@shape
class EventCompleted(_CompleteAttempt):
    """An attempt reached its target by play."""

    kind: ClassVar[str] = "event.completed"
    metrics: dict[str, int]
    milestones_fired: tuple[str, ...]
    completed_at: Timestamp

    example: ClassVar = {"status": "completed"}


@shape
class EventForceCompleted(Payload):
    """An operator completed an attempt; this does not grant rewards.

    `priorScore` is the score before; both are `null` without a value. `milestonesFired` are the keys of all milestones that
    the attempt has reached.
    """

    kind: ClassVar[str] = "event.force_completed"
    attempt_id: str
    event_id: str
    event_window_id: str
    leaderboard_id: str | None
    player_id: ShownPlayerId
    score: int | None
    prior_score: int | None
    completed_at: Timestamp
    actor_member_id: str
    reason: str | None
    milestones_fired: tuple[str, ...]


@shape
class EventExpired(_CompleteAttempt):
    """An attempt ran out of time."""

    kind: ClassVar[str] = "event.expired"
    expired_at: Timestamp

    example: ClassVar = {"status": "expired"}


@shape
class AttemptFlagged(Payload):
    """A validator found progress suspicious but accepted it. Progress that it rejects is refused without an event."""

    kind: ClassVar[str] = "event.attempt_flagged"
    attempt_id: str
    event_id: str
    event_key: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    validator_key: str
    reason: str
    metric_snapshot: MetricSnapshot
    flagged_at: Timestamp


@shape
class MilestoneGranted(_CompleteAttempt):
    """An attempt crossed a milestone on its way; the reward waits in the grant `grantId`."""

    kind: ClassVar[str] = "event.milestone_granted"
    milestone_key: str
    threshold: int
    grant_id: str | None
    granted_at: Timestamp


@shape
class EntryCostCharged(Payload):
    """The cost of a paid event was charged, in one transaction with the attempt that it pays for."""

    kind: ClassVar[str] = "entry_cost.charged"
    event_id: str
    event_key: str
    event_window_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    cost: EntryCost


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

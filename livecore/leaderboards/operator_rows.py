"""Leaderboards on the operators' surface: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Cursor, DefinitionKey, ExternalPlayerId, IdempotencyKey, Limit, Text
from livecore.leaderboards.definition_rows import Aggregation, Order
from livecore.leaderboards.rows import Cohort, EntryRow, LeaderboardRow

_BoardName = Annotated[
    str, Text(1, 64, r"[A-Za-z0-9_.-]+", "must be the id of a leaderboard, or the key of one that the game declares")
]
"""The id of a leaderboard (`lbd_…`), or the key of a shared one, which is its present period."""


@shape
class ListLeaderboards:
    """The shared leaderboards of the game."""


@shape
class GetAnyBoard:
    """A page of a leaderboard: from the first rank on, after a cursor, or `around` a player.

    `division`, `cohort` and `period` (`current` by default) are for a shared leaderboard that is named by its key.
    """

    leaderboard_id: _BoardName
    limit: Limit = 50
    cursor: Cursor | None = None
    around: ExternalPlayerId | None = None
    division: DefinitionKey | None = None
    cohort: Cohort | None = None
    period: Literal["current", "previous"] | None = None


@shape
class RemoveFromBoard:
    """Take a player off a leaderboard; with `exclude` until it is final, without it until the next score."""

    leaderboard_id: _BoardName
    exclude: bool = False
    idempotency_key: IdempotencyKey | None = None


@shape
class RejectionRow:
    """A report or a score that a validator rejected: what the metric would have become, and which limit it was beyond."""

    validator_key: str
    metric: str
    value: int
    limit: float
    reason: str
    rejected_at: Timestamp

    example: ClassVar = {
        "metric": "points",
        "value": 5_000,
        "limit": 100,
        "reason": "points gains more than 100 a second",
    }


@shape
class ExportedRejections:
    """A player's last 20 scores that validators of a shared leaderboard rejected in a period, the newest first."""

    leaderboard_key: str
    period_number: int
    rejections: tuple[RejectionRow, ...]

    example: ClassVar = {"leaderboard_key": "weekly", "period_number": 12}


@shape
class OperatorEntryRow(EntryRow):
    """A participant on a leaderboard, as operators see it.

    `banned` is whether the player is banned now, `flagged` whether a validator has flagged the score. `rejections` are the
    last 20 that a validator rejected, the newest first: of the attempt that the entry shows, or, on a shared leaderboard, of
    the player's scores in the period. Bots and teams have nothing of it.
    """

    banned: bool
    flagged: bool
    rejections: tuple[RejectionRow, ...]


@shape
class OperatorLeaderboardPage:
    """Part of a leaderboard, as operators see it."""

    leaderboard: LeaderboardRow
    entries: tuple[OperatorEntryRow, ...]
    next_cursor: str | None


@shape
class DivisionRow:
    """A division of a shared leaderboard, and how many cohorts it has in the present period (`null` without cohorts)."""

    key: str
    cohorts: int | None


@shape
class SharedLeaderboardRow:
    """A shared leaderboard and its present period; the divisions are listed from the lowest.

    `leaderboardId` and `entryCount` are `null` where the leaderboard is divided, so that it has several of both.
    """

    key: str
    name: str
    reset: Literal["never", "weekly", "monthly"]
    order: Order
    aggregation: Aggregation
    source: Literal["client", "server", "event"]
    event_key: str | None
    cohort_size: int | None
    divisions: tuple[DivisionRow, ...]
    starts_at: Timestamp
    next_reset_at: Timestamp | None
    leaderboard_id: str | None
    entry_count: int | None

    example: ClassVar = {"key": "weekly", "name": "Weekly"}


@shape
class SharedLeaderboards:
    """The shared leaderboards of the game in the order of its configuration."""

    leaderboards: tuple[SharedLeaderboardRow, ...]

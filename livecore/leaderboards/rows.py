"""Leaderboards on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Cursor,
    DefinitionKey,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Int,
    Limit,
    ShownExternalId,
    ShownPlayerId,
)
from livecore.leaderboards.definition_rows import Order, Score

Cohort = Annotated[int, Int(1, 1_000_000_000)]
"""The number of a cohort; the first is 1."""


# -- requests -------------------------------------------------------------------------------------------------------------


@shape
class GetLeaderboard:
    """A page of a shared leaderboard: from the first rank on, after a cursor, or `around` a player."""

    key: DefinitionKey
    limit: Limit = 50
    cursor: Cursor | None = None
    around: ExternalPlayerId | None = None
    division: DefinitionKey | None = None
    cohort: Cohort | None = None
    period: Literal["current", "previous"] = "current"


@shape
class GetEventBoard:
    """A page of an event's leaderboard: from the first rank on, after a cursor, or `around` a player."""

    leaderboard_id: Id
    limit: Limit = 50
    cursor: Cursor | None = None
    around: ExternalPlayerId | None = None


@shape
class GetOwnEntry:
    """A player's own entry on a shared leaderboard."""

    key: DefinitionKey


@shape
class ListFriendsOnBoard:
    """The entries of a player and their friends, the best first."""

    key: DefinitionKey
    limit: Limit = 50


@shape
class FollowBoard:
    """Follow the leaderboard of an event while it changes."""

    leaderboard_id: Id


@shape
class SubmitScore:
    """A score for a shared leaderboard, which takes it by its aggregation."""

    key: DefinitionKey
    score: Score
    idempotency_key: IdempotencyKey | None = None


@shape
class RemoveEntry:
    """Take a player off a shared leaderboard; with `exclude` until it is final, without it until the next score."""

    key: DefinitionKey
    exclude: bool = False
    idempotency_key: IdempotencyKey | None = None


@shape
class RemoveEventEntry:
    """Take a player off the leaderboard of an event; with `exclude` until it is final, without it until the next score."""

    leaderboard_id: Id
    exclude: bool = False
    idempotency_key: IdempotencyKey | None = None


@shape
class RolloverNow:
    """End the present period of a shared leaderboard."""

    leaderboard_key: DefinitionKey
    idempotency_key: IdempotencyKey | None = None


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class LeaderboardRow:
    """A leaderboard: what it ranks, when it began and ends, and how many entries it has."""

    leaderboard_id: str
    key: str
    name: str
    event_key: str | None
    event_window_id: str | None
    lobby_id: str | None
    segment: str | None
    division: str | None
    cohort: int | None
    participant_scope: Literal["player", "team"]
    status: Literal["open", "finalized"]
    order: Order
    starts_at: Timestamp
    ends_at: Timestamp | None
    next_reset_at: Timestamp | None
    entry_count: int

    example: ClassVar = {
        "leaderboard_id": "lbd_00000000000000000000000001",
        "key": "spring-race",
        "name": "Spring race",
    }


@shape
class EntryRow:
    """A participant on a leaderboard, with the identities as they are now. A bot has neither ids nor a country.

    The entry of a team has its id and key and the number of its members, and nothing of a player; a team without a name
    has its key in its place.
    """

    rank: int
    name: str
    score: int
    reached_at: Timestamp
    is_bot: bool
    player_id: ShownPlayerId | None | Absent = ABSENT
    external_player_id: ShownExternalId | None | Absent = ABSENT
    avatar: str | None | Absent = ABSENT
    anonymized_name: str | Absent = ABSENT
    anonymized_avatar: str | None | Absent = ABSENT
    country: str | None | Absent = ABSENT
    event_team_id: str | Absent = ABSENT
    team_key: str | Absent = ABSENT
    member_count: int | Absent = ABSENT

    example: ClassVar = {"rank": 1, "score": 1_200, "name": "Brave Otter"}


@shape
class Standing:
    """A rank and a score before a change."""

    rank: int
    score: int


@shape
class LeaderboardPage:
    """Part of a leaderboard."""

    leaderboard: LeaderboardRow
    entries: tuple[EntryRow, ...]
    next_cursor: str | None


@shape
class OwnEntry:
    """A player's own entry, `null` without a score."""

    leaderboard: LeaderboardRow
    entry: EntryRow | None


@shape
class FriendsOnBoard:
    """The entries of a player and their friends, with their ranks among all."""

    leaderboard: LeaderboardRow
    entries: tuple[EntryRow, ...]


@shape
class Submitted:
    """The entry after a score was taken, and the score and rank that it had before (`null`: none)."""

    entry: EntryRow
    previous: Standing | None


@shape
class ExportedEntry:
    """A player's score on a leaderboard, in the player's export."""

    leaderboard_id: str
    score: int
    reached_at: Timestamp


@shape
class ExportedDivision:
    """A player's division and cohort on a shared leaderboard, now or in the last period in which they had a score.

    `division` and `cohort` are null on a leaderboard without them, `endsAt` where nothing ends the period.
    """

    leaderboard_key: str
    period_number: int
    division: str | None
    cohort: int | None
    leaderboard_id: str
    starts_at: Timestamp | None
    ends_at: Timestamp | None

    example: ClassVar = {"leaderboard_key": "weekly", "period_number": 12, "division": "silver", "cohort": 3}


@shape
class EntryRemoved:
    """Whether there was an entry to remove."""

    removed: bool


@shape
class RolledOver:
    """The period that has ended now, with its number of entries; or, if none has, the present one."""

    leaderboard_key: str
    rolled_over: bool
    period_start: Timestamp
    period_end: Timestamp | None
    entry_count: int
    next_reset_at: Timestamp | None

    example: ClassVar = {"leaderboard_key": "weekly", "entry_count": 2}


# -- messages of a stream -------------------------------------------------------------------------------------------------


@shape
class BoardReady:
    """The stream has begun, or begins again: with `resync` the reader may have missed changes, and reads the board again."""

    leaderboard_id: str
    status: Literal["open", "finalized"]
    entry_count: int
    revision: int
    resync: bool | Absent = ABSENT

    example: ClassVar = {"leaderboard_id": "lbd_00000000000000000000000001", "resync": ABSENT}


@shape
class ScoreUpdate:
    """An entry has changed: the entry as it is since this revision, and its rank before (`null`: none, or not known)."""

    leaderboard_id: str
    revision: int
    entry: EntryRow
    previous_rank: int | None

    example: ClassVar = {"leaderboard_id": "lbd_00000000000000000000000001", "previous_rank": 3}


@shape
class BoardClosed:
    """The stream has ended. After `server_draining` the reader opens it again."""

    leaderboard_id: str
    status: Literal["open", "finalized"]
    reason: Literal["finalized", "lobby_closed", "key_revoked", "server_draining"]

    example: ClassVar = {
        "leaderboard_id": "lbd_00000000000000000000000001", "status": "finalized", "reason": "finalized",
    }  # fmt: skip

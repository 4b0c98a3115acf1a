"""Attempts as they are stored, and whether one takes progress."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from livecore.events.window_records import EventWindow
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.values import keyword_value as record

Status: TypeAlias = Literal["in_progress", "completed", "expired"]


@record
class Attempt:
    """One attempt. `number` counts the player's attempts in the window, `steps` the reports of its progress.

    A merge adds the attempts of both to the number of the one in progress, or else of the one that was started last.

    `sort_key` is the score as the board sorts by it, `None` without progress or once the player was taken off the board;
    `reached_at` is since when the attempt has its score. `rejections` has what validators have rejected
    (`livecore.leaderboards.rejections`).
    """

    attempt_id: str
    player_id: PlayerId
    event_key: str
    event_id: str
    window_id: str
    board_id: str
    lobby_id: str | None = None
    team_id: str | None = None
    segment: str | None = None
    number: int
    status: Status = "in_progress"
    flagged: bool = False
    metrics: JsonText
    milestones: JsonText = JsonText("[]")
    score: int | None = None
    sort_key: int | None = None
    reached_at: Millis | None = None
    steps: int = 0
    started_at: Millis
    ends_at: Millis
    completed_at: Millis | None = None
    frozen_at: Millis | None = None
    rejections: JsonText = JsonText("[]")


@record
class AttemptProgress:
    """One report of progress that was accepted: what was given, as JSON.

    A `forced` one is an operator's, and says the value of the score's metric, also of one that sums.
    """

    attempt_id: str
    number: int
    given: JsonText
    at: Millis
    forced: bool = False


ATTEMPTS = Table(
    "attempts",
    Attempt,
    key=("attempt_id",),
    players={"player_id": PlayerColumn(Merge.REASSIGN, Erase.ANONYMISE, personal=("segment",))},
    export="attempts",
)
OF_PLAYER_AT_EVENT = ATTEMPTS.index("of_player_at_event", prefix=("player_id", "event_key"), order=("started_at",))
COUNTED = ATTEMPTS.index("counted", prefix=("player_id", "event_key"), order=("window_id", "number"))
"""A player's attempts at an event as they are counted: an id of a window sorts by its beginning, and times of starts may be
equal, or fall where the clock was set back."""

OF_PLAYER_BY_STATUS = ATTEMPTS.index("of_player_by_status", prefix=("player_id", "status"), order=("started_at",))
STANDING = ATTEMPTS.index("standing", prefix=("player_id", "board_id"), order=("sort_key", "reached_at"))
"""A player's attempts that could stand on a board, the best first."""
IN_WINDOW = ATTEMPTS.index("in_window", prefix=("window_id", "status"), order=("attempt_id",))
FLAGGED_IN = ATTEMPTS.index("flagged_in", prefix=("window_id", "flagged", "status"), order=("attempt_id",))
SCORED_IN = ATTEMPTS.index("scored_in", prefix=("window_id", "flagged", "status"), order=("sort_key", "reached_at"))
"""Those that could stand on a board of a window, the best first."""
PROGRESS = Table("attempt_progress", AttemptProgress, key=("attempt_id", "number"))
PROGRESS_OF_ATTEMPT = PROGRESS.index("of_attempt", prefix=("attempt_id",), order=("number",))

_NO_MILESTONES: Final = JsonText("[]")


def metrics_of(attempt: Attempt) -> Mapping[str, int]:
    """The values of an attempt's metrics."""
    return _metrics(attempt.metrics)


@lru_cache(maxsize=4_096)
def _metrics(text: JsonText) -> Mapping[str, int]:
    values: dict[str, int] = json.loads(text)
    return values


def milestones_of(attempt: Attempt) -> tuple[str, ...]:
    """The keys of the milestones that an attempt has reached, in their order."""
    return () if attempt.milestones == _NO_MILESTONES else tuple(json.loads(attempt.milestones))


def is_running(attempt: Attempt, window: EventWindow, now: int) -> bool:
    """Whether an attempt takes progress: until its time or its window is over, whether that was noted already or not."""
    return (
        attempt.status == "in_progress" and now < attempt.ends_at and window.status == "active" and now < window.ends_at
    )

"""What a player's timeline shows of events: attempts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, get_args

from livecore.events.attempt_records import OF_PLAYER_BY_STATUS, Attempt, Status
from livecore.events.attempts import reads_of_rows, rows_among
from livecore.kernel.declarations.timeline import TimelineSource, Track, moment
from livecore.kernel.errors import JsonObject
from livecore.kernel.units.unit import Unit


def _attempt(unit: Unit, attempt: Attempt, found: Sequence[Any]) -> JsonObject:
    (shown,) = rows_among(unit, (attempt,), found)
    return {
        "eventKey": shown.event_key,
        "eventWindowId": shown.event_window_id,
        "leaderboardId": shown.leaderboard_id,
        "status": shown.status,
        "score": shown.score,
        "attemptCount": shown.attempt_count,
        "flagged": shown.flagged,
        "endsAt": shown.ends_at.wire,
        "completedAt": moment(attempt.completed_at),
    }


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="attempt",
        about="The player started an attempt at an event, with its state and score now.",
        thing="attempt",
        covers=("attempts",),
        tracks=lambda player_id: [Track(OF_PLAYER_BY_STATUS, (player_id, status)) for status in get_args(Status)],
        further=lambda unit, attempt, _: reads_of_rows(unit, (attempt,)),
        show=_attempt,
    ),
)

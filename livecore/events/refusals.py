"""The refusals of events and leaderboards, in the order of the statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Forbidden, Json, NotFound, Unprocessable

__all__ = [
    "AntiCheatRejected",
    "AttemptLimitReached",
    "AttemptNotCompleted",
    "AttemptNotFound",
    "AttemptNotInProgress",
    "EventNotActive",
    "EventNotFound",
    "ExcludedFromBoard",
    "InsufficientEntryCost",
    "LeaderboardEntryNotFound",
    "LeaderboardFinalized",
    "LeaderboardNotFound",
    "LeaderboardPeriodNotFound",
    "RewardsAlreadyGranted",
    "ScoreSourceForbidden",
]


class ScoreSourceForbidden(Forbidden):
    """The leaderboard takes its scores from another source."""

    code = "score_source_forbidden"
    text = "This leaderboard does not take scores from here."
    remedy = "Submit from where the leaderboard's `source` in the game's configuration says, or change it there."


class ExcludedFromBoard(Forbidden):
    """The player is excluded from the leaderboard until it is final (`details.leaderboardId`)."""

    code = "excluded_from_board"
    text = "This player is excluded from the leaderboard."
    remedy = "Play in the next window or period: the exclusion ends with the leaderboard."
    example: ClassVar[Mapping[str, Json]] = {"leaderboardId": "lbd_00000000000000000000000001"}


class EventNotFound(NotFound):
    """The game declares no such event."""

    code = "event_not_found"
    text = "There is no such event."
    named = "There is no event {}"
    remedy = "Use a key that the game's configuration declares under `events`."


class AttemptNotFound(NotFound):
    """The player has no such attempt at the event."""

    code = "attempt_not_found"
    text = "There is no such attempt."
    named = "There is no attempt {}"
    remedy = "Use the id that starting the attempt gave, with the same player and event."


class LeaderboardNotFound(NotFound):
    """There is no such leaderboard, or not yet."""

    code = "leaderboard_not_found"
    text = "There is no such leaderboard."
    named = "There is no leaderboard {}"
    remedy = (
        "Use a key that the game's configuration declares under `leaderboards`, or the `leaderboardId` of an attempt or "
        "of a window that has opened."
    )


class LeaderboardEntryNotFound(NotFound):
    """The player has no entry on the leaderboard."""

    code = "leaderboard_entry_not_found"
    text = "This player has no entry on the leaderboard."
    named = "The player {} has no entry on the leaderboard"
    remedy = "A player has an entry from the first score on."


class LeaderboardPeriodNotFound(NotFound):
    """The leaderboard has no earlier period."""

    code = "leaderboard_period_not_found"
    text = "This leaderboard has no earlier period."
    remedy = "Read the current period, until the leaderboard has moved to its next one."


class EventNotActive(Conflict):
    """No window of the event is open (`details.nextWindowStartsAt`, or `null`)."""

    code = "event_not_active"
    text = "This event is not open."
    remedy = "Start an attempt while a window of the event is open, from `details.nextWindowStartsAt` on."
    example: ClassVar[Mapping[str, Json]] = {"nextWindowStartsAt": "2026-01-31T09:30:00.000Z"}


class AttemptLimitReached(Conflict):
    """The player has had all attempts of this window (`details.maxAttempts`)."""

    code = "attempt_limit_reached"
    text = "This player has no attempt left in this window."
    remedy = "Wait for the event's next window."
    example: ClassVar[Mapping[str, Json]] = {"maxAttempts": 1}


class InsufficientEntryCost(Conflict):
    """The player cannot pay the entry cost (`details`: the first `resource` that lacks, `needed`, `have`)."""

    code = "insufficient_entry_cost"
    text = "This player cannot pay the entry cost."
    remedy = "Earn what is missing, then start again; nothing was charged."
    example: ClassVar[Mapping[str, Json]] = {"resource": "gold", "needed": 50, "have": 20}


class AttemptNotInProgress(Conflict):
    """The attempt is over (`details.status`)."""

    code = "attempt_not_in_progress"
    text = "This attempt is over."
    remedy = "Start another attempt, if the event allows one."
    example: ClassVar[Mapping[str, Json]] = {"status": "completed"}


class AttemptNotCompleted(Conflict):
    """The attempt is in progress or has expired (`details.status`), so that it wins nothing for being completed."""

    code = "attempt_not_completed"
    text = "This attempt is not completed."
    remedy = "Complete the attempt first, if it is in progress; one that has expired wins nothing."
    example: ClassVar[Mapping[str, Json]] = {"status": "in_progress"}


class RewardsAlreadyGranted(Conflict):
    """Grants are linked to the attempt already (`details.grantIds`: the newest of them)."""

    code = "rewards_already_granted"
    text = "This attempt has been rewarded."
    remedy = "Nothing is rolled twice. If a part of the rewards is missing, grant that part to the player."
    example: ClassVar[Mapping[str, Json]] = {"grantIds": ["019c13c0-0000-7000-8000-000000000001"]}


class LeaderboardFinalized(Conflict):
    """The leaderboard is final, and does not change any more."""

    code = "leaderboard_finalized"
    text = "This leaderboard is final."
    remedy = "Entries can only be removed while the leaderboard is open."


class AntiCheatRejected(Unprocessable):
    """A validator rejected a score, which was not taken (`details`: `validatorKey`, `metricSnapshot`)."""

    code = "anti_cheat_rejected"
    text = "This score is beyond what is possible."
    remedy = "Report progress as it happens; if honest play gives such scores, raise the limit of the validator."
    example: ClassVar[Mapping[str, Json]] = {
        "validatorKey": "speed",
        "metricSnapshot": {
            "metricKey": "points",
            "before": 10,
            "after": 5_000,
            "elapsedSec": 2.5,
            "avgRate": 2_000.0,
            "limit": 100,
        },
    }

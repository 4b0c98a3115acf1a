"""Why requests about leaderboards are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Forbidden, Json, NotFound, Unprocessable


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

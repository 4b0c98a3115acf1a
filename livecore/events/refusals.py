"""The refusals of events and leaderboards, in the order of the statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Json, NotFound


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


class AttemptFrozen(Conflict):
    """The session of the player's lobby has ended early (`details`: `lobbyId`, `frozenAt`)."""

    code = "attempt_frozen"
    text = "The session has ended; this attempt stays as it is."
    remedy = "Read the leaderboard: the attempt keeps its rank, and what the rank wins comes when the board is final."
    example: ClassVar[Mapping[str, Json]] = {
        "lobbyId": "lob_00000000000000000000000001",
        "frozenAt": "2026-01-31T09:30:00.000Z",
    }


class EventWindowNotFound(NotFound):
    """The event has no such window."""

    code = "event_window_not_found"
    text = "This event has no such window."
    named = "The event has no window {}"
    remedy = "Use the id of a window that `events.list` or a webhook of the event names."

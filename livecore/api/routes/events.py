"""Events and attempts, on all surfaces."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.access.refusals import TestEnvironmentOnly
from livecore.api.table.admin_routes import member_read, member_write
from livecore.api.table.operation import Answer, Link, Operation, OperationSteps
from livecore.api.table.player_routes import SDK
from livecore.events import (
    attempts,
    forcing,
    listing,
    operator_attempts,
    operator_rows,
    operator_windows,
    progressing,
    rows,
    starting,
    window_closing,
)
from livecore.events.format import EventFormat
from livecore.events.refusals import (
    AttemptFrozen,
    AttemptLimitReached,
    AttemptNotCompleted,
    AttemptNotFound,
    AttemptNotInProgress,
    EventNotActive,
    EventNotFound,
    EventWindowNotFound,
    InsufficientEntryCost,
    RewardsAlreadyGranted,
)
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import NotYet
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.refusals import AntiCheatRejected, ExcludedFromBoard
from livecore.players.refusals import PlayerNotFound, PlayerSecretInvalid


def _start(unit: Unit, args: rows.StartAttempt) -> Answer | NotYet:
    begun = starting.start(unit, args)
    if isinstance(begun, NotYet):
        return begun
    fresh, started = begun
    return Answer(201 if fresh else 200, started)


def _as_played(row: Operation, areas: Areas) -> Operation:
    """The operation with what the formats of events refuse it with."""
    further = (kind for one in areas.provided(EventFormat) for kind in one.refusals.get(row.name, ()))
    return attrs.evolve(row, errors=tuple(dict.fromkeys((*row.errors, *further))), over=None)


_PLAYED: Final[tuple[Operation, ...]] = (
    attrs.evolve(
        SDK.read(
            "events.list",
            "/events",
            rows.ListEvents,
            rows.EventsList,
            listing.list_events,
            PlayerSecretInvalid,
            summary="List the game's events.",
            about=(
                "Each with the window that is open, the next one, its rules, costs and rewards. With the player's secret "
                "each also has `attempt`, the player's newest in the open window."
            ),
            links={200: (Link("events.start", "key", "events/0/eventKey"),)},
        ),
        credential="client_key",
        recognises=True,
    ),
    SDK.write(
        "events.start",
        "POST /events/{key}/start",
        rows.StartAttempt,
        {201: rows.Started, 200: rows.Started},
        _start,
        EventNotFound,
        EventNotActive,
        ExcludedFromBoard,
        AttemptLimitReached,
        AttemptFrozen,
        InsufficientEntryCost,
        summary="Start an attempt at an event.",
        about=(
            "The entry cost is charged with it. While an attempt is running, the answer is that attempt (200), and nothing "
            "is charged. `player_context` is kept as the player's latest; its `country` counts as the player's, and a "
            "leaderboard by segment reads the segment from it. At an event with lobbies the answer is 202 `lobby_forming` "
            "until the player's lobby has started: then start again. Nothing is charged before."
        ),
        links={201: (Link("events.progress", "attemptId", "attempt/attemptId"),)},
    ),
    SDK.write(
        "events.progress",
        "POST /events/{key}/attempts/{attemptId}/progress",
        rows.ReportProgress,
        {200: rows.Progressed},
        progressing.progress,
        EventNotFound,
        AttemptNotFound,
        ExcludedFromBoard,
        AttemptNotInProgress,
        AttemptFrozen,
        AntiCheatRejected,
        summary="Report progress of an attempt.",
        about=(
            "`metrics` has 1 to 20 values by the keys of the event's metrics: for a metric that sums what is added, for the "
            "others the value. All of them are taken or none. The answer has the milestones that were reached by it, and "
            "the player's rank; an attempt that reaches the target is completed."
        ),
        links={200: (Link("events.getAttempt", "attemptId", "attempt/attemptId"),)},
    ),
    SDK.read(
        "events.listAttempts",
        "/events/{key}/attempts",
        rows.ListAttempts,
        rows.Attempts,
        attempts.list_attempts,
        EventNotFound,
        summary="List one's attempts at an event.",
        about="A page of at most `limit` (1 to 200), newest first, of all windows.",
        links={200: (Link("events.getAttempt", "attemptId", "attempts/0/attemptId"),)},
    ),
    SDK.read(
        "events.getAttempt",
        "/events/{key}/attempts/{attemptId}",
        rows.GetAttempt,
        rows.AttemptView,
        progressing.get_attempt,
        EventNotFound,
        AttemptNotFound,
        summary="Read one of one's attempts.",
        about="With the player's rank on its leaderboard, once it has made progress.",
    ),
    Operation(
        name="dev.endWindow",
        surface="server",
        method="POST",
        path="/server/v1/dev/events/{eventKey}/end-now",
        credential="server_key",
        bucket="server_api",
        args=rows.EndWindow,
        answers={200: rows.WindowEnded},
        handler=window_closing.end_now,
        summary="End the open window of an event at once.",
        about=(
            "Only in the test environment. Attempts expire, leaderboards are finalized and ranks are paid as at the end of "
            "its time, a few at a time, and others are served in between; of a very large window the rest follows in the "
            "background, and the figures say what was done until the answer. Without an open window nothing happens."
        ),
        errors=(TestEnvironmentOnly, EventNotFound),
        writes=True,
        keyed=True,
        steps=OperationSteps(lambda args: (args,), window_closing.ended_now, lambda step: step.rest),
    ),
)

_WINDOW: Final = "/events/{eventKey}/windows/{windowId}"
_OPERATED: Final[tuple[Operation, ...]] = (
    member_read(
        "events.list",
        "/events",
        operator_rows.ListAllEvents,
        operator_rows.EventsGiven,
        operator_windows.list_events,
        permission="event.read",
        summary="List the game's events.",
        about="Each with the window that is open, the next one, its rules, and the attempts of the open window by state.",
    ),
    member_read(
        "events.get",
        "/events/{eventKey}",
        operator_rows.GetEvent,
        operator_rows.EventGiven,
        operator_windows.get_event,
        EventNotFound,
        permission="event.read",
        summary="Read an event.",
    ),
    member_read(
        "events.windows",
        "/events/{eventKey}/windows",
        operator_rows.ListWindows,
        operator_rows.WindowsPage,
        operator_windows.list_windows,
        EventNotFound,
        permission="event.read",
        summary="List the windows of an event.",
        about=(
            "The latest first: up to ten that are still to come, the open one, and all of the past, at most `limit` (1 to "
            "200) from `cursor` on. Also those of an event that the game does not declare any more."
        ),
    ),
    member_read(
        "events.getWindow",
        _WINDOW,
        operator_rows.GetWindow,
        operator_rows.WindowGiven,
        operator_windows.get_window,
        EventNotFound,
        EventWindowNotFound,
        permission="event.read",
        summary="Read a window of an event.",
        about="With the number of its attempts and lobbies by state, and of its teams.",
    ),
    member_read(
        "attempts.listOfWindow",
        f"{_WINDOW}/attempts",
        operator_rows.ListAttemptsOfWindow,
        operator_rows.AttemptsPage,
        operator_attempts.list_of_window,
        EventNotFound,
        EventWindowNotFound,
        permission="attempt.read",
        summary="List the attempts of a window.",
        about=(
            "By `state`, `flagged` and `player`; newest first, or by `score`, without those that are on no leaderboard. "
            "Of a player the last 1,000 are looked through."
        ),
    ),
    member_read(
        "attempts.listOfPlayer",
        "/players/{externalId}/attempts",
        operator_rows.ListAttemptsOfPlayer,
        operator_rows.AttemptsPage,
        operator_attempts.list_of_player,
        PlayerNotFound,
        subject="existing",
        permission="attempt.read",
        summary="List a player's attempts.",
        about="At all events, newest first, at most `limit` (1 to 200) from `cursor` on.",
    ),
    member_read(
        "attempts.get",
        "/attempts/{attemptId}",
        operator_rows.GetAnyAttempt,
        operator_rows.AttemptGiven,
        operator_attempts.get_attempt,
        AttemptNotFound,
        permission="attempt.read",
        summary="Read an attempt.",
        about="With its player, the player's rank, and the newest 200 grants that are linked to it.",
    ),
    member_write(
        "attempts.forceComplete",
        "POST /attempts/{attemptId}/force-complete",
        operator_rows.ForceComplete,
        {200: operator_rows.AttemptGiven},
        forcing.force_complete,
        AttemptNotFound,
        PlayerNotFound,
        AttemptFrozen,
        AttemptNotInProgress,
        permission="attempt.force_complete",
        target=("attempt", "attemptId"),
        summary="Complete an attempt that is in progress.",
        about=(
            "`score` replaces the score of the attempt; without it the score stays. The leaderboard, the shared "
            "leaderboards that the event feeds, the team and the session of the lobby follow, as they do when a player "
            "reaches the target. Nothing is granted: milestones that the score reaches are noted, and "
            "`attempts.retryRewardRoll` grants them with what completing wins. No validator is asked."
        ),
    ),
    member_write(
        "attempts.retryRewardRoll",
        "POST /attempts/{attemptId}/retry-reward-roll",
        operator_rows.RetryRewardRoll,
        {200: operator_rows.RewardsRolled},
        forcing.retry_reward_roll,
        AttemptNotFound,
        PlayerNotFound,
        AttemptNotCompleted,
        RewardsAlreadyGranted,
        permission="grant.retry_reward_roll",
        target=("attempt", "attemptId"),
        summary="Grant what a completed attempt has won.",
        about=(
            "For the milestones that it has reached and for being completed, as the event's window has it. Refused once any "
            "grant is linked to the attempt, a milestone's too, so that nothing is paid twice."
        ),
    ),
)

OPERATIONS: Final[tuple[Operation, ...]] = tuple(attrs.evolve(row, over=_as_played) for row in (*_PLAYED, *_OPERATED))
"""Operations of players and of the studio's backend, and those of the studio's members."""

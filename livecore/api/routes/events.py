"""Events and attempts, on both surfaces."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.access.refusals import TestEnvironmentOnly
from livecore.api.operation import Answer, Link, Operation
from livecore.api.player_routes import SDK
from livecore.competition import attempts, closing, listing, progressing, starting
from livecore.competition import event_rows as rows
from livecore.competition.refusals import (
    AntiCheatRejected,
    AttemptLimitReached,
    AttemptNotFound,
    AttemptNotInProgress,
    EventNotActive,
    EventNotFound,
    InsufficientEntryCost,
)
from livecore.kernel.unit import Unit
from livecore.lobbies.refusals import AttemptFrozen, LobbyForming
from livecore.players.refusals import PlayerSecretInvalid
from livecore.teams.refusals import TeamRequired

__all__ = ["OPERATIONS"]


def _start(unit: Unit, args: rows.StartAttempt) -> Answer | LobbyForming:
    begun = starting.start(unit, args)
    if isinstance(begun, LobbyForming):
        return begun
    fresh, started = begun
    return Answer(201 if fresh else 200, started)


OPERATIONS: Final[tuple[Operation, ...]] = (
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
        AttemptLimitReached,
        TeamRequired,
        LobbyForming,
        AttemptFrozen,
        InsufficientEntryCost,
        ahead=starting.start_ahead,
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
        AttemptNotInProgress,
        AttemptFrozen,
        AntiCheatRejected,
        ahead=progressing.progress_ahead,
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
        ahead=attempts.list_ahead,
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
        ahead=progressing.get_attempt_ahead,
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
        handler=closing.end_now,
        summary="End the open window of an event at once.",
        about=(
            "Only in the test environment. Attempts expire, leaderboards are finalized and ranks are paid as at the end of "
            "its time; of a very large window the rest follows in the background. Without an open window nothing happens."
        ),
        errors=(TestEnvironmentOnly, EventNotFound),
        writes=True,
        keyed=True,
    ),
)

"""Leaderboards on both surfaces."""

from __future__ import annotations

from typing import Final

from livecore.access.refusals import TestEnvironmentOnly
from livecore.api.operation import EventStream, Operation
from livecore.api.player_routes import SDK, SERVER
from livecore.competition import board_rows as rows
from livecore.competition import event_boards, rollover, shared_reading, shared_scores, streaming
from livecore.competition.refusals import (
    AntiCheatRejected,
    LeaderboardEntryNotFound,
    LeaderboardFinalized,
    LeaderboardNotFound,
    LeaderboardPeriodNotFound,
    ScoreSourceForbidden,
)
from livecore.kernel.errors import Overloaded

__all__ = ["OPERATIONS"]

_TAKEN: Final = (
    "The leaderboard takes `score` by its aggregation: it is added, or the best, the lowest or the last one stands. The "
    "answer has the entry with its rank, and where it stood before."
)

OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="leaderboards.get",
        surface="sdk",
        method="GET",
        path="/sdk/v1/leaderboards/{key}",
        credential="client_key",
        bucket="sdk_read",
        args=rows.GetLeaderboard,
        answers={200: rows.LeaderboardPage},
        handler=shared_reading.get_leaderboard,
        summary="Read a shared leaderboard.",
        about=(
            "A page of at most `limit` (1 to 200) entries, from the first rank on, after `cursor`, or with the player "
            "`around` in its middle. `period` is `current`, or `previous` for the one that ended last. Without `division` "
            "it is the lowest one, without `cohort` the first. Ranks have no ties: who reached a score first stands before "
            "the others."
        ),
        errors=(LeaderboardNotFound, LeaderboardPeriodNotFound, LeaderboardEntryNotFound),
    ),
    Operation(
        name="leaderboards.getEvent",
        surface="sdk",
        method="GET",
        path="/sdk/v1/event-leaderboards/{leaderboardId}",
        credential="client_key",
        bucket="sdk_read",
        args=rows.GetEventBoard,
        answers={200: rows.LeaderboardPage},
        handler=event_boards.get_event_board,
        ahead=event_boards.get_event_board_ahead,
        summary="Read a leaderboard by its id.",
        about=(
            "A page of at most `limit` (1 to 200) entries from the first rank on, after a `cursor`, or with `around` a "
            "player in its middle. Ranks have no ties: of equal scores the one that was reached first is better."
        ),
        errors=(LeaderboardNotFound, LeaderboardEntryNotFound),
    ),
    SDK.read(
        "leaderboards.getOwn",
        "/leaderboards/{key}",
        rows.GetOwnEntry,
        rows.OwnEntry,
        shared_reading.get_own,
        LeaderboardNotFound,
        ahead=shared_reading.own_ahead,
        summary="Read one's own entry on a shared leaderboard.",
        about=(
            "In the present period; `null` before the first score in it. The leaderboard is that of the player's own "
            "division and cohort, or of those that the player would enter now."
        ),
    ),
    SDK.read(
        "leaderboards.friends",
        "/leaderboards/{key}/friends",
        rows.ListFriendsOnBoard,
        rows.FriendsOnBoard,
        shared_reading.list_friends_on_board,
        LeaderboardNotFound,
        ahead=shared_reading.list_friends_ahead,
        summary="List oneself and one's friends on a shared leaderboard.",
        about=(
            "At most `limit` (1 to 200) entries, the best first, each with its rank among all. Friends in another division "
            "or cohort stand on another leaderboard, and are not among them."
        ),
    ),
    SDK.write(
        "leaderboards.submit",
        "POST /leaderboards/{key}/scores",
        rows.SubmitScore,
        {200: rows.Submitted},
        shared_scores.submit_own,
        LeaderboardNotFound,
        ScoreSourceForbidden,
        AntiCheatRejected,
        ahead=shared_scores.score_ahead,
        summary="Submit a score to a shared leaderboard.",
        about=f"{_TAKEN} Only where the leaderboard's `source` is `client`.",
    ),
    SERVER.write(
        "leaderboards.submit",
        "POST /leaderboards/{key}/scores",
        rows.SubmitScore,
        {200: rows.Submitted},
        shared_scores.submit_as_server,
        LeaderboardNotFound,
        ScoreSourceForbidden,
        AntiCheatRejected,
        ahead=shared_scores.score_ahead,
        summary="Submit a player's score to a shared leaderboard.",
        about=f"{_TAKEN} Not where an event feeds the leaderboard.",
    ),
    SERVER.write(
        "leaderboards.removeEntry",
        "DELETE /leaderboards/{key}",
        rows.RemoveEntry,
        {200: rows.EntryRemoved},
        shared_scores.remove_shared_entry,
        LeaderboardNotFound,
        ahead=shared_scores.score_ahead,
        summary="Take a player off a shared leaderboard.",
        about="Off the present period; entries of earlier periods stay. A later score puts the player on it again.",
    ),
    SERVER.write(
        "leaderboards.removeEventEntry",
        "DELETE /event-leaderboards/{leaderboardId}",
        rows.RemoveEventEntry,
        {200: rows.EntryRemoved},
        event_boards.remove_event_entry,
        LeaderboardNotFound,
        LeaderboardFinalized,
        summary="Take a player off an event's leaderboard.",
        about=(
            "The player's attempt has expired then, and counts towards the limit of attempts. Nothing happens where the "
            "player has no entry."
        ),
    ),
    Operation(
        name="dev.rolloverNow",
        surface="server",
        method="POST",
        path="/server/v1/dev/leaderboards/{leaderboardKey}/rollover-now",
        credential="server_key",
        bucket="server_api",
        args=rows.RolloverNow,
        answers={200: rows.RolledOver},
        handler=rollover.rollover_now,
        summary="End the present period of a shared leaderboard, in the test environment.",
        about=(
            "The period ends at this moment, its rewards are paid, and the next one runs to the regular reset. Nothing "
            "happens in a period without a score, or on a leaderboard that never begins anew: then `rolledOver` is "
            "false. The rewards of a large leaderboard are paid shortly after the answer."
        ),
        errors=(TestEnvironmentOnly, LeaderboardNotFound),
        writes=True,
        keyed=True,
    ),
    Operation(
        name="leaderboards.stream",
        surface="sdk",
        method="GET",
        path="/sdk/v1/event-leaderboards/{leaderboardId}/stream",
        credential="client_key",
        bucket="sdk_read",
        args=rows.FollowBoard,
        answers={200: EventStream},
        messages={"ready": rows.BoardReady, "score_update": rows.ScoreUpdate, "closed": rows.BoardClosed},
        handler=streaming.follow_board,
        summary="Follow the leaderboard of an event while it changes.",
        about=(
            "First `ready`, then a `score_update` for each change, and at last `closed`. The id of a message is its "
            "revision: a reader that comes back with `Last-Event-ID` is given what has changed since, or `ready` with "
            "`resync`, and then reads the leaderboard again. Where missed changes follow, `ready` still has the id that the "
            "reader gave. `ready` with `resync` also comes when an entry was removed."
        ),
        errors=(LeaderboardNotFound, Overloaded),
    ),
)

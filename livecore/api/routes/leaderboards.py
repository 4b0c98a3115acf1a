"""Leaderboards on all surfaces."""

from __future__ import annotations

from typing import Final

from livecore.access.refusals import TestEnvironmentOnly
from livecore.api.table.admin_routes import as_admin, member_read, member_write
from livecore.api.table.operation import EventStream, Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.events import boards as event_boards
from livecore.events import operator_boards, operator_rows, operator_windows
from livecore.events.refusals import EventNotFound, EventWindowNotFound
from livecore.kernel.errors import Overloaded
from livecore.leaderboards import operating, rollover, rows, shared_reading, streaming
from livecore.leaderboards import operator_rows as board_operator_rows
from livecore.leaderboards import scores as shared_scores
from livecore.leaderboards.refusals import (
    AntiCheatRejected,
    ExcludedFromBoard,
    LeaderboardEntryNotFound,
    LeaderboardFinalized,
    LeaderboardNotFound,
    LeaderboardPeriodNotFound,
    ScoreSourceForbidden,
)
from livecore.players.refusals import PlayerNotFound

_TAKEN: Final = (
    "The leaderboard takes `score` by its aggregation: it is added, or the best, the lowest or the last one is kept. The "
    "answer has the entry with its rank, and the rank that it had before."
)
_EXCLUDED: Final = "starting, progress and scores of the player there are refused with `excluded_from_board`"

_RANKED: Final[tuple[Operation, ...]] = (
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
            "it is the lowest one, without `cohort` the first. Ranks have no ties: of equal scores, the one that "
            "was reached first has the better rank."
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
        summary="List oneself and one's friends on a shared leaderboard.",
        about=(
            "At most `limit` (1 to 200) entries, the best first, each with its rank among all. Friends in another division "
            "or cohort are on another leaderboard, and not among them."
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
        ExcludedFromBoard,
        AntiCheatRejected,
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
        ExcludedFromBoard,
        AntiCheatRejected,
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
        summary="Take a player off a shared leaderboard.",
        about=(
            "Off the present period; entries of earlier periods stay. A later score puts the player on it again, unless "
            f"`exclude` is true: {_EXCLUDED} for the rest of the period."
        ),
    ),
    SERVER.write(
        "leaderboards.removeEventEntry",
        "DELETE /event-leaderboards/{leaderboardId}",
        rows.RemoveEventEntry,
        {200: rows.EntryRemoved},
        event_boards.remove_event_entry,
        LeaderboardNotFound,
        LeaderboardEntryNotFound,
        LeaderboardFinalized,
        summary="Take a player off an event's leaderboard.",
        about=(
            "The player's attempt has expired then, and counts towards the limit of attempts. Nothing happens where the "
            f"player has no entry. If `exclude` is true, {_EXCLUDED} until the leaderboard is final, with or without an "
            "entry; on a leaderboard of teams, which has no players, that is refused."
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
            "happens in a period without a score, or on a leaderboard that never resets: then `rolledOver` is "
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

_OPERATED: Final[tuple[Operation, ...]] = (
    member_read(
        "leaderboards.list",
        "/leaderboards",
        board_operator_rows.ListLeaderboards,
        board_operator_rows.SharedLeaderboards,
        operating.list_leaderboards,
        permission="leaderboard.read",
        summary="List the shared leaderboards of the game.",
        about="Each with its present period, its divisions and their cohorts.",
    ),
    member_read(
        "leaderboards.listOfWindow",
        "/events/{eventKey}/windows/{windowId}/leaderboards",
        operator_rows.ListLeaderboardsOfWindow,
        operator_rows.LeaderboardsOfWindow,
        operator_windows.list_leaderboards_of_window,
        EventNotFound,
        EventWindowNotFound,
        permission="leaderboard.read",
        summary="List the leaderboards of a window.",
        about="That of the window, or those of its segments, lobbies and teams, in pages of at most `limit` (1 to 200).",
    ),
    member_read(
        "leaderboards.get",
        "/leaderboards/{leaderboardId}",
        board_operator_rows.GetAnyBoard,
        board_operator_rows.OperatorLeaderboardPage,
        operator_boards.get_board,
        LeaderboardNotFound,
        LeaderboardPeriodNotFound,
        LeaderboardEntryNotFound,
        permission="leaderboard.read",
        summary="Read a leaderboard, by its id or its key.",
        about=(
            "A page of at most `limit` (1 to 200) entries, from the first rank on, after `cursor`, or with the player "
            "`around` in its middle. A shared leaderboard may be named by its key; then `period` is `current` or "
            "`previous`, and without `division` it is the lowest one, without `cohort` the first. Entries say who is "
            "`banned`, which score is `flagged`, and what was rejected."
        ),
    ),
    member_write(
        "leaderboards.removeEntry",
        "DELETE /leaderboards/{leaderboardId}/players/{externalId}",
        board_operator_rows.RemoveFromBoard,
        {200: rows.EntryRemoved},
        operator_boards.remove_from_board,
        PlayerNotFound,
        LeaderboardNotFound,
        LeaderboardEntryNotFound,
        LeaderboardFinalized,
        subject="existing",
        permission="leaderboard.remove_entry",
        target=("leaderboard", "leaderboardId"),
        summary="Take a player off a leaderboard.",
        about=(
            "By the leaderboard's id, or by the key of a shared one, which is its present period. At an event the player's "
            "attempt has expired then, and counts towards the limit of attempts; on a shared leaderboard a later score puts "
            f"the player on it again. If `exclude` is true, {_EXCLUDED} until the leaderboard is final, with or without an "
            "entry; that is refused on a leaderboard which is not the player's: of teams, or of another division or cohort. "
            "Otherwise nothing happens where the player has no entry."
        ),
    ),
    *(
        as_admin(row, "leaderboard.read", "/leaderboards/{leaderboardId}/stream")
        for row in _RANKED
        if row.name == "leaderboards.stream"
    ),
)

OPERATIONS: Final[tuple[Operation, ...]] = (*_RANKED, *_OPERATED)
"""Operations of players and of the studio's backend, and those of the studio's members."""

"""Leaderboards, on both surfaces."""

from __future__ import annotations

from typing import Final

from livecore.api.operation import Link, Operation
from livecore.api.player_routes import SERVER
from livecore.competition import board_rows as rows
from livecore.competition import event_boards
from livecore.competition.refusals import LeaderboardEntryNotFound, LeaderboardFinalized, LeaderboardNotFound

__all__ = ["OPERATIONS"]


OPERATIONS: Final[tuple[Operation, ...]] = (
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
        links={200: (Link("leaderboards.getEvent", "leaderboardId", "leaderboard/leaderboardId"),)},
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
)

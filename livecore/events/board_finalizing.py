"""A board of a window that becomes final."""

from __future__ import annotations

from typing import Literal

from livecore.events.webhook_events import LeaderboardFinalized
from livecore.events.window_records import EventWindow
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import ABSENT
from livecore.leaderboards.boards import Leaderboard, finalize
from livecore.leaderboards.rank_rewards import top_ranks


def finalize_event_board(
    unit: Unit,
    window: EventWindow,
    board: Leaderboard,
    *,
    ends_at: Millis,
    closed: Literal["finalized", "lobby_closed"] = "finalized",
) -> Leaderboard:
    """Make a board of a window final, and emit its first ranks; its ranks are paid afterwards."""
    board = finalize(unit, board, ends_at=ends_at, closed=closed)
    unit.emit(
        LeaderboardFinalized(
            leaderboard_id=board.board_id,
            event_id=window.event_id,
            event_key=window.event_key,
            event_window_id=window.window_id,
            lobby_id=board.lobby_id,
            status="finalized",
            starts_at=Timestamp(board.starts_at),
            ends_at=Timestamp(ends_at),
            entry_count=board.entry_count or 0,
            top_ranks=top_ranks(unit, board),
            finalized_at=Timestamp(unit.now),
            participant_scope="team" if board.participants == "team" else ABSENT,
        )
    )
    return board

"""What a ban means for leaderboards: who is banned when a board's time ends is left out of it, and the ranks close up.

An entry on an open board stays where it is, and says since when its player is banned. A ban, its end and a merge bring that
up to date, on boards that are open only: of a board whose time is over nothing changes any more, whether its close has begun
or not. So the players whom the close leaves out are known from that moment on, however long the close takes, and whoever is
banned or forgiven meanwhile.

A board of teams has no players: a team stays, and is paid as a team.
"""

from __future__ import annotations

from collections.abc import Iterator

from livecore.competition.boards import BOARDS, ENTRIES, ENTRIES_OF_PLAYER, BoardEntry, Leaderboard
from livecore.competition.divisions import board_now
from livecore.competition.periods import PERIODS
from livecore.competition.windows import WINDOWS, is_over
from livecore.kernel.reads import Get
from livecore.kernel.records import evolve
from livecore.kernel.store import Wanted
from livecore.kernel.unit import Unit
from livecore.lobbies.lobby import LOBBIES
from livecore.lobbies.sessions import elapsed_due
from livecore.players.player import by_id

__all__ = ["is_final_now", "note_ban"]


def note_ban(unit: Unit, player_id: str) -> None:
    """Have the player's entries on open boards say whether, and since when, the player is banned.

    Of an entry on a board that is final only the board is read: a player may have very many of them.
    """
    banned_at = by_id(unit, player_id).banned_at
    differing = [entry for entry in unit.tx.scan(ENTRIES_OF_PLAYER, player_id) if _differs(entry, banned_at)]
    unit.tx.prefetch(Get(BOARDS, (entry.board_id,)) for entry in differing)
    on_open = [
        (entry, board)
        for entry in differing
        if (board := unit.tx.get(BOARDS, entry.board_id)) is not None and board.finalized_at is None
    ]
    unit.tx.prefetch(wanted for _, board in on_open for wanted in _end_ahead(board))
    for entry, board in on_open:
        if not is_final_now(unit, board):
            unit.tx.put(ENTRIES, evolve(entry, banned_at=banned_at))


def _differs(entry: BoardEntry, banned_at: int | None) -> bool:
    return entry.sort_key is not None and entry.banned_at != banned_at


def _end_ahead(board: Leaderboard) -> Iterator[Wanted]:
    """The reads of `is_final_now`, to announce them."""
    if board.kind == "shared":
        yield Get(PERIODS, (board.period_id,))
        return
    yield Get(WINDOWS, (board.window_id,))
    if board.lobby_id is not None:
        yield Get(LOBBIES, (board.lobby_id,))


def is_final_now(unit: Unit, board: Leaderboard) -> bool:
    """Whether nothing of a board changes any more but by its close: its time is over, whether due work has run or not."""
    if board.finalized_at is not None:
        return True
    if board.kind == "shared":
        return board_now(unit, board).finalized_at is not None
    if board.lobby_id is not None:
        # Its session may be over, although due work has not noted that yet.
        elapsed_due(unit, board.lobby_id)
        board = unit.tx.get(BOARDS, board.board_id) or board
    window = unit.tx.get(WINDOWS, board.window_id)
    return board.finalized_at is not None or window is None or is_over(unit, window)

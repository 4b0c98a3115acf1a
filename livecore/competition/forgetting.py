"""What an erasure removes of boards: the segment of a board on which nobody else stands.

A segment is a value of the context that a game has sent for its players, and boards show it. Where the erased player was the
only one in it, it says something of nobody else. A country stays, because it is no text of a player's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from livecore.competition.attempts import OF_PLAYER_BY_STATUS, Status
from livecore.competition.boards import BOARDS, BY_RANK, BoardEntry, Leaderboard
from livecore.competition.event_boards import NO_SEGMENT
from livecore.competition.windows import WINDOWS, definition_of
from livecore.kernel.player_lifecycle import Erasing
from livecore.kernel.reads import Get
from livecore.kernel.records import evolve
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS

__all__ = ["forget_segments"]

_AT_ONCE: Final = 100


def forget_segments(unit: Unit, erasing: Erasing) -> None:
    """Empty the segments of the boards on which the player was alone."""
    attempts = (
        attempt
        for status in get_args(Status)
        for attempt in unit.tx.scan(OF_PLAYER_BY_STATUS, erasing.player_id, status)
    )
    for board_id in sorted({attempt.board_id for attempt in attempts if attempt.segment not in {None, NO_SEGMENT}}):
        board = unit.tx.get(BOARDS, board_id)
        if board is not None and _is_text_of_player(unit, board) and not _has_others(unit, board):
            unit.tx.put(BOARDS, evolve(board, segment=None))


def _is_text_of_player(unit: Unit, board: Leaderboard) -> bool:
    window = None if board.segment is None else unit.tx.get(WINDOWS, board.window_id)
    return window is not None and definition_of(window).board.segment != "country"


def _has_others(unit: Unit, board: Leaderboard) -> bool:
    """Whether anybody who was not erased stands on a board."""
    return any(_is_somebody(unit, entry) for entry in _standing(unit, board.board_id))


def _is_somebody(unit: Unit, entry: BoardEntry) -> bool:
    player = None if entry.player_id is None else unit.tx.get(PLAYERS, entry.player_id)
    return player is not None and player.erased_at is None


def _standing(unit: Unit, board_id: str) -> Iterator[BoardEntry]:
    after = None
    while entries := unit.tx.scan(BY_RANK, board_id, after=after, limit=_AT_ONCE):
        unit.tx.prefetch(Get(PLAYERS, (entry.player_id,)) for entry in entries if entry.player_id is not None)
        yield from entries
        after = BY_RANK.place_of(entries[-1])

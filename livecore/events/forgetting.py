"""What an erasure removes of boards: the segment of a board on which nobody else stands.

A segment is a value of the context that a game has sent for its players, and boards show it. Where the erased player was the
only one in it, it says something of nobody else. A country stays, because it is no text of a player's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, get_args

from livecore.events.attempt_records import OF_PLAYER_BY_STATUS, Status
from livecore.events.solo import NO_SEGMENT
from livecore.events.window_records import WINDOWS, EventWindow, definition_of
from livecore.kernel.declarations.player_lifecycle import Erasing
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, BY_RANK, BoardEntry, Leaderboard
from livecore.players.player import player_reads

_AT_ONCE: Final = 100


def forget_segments(unit: Unit, erasing: Erasing) -> None:
    """Empty the segments of the boards on which the player was alone."""
    attempts = unit.tx.scan_all(Scan(OF_PLAYER_BY_STATUS, (erasing.player_id, status)) for status in get_args(Status))
    board_ids = sorted({attempt.board_id for attempt in attempts if attempt.segment not in {None, NO_SEGMENT}})
    found = unit.tx.read_all(Get(BOARDS, (board_id,)) for board_id in board_ids)
    boards = [board for board in found if board is not None and board.segment is not None]
    windows = unit.tx.read_all(Get(WINDOWS, (board.window_id,)) for board in boards)
    texts = [board for board, window in zip(boards, windows, strict=True) if _is_text_of_player(window)]
    for board in _without_others(unit, texts):
        unit.tx.put(BOARDS, evolve(board, segment=None))


def _is_text_of_player(window: EventWindow | None) -> bool:
    return window is not None and definition_of(window).board.segment != "country"


def _without_others(unit: Unit, boards: Sequence[Leaderboard]) -> list[Leaderboard]:
    """Those of the boards on which nobody stands who was not erased.

    Mostly the first entry of a board decides. So of many boards few entries each are read together, and more of those that
    are left.
    """
    alone: list[Leaderboard] = []
    left: list[tuple[Leaderboard, Key | None]] = [(board, None) for board in boards]
    while left:
        limit = max(1, _AT_ONCE // len(left))
        pages = unit.tx.read_all(Scan(BY_RANK, (board.board_id,), after=after, limit=limit) for board, after in left)
        somebody = _somebody(unit, [entry for page in pages for entry in page])
        undecided = [
            (board, page)
            for (board, _), page in zip(left, pages, strict=True)
            if not any(entry.player_id in somebody for entry in page)
        ]
        alone += [board for board, page in undecided if len(page) < limit]
        left = [(board, BY_RANK.position_of(page[-1])) for board, page in undecided if len(page) == limit]
    return alone


def _somebody(unit: Unit, entries: Sequence[BoardEntry]) -> set[str]:
    """The ids of the players of these entries who were not erased."""
    player_ids = dict.fromkeys(entry.player_id for entry in entries if entry.player_id is not None)
    players = unit.tx.read_all(player_reads(player_ids))
    return {player.player_id for player in players if player is not None and player.erased_at is None}

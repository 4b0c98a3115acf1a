"""Lobbies that nobody played in are removed once their window is closed.

A lobby goes with its board, on which there is nothing but entries of who was excluded from it.
"""

from __future__ import annotations

from livecore.events.format import ClosingStep
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, ENTRIES, REMOVED
from livecore.lobbies.lobby import LOBBIES, LOBBIES_OF_WINDOW, Lobby


def remove_empty_lobbies(step: ClosingStep, position: Cursor) -> Cursor | None:
    """Look at the next lobbies; where one has more entries than a step removes, stay at it."""
    unit, window = step.unit, step.window
    lobbies = unit.tx.scan(LOBBIES_OF_WINDOW, window.window_id, "closed", after=position or None, limit=MOST_ROWS)
    rows_left = MOST_ROWS
    for lobby in lobbies:
        rows_left -= 1
        if _is_emptied(lobby):
            removed = _remove_lobby(unit, lobby, max(rows_left, 1))
            if removed is None:
                return position
            rows_left -= removed
        position = (lobby.lobby_id,)
        if rows_left <= 0:
            break
    return position if len(lobbies) == MOST_ROWS or rows_left <= 0 else None


def _remove_lobby(unit: Unit, lobby: Lobby, most: int) -> int | None:
    """Remove a lobby, with at most so many entries of its board; gives their number, or `None` where some are left."""
    entries = unit.tx.scan(REMOVED, lobby.board_id, limit=most)
    for entry in entries:
        unit.tx.delete(ENTRIES, entry.board_id, entry.participant)
    if len(entries) == most:
        return None
    unit.tx.delete(BOARDS, lobby.board_id)
    unit.tx.delete(LOBBIES, lobby.lobby_id)
    return len(entries)


def _is_emptied(lobby: Lobby) -> bool:
    """Whether everybody left a lobby while it was forming, so that nobody has played in it."""
    return lobby.started_at is None and not lobby.players and not lobby.bots

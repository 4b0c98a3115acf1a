"""Exclusion from a leaderboard: whoever was taken off it for good, until it is final.

An operator or the studio's backend takes a player off a board with `exclude`. The player's entry then says so, also where
there was none, and no score comes onto it any more. On the board of an event the player cannot start or report progress, on
a shared leaderboard not submit a score. What an event feeds to a shared leaderboard leaves the player's own entry out there;
the attempts go on, because they belong to another board.

The exclusion is of one board: of a window, a segment, a lobby, or a period of a shared leaderboard. It ends with the board;
on a leaderboard that never begins anew it does not end. A merge carries it over: the one player is excluded, and the
attempts of both are void, as if the one player had been taken off.
"""

from __future__ import annotations

from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.units.unit import Change, Unit
from livecore.leaderboards.boards import BOARDS, ENTRIES, BoardEntry, entry_of, remove_entry
from livecore.leaderboards.refusals import ExcludedFromBoard


def is_excluded(unit: Unit, board_id: str, player_id: str) -> bool:
    """Whether a player is excluded from a board that is not final yet."""
    entry = unit.tx.get(ENTRIES, board_id, player_id)
    if entry is None or entry.excluded_at is None:
        return False
    board = unit.tx.get(BOARDS, board_id)
    return board is None or board.finalized_at is None


def require_not_excluded(unit: Unit, board_id: str, player_id: str) -> None:
    """Raises `ExcludedFromBoard`."""
    if is_excluded(unit, board_id, player_id):
        raise ExcludedFromBoard(leaderboard_id=board_id)


def removal(unit: Unit, board_id: str, player_id: str, *, excludes: bool) -> Change | None:
    """What taking a player off a board changes, for the audit trail; `None` where nothing does."""
    entry = entry_of(unit, board_id, player_id)
    if entry is None and not excludes:
        return None
    before: JsonObject | None = None if entry is None else {"leaderboardId": board_id, "score": entry.score}
    after: JsonObject | None = {"leaderboardId": board_id, "excluded": True} if excludes else None
    return Change(before, after)


def exclude(unit: Unit, board_id: str, player_id: PlayerId) -> None:
    """Exclude a player from a board; an entry that stands there is removed."""
    standing = entry_of(unit, board_id, player_id)
    if standing is not None:
        remove_entry(unit, standing)
    entry = unit.tx.get(ENTRIES, board_id, player_id) or BoardEntry(
        board_id=board_id,
        participant=player_id,
        player_id=player_id,
        score=0,
        sort_key=None,
        reached_at=unit.now,
        written_at=unit.now,
        removed_at=unit.now,
    )
    if entry.excluded_at is None:
        unit.tx.put(ENTRIES, evolve(entry, excluded_at=unit.now))

"""What a ban means for leaderboards: who is banned when a board's time ends is left out of it, and the ranks close up.

An entry on an open board stays where it is, and says since when its player is banned. A ban, its end and a merge bring that
up to date, on boards that are open only: of a board whose time is over nothing changes any more, whether its close has begun
or not. So the players whom the close leaves out are known from that moment on, however long the close takes, and whoever is
banned or forgiven meanwhile.

A board of teams has no players: a team stays, and is paid as a team.
"""

from __future__ import annotations

from collections.abc import Sequence

from livecore.kernel.declarations.area import Areas
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, ENTRIES, ENTRIES_OF_PLAYER, BoardEntry, Leaderboard
from livecore.leaderboards.divisions import board_in
from livecore.leaderboards.periods import PERIODS, Period
from livecore.leaderboards.sources import BoardSource, source_of
from livecore.players.player import by_id


def note_ban(unit: Unit, player_id: str) -> None:
    """Have the player's entries on open boards say whether, and since when, the player is banned.

    Of an entry on a board that is final only the board is read: a player may have very many of them.
    """
    banned_at = by_id(unit, player_id).banned_at
    differing = [entry for entry in unit.tx.scan(ENTRIES_OF_PLAYER, player_id) if _differs(entry, banned_at)]
    if not differing:
        return
    boards = unit.tx.read_all(Get(BOARDS, (entry.board_id,)) for entry in differing)
    on_open = [
        (entry, board)
        for entry, board in zip(differing, boards, strict=True)
        if board is not None and board.finalized_at is None
    ]
    are_final = _are_final_now(unit, [board for _, board in on_open])
    for (entry, _), is_final in zip(on_open, are_final, strict=True):
        if not is_final:
            unit.tx.put(ENTRIES, evolve(entry, banned_at=banned_at))


def _differs(entry: BoardEntry, banned_at: int | None) -> bool:
    return entry.sort_key is not None and entry.banned_at != banned_at


def _are_final_now(unit: Unit, boards: Sequence[Leaderboard]) -> list[bool]:
    """Whether nothing of each board changes any more but by its close: its time is over, whether due work has run or not."""
    sources = Areas.of(unit).provided(BoardSource)
    shared = [board for board in boards if board.kind == "shared"]
    periods, _ = unit.tx.read_lists(
        (Get(PERIODS, (board.period_id,)) for board in shared),
        (read for source in sources for read in source.reads_of_ends(unit, boards)),
    )
    of_id: dict[str | None, Period] = {period.period_id: period for period in periods if period is not None}
    return [
        board_in(of_id.get(board.period_id), board, unit.now).finalized_at is not None
        if board.kind == "shared"
        else source_of(unit, board).is_over(unit, board)
        for board in boards
    ]

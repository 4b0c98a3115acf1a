"""Boards that are not of shared leaderboards: who makes them, such as an event, provides a `BoardSource` in its `Area`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from livecore.kernel.declarations.area import Areas
from livecore.kernel.storage.reads import Read
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, Leaderboard


class BoardSource:
    """Who makes the boards of a kind: it knows when they are final, and which of them are due to be made."""

    kind: ClassVar[str]
    """The `kind` of its boards."""

    def not_made(self, unit: Unit, board_id: str) -> Leaderboard | None:
        """The board with an id that lists name already, although it is only due to be made; it is empty."""
        raise NotImplementedError

    def reads_of_ends(self, unit: Unit, boards: Sequence[Leaderboard]) -> Iterable[Read[Any]]:
        """What `is_over` reads of these boards."""
        raise NotImplementedError

    def is_over(self, unit: Unit, board: Leaderboard) -> bool:
        """Whether nothing of a board changes any more but by its close, whether due work has noted that or not."""
        raise NotImplementedError


def source_of(unit: Unit, board: Leaderboard) -> BoardSource:
    """Who makes boards of the kind of this one, which is not of a shared leaderboard."""
    return next(source for source in Areas.of(unit).provided(BoardSource) if source.kind == board.kind)


def find_board(unit: Unit, board_id: str) -> Leaderboard | None:
    """A board by its id; also one that lists name and that is only due to be made."""
    board = unit.tx.get(BOARDS, board_id)
    if board is not None:
        return board
    found = (source.not_made(unit, board_id) for source in Areas.of(unit).provided(BoardSource))
    return next((one for one in found if one is not None), None)

"""Ranks: where the participants of a board stand, each rank that of one committed state.

A `Standings` is a board in its order as a unit sees it. Without anything else its ranks are counted in the index of the
entries, which takes as long as there are entries before the place.
"""

from __future__ import annotations

from typing import Protocol

from livecore.competition.boards import BY_RANK, ENTRIES, BoardEntry, place_of
from livecore.kernel.ranking import Place
from livecore.kernel.unit import Unit
from livecore.kernel.values import value

__all__ = ["Ranked", "Standings", "first_rank_around", "standings"]


@value
class Ranked:
    """A participant's place on a board, and its rank."""

    rank: int
    place: Place


class Standings(Protocol):
    """A board in its order, with the unit's own changes. All answers of one object are of one state."""

    def size(self) -> int:
        """How many entries the board has."""

    def place(self, participant: str) -> Place | None:
        """Where a participant stands, or `None`."""

    def rank(self, place: Place) -> int:
        """One more than the number of entries before this place."""

    def first(self, limit: int) -> list[Ranked]:
        """The best entries, at most `limit`."""

    def after(self, place: Place, limit: int) -> list[Ranked]:
        """The entries after this place, at most `limit`."""

    def around(self, place: Place, limit: int) -> list[Ranked]:
        """`limit` entries with this one in the middle, or further from it at an end of the board."""


def standings(unit: Unit, board_id: str) -> Standings:
    """The standings of a board."""
    return _Stored(unit, board_id)


class _Stored:
    """The standings as the transaction sees them."""

    def __init__(self, unit: Unit, board_id: str) -> None:
        self._tx = unit.tx
        self._board_id = board_id

    def size(self) -> int:
        return self._tx.count(BY_RANK, self._board_id)

    def place(self, participant: str) -> Place | None:
        entry = self._tx.get(ENTRIES, self._board_id, participant)
        return None if entry is None else place_of(entry)

    def rank(self, place: Place) -> int:
        return self._tx.count(BY_RANK, self._board_id, stop=tuple(place)) + 1

    def first(self, limit: int) -> list[Ranked]:
        return _ranked(1, self._tx.scan(BY_RANK, self._board_id, limit=limit))

    def after(self, place: Place, limit: int) -> list[Ranked]:
        rows = self._tx.scan(BY_RANK, self._board_id, after=tuple(place), limit=limit)
        first = place_of(rows[0]) if rows else None
        return [] if first is None else _ranked(self.rank(first), rows)

    def around(self, place: Place, limit: int) -> list[Ranked]:
        rank = self.rank(place)
        first_rank = first_rank_around(rank, self.size(), limit)
        above = self._tx.scan(BY_RANK, self._board_id, stop=tuple(place), reverse=True, limit=rank - first_rank)
        below = self._tx.scan(BY_RANK, self._board_id, start=tuple(place), limit=limit - len(above))
        return _ranked(first_rank, [*reversed(above), *below])


def first_rank_around(rank: int, size: int, limit: int) -> int:
    """The first rank of a page with `rank` in its middle, moved so that the page is full where the board is large enough."""
    return max(1, min(rank - limit // 2, size - limit + 1))


def _ranked(first_rank: int, rows: list[BoardEntry]) -> list[Ranked]:
    places = [place for place in map(place_of, rows) if place is not None]
    return [Ranked(rank, place) for rank, place in enumerate(places, first_rank)]

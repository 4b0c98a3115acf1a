"""Ranks: where the participants of a board stand, each rank that of one committed state.

A `Standings` is a board in its order as a unit sees it. Its places and ranks come from the ranking in memory, if that is
loaded, and from the rows of the unit's transaction that are not committed yet. Without a ranking, ranks are counted in the
index of the entries, which takes as long as there are entries before the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from livecore.competition.boards import BY_RANK, ENTRIES, BoardEntry, place_of
from livecore.competition.live_boards import LIVE_BOARDS
from livecore.competition.showing import Ranked
from livecore.kernel.live_board import LiveBoard
from livecore.kernel.ranking import Place, first_rank_around
from livecore.kernel.ranking_view import RankingView
from livecore.kernel.reads import Count, Get
from livecore.kernel.unit import Unit

__all__ = ["Ranked", "Standings", "standings"]


class Standings(Protocol):
    """A board in its order, with the unit's own changes. All answers of one object are of one state.

    Take places from here, not from rows: another process may have written a row whose notice is still on its way.
    """

    def size(self) -> int:
        """How many entries the board has."""

    def place(self, participant: str) -> Place | None:
        """Where a participant stands, or `None`."""

    def places(self, participants: Sequence[str]) -> list[Place | None]:
        """Where each of several participants stands."""

    def standing(self, participant: str) -> Ranked | None:
        """The rank and the place of a participant, or `None`."""

    def rank(self, place: Place) -> int:
        """One more than the number of entries before this place."""

    def ranked(self, places: Sequence[Place]) -> list[Ranked]:
        """These places with their ranks."""

    def first(self, limit: int) -> list[Ranked]:
        """The best entries, at most `limit`."""

    def after(self, place: Place, limit: int) -> list[Ranked]:
        """The entries after this place, at most `limit`."""

    def around(self, place: Place, limit: int) -> list[Ranked]:
        """`limit` entries with this one in the middle, or further from it at an end of the board."""


def standings(unit: Unit, board_id: str) -> Standings:
    """The standings of a board, as they are now."""
    board = unit.rankings.find(unit.scope, board_id, LIVE_BOARDS)
    return _Stored(unit, board_id) if board is None else _Live(unit, board)


class _Stored:
    """The standings as the transaction sees them."""

    def __init__(self, unit: Unit, board_id: str) -> None:
        self._tx = unit.tx
        self._board_id = board_id

    def size(self) -> int:
        return self._tx.count(BY_RANK, self._board_id)

    def place(self, participant: str) -> Place | None:
        return self.places((participant,))[0]

    def places(self, participants: Sequence[str]) -> list[Place | None]:
        entries = self._tx.read_all(Get(ENTRIES, (self._board_id, participant)) for participant in participants)
        return [None if entry is None else place_of(entry) for entry in entries]

    def standing(self, participant: str) -> Ranked | None:
        place = self.place(participant)
        return None if place is None else Ranked(self.rank(place), place)

    def rank(self, place: Place) -> int:
        return self._tx.count(BY_RANK, self._board_id, stop=tuple(place)) + 1

    def ranked(self, places: Sequence[Place]) -> list[Ranked]:
        before = self._tx.read_all(Count(BY_RANK, (self._board_id,), stop=tuple(place)) for place in places)
        return [Ranked(count + 1, place) for count, place in zip(before, places, strict=True)]

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


class _Live:
    """The standings in memory, with the rows that are not committed yet."""

    def __init__(self, unit: Unit, board: LiveBoard) -> None:
        self._tx = unit.tx
        self._board = board

    @property
    def _now(self) -> RankingView:
        """The view with what the unit has written by now."""
        return self._board.view_of(self._tx)

    def size(self) -> int:
        return self._now.size

    def place(self, participant: str) -> Place | None:
        return self._now.place(participant)

    def places(self, participants: Sequence[str]) -> list[Place | None]:
        return list(map(self._now.place, participants))

    def standing(self, participant: str) -> Ranked | None:
        found = self._now.standing(participant)
        return None if found is None else Ranked(*found)

    def rank(self, place: Place) -> int:
        return self._now.rank(place)

    def ranked(self, places: Sequence[Place]) -> list[Ranked]:
        view = self._now
        return [Ranked(view.rank(place), place) for place in places]

    def first(self, limit: int) -> list[Ranked]:
        return _numbered(1, self._now.first(limit))

    def after(self, place: Place, limit: int) -> list[Ranked]:
        view = self._now
        places = view.after(place, limit)
        return _numbered(view.rank(places[0]), places) if places else []

    def around(self, place: Place, limit: int) -> list[Ranked]:
        return _numbered(*self._now.around(place, limit))


def _ranked(first_rank: int, rows: list[BoardEntry]) -> list[Ranked]:
    return _numbered(first_rank, [place for place in map(place_of, rows) if place is not None])


def _numbered(first_rank: int, places: list[Place]) -> list[Ranked]:
    return [Ranked(rank, place) for rank, place in enumerate(places, first_rank)]

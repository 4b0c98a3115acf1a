"""Ranks: where the participants of a board stand, each rank that of one committed state.

A `Standings` is a board in its order as a unit sees it. Its places and ranks come from the ranking in memory, if that is
loaded, and from the rows of the unit's transaction that are not committed yet. Without a ranking, ranks are counted in the
index of the entries, which takes as long as there are entries before the place. So on a large board a request waits for the
ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from livecore.kernel.declarations.area import Areas
from livecore.kernel.storage.reads import Count, Get, Scan
from livecore.kernel.units.loading import StillLoading
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.leaderboards.boards import BY_RANK, ENTRIES, BoardEntry, Leaderboard, place_of
from livecore.leaderboards.participants import Ranked
from livecore.leaderboards.ranking.live_board import LiveBoard
from livecore.leaderboards.ranking.order import Place, first_rank_around
from livecore.leaderboards.ranking.rankings import rankings_of
from livecore.leaderboards.ranking.replica import LiveRanking
from livecore.leaderboards.ranking.view import RankingView
from livecore.leaderboards.ranking_source import live_boards, versioned

MOST_COUNTED: Final = 2_000
"""On a board with more entries a request waits for the ranking instead of counting rows."""
_NOBODY: Final = LiveRanking(0)


@value
class Part:
    """A part of a board, and how many entries the whole board has."""

    entries: list[Ranked]
    size: int


class Standings(Protocol):
    """A board in its order, with the unit's own changes. All answers of one object are of one state.

    Take places from here, not from rows: another process may have written a row whose notice is still on its way.

    A part of the board comes with the size of the board, which is not counted where the caller gives it.
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

    def ranked(self, places: Sequence[Place], size: int | None = None) -> Part:
        """These places with their ranks."""

    def first(self, limit: int, size: int | None = None) -> Part:
        """The best entries, at most `limit`."""

    def after(self, place: Place, limit: int, size: int | None = None) -> Part:
        """The entries after this place, at most `limit`."""

    def around(self, place: Place, limit: int) -> Part:
        """`limit` entries with this one in the middle, or further from it at an end of the board."""


def standings(unit: Unit, board_id: str) -> Standings:
    """The standings of a board, as they are now."""
    board = rankings_of(unit).find(unit.scope, board_id, live_boards(Areas.of(unit)))
    if board is not None:
        return _Live(unit, board)
    require_short_count(unit, board_id)
    return _Stored(unit, board_id)


def require_short_count(unit: Unit, board_id: str) -> None:
    """Before the rows of a board are counted. Raises `StillLoading` where it is large and its ranking will be loaded soon.

    Where the ranking cannot be kept in memory, or fails again and again, the rows of a large board are counted all the same.
    """
    if not unit.waits or unit.tx.count(BY_RANK, board_id, limit=MOST_COUNTED + 1) <= MOST_COUNTED:
        return
    rankings = rankings_of(unit)
    rankings.find(unit.scope, board_id, live_boards(Areas.of(unit)))
    loading = rankings.loading(unit.scope, board_id)
    if loading is not None:
        raise StillLoading(loading.when_settled)


def standings_of(unit: Unit, board: Leaderboard, *, is_stored: bool) -> Standings:
    """The standings of a board; on one that is not stored nobody stands but whom the unit itself enters."""
    return standings(unit, board.board_id) if is_stored else _New(unit, board.board_id)


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

    def ranked(self, places: Sequence[Place], size: int | None = None) -> Part:
        before, sizes = self._tx.read_lists(map(self._before, places), self._counts(size))
        return Part([Ranked(count + 1, place) for count, place in zip(before, places, strict=True)], _size(sizes, size))

    def first(self, limit: int, size: int | None = None) -> Part:
        (rows,), sizes = self._tx.read_lists([Scan(BY_RANK, (self._board_id,), limit=limit)], self._counts(size))
        return Part(_ranked(1, rows), _size(sizes, size))

    def after(self, place: Place, limit: int, size: int | None = None) -> Part:
        (rows,), (before,), (there,), sizes = self._tx.read_lists(
            [Scan(BY_RANK, (self._board_id,), after=tuple(place), limit=limit)],
            [self._before(place)],
            [Get(ENTRIES, (self._board_id, place.participant))],
            self._counts(size),
        )
        # Whoever stood at this place may have moved since.
        passed = before + (there is not None and place_of(there) == place)
        return Part(_ranked(passed + 1, rows), _size(sizes, size))

    def around(self, place: Place, limit: int) -> Part:
        (above, below), (before, size) = self._tx.read_lists(
            [
                Scan(BY_RANK, (self._board_id,), stop=tuple(place), reverse=True, limit=limit),
                Scan(BY_RANK, (self._board_id,), start=tuple(place), limit=limit),
            ],
            [self._before(place), *self._counts(None)],
        )
        first_rank = first_rank_around(before + 1, size, limit)
        above = above[: before + 1 - first_rank]
        return Part(_ranked(first_rank, [*reversed(above), *below[: limit - len(above)]]), size)

    def _before(self, place: Place) -> Count:
        return Count(BY_RANK, (self._board_id,), stop=tuple(place))

    def _counts(self, size: int | None) -> list[Count]:
        return [] if size is not None else [Count(BY_RANK, (self._board_id,))]


def _size(counts: Sequence[int], known: int | None) -> int:
    return counts[0] if known is None else known


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

    def ranked(self, places: Sequence[Place], size: int | None = None) -> Part:
        view = self._now
        return Part([Ranked(view.rank(place), place) for place in places], _known(view, size))

    def first(self, limit: int, size: int | None = None) -> Part:
        view = self._now
        return Part(_numbered(1, view.first(limit)), _known(view, size))

    def after(self, place: Place, limit: int, size: int | None = None) -> Part:
        view = self._now
        places = view.after(place, limit)
        return Part(_numbered(view.rank(places[0]), places) if places else [], _known(view, size))

    def around(self, place: Place, limit: int) -> Part:
        view = self._now
        return Part(_numbered(*view.around(place, limit)), view.size)


class _New(_Live):
    """The standings of a board that the unit makes: of what it has written itself."""

    def __init__(self, unit: Unit, board_id: str) -> None:
        self._tx = unit.tx
        self._board_id = board_id

    @property
    def _now(self) -> RankingView:
        view = RankingView(_NOBODY)
        for entry in self._tx.written(ENTRIES):
            if entry.board_id == self._board_id:
                view.put(versioned(entry))
        return view


def _known(view: RankingView, size: int | None) -> int:
    return view.size if size is None else size


def _ranked(first_rank: int, rows: list[BoardEntry]) -> list[Ranked]:
    return _numbered(first_rank, [place for place in map(place_of, rows) if place is not None])


def _numbered(first_rank: int, places: list[Place]) -> list[Ranked]:
    return [Ranked(rank, place) for rank, place in enumerate(places, first_rank)]

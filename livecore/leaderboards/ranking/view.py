"""A board as of one moment, with rows that the ranking in memory does not have yet.

A unit of work must see one state of a board in all its reads, although notices may change the ranking while the unit waits
for a database. And it must see rows that are not committed: its own, and those of earlier units that share its transaction.
A `RankingView` keeps where both differ from the ranking: for a few participants the place in the view, and the place in the
ranking. Each answer is that of the ranking, corrected by these few.

    view = RankingView(live)
    view.put(Versioned("plr_1", 9, Place(-1_300, now, "plr_1")))     # a row that is not committed
    view.rank(Place(-1_300, now, "plr_1"))

The units of a batch would all put in the rows of the units before them. So these are put into one `UncommittedRows`, each
once, and a view begins as a copy of that.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from itertools import islice
from operator import is_
from typing import Any, Generic, NamedTuple, TypeVar

from livecore.leaderboards.ranking.order import Place, first_rank_around
from livecore.leaderboards.ranking.replica import LiveRanking, Moved

U = TypeVar("U", bound="UncommittedRows")


class Versioned(NamedTuple):
    """Where a version of a participant's row places the participant; `None`: the participant was removed."""

    participant: str
    version: int
    place: Place | None


class _Places:
    """Places of some participants, and the same places in the order of the board."""

    __slots__ = ("of", "order")

    def __init__(self) -> None:
        self.of: dict[str, Place | None] = {}
        """By participant; `None` for one who is not on the board."""
        self.order: list[Place] = []

    def copy(self) -> _Places:
        copy = _Places.__new__(_Places)
        copy.of, copy.order = self.of.copy(), self.order.copy()
        return copy

    def put(self, participant: str, place: Place | None) -> None:
        before = self.of.get(participant)
        if before is not None:
            del self.order[bisect_left(self.order, before)]
        if place is not None:
            insort(self.order, place)
        self.of[participant] = place

    def drop(self, participant: str) -> None:
        self.put(participant, None)
        del self.of[participant]

    def before(self, place: Place) -> int:
        return bisect_left(self.order, place)


class UncommittedRows:
    """The rows of a ranking that were put in and that it does not have yet."""

    __slots__ = ("_live", "known", "shown", "versions")

    def __init__(self, live: LiveRanking) -> None:
        self._live = live
        self.shown = _Places()
        """The participants whose place may differ from that of the ranking, with the places that their rows give them."""
        self.known = _Places()
        """The places of the same participants in the ranking."""
        self.versions: dict[str, int] = {}
        """The versions of the rows that were put in."""

    def put(self, row: Versioned) -> None:
        """Add a row that is not committed, or replace an earlier one of the participant. An older one changes nothing."""
        participant, version, place = row
        newest = self.versions.get(participant)
        if newest is None:
            newest, known = self._live.newest(participant)
            if version > newest and participant not in self.known.of:
                self.known.put(participant, known)
        if version > newest:
            self.versions[participant] = version
            self.shown.put(participant, place)

    def follow(self, version: int, moved: Moved) -> None:
        """Take note that the ranking has received this version of a row."""
        participant = moved.change.participant
        put = self.versions.get(participant)
        if put is None:
            return
        if version < put:
            self.known.put(participant, moved.change.place)
        else:
            del self.versions[participant]
            self.shown.drop(participant)
            self.known.drop(participant)


class RankingView(UncommittedRows):
    """The state of a ranking when the view was made, with the rows that were put into it since."""

    __slots__ = ("__weakref__",)

    def __init__(self, live: LiveRanking, uncommitted: UncommittedRows | None = None) -> None:
        """A view of the ranking, with these rows."""
        if uncommitted is None:
            super().__init__(live)
            return
        self._live = live
        self.shown = uncommitted.shown.copy()
        self.known = uncommitted.known.copy()
        self.versions = uncommitted.versions.copy()

    def keep(self, moved: Moved) -> None:
        """Keep the present state, although the ranking has just changed."""
        participant = moved.change.participant
        if participant not in self.known.of:
            self.shown.put(participant, moved.before)
        self.known.put(participant, moved.change.place)

    # -- looking

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self._live.ranking) - len(self.known.order) + len(self.shown.order)

    def place(self, participant: str) -> Place | None:
        """Where a participant stands, or `None`."""
        shown = self.shown.of
        return shown[participant] if participant in shown else self._live.place(participant)

    def standing(self, participant: str) -> tuple[int, Place] | None:
        """The rank and the place of a participant, or `None`."""
        place = self.place(participant)
        return None if place is None else (self._before(place) + 1, place)

    def rank(self, place: Place) -> int:
        """One more than the number of others before this place, whether or not it is in.

        Where the participant of the place is known with another one, that is not counted: the place may be newer.
        """
        own = self.place(place.participant)
        counted = own is not None and own < place
        return self._before(place) + 1 - counted

    def first(self, limit: int) -> list[Place]:
        """The best places, at most `limit`."""
        return self._merged(self._live.ranking.page(1, limit + len(self.known.of)), None, limit)

    def after(self, place: Place, limit: int) -> list[Place]:
        """The places after this one, at most `limit`."""
        return self._merged(self._live.ranking.after(place, limit + len(self.known.of)), place, limit)

    def around(self, place: Place, limit: int) -> tuple[int, list[Place]]:
        """`limit` places with this one in the middle, or further from it at an end of the board, and the first rank."""
        rank = self.rank(place)
        first_rank = first_rank_around(rank, self.size, limit)
        if not self.known.of:
            return first_rank, self._live.ranking.page(first_rank, limit)
        head = self._last_before(place, rank - first_rank)
        here = [place] if self.place(place.participant) == place else []
        return rank - len(head), [*head, *here, *self.after(place, limit)][:limit]

    def _before(self, place: Place) -> int:
        """How many places there are before this one."""
        return self._live.ranking.rank(place) - 1 + self.shown.before(place) - self.known.before(place)

    def _last_before(self, place: Place, limit: int) -> list[Place]:
        """The places right before this one, at most `limit`."""
        ranking = self._live.ranking
        rank = ranking.rank(place)
        first = max(1, rank - limit - len(self.known.of))
        before = ranking.page(first, rank - first)
        least = before[0] if first > 1 and before else None
        merged = [one for one in before if one.participant not in self.shown.of]
        merged += [one for one in self.shown.order if one < place and (least is None or one > least)]
        return sorted(merged)[-limit:] if limit else []

    def _merged(self, places: list[Place], beyond: Place | None, limit: int) -> list[Place]:
        """Places of the ranking that reach far enough for `limit`, with those of this view."""
        if not self.known.of:
            return places
        order = self.shown.order
        merged = [place for place in places if place.participant not in self.shown.of]
        merged += order if beyond is None else order[bisect_right(order, beyond) :]
        return sorted(merged)[:limit]


class GrowingRows(Generic[U]):
    """Rows that come from lists which grow at their ends; each is put in once."""

    __slots__ = ("_lists", "_read", "_taken", "rows")

    def __init__(self, rows: U, lists: Sequence[Sequence[Any]], read: Callable[[Any], Versioned | None]) -> None:
        """`read` gives what a ranking needs of a row in the lists; `None` for one that is not of this board."""
        self.rows = rows
        self._lists = lists
        self._read = read
        self._taken = [0] * len(lists)

    def are_from(self, lists: Sequence[Sequence[Any]]) -> bool:
        """Whether these are the same lists."""
        return len(lists) == len(self._lists) and all(map(is_, lists, self._lists))

    def current(self) -> U:
        """The rows with those that the lists have by now."""
        for at, found in enumerate(self._lists):
            if len(found) == self._taken[at]:
                continue
            for each in islice(found, self._taken[at], None):
                row = self._read(each)
                if row is not None:
                    self.rows.put(row)
            self._taken[at] = len(found)
        return self.rows

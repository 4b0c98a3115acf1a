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

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import is_
from typing import Any, Generic, NamedTuple, TypeVar

from livecore.kernel.live_ranking import LiveRanking, Moved
from livecore.kernel.ranking import Place

__all__ = ["GrowingRows", "RankingView", "UncommittedRows", "Versioned"]

U = TypeVar("U", bound="UncommittedRows")


class Versioned(NamedTuple):
    """Where a version of a participant's row places the participant; `None`: the participant was removed."""

    participant: str
    version: int
    place: Place | None


class UncommittedRows:
    """The rows of a ranking that were put in and that it does not have yet."""

    __slots__ = ("_live", "known", "shown", "versions")

    def __init__(self, live: LiveRanking) -> None:
        self._live = live
        self.shown: dict[str, Place | None] = {}
        """The participants whose place may differ from that of the ranking, with the places that their rows give them."""
        self.known: dict[str, Place | None] = {}
        """The places of the same participants in the ranking."""
        self.versions: dict[str, int] = {}
        """The versions of the rows that were put in."""

    def put(self, row: Versioned) -> None:
        """Add a row that is not committed, or replace an earlier one of the participant. An older one changes nothing."""
        participant, version, place = row
        newest = self.versions.get(participant)
        if newest is None:
            newest, known = self._live.newest(participant)
            if version > newest:
                self.known.setdefault(participant, known)
        if version > newest:
            self.versions[participant] = version
            self.shown[participant] = place

    def follow(self, version: int, moved: Moved) -> None:
        """Take note that the ranking has received this version of a row."""
        participant = moved.change.participant
        put = self.versions.get(participant)
        if put is None:
            return
        if version < put:
            self.known[participant] = moved.change.place
        else:
            del self.versions[participant], self.shown[participant], self.known[participant]


class RankingView(UncommittedRows):
    """The state of a ranking when the view was made, with the rows that were put into it since."""

    __slots__ = ("__weakref__",)

    def __init__(self, live: LiveRanking, uncommitted: UncommittedRows | None = None) -> None:
        """A view of the ranking, with these rows."""
        super().__init__(live)
        if uncommitted is not None:
            self.shown = uncommitted.shown.copy()
            self.known = uncommitted.known.copy()
            self.versions = uncommitted.versions.copy()

    def keep(self, moved: Moved) -> None:
        """Keep the present state, although the ranking has just changed."""
        participant = moved.change.participant
        if participant not in self.known:
            self.shown[participant] = moved.before
        self.known[participant] = moved.change.place

    # -- looking

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self._live.ranking) - _count(self.known.values()) + _count(self.shown.values())

    def place(self, participant: str) -> Place | None:
        """Where a participant stands, or `None`."""
        return self.shown[participant] if participant in self.shown else self._live.place(participant)

    def rank(self, place: Place) -> int:
        """One more than the number of others before this place, whether or not it is in.

        Where the participant of the place is known with another one, that is not counted: the place may be newer.
        """
        rank = self._live.ranking.rank(place)
        own = self.place(place.participant)
        if own is not None and own < place:
            rank -= 1
        for shown in self.shown.values():
            if shown is not None and shown < place:
                rank += 1
        for known in self.known.values():
            if known is not None and known < place:
                rank -= 1
        return rank

    def first(self, limit: int) -> list[Place]:
        """The best places, at most `limit`."""
        return self._merged(self._live.ranking.page(1, limit + len(self.known)), None, limit)

    def after(self, place: Place, limit: int) -> list[Place]:
        """The places after this one, at most `limit`."""
        return self._merged(self._live.ranking.after(place, limit + len(self.known)), place, limit)

    def window(self, place: Place, above: int, below: int) -> tuple[list[Place], int]:
        """This place with at most `above` places before it and `below` after it, and how many there are before it."""
        ranking, differing = self._live.ranking, len(self.known)
        rank = ranking.rank(place)
        first = max(1, rank - above - differing)
        before = ranking.page(first, rank - first)
        least = before[0] if first > 1 and before else None
        head = [one for one in before if one.participant not in self.shown]
        head += [
            one for one in self.shown.values() if one is not None and one < place and (least is None or one > least)
        ]
        head = sorted(head)[-above:] if above else []
        here = [] if self.place(place.participant) != place else [place]
        return [*head, *here, *self.after(place, below)], len(head)

    def _merged(self, places: list[Place], beyond: Place | None, limit: int) -> list[Place]:
        """Places of the ranking that reach far enough for `limit`, with those of this view."""
        if not self.known:
            return places
        merged = [place for place in places if place.participant not in self.shown]
        for place in self.shown.values():
            if place is not None and (beyond is None or place > beyond):
                merged.insert(bisect_left(merged, place), place)
        return merged[:limit]


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
            for each in islice(found, self._taken[at], None):
                row = self._read(each)
                if row is not None:
                    self.rows.put(row)
            self._taken[at] = len(found)
        return self.rows


def _count(places: Iterable[Place | None]) -> int:
    return sum(place is not None for place in places)

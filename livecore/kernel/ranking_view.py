"""A board as of one moment, with rows that the ranking in memory does not have yet.

A unit of work must see one state of a board in all its reads, although notices may change the ranking while the unit waits
for a database. And it must see rows that are not committed: its own, and those of earlier units that share its transaction.
A `RankingView` keeps where both differ from the ranking: for a few participants the place in the view, and the place in the
ranking. Each answer is that of the ranking, corrected by these few.

    view = RankingView(live)
    view.put(Versioned("plr_1", 9, Place(-1_300, now, "plr_1")))     # a row that is not committed
    view.rank(Place(-1_300, now, "plr_1"))
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from livecore.kernel.live_ranking import LiveRanking, Moved
from livecore.kernel.ranking import Place

__all__ = ["RankingView", "Versioned"]


class Versioned(NamedTuple):
    """Where a version of a participant's row places the participant; `None`: the participant was removed."""

    participant: str
    version: int
    place: Place | None


class RankingView:
    """The state of a ranking when the view was made, with the rows that were put into it since."""

    __slots__ = ("__weakref__", "_known", "_live", "_shown", "_versions")

    def __init__(self, live: LiveRanking) -> None:
        self._live = live
        self._shown: dict[str, Place | None] = {}
        """The participants whose place may differ from that of the ranking, with their places in this view."""
        self._known: dict[str, Place | None] = {}
        """The places of the same participants in the ranking."""
        self._versions: dict[str, int] = {}
        """The versions of the rows that were put in."""

    # -- what differs

    def put(self, row: Versioned) -> None:
        """Add a row that is not committed, or replace an earlier one of the participant. An older one changes nothing."""
        participant, version, place = row
        known = self._versions.get(participant)
        if known is None:
            known = self._live.version(participant) or 0
        if version <= known:
            return
        self._versions[participant] = version
        self._shown[participant] = place
        if participant not in self._known:
            self._known[participant] = self._live.place(participant)

    def keep(self, moved: Moved) -> None:
        """Keep the present state, although the ranking has just changed."""
        participant = moved.change.participant
        if participant not in self._known:
            self._shown[participant] = moved.before
        self._known[participant] = moved.change.place

    # -- looking

    @property
    def size(self) -> int:
        """How many places there are."""
        return len(self._live.ranking) - _count(self._known.values()) + _count(self._shown.values())

    def place(self, participant: str) -> Place | None:
        """Where a participant stands, or `None`."""
        return self._shown[participant] if participant in self._shown else self._live.place(participant)

    def rank(self, place: Place) -> int:
        """One more than the number of others before this place, whether or not it is in.

        Where the participant of the place is known with another one, that is not counted: the place may be newer.
        """
        rank = self._live.ranking.rank(place)
        own = self.place(place.participant)
        if own is not None and own < place:
            rank -= 1
        if self._known:
            rank += _before(place, self._shown.values()) - _before(place, self._known.values())
        return rank

    def first(self, limit: int) -> list[Place]:
        """The best places, at most `limit`."""
        return self._merged(self._live.ranking.page(1, limit + len(self._known)), None, limit)

    def after(self, place: Place, limit: int) -> list[Place]:
        """The places after this one, at most `limit`."""
        return self._merged(self._live.ranking.after(place, limit + len(self._known)), place, limit)

    def window(self, place: Place, above: int, below: int) -> tuple[list[Place], int]:
        """This place with at most `above` places before it and `below` after it, and how many there are before it."""
        ranking, differing = self._live.ranking, len(self._known)
        rank = ranking.rank(place)
        first = max(1, rank - above - differing)
        before = ranking.page(first, rank - first)
        least = before[0] if first > 1 and before else None
        head = [one for one in before if one.participant not in self._shown]
        head += [
            one for one in self._shown.values() if one is not None and one < place and (least is None or one > least)
        ]
        head = sorted(head)[-above:] if above else []
        here = [] if self.place(place.participant) != place else [place]
        return [*head, *here, *self.after(place, below)], len(head)

    def _merged(self, places: list[Place], beyond: Place | None, limit: int) -> list[Place]:
        """Places of the ranking that reach far enough for `limit`, with those of this view."""
        if not self._known:
            return places
        merged = [place for place in places if place.participant not in self._shown]
        for place in self._shown.values():
            if place is not None and (beyond is None or place > beyond):
                merged.insert(bisect_left(merged, place), place)
        return merged[:limit]


def _count(places: Iterable[Place | None]) -> int:
    return sum(place is not None for place in places)


def _before(place: Place, places: Iterable[Place | None]) -> int:
    return sum(other is not None and other < place for other in places)

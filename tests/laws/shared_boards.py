"""What the model keeps of shared leaderboards: their periods, and of each board a list that is sorted when it is read."""

from __future__ import annotations

from collections import Counter
from typing import Final, TypeAlias

import attrs

from tests.laws.arena import START
from tests.laws.model_state import DAY, MOST, Player
from tests.laws.routes import Body

_MONDAY: Final = 4 * DAY
"""The first one since 1970 began, which was a Thursday."""


@attrs.define(eq=False)
class Entry:
    """What somebody has on a board."""

    participant: Player
    score: int
    reached_at: int
    written_at: int


@attrs.define(eq=False)
class Board:
    """The entries of a division, or of one of its cohorts."""

    less_is_better: bool
    entries: list[Entry] = attrs.field(factory=list)
    excluded: list[Player] = attrs.field(factory=list)
    """Who was taken off it for good."""

    def exclude(self, player: Player) -> None:
        """Take somebody off it for good."""
        self.entries = [entry for entry in self.entries if entry.participant is not player]
        self.excluded.append(player)

    def of(self, player: Player) -> Entry | None:
        """A participant's entry."""
        return next((entry for entry in self.entries if entry.participant is player), None)

    def sorted(self) -> list[Entry]:
        """The best first, then who was first, then by id."""
        sign = 1 if self.less_is_better else -1
        return sorted(
            self.entries, key=lambda entry: (sign * entry.score, entry.reached_at, entry.participant.player_id or "")
        )

    def rank(self, entry: Entry) -> int:
        """The place in that order, from 1."""
        return self.sorted().index(entry) + 1


Seat: TypeAlias = tuple[str | None, int | None]
"""A division and a cohort."""


@attrs.define(eq=False)
class Period:
    """One period, with the boards that somebody has entered."""

    starts_at: int
    boards: dict[Seat, Board] = attrs.field(factory=dict)
    entered: Counter[Seat] = attrs.field(factory=Counter)


@attrs.define(eq=False)
class Leaderboard:
    """One leaderboard; `seats` say where players have had their last entry: in which period, where, and as whom."""

    declared: Body
    periods: list[Period] = attrs.field(factory=list)
    seats: dict[Player, tuple[Period, Seat, Player]] = attrs.field(factory=dict)

    @property
    def present(self) -> Period:
        """The period that is open."""
        if not self.periods:
            self.periods.append(Period(START if self.declared["reset"] == "never" else _monday(START)))
        return self.periods[-1]

    @property
    def ends_at(self) -> int | None:
        """When the open period ends."""
        return None if self.declared["reset"] == "never" else _monday(self.present.starts_at) + 7 * DAY

    @property
    def divisions(self) -> list[Body]:
        """From the lowest."""
        return list(self.declared.get("divisions", []))

    def board(self, period: Period, seat: Seat) -> Board:
        """A board of a period."""
        return period.boards.get(seat, Board(self.declared.get("order") == "asc"))

    def seat(self, player: Player) -> Seat:
        """Where a player stands in the open period, or would."""
        last = self.seats.get(player)
        if last is not None and last[0] is self.present:
            return last[1]
        division = self.divisions[0]["key"] if self.divisions else None
        if last is not None and division is not None:
            division = self._moved(*last)
        return division, self._filling(division)

    def _filling(self, division: str | None) -> int | None:
        if "cohortSize" not in self.declared:
            return None
        cohort = 1
        while self.present.entered[division, cohort] >= self.declared["cohortSize"]:
            cohort += 1
        return cohort

    def _moved(self, period: Period, seat: Seat, participant: Player) -> str:
        board = self.board(period, seat)
        keys = [division["key"] for division in self.divisions]
        place = keys.index(seat[0])
        entry = board.of(participant)
        if entry is None:
            return str(keys[place])
        rank = board.rank(entry)
        if place + 1 < len(keys) and rank <= self.divisions[place]["promote"]:
            place += 1
        elif place > 0 and rank > len(board.entries) - self.divisions[place]["relegate"]:
            place -= 1
        return str(keys[place])

    def enter(self, player: Player) -> Board:
        """The board for a player's score in the open period."""
        seat = self.seat(player)
        if self.seats.get(player, (None,))[0] is not self.present:
            self.present.entered[seat] += 1
            self.seats[player] = self.present, seat, player
        return self.present.boards.setdefault(seat, self.board(self.present, seat))


def _monday(moment: int) -> int:
    return moment - (moment - _MONDAY) % (7 * DAY)


def aggregated(aggregation: str, before: int | None, given: int) -> int:
    """What a new score makes of the one before it."""
    if before is None or aggregation == "last":
        return given
    if aggregation == "sum":
        return before + given
    return max(before, given) if aggregation == "best" else min(before, given)


@attrs.frozen
class Uniting:
    """A merge, and when it happens."""

    source: Player
    target: Player
    now: int


def unite(shared: Leaderboard, merge: Uniting, where: Seat, there: Seat) -> None:
    """Make one entry of the two in the open period."""
    left = shared.board(shared.present, where)
    old = left.of(merge.source)
    if merge.source in left.excluded or merge.target in shared.board(shared.present, there).excluded:
        # The one player is excluded if either was.
        left.entries = [entry for entry in left.entries if entry is not old]
        shared.present.boards.setdefault(there, shared.board(shared.present, there)).exclude(merge.target)
        return
    if old is None:
        return
    left.entries.remove(old)
    board = shared.present.boards.setdefault(there, shared.board(shared.present, there))
    new = board.of(merge.target)
    if new is None:
        board.entries.append(attrs.evolve(old, participant=merge.target, written_at=merge.now))
        return
    first, second = sorted((old, new), key=lambda entry: (entry.written_at, entry.reached_at))
    aggregation = shared.declared.get("aggregation", "best")
    score = min(MOST, aggregated(aggregation, first.score, second.score))
    reached = [entry.reached_at for entry in (first, second) if entry.score == score]
    if aggregation == "sum":
        new.reached_at = max(first.reached_at, second.reached_at)
    elif aggregation == "last":
        new.reached_at = second.reached_at
    else:
        new.reached_at = min(reached)
    new.score, new.written_at = score, merge.now

"""Divisions and cohorts: on which board of a period a player stands.

A player enters a period with the first score in it. A *membership* then names the board, and the board of their last period
says in which division they enter the next one: the best have moved up, the last have moved down. So nobody has to go through
all players when a period ends, and who had no score stays where they were.

A division may be filled into cohorts, each a board of its own. A small row for each period and division counts how many have
entered the cohort that is being filled. Without `cohortSize` a division has one board, whose cohort is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from livecore.competition.board_config import Division, LeaderboardDefinition
from livecore.competition.boards import (
    BANNED_ON,
    BOARDS,
    BY_RANK,
    BoardEntry,
    Leaderboard,
    board_id_of,
    entry_of,
    place_of,
)
from livecore.competition.periods import PERIODS, Period, definition_of, period_id_of
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.ranking import Place
from livecore.kernel.reads import Get, Scan
from livecore.kernel.records import PlayerId, evolve, record
from livecore.kernel.tables import Erase, Key, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.unit import Unit

__all__ = [
    "COHORTS",
    "MEMBERSHIPS",
    "MEMBERSHIPS_OF_PLAYER",
    "Cohort",
    "Membership",
    "board_at",
    "board_for",
    "board_in",
    "board_now",
    "board_of_member",
    "boards_for",
    "cohorts_in",
    "enter",
    "named_board",
    "next_division",
    "top_board",
    "undivided_board_id",
]


# -- records --------------------------------------------------------------------------------------------------------------


@record
class Membership:
    """Where a player's last entry on a leaderboard is: the number of the period, division, cohort and board.

    `participant` is the entry's; after a merge it can be the id of the player who is now a part of this one.
    """

    leaderboard_key: str
    player_id: PlayerId
    number: int
    division: str | None
    cohort: int | None
    board_id: str
    participant: str


@record
class Cohort:
    """The cohort of a division that is being filled, and how many have entered it."""

    period_id: str
    division: str
    cohort: int
    entered: int


MEMBERSHIPS = Table(
    "leaderboard_memberships",
    Membership,
    key=("leaderboard_key", "player_id"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="divisions",
)
MEMBERSHIPS_OF_PLAYER = MEMBERSHIPS.index("of_player", prefix=("player_id",), order=("leaderboard_key",))
COHORTS = Table("leaderboard_cohorts", Cohort, key=("period_id", "division"))

_MOST_READ: Final = 200
"""Of so many who move up or down the entries are read; of more, those before or after a player are counted."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def next_division(divisions: Sequence[Division], key: str, *, is_best: bool, is_last: bool) -> str:
    """The division after a period for somebody who was among those who move up, or down, or among neither.

    On a board so small that somebody is among both, they move up, if there is a higher division.
    """
    place = next(place for place, division in enumerate(divisions) if division.key == key)
    if is_best and place + 1 < len(divisions):
        return divisions[place + 1].key
    return divisions[place - 1].key if is_last and place > 0 else key


def _lowest(definition: LeaderboardDefinition) -> str | None:
    return definition.divisions[0].key if definition.divisions else None


# -- boards ---------------------------------------------------------------------------------------------------------------


def board_at(unit: Unit, period: Period, division: str | None, cohort: int | None) -> Leaderboard:
    """A board of a period as it is stored, or, if nobody has entered it, as it would be; with the period's times."""
    board_id = _board_id(unit, period, division, cohort)
    return _as_of(period, unit.tx.get(BOARDS, board_id) or _empty(board_id, period, division, cohort))


def _board_id(unit: Unit, period: Period, division: str | None, cohort: int | None) -> str:
    names = (period.leaderboard_key, str(period.number), division or "", "" if cohort is None else str(cohort))
    return board_id_of(unit.scope.id, period.starts_at, "leaderboard", *names)


def _empty(board_id: str, period: Period, division: str | None, cohort: int | None) -> Leaderboard:
    definition = definition_of(period)
    return Leaderboard(
        board_id=board_id,
        kind="shared",
        key=definition.key,
        name=definition.name,
        order=definition.order,
        period_id=period.period_id,
        division=division,
        cohort=cohort,
        starts_at=period.starts_at,
        ends_at=period.ends_at,
    )


def _as_of(period: Period, board: Leaderboard) -> Leaderboard:
    """A board of a period that is over is final, also before the job has come to it."""
    finalized_at = board.finalized_at
    if finalized_at is None and period.status == "closed":
        finalized_at = period.closed_at
    if (board.ends_at, board.finalized_at) == (period.ends_at, finalized_at):
        return board
    return evolve(board, ends_at=period.ends_at, finalized_at=finalized_at)


def board_now(unit: Unit, board: Leaderboard) -> Leaderboard:
    """A stored board of a shared leaderboard as it is at this moment, when its period may be over."""
    return board_in(None if board.period_id is None else unit.tx.get(PERIODS, board.period_id), board, unit.now)


def board_in(period: Period | None, board: Leaderboard, now: Millis) -> Leaderboard:
    """A stored board as `board_now` gives it, whose period is known."""
    if period is None:
        return board
    if period.status == "open" and period.ends_at is not None and period.ends_at <= now:
        period = evolve(period, status="closed", closed_at=now)
    return _as_of(period, board)


def named_board(unit: Unit, period: Period, division: str | None, cohort: int | None) -> Leaderboard:
    """The board of this division and cohort, by default of the lowest division and the first cohort.

    Raises `ValidationFailed` for a division or a cohort that the period does not have.
    """
    definition = definition_of(period)
    if division is None:
        division = _lowest(definition)
    elif all(division != declared.key for declared in definition.divisions):
        raise ValidationFailed({"division": "is not a division of this leaderboard"})
    if definition.cohort_size is None:
        if cohort is not None:
            raise ValidationFailed({"cohort": "has no meaning on a leaderboard without cohorts"})
    else:
        cohort = cohort or 1
        if cohort > _filling(unit, period, division or "").cohort:
            raise ValidationFailed({"cohort": "is not a cohort of this division"})
    return board_at(unit, period, division, cohort)


def cohorts_in(unit: Unit, periods: Iterable[Period]) -> dict[tuple[str, str], int]:
    """How many cohorts there are of each division, by the period's id and the division's key; of those that have cohorts."""
    divisions = [
        (period.period_id, division.key)
        for period in periods
        if definition_of(period).cohort_size is not None
        for division in definition_of(period).divisions
    ]
    found = unit.tx.read_all(Get(COHORTS, key) for key in divisions)
    return {key: 1 if one is None else one.cohort for key, one in zip(divisions, found, strict=True)}


def undivided_board_id(unit: Unit, period: Period) -> str | None:
    """The id of the one board of a period; `None` where there are divisions or cohorts."""
    definition = definition_of(period)
    divided = definition.divisions or definition.cohort_size is not None
    return None if divided else _board_id(unit, period, None, None)


def top_board(unit: Unit, period: Period) -> Leaderboard:
    """The first board of the highest division that has entries; the lowest division's first board where none has any."""
    definition = definition_of(period)
    first = None if definition.cohort_size is None else 1
    divisions = [division.key for division in reversed(definition.divisions)]
    on_first = unit.tx.read_all(_first_entry(_board_id(unit, period, key, first)) for key in divisions)
    cohorts = cohorts_in(unit, [period])
    for key, entries in zip(divisions, on_first, strict=True):
        if entries:
            return board_at(unit, period, key, first)
        for number in range(2, cohorts.get((period.period_id, key), 1) + 1):
            if unit.tx.scanned(_first_entry(_board_id(unit, period, key, number))):
                return board_at(unit, period, key, number)
    return named_board(unit, period, None, None)


def _first_entry(board_id: str) -> Scan[BoardEntry]:
    return Scan(BY_RANK, (board_id,), limit=1)


def board_of_member(unit: Unit, membership: Membership, period: Period) -> Leaderboard:
    """The board of a membership in its period."""
    return _board_of_member(unit, membership, period, unit.tx.get(BOARDS, membership.board_id))


def _board_of_member(unit: Unit, membership: Membership, period: Period, stored: Leaderboard | None) -> Leaderboard:
    if stored is None:
        return board_at(unit, period, membership.division, membership.cohort)
    return _as_of(period, stored)


# -- players --------------------------------------------------------------------------------------------------------------


def board_for(unit: Unit, period: Period, player_id: str) -> tuple[Leaderboard, Membership | None]:
    """The board on which a player stands in a period, with the membership; or the one that they would enter now."""
    (found,) = boards_for(unit, [period], player_id)
    return found


def boards_for(unit: Unit, periods: Sequence[Period], player_id: str) -> list[tuple[Leaderboard, Membership | None]]:
    """The boards of a player in the periods of several leaderboards, each as `board_for` gives it."""
    memberships = unit.tx.read_all(Get(MEMBERSHIPS, (period.leaderboard_key, player_id)) for period in periods)
    entered = [
        membership if membership is not None and membership.number == period.number else None
        for membership, period in zip(memberships, periods, strict=True)
    ]
    board_ids = [membership.board_id for membership in entered if membership is not None]
    boards = unit.tx.read_all(Get(BOARDS, (board_id,)) for board_id in board_ids)
    stored = dict(zip(board_ids, boards, strict=True))
    return [
        (_board_to_enter(unit, period, last), None)
        if member is None
        else (_board_of_member(unit, member, period, stored[member.board_id]), member)
        for member, last, period in zip(entered, memberships, periods, strict=True)
    ]


def _board_to_enter(unit: Unit, period: Period, membership: Membership | None) -> Leaderboard:
    """The board that somebody would enter now, whose last membership is of an earlier period."""
    division = _entering(unit, period, membership)
    cohort = None
    size = definition_of(period).cohort_size
    if size is not None:
        filling = _filling(unit, period, division or "")
        cohort = filling.cohort if filling.entered < size else filling.cohort + 1
    return board_at(unit, period, division, cohort)


def enter(unit: Unit, period: Period, player_id: PlayerId) -> Leaderboard:
    """The board on which a player's score is to be written, which the player enters with it."""
    board, membership = board_for(unit, period, player_id)
    if membership is not None:
        return board
    if unit.tx.get(BOARDS, board.board_id) is None:
        unit.tx.insert(BOARDS, board)
    if board.cohort is not None:
        division = board.division or ""
        filling = _filling(unit, period, division)
        entered = filling.entered + 1 if filling.cohort == board.cohort else 1
        cohort = Cohort(period_id=period.period_id, division=division, cohort=board.cohort, entered=entered)
        unit.tx.put(COHORTS, cohort)
    unit.tx.put(
        MEMBERSHIPS,
        Membership(
            leaderboard_key=period.leaderboard_key,
            player_id=player_id,
            number=period.number,
            division=board.division,
            cohort=board.cohort,
            board_id=board.board_id,
            participant=player_id,
        ),
    )
    return board


def _filling(unit: Unit, period: Period, division: str) -> Cohort:
    found = unit.tx.get(COHORTS, period.period_id, division)
    return found or Cohort(period_id=period.period_id, division=division, cohort=1, entered=0)


def _entering(unit: Unit, period: Period, last: Membership | None) -> str | None:
    """The division in which a player enters a period: by the outcome of their last one, or the lowest."""
    definition = definition_of(period)
    earned = None if last is None else _outcome(unit, last)
    known = {division.key for division in definition.divisions}
    return earned if earned in known else _lowest(definition)


def _outcome(unit: Unit, last: Membership) -> str | None:
    """The division that a player's last period has earned; from rows, which are never behind as a ranking may be."""
    period = unit.tx.get(PERIODS, period_id_of(last.leaderboard_key, last.number))
    if period is None or last.division is None:
        return None
    divisions = definition_of(period).divisions
    entry = entry_of(unit, last.board_id, last.participant)
    # Who was banned at the end of the period will be left out, or was already.
    place = None if entry is None or entry.banned_at is not None else place_of(entry)
    own = next((division for division in divisions if division.key == last.division), None)
    if place is None or own is None:
        return last.division
    return next_division(
        divisions,
        last.division,
        is_best=_is_among(unit, last.board_id, place, own.promote, from_end=False),
        is_last=_is_among(unit, last.board_id, place, own.relegate, from_end=True),
    )


def _is_among(unit: Unit, board_id: str, place: Place, most: int, *, from_end: bool) -> bool:
    """Whether a place is among so many at one end of a board, without those whom its close leaves out."""
    if not most:
        return False
    banned = [place_of(entry) for entry in unit.tx.scan(BANNED_ON, board_id)]
    if most > _MOST_READ:
        bound: Key = tuple(place)
        start, stop = (bound, None) if from_end else (None, bound)
        left_out = sum(one is not None and (one > place if from_end else one < place) for one in banned)
        return unit.tx.count(BY_RANK, board_id, start=start, stop=stop) - left_out < most + from_end
    rows = unit.tx.scan(BY_RANK, board_id, reverse=from_end, limit=most + len(banned))
    staying = [row.participant for row in rows if row.banned_at is None]
    return place.participant in staying[:most]

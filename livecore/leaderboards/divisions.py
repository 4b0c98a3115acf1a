"""Divisions and cohorts: on which board of a period a player stands.

A player enters a period with the first score in it. A *membership* then names the board, and the board of their last period
says in which division they enter the next one: the best have moved up, the last have moved down. So nobody has to go through
all players when a period ends, and who had no score stays where they were.

A division may be filled into cohorts, each a board of its own. A small row for each period and division counts how many have
entered the cohort that is being filled. Without `cohortSize` a division has one board, whose cohort is null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.reads import Get, Read, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.leaderboards.boards import BOARDS, BY_RANK, BoardEntry, Leaderboard, board_id_of
from livecore.leaderboards.definition import Division, LeaderboardDefinition
from livecore.leaderboards.periods import PERIODS, Period, definition_of

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

# -- rules ----------------------------------------------------------------------------------------------------------------


def next_division(divisions: Sequence[Division], key: str, *, is_best: bool, is_last: bool) -> str:
    """The division after a period for somebody who was among those who move up, or down, or among neither.

    On a board so small that somebody is among both, they move up, if there is a higher division.
    """
    place = next(place for place, division in enumerate(divisions) if division.key == key)
    if is_best and place + 1 < len(divisions):
        return divisions[place + 1].key
    return divisions[place - 1].key if is_last and place > 0 else key


def lowest_division(definition: LeaderboardDefinition) -> str | None:
    """The division in which players begin; `None` on a leaderboard without divisions."""
    return definition.divisions[0].key if definition.divisions else None


# -- boards ---------------------------------------------------------------------------------------------------------------


def _board_at(unit: Unit, period: Period, division: str | None, cohort: int | None) -> Leaderboard:
    """A board of a period as it is stored, or, if nobody has entered it, as it would be; with the period's times."""
    board_id = board_id_in(unit, period, division, cohort)
    return as_of(period, unit.tx.get(BOARDS, board_id) or empty_board(board_id, period, division, cohort))


def board_id_in(unit: Unit, period: Period, division: str | None, cohort: int | None) -> str:
    """The id of a board of a period."""
    names = (period.leaderboard_key, str(period.number), division or "", "" if cohort is None else str(cohort))
    return board_id_of(unit.scope.id, period.starts_at, "leaderboard", *names)


def empty_board(board_id: str, period: Period, division: str | None, cohort: int | None) -> Leaderboard:
    """A board of a period before anybody has entered it."""
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


def as_of(period: Period, board: Leaderboard) -> Leaderboard:
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
    return as_of(period, board)


def named_board(
    unit: Unit,
    period: Period,
    division: str | None,
    cohort: int | None,
    further: Callable[[str], Sequence[Read[Any]]] = lambda _: (),
) -> Leaderboard:
    """The board of this division and cohort, by default of the lowest division and the first cohort.

    `further` gives what is to be read together with the board of an id.

    Raises `ValidationFailed` for a division or a cohort that the period does not have.
    """
    definition = definition_of(period)
    if division is None:
        division = lowest_division(definition)
    elif all(division != declared.key for declared in definition.divisions):
        raise ValidationFailed({"division": "is not a division of this leaderboard"})
    if definition.cohort_size is None and cohort is not None:
        raise ValidationFailed({"cohort": "has no meaning on a leaderboard without cohorts"})
    if definition.cohort_size is not None:
        cohort = cohort or 1
    board_id = board_id_in(unit, period, division, cohort)
    filling = [] if cohort is None else [Get(COHORTS, (period.period_id, division or ""))]
    cohorts, *_ = unit.tx.read_lists(filling, [Get(BOARDS, (board_id,))], further(board_id))
    if cohort is not None and cohort > max(1 if one is None else one.cohort for one in cohorts):
        raise ValidationFailed({"cohort": "is not a cohort of this division"})
    return _board_at(unit, period, division, cohort)


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
    return None if divided else board_id_in(unit, period, None, None)


def top_board(unit: Unit, period: Period) -> Leaderboard:
    """The first board of the highest division that has entries; the lowest division's first board where none has any."""
    definition = definition_of(period)
    first = None if definition.cohort_size is None else 1
    divisions = [division.key for division in reversed(definition.divisions)]
    on_first = unit.tx.read_all(_first_entry(board_id_in(unit, period, key, first)) for key in divisions)
    cohorts = cohorts_in(unit, [period])
    for key, entries in zip(divisions, on_first, strict=True):
        if entries:
            return _board_at(unit, period, key, first)
        for number in range(2, cohorts.get((period.period_id, key), 1) + 1):
            if unit.tx.scanned(_first_entry(board_id_in(unit, period, key, number))):
                return _board_at(unit, period, key, number)
    return named_board(unit, period, None, None)


def _first_entry(board_id: str) -> Scan[BoardEntry]:
    return Scan(BY_RANK, (board_id,), limit=1)


def board_of_member(unit: Unit, membership: Membership, period: Period) -> Leaderboard:
    """The board of a membership in its period."""
    stored = unit.tx.get(BOARDS, membership.board_id)
    if stored is None:
        return _board_at(unit, period, membership.division, membership.cohort)
    return as_of(period, stored)

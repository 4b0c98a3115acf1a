"""Which board of a shared leaderboard a player stands on, or would enter now, and how a player enters it.

Whoever has no score in the present period yet would enter the division that the last period has earned them. What says
that, and every board that it can come to, is asked for at once, so that a store that is far away is not asked for one after
the other. Of a board with a cohort neither the row nor the player's entry is read: the row of the cohort says whether
somebody has entered it, and who has not entered it has no entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from livecore.kernel.storage.reads import Get, Read, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.leaderboards.boards import BANNED_ON, BOARDS, BY_RANK, ENTRIES, BoardEntry, Leaderboard, place_of
from livecore.leaderboards.definition import Division, LeaderboardDefinition
from livecore.leaderboards.divisions import (
    COHORTS,
    MEMBERSHIPS,
    Cohort,
    Membership,
    as_of,
    board_id_in,
    board_of_member,
    empty_board,
    lowest_division,
    next_division,
)
from livecore.leaderboards.periods import PERIODS, Period, definition_of, period_id_of
from livecore.leaderboards.ranking.order import Place

_MOST_READ: Final = 200
"""Of so many who move up or down the entries are read; of more, those before or after a player are counted."""
_Entering: TypeAlias = "tuple[Period, Membership | None]"
"""A period that a player has not entered, and the membership of an earlier one."""
_Left: TypeAlias = "tuple[Period, Membership]"
"""The same where there is one."""
_Named: TypeAlias = "tuple[str | None, Cohort | None]"
"""A division and, where there are cohorts, the one that is entered, as it is before."""


@value
class OwnBoard:
    """A player's board in a period that is open: that of their membership, or the one that they would enter now."""

    period: Period
    board: Leaderboard
    is_member: bool
    entry: BoardEntry | None
    """The player's entry there; who has not entered the board has none."""
    is_stored: bool
    """Whether the board has a row, because somebody has entered it."""


@value
class _Stood:
    """Where a player stood in an earlier period: the division as it was declared then, and the rows that say it."""

    last: Membership
    own: Division
    entry: BoardEntry | None
    banned: tuple[BoardEntry, ...]
    ends: Mapping[Scan[BoardEntry], list[BoardEntry]]
    """What scans from the ends of the board have found."""


# -- which board ----------------------------------------------------------------------------------------------------------


def board_for(unit: Unit, period: Period, player_id: str) -> OwnBoard:
    """The board on which a player stands in a period, or the one that they would enter now."""
    (found,) = boards_for(unit, [period], player_id)
    return found


def boards_for(unit: Unit, periods: Sequence[Period], player_id: str) -> list[OwnBoard]:
    """The boards of a player in the periods of several leaderboards, each as `board_for` gives it."""
    memberships = unit.tx.read_all(Get(MEMBERSHIPS, (period.leaderboard_key, player_id)) for period in periods)
    pairs = list(zip(periods, memberships, strict=True))
    members = [(period, last) for period, last in pairs if last is not None and last.number == period.number]
    entering = [(period, last) for period, last in pairs if last is None or last.number != period.number]
    named = _named(unit, entering, [read for _, member in members for read in _member_reads(member)])
    places = [(period, *one) for (period, _), one in zip(entering, named, strict=True)]
    found = {own.period.period_id: own for own in (*_entered(unit, members), *_to_enter(unit, places))}
    return [found[period.period_id] for period in periods]


def _member_reads(member: Membership) -> tuple[Get[Leaderboard], Get[BoardEntry]]:
    return Get(BOARDS, (member.board_id,)), Get(ENTRIES, (member.board_id, member.player_id))


def _entered(unit: Unit, members: Sequence[tuple[Period, Membership]]) -> Iterator[OwnBoard]:
    """The boards of a player's memberships of this moment."""
    entries = unit.tx.read_all(_member_reads(member)[1] for _, member in members)
    for (period, member), entry in zip(members, entries, strict=True):
        yield OwnBoard(period, board_of_member(unit, member, period), is_member=True, entry=entry, is_stored=True)


def _to_enter(unit: Unit, places: Sequence[tuple[Period, str | None, Cohort | None]]) -> Iterator[OwnBoard]:
    """The boards of these divisions and cohorts. That of a cohort is as it would be made, because nothing changes it."""
    numbers = [None if cohort is None else cohort.cohort for _, _, cohort in places]
    ids = [board_id_in(unit, *place[:2], number) for place, number in zip(places, numbers, strict=True)]
    of_divisions = [board_id for board_id, number in zip(ids, numbers, strict=True) if number is None]
    stored = dict(
        zip(of_divisions, unit.tx.read_all(Get(BOARDS, (board_id,)) for board_id in of_divisions), strict=True)
    )
    for board_id, number, (period, division, cohort) in zip(ids, numbers, places, strict=True):
        found = stored.get(board_id)
        board = as_of(period, found or empty_board(board_id, period, division, number))
        is_stored = found is not None if cohort is None else cohort.entered > 0
        yield OwnBoard(period, board, is_member=False, entry=None, is_stored=is_stored)


def _named(unit: Unit, entering: Sequence[_Entering], further: Iterable[Read[Any]]) -> list[_Named]:
    """The division and the cohort that a player would enter in each of these periods; `further` is read with them."""
    possible = (read for period, last in entering for read in _possible_reads(unit, period, last))
    divided = [(period, last) for period, last in entering if last is not None and definition_of(period).divisions]
    earned = dict(
        zip((period.period_id for period, _ in divided), _earned(unit, divided, [*further, *possible]), strict=True)
    )
    divisions = [_division_entered(period, earned.get(period.period_id)) for period, _ in entering]
    places = [(period, division or "") for (period, _), division in zip(entering, divisions, strict=True)]
    sizes = [definition_of(period).cohort_size for period, _ in entering]
    filling = iter(_all_filling(unit, [place for place, size in zip(places, sizes, strict=True) if size is not None]))
    return [
        (division, None if size is None else _cohort_entered(next(filling), size))
        for division, size in zip(divisions, sizes, strict=True)
    ]


def _possible_reads(unit: Unit, period: Period, last: Membership | None) -> Iterator[Read[Any]]:
    """The reads of whatever a player could enter in a period, which depends on their last one."""
    divisions = _possible_divisions(definition_of(period), last)
    if definition_of(period).cohort_size is None:
        yield from (Get(BOARDS, (board_id_in(unit, period, key, None),)) for key in divisions)
    else:
        yield from (Get(COHORTS, (period.period_id, key or "")) for key in divisions)


def _possible_divisions(definition: LeaderboardDefinition, last: Membership | None) -> list[str | None]:
    """The divisions that a player may enter: that of their last period and those beside it, or the lowest."""
    keys = [division.key for division in definition.divisions]
    if last is None or last.division not in keys:
        return [lowest_division(definition)]
    place = keys.index(last.division)
    return [*keys[max(0, place - 1) : place + 2]]


def _division_entered(period: Period, earned: str | None) -> str | None:
    """The division in which a player enters a period: by the outcome of their last one, or the lowest."""
    definition = definition_of(period)
    known = {division.key for division in definition.divisions}
    return earned if earned in known else lowest_division(definition)


def _cohort_entered(filling: Cohort, size: int) -> Cohort:
    return filling if filling.entered < size else evolve(filling, cohort=filling.cohort + 1, entered=0)


def _all_filling(unit: Unit, places: Sequence[tuple[Period, str]]) -> list[Cohort]:
    """The cohorts that are being filled in divisions of periods."""
    found = unit.tx.read_all(Get(COHORTS, (period.period_id, division)) for period, division in places)
    return [
        cohort or Cohort(period_id=period.period_id, division=division, cohort=1, entered=0)
        for (period, division), cohort in zip(places, found, strict=True)
    ]


# -- entering -------------------------------------------------------------------------------------------------------------


def enter(unit: Unit, period: Period, own: OwnBoard, player_id: PlayerId) -> None:
    """Have a player enter the board that they would enter now; the period is stored."""
    board = own.board
    if not own.is_stored:
        unit.tx.insert(BOARDS, board)
    if board.cohort is not None:
        (filling,) = _all_filling(unit, [(period, board.division or "")])
        entered = filling.entered if filling.cohort == board.cohort else 0
        unit.tx.put(COHORTS, evolve(filling, cohort=board.cohort, entered=entered + 1))
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


# -- what the last period has earned --------------------------------------------------------------------------------------


def _earned(unit: Unit, entering: Sequence[_Left], further: Sequence[Read[Any]]) -> list[str | None]:
    """The divisions that players' last periods have earned; from rows, which are never behind as a ranking may be.

    `further` is asked for with the rows.
    """
    lasts = [last for _, last in entering]
    periods, _ = unit.tx.read_lists(
        (Get(PERIODS, (period_id_of(last.leaderboard_key, last.number),)) for last in lasts),
        [*further, *_likely_reads(entering)]
        if any(last.number + 1 < period.number for period, last in entering)
        else (),
    )
    owns = [_own_division(last, period) for last, period in zip(lasts, periods, strict=True)]
    divided = [(last, own) for last, own in zip(lasts, owns, strict=True) if own is not None]
    scans = [scan for last, own in divided for scan in _end_scans(last.board_id, own)]
    entries, banned, ends, _ = unit.tx.read_lists(
        (Get(ENTRIES, (last.board_id, last.participant)) for last, _ in divided),
        (Scan(BANNED_ON, (last.board_id,)) for last, _ in divided),
        scans,
        further,
    )
    read = dict(zip(scans, ends, strict=True))
    stood = {
        last.leaderboard_key: _Stood(last, own, entry, tuple(left_out), read)
        for (last, own), entry, left_out in zip(divided, entries, banned, strict=True)
    }
    return [
        None
        if period is None
        else _outcome(unit, stood[last.leaderboard_key], period)
        if own is not None
        else last.division
        for last, own, period in zip(lasts, owns, periods, strict=True)
    ]


def _likely_reads(entering: Sequence[_Left]) -> Iterator[Read[Any]]:
    """What says where players stood in periods that are not known yet, if their divisions were declared as they are now."""
    for period, last in entering:
        own = _own_division(last, period)
        if own is not None:
            yield Get(ENTRIES, (last.board_id, last.participant))
            yield Scan(BANNED_ON, (last.board_id,))
            yield from _end_scans(last.board_id, own)


def _own_division(last: Membership, period: Period | None) -> Division | None:
    """The division of a membership as it was declared in that period."""
    divisions = () if period is None else definition_of(period).divisions
    return next((division for division in divisions if division.key == last.division), None)


def _end_scans(board_id: str, own: Division) -> Iterator[Scan[BoardEntry]]:
    """The scans of those who move up and of those who move down."""
    for most, from_end in ((own.promote, False), (own.relegate, True)):
        if 0 < most <= _MOST_READ:
            yield Scan(BY_RANK, (board_id,), reverse=from_end, limit=most)


def _outcome(unit: Unit, stood: _Stood, period: Period) -> str:
    """The division that a player's last period has earned."""
    entry, own = stood.entry, stood.own
    # Who was banned at the end of the period will be left out, or was already.
    place = None if entry is None or entry.banned_at is not None else place_of(entry)
    if place is None:
        return own.key
    return next_division(
        definition_of(period).divisions,
        own.key,
        is_best=_is_among(unit, stood, place, own.promote, from_end=False),
        is_last=_is_among(unit, stood, place, own.relegate, from_end=True),
    )


def _is_among(unit: Unit, stood: _Stood, place: Place, most: int, *, from_end: bool) -> bool:
    """Whether a place is among so many at one end of a board, without those whom its close leaves out."""
    if not most:
        return False
    board_id = stood.last.board_id
    if most > _MOST_READ:
        bound: Key = tuple(place)
        start, stop = (bound, None) if from_end else (None, bound)
        banned = [place_of(entry) for entry in stood.banned]
        left_out = sum(one is not None and (one > place if from_end else one < place) for one in banned)
        return unit.tx.count(BY_RANK, board_id, start=start, stop=stop) - left_out < most + from_end
    scan = Scan(BY_RANK, (board_id,), reverse=from_end, limit=most + len(stood.banned))
    rows = stood.ends[scan] if scan in stood.ends else unit.tx.scanned(scan)
    staying = [row.participant for row in rows if row.banned_at is None]
    return place.participant in staying[:most]

"""The invariants of shared leaderboards.

leaderboards  the present period is there, and open while the leaderboard is declared; one that ends will, and one that is
              over and not settled will be
periods       each belongs to a leaderboard; a closed one says when it closed
boards        each belongs to a period of its leaderboard; a final one has as many entries as it says
entries       each stands where its score puts it, and none is of a player who is excluded; on a final board none is of a
              player whom its close was to leave out
memberships   each names a board of its period
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Count, Get
from livecore.kernel.units.due import DUE
from livecore.leaderboards.boards import BOARDS, BY_RANK, ENTRIES, BoardEntry, Leaderboard, sort_key_of
from livecore.leaderboards.divisions import MEMBERSHIPS, Membership
from livecore.leaderboards.periods import LEADERBOARDS, PERIODS, Period, SharedLeaderboard, period_id_of
from livecore.leaderboards.rollover import ROLL
from livecore.leaderboards.settlement import SETTLE


def _leaderboard_needs(leaderboard: SharedLeaderboard) -> Iterator[AnyRead]:
    yield Get(PERIODS, (period_id_of(leaderboard.leaderboard_key, leaderboard.number),))
    yield Get(DUE, (ROLL, leaderboard.leaderboard_key))
    yield Get(DUE, (SETTLE.kind, leaderboard.leaderboard_key))


def _judge_leaderboard(reader: Reader, leaderboard: SharedLeaderboard) -> Iterator[str]:
    key = leaderboard.leaderboard_key
    period = reader.get(PERIODS, (period_id_of(key, leaderboard.number),))
    is_open = period is not None and period.status == "open"
    if period is None or (leaderboard.declared is not None and not is_open):
        yield "has no period that is open"
    elif is_open and period.ends_at is not None and reader.get(DUE, (ROLL, key)) is None:
        yield "is in a period that will not end"
    over = leaderboard.number - is_open
    if leaderboard.settled < over and reader.get(DUE, (SETTLE.kind, key)) is None:
        yield "has a period that is over and will not be settled"


def _period_needs(period: Period) -> Iterator[AnyRead]:
    yield Get(LEADERBOARDS, (period.leaderboard_key,))


def _judge_period(reader: Reader, period: Period) -> Iterator[str]:
    leaderboard = reader.get(LEADERBOARDS, (period.leaderboard_key,))
    if leaderboard is None or period.number > leaderboard.number:
        yield "belongs to a leaderboard that does not exist, or has not come to it"
    elif (period.status == "open") != (period.number == leaderboard.number) and (
        period.status == "open" or leaderboard.declared is not None
    ):
        yield f"is {period.status}, and its leaderboard's present one is number {leaderboard.number}"
    elif (period.settled_at is not None) != (period.number <= leaderboard.settled):
        yield "says otherwise than its leaderboard whether it is settled"
    if (period.status == "closed") != (period.closed_at is not None):
        yield f"is {period.status}, and says otherwise when it closed"
    if period.ends_at is not None and period.ends_at < period.starts_at:
        yield "ends before it begins"


def _board_needs(board: Leaderboard) -> Iterator[AnyRead]:
    if board.period_id is not None:
        yield Get(PERIODS, (board.period_id,))
    if board.finalized_at is not None:
        yield Count(BY_RANK, (board.board_id,))


def _judge_board(reader: Reader, board: Leaderboard) -> Iterator[str]:
    if board.kind == "shared":
        period = None if board.period_id is None else reader.get(PERIODS, (board.period_id,))
        if period is None or period.leaderboard_key != board.key:
            yield "belongs to a period that does not exist"
        elif board.finalized_at is not None and period.status == "open":
            yield "is final in a period that is open"
    if board.finalized_at is not None:
        count = reader.count(Count(BY_RANK, (board.board_id,)))
        if count != board.entry_count:
            yield f"is final with {board.entry_count} entries, and has {count}"


def _entry_needs(entry: BoardEntry) -> Iterator[AnyRead]:
    yield Get(BOARDS, (entry.board_id,))


def _judge_entry(reader: Reader, entry: BoardEntry) -> Iterator[str]:
    board = reader.get(BOARDS, (entry.board_id,))
    if board is None:
        yield "is on a board that does not exist"
    elif entry.sort_key is not None and entry.sort_key != sort_key_of(board.order, entry.score):
        yield f"has the score {entry.score}, and is not in the order of scores"
    elif entry.excluded_at is not None and entry.sort_key is not None:
        yield "is of a player who is excluded from the board"
    elif entry.banned_at is not None and board.finalized_at is not None:
        yield "is of a player who was banned, on a board that is final"


def _membership_needs(membership: Membership) -> Iterator[AnyRead]:
    yield Get(BOARDS, (membership.board_id,))


def _judge_membership(reader: Reader, membership: Membership) -> Iterator[str]:
    board = reader.get(BOARDS, (membership.board_id,))
    if board is None or board.period_id != period_id_of(membership.leaderboard_key, membership.number):
        yield "names a board that does not exist in its period"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=LEADERBOARDS, needs=_leaderboard_needs, judge=_judge_leaderboard),
    Rule(table=PERIODS, needs=_period_needs, judge=_judge_period),
    Rule(table=BOARDS, needs=_board_needs, judge=_judge_board),
    Rule(table=ENTRIES, needs=_entry_needs, judge=_judge_entry),
    Rule(table=MEMBERSHIPS, needs=_membership_needs, judge=_judge_membership),
)

"""Settlement: what follows when a period of a shared leaderboard is over, as a job that runs in steps.

For each board of the period the job leaves out who was banned at the period's end, makes it final and pays the rewards of
its ranks; at the end it emits the event. Periods of one leaderboard are settled one after another, in their order. The
cursor says how far the job has come, and every step stores it in the transaction of what it paid; so each rank is paid once,
whatever is killed.

    ()                                    the next board is the first of the period
    (board_id,)                           the next board is the one after this
    (board_id, rank, *place)              this board is paid up to this rank, which has this place
"""

from __future__ import annotations

from typing import Any, Final, cast

from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, BOARDS_OF_PERIOD, Leaderboard, finalize, leave_out_banned
from livecore.leaderboards.definition import LeaderboardDefinition
from livecore.leaderboards.definition_rows import RankReward
from livecore.leaderboards.divisions import top_board
from livecore.leaderboards.periods import LEADERBOARDS, PERIODS, Period, definition_of, period_id_of
from livecore.leaderboards.rank_rewards import pay_ranks, top_ranks
from livecore.leaderboards.webhook_events import LeaderboardPeriodFinalized

_PLACED: Final = 5
"""The length of a cursor that names a place on a board."""


def _rewards_of(definition: LeaderboardDefinition, division: str | None) -> tuple[RankReward, ...]:
    """The rewards of a board's ranks: the division's own, or, where it declares none, the leaderboard's."""
    own = next((known.rank_rewards for known in definition.divisions if known.key == division), ())
    return own or definition.rank_rewards


def begin_settling(unit: Unit, leaderboard_key: str) -> None:
    """Start the job for a leaderboard of which a period is over; one that is under way comes to it by itself."""
    if unit.tx.get(DUE, SETTLE.kind, leaderboard_key) is None:
        SETTLE.start(unit, leaderboard_key)


def settle_now(unit: Unit, leaderboard_key: str, *, steps: int) -> None:
    """Run the job's next steps in this unit; what is left continues as due work."""
    for _ in range(steps):
        work = unit.tx.get(DUE, SETTLE.kind, leaderboard_key)
        if work is None:
            return
        SETTLE.run(unit, work)


# -- the job --------------------------------------------------------------------------------------------------------------


def _settle(unit: Unit, leaderboard_key: str, cursor: Cursor) -> Cursor | None:
    leaderboard = unit.tx.get(LEADERBOARDS, leaderboard_key)
    number = 0 if leaderboard is None else leaderboard.settled + 1
    period = unit.tx.get(PERIODS, period_id_of(leaderboard_key, number))
    if leaderboard is None or period is None or period.status == "open":
        return None
    left = MOST_ROWS
    while left > 0:
        board = _board_at(unit, period, cursor)
        if board is None:
            _finish(unit, period)
            unit.tx.put(LEADERBOARDS, evolve(leaderboard, settled=number))
            further = unit.tx.get(PERIODS, period_id_of(leaderboard_key, number + 1))
            return START if further is not None and further.status == "closed" else None
        if len(cursor) != _PLACED:
            left -= leave_out_banned(unit, board.board_id, left)
            if left <= 0:
                return cursor
            period = _finalized(unit, period, board)
            cursor = (board.board_id, 0, None, None, None)
            left -= 1
        else:
            cursor, handled = _paid(unit, period, board, cursor, left)
            left -= handled
    return cursor


def _board_at(unit: Unit, period: Period, cursor: Cursor) -> Leaderboard | None:
    """The board that is being paid, or the next one of the period."""
    if len(cursor) == _PLACED:
        return unit.tx.get(BOARDS, cursor[0])
    return next(iter(unit.tx.scan(BOARDS_OF_PERIOD, period.period_id, after=cursor or None, limit=1)), None)


def _finalized(unit: Unit, period: Period, board: Leaderboard) -> Period:
    final = finalize(unit, board, ends_at=period.ends_at)
    return unit.tx.put(PERIODS, evolve(period, entry_count=period.entry_count + (final.entry_count or 0)))


def _paid(unit: Unit, period: Period, board: Leaderboard, cursor: Cursor, most: int) -> tuple[Cursor, int]:
    """Pay the next ranks of a board; gives the cursor after them, and how many rows were handled."""
    board_id, rank, *place = cast("tuple[str, int, *tuple[Any, ...]]", cursor)
    rewards = _rewards_of(definition_of(period), board.division)
    after = tuple(place) if rank else None
    paid = pay_ranks(unit, board_id, rewards, "leaderboard_rank", rank=rank, place=after, most=most)
    return (board_id,) if paid.place is None else (board_id, paid.rank, *paid.place), paid.entries


def _finish(unit: Unit, period: Period) -> None:
    unit.tx.put(PERIODS, evolve(period, settled_at=unit.now))
    definition = definition_of(period)
    board = top_board(unit, period)
    unit.emit(
        LeaderboardPeriodFinalized(
            leaderboard_id=board.board_id,
            leaderboard_key=definition.key,
            period="monthly" if definition.reset == "monthly" else "weekly",
            status="finalized",
            period_starts_at=Timestamp(period.starts_at),
            period_ends_at=Timestamp(unit.now if period.ends_at is None else period.ends_at),
            entry_count=period.entry_count,
            top_ranks=top_ranks(unit, board),
            finalized_at=Timestamp(unit.now),
        )
    )


SETTLE: Final = Job("competition.settle", _settle)
"""Settles the periods of the leaderboard whose key it is about."""

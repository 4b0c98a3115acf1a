"""Rollover: a shared leaderboard moves to its next period, by due work, by a request that comes first, or on demand.

The move closes the period that is over and opens the next one in one unit. Whoever comes first makes it; the others find it
made. What follows is the settlement of the period, a job.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.access.refusals import TestEnvironmentOnly
from livecore.kernel.storage.reads import Count, Get, Read
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BANNED_ON, BOARDS_OF_PERIOD, BY_RANK
from livecore.leaderboards.config import leaderboards_config
from livecore.leaderboards.definition import LeaderboardDefinition
from livecore.leaderboards.periods import (
    LEADERBOARDS,
    LEADERBOARDS_BY_KEY,
    PERIODS,
    Period,
    Present,
    SharedLeaderboard,
    brought_up,
    definition_of,
    find_all_present,
    find_present,
    first_period,
    following,
    period_id_of,
    present,
    present_reads,
    stored_text,
)
from livecore.leaderboards.resets import next_reset, previous_reset
from livecore.leaderboards.rows import RolledOver, RolloverNow
from livecore.leaderboards.settlement import begin_settling, settle_now

ROLL: Final = "competition.roll"
"""Due work: the present period of the leaderboard whose key it is about is over."""
_STEPS_AT_ONCE: Final = 10
"""How many steps of the settlement `dev.rolloverNow` runs before it answers."""


def ensure(unit: Unit, seen: Present) -> Period:
    """Store what `present` has computed; gives the open period."""
    if not seen.ended:
        return seen.period
    return _move(unit, seen.leaderboard, seen.ended, seen.period)


def _move(unit: Unit, leaderboard: SharedLeaderboard, ended: tuple[Period, ...], period: Period) -> Period:
    """Store the periods that have ended, of which the first was stored as open, and the one that is new."""
    for closed in ended[:1]:
        unit.tx.put(PERIODS, closed)
    for made in (*ended[1:], period):
        unit.tx.insert(PERIODS, made)
    unit.tx.put(LEADERBOARDS, evolve(leaderboard, number=period.number))
    _schedule(unit, period)
    begin_settling(unit, leaderboard.leaderboard_key)
    return period


def _schedule(unit: Unit, period: Period) -> None:
    if period.ends_at is None:
        unit.cancel(ROLL, period.leaderboard_key)
    else:
        unit.schedule(ROLL, period.leaderboard_key, period.ends_at)


def roll_due(unit: Unit, leaderboard_key: str) -> None:
    """Move a leaderboard to its present period; one that is not declared any more ends its last one."""
    _roll(unit, leaderboard_key, find_present(unit, leaderboard_key))


def roll_all_due(unit: Unit, leaderboard_keys: Sequence[str]) -> None:
    """Move several leaderboards to their present periods, as `roll_due` does, with their reads asked for together."""
    unit.tx.read_all(rolling_reads(leaderboard_keys))
    seen = find_all_present(unit, leaderboard_keys)
    for key, now in zip(leaderboard_keys, seen, strict=True):
        _roll(unit, key, now)


def rolling_reads(leaderboard_keys: Sequence[str]) -> list[Read[Any]]:
    """What moving leaderboards to their present periods reads; scheduling the next one replaces what is scheduled."""
    return [*present_reads(leaderboard_keys), *(Get(DUE, (ROLL, key)) for key in leaderboard_keys)]


def _roll(unit: Unit, leaderboard_key: str, seen: Present | None) -> None:
    if seen is not None:
        _schedule(unit, ensure(unit, seen))
        return
    leaderboard = unit.tx.get(LEADERBOARDS, leaderboard_key)
    if leaderboard is not None and leaderboard.declared is None:
        _end_last(unit, leaderboard)


def _end_last(unit: Unit, leaderboard: SharedLeaderboard) -> None:
    """Close the period of a leaderboard that is not declared any more, if it is over; none follows it."""
    key = leaderboard.leaderboard_key
    period = unit.tx.get(PERIODS, period_id_of(key, leaderboard.number))
    if period is None or period.status == "closed" or period.ends_at is None:
        unit.cancel(ROLL, key)
    elif period.ends_at > unit.now:
        unit.schedule(ROLL, key, period.ends_at)
    else:
        unit.tx.put(PERIODS, evolve(period, status="closed", closed_at=unit.now))
        unit.cancel(ROLL, key)
        begin_settling(unit, key)


# -- the configuration ----------------------------------------------------------------------------------------------------


def prepare(unit: Unit) -> None:
    """Bring the leaderboards of a scope up to the configuration: rows for new ones, and when each begins anew."""
    wanted = {definition.key: definition for definition in leaderboards_config(unit).leaderboards}
    stored = {leaderboard.leaderboard_key: leaderboard for leaderboard in unit.tx.scan(LEADERBOARDS_BY_KEY)}
    for leaderboard in stored.values():
        if leaderboard.leaderboard_key not in wanted and leaderboard.declared is not None:
            _withdraw(unit, leaderboard.leaderboard_key)
    scheduled = unit.tx.read_all(Get(DUE, (ROLL, key)) for key in wanted)
    for definition, work in zip(wanted.values(), scheduled, strict=True):
        _declare(unit, definition, stored.get(definition.key), work)


def _withdraw(unit: Unit, key: str) -> None:
    """Declare a leaderboard no more. What has been won in its period is paid at the end of it, so that stays scheduled."""
    roll_due(unit, key)
    leaderboard = unit.tx.get(LEADERBOARDS, key)
    if leaderboard is not None:
        unit.tx.put(LEADERBOARDS, evolve(leaderboard, declared=None))


def _declare(
    unit: Unit, definition: LeaderboardDefinition, leaderboard: SharedLeaderboard | None, work: DueWork | None
) -> None:
    text = stored_text(definition)
    if leaderboard is None:
        row = SharedLeaderboard(leaderboard_key=definition.key, declared=text, since=unit.now)
        unit.tx.insert(LEADERBOARDS, row)
        _schedule(unit, unit.tx.insert(PERIODS, first_period(definition, unit.now)))
    elif leaderboard.declared is None:
        _resume(unit, leaderboard, definition, text)
    elif leaderboard.declared != text:
        # Periods that are over began, and ended, under the declaration before this one.
        roll_due(unit, definition.key)
        leaderboard = unit.tx.get(LEADERBOARDS, definition.key) or leaderboard
        unit.tx.put(LEADERBOARDS, evolve(leaderboard, declared=text))
        _give_end(unit, leaderboard, definition)
    elif work is None:
        _give_end(unit, leaderboard, definition)


def _resume(unit: Unit, leaderboard: SharedLeaderboard, definition: LeaderboardDefinition, text: JsonText) -> None:
    """Declared again: the period that was open continues, or has ended since and is followed by that of this moment."""
    leaderboard = unit.tx.put(LEADERBOARDS, evolve(leaderboard, declared=text))
    period = unit.tx.get(PERIODS, period_id_of(definition.key, leaderboard.number))
    if period is None:
        return
    if period.status == "closed":
        starts_at = max(period.ends_at or 0, previous_reset(definition.reset, unit.now))
        _move(unit, leaderboard, (), following(period, text, starts_at))
        return
    ended, period = brought_up(period, text, unit.now, regular=False)
    if ended:
        leaderboard = evolve(leaderboard, number=period.number)
        _move(unit, leaderboard, ended, period)
    _give_end(unit, leaderboard, definition)


def _give_end(unit: Unit, leaderboard: SharedLeaderboard, definition: LeaderboardDefinition) -> None:
    """Schedule the end of the present period. One without an end is given one if the leaderboard now begins anew."""
    period = unit.tx.get(PERIODS, period_id_of(definition.key, leaderboard.number))
    if period is None:
        return
    if period.ends_at is None and definition.reset != "never":
        text = stored_text(evolve(definition_of(period), reset=definition.reset))
        period = unit.tx.put(PERIODS, evolve(period, ends_at=next_reset(definition.reset, unit.now), definition=text))
    _schedule(unit, period)


# -- on demand ------------------------------------------------------------------------------------------------------------


def rollover_now(unit: Unit, args: RolloverNow) -> RolledOver:
    """End the present period at this moment, in the test environment; the next one ends with the regular reset.

    Nothing happens on a leaderboard that never begins anew, and in a period without a score. Refusals, in order:
    `TestEnvironmentOnly`, `LeaderboardNotFound`.
    """
    if unit.scope.environment != "test":
        raise TestEnvironmentOnly("Only a test-environment key may end a period.")
    seen = present(unit, args.leaderboard_key)
    period = ensure(unit, seen)
    count, banned = _counts(unit, period)
    if period.ends_at is None or not count:
        return _rolled_over(period, count, period, rolled=False)
    count -= banned
    closed = evolve(period, status="closed", ends_at=unit.now, closed_at=unit.now)
    leaderboard = evolve(seen.leaderboard, number=period.number)
    opened = following(closed, leaderboard.declared or period.definition, unit.now)
    _move(unit, leaderboard, (closed,), opened)
    settle_now(unit, args.leaderboard_key, steps=_STEPS_AT_ONCE)
    return _rolled_over(closed, count, opened, rolled=True)


def _counts(unit: Unit, period: Period) -> tuple[int, int]:
    """How many entries the boards of a period have, and how many of these are of banned players."""
    boards = unit.tx.scan(BOARDS_OF_PERIOD, period.period_id)
    placed, banned = unit.tx.read_lists(
        (Count(BY_RANK, (board.board_id,)) for board in boards),
        (Count(BANNED_ON, (board.board_id,)) for board in boards),
    )
    return sum(placed), sum(banned)


def _rolled_over(period: Period, count: int, present_period: Period, *, rolled: bool) -> RolledOver:
    return RolledOver(
        leaderboard_key=period.leaderboard_key,
        rolled_over=rolled,
        period_start=Timestamp(period.starts_at),
        period_end=stamp(period.ends_at),
        entry_count=count,
        next_reset_at=stamp(present_period.ends_at),
    )

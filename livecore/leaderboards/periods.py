"""Periods of shared leaderboards: each follows the one before it, and keeps the definition with which it began.

    open ──its end, or `dev.rolloverNow`──▶ closed, and the next one is open ──the job `SETTLE`──▶ settled

A leaderboard has one row, which names its present period. A score may arrive after the end of a period and before the due
work that moves the leaderboard to the next one. Therefore nobody takes the stored period for the present one: `present`
computes which periods have ended since, and every write stores that first (`livecore.leaderboards.rollover`). Periods that
were missed, because no process was running, follow one another at their regular times, as if one had been.

What a period keeps is what has an effect on scores that are there: order, aggregation, divisions, cohorts, rewards and name.
Where scores may come from and which validators judge them is read from the present declaration, so that a studio can close a
hole in a leaderboard that never begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, Literal, cast

from livecore.kernel.errors import Json
from livecore.kernel.remembered import remembered
from livecore.kernel.storage.reads import Get, Read, Scan
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.values import value
from livecore.kernel.wire import compact, decode, encode
from livecore.leaderboards.definition import LeaderboardDefinition
from livecore.leaderboards.refusals import LeaderboardNotFound, LeaderboardPeriodNotFound
from livecore.leaderboards.resets import next_reset, previous_reset

# -- records --------------------------------------------------------------------------------------------------------------


@record
class SharedLeaderboard:
    """A leaderboard that a game declares, or declared once, in one environment; `declared` is empty while it does not.

    `number` is that of its present period, or, while the leaderboard is not declared, of its last one, which may be closed.
    `settled` is that of the last one whose boards are final and whose rewards are paid.
    """

    leaderboard_key: str
    declared: JsonText | None
    since: Millis
    number: int = 1
    settled: int = 0


@record
class Period:
    """One period of a leaderboard; `definition` is the leaderboard as it was declared when the period began.

    `ends_at` is empty where nothing ends it. `entry_count` is counted while the period is settled.
    """

    period_id: str
    leaderboard_key: str
    number: int
    status: Literal["open", "closed"] = "open"
    starts_at: Millis
    ends_at: Millis | None
    definition: JsonText
    closed_at: Millis | None = None
    settled_at: Millis | None = None
    entry_count: int = 0


LEADERBOARDS = Table("shared_leaderboards", SharedLeaderboard, key=("leaderboard_key",))
LEADERBOARDS_BY_KEY = LEADERBOARDS.index("by_key", order=("leaderboard_key",))
PERIODS = Table("leaderboard_periods", Period, key=("period_id",))
_PERIODS_OF_LEADERBOARD = PERIODS.index("of_leaderboard", prefix=("leaderboard_key",), order=("number",))

_MOST_MADE_UP: Final = 520
"""How many missed periods follow one another, ten years of weeks; of a longer time the rest is left out."""


@value
class Present:
    """A leaderboard at this moment: its row, the periods that have ended and are still stored as open, and the open one.

    `before` is the period before those, which is stored as closed.
    """

    leaderboard: SharedLeaderboard
    ended: tuple[Period, ...]
    period: Period
    before: Period | None


# -- rules ----------------------------------------------------------------------------------------------------------------


def stored_text(definition: LeaderboardDefinition) -> JsonText:
    """A definition as rows hold it."""
    return JsonText(compact(encode(definition)))


def declared(leaderboard: SharedLeaderboard) -> LeaderboardDefinition | None:
    """The leaderboard as the game declares it, or `None` where it does no more."""
    return None if leaderboard.declared is None else _definition(leaderboard.declared)


def definition_of(period: Period) -> LeaderboardDefinition:
    """The leaderboard as it was declared when the period began."""
    return _definition(period.definition)


@remembered(32 * 1024 * 1024)
def _definition(text: str) -> LeaderboardDefinition:
    return decode(LeaderboardDefinition, cast(Json, json.loads(text)))


def period_id_of(leaderboard_key: str, number: int) -> str:
    """The id of a leaderboard's period in its scope."""
    return f"{leaderboard_key}:{number}"


def leaderboard_and_number(period_id: str) -> tuple[str, int]:
    """The leaderboard of a period, and its number."""
    key, _, number = period_id.rpartition(":")
    return key, int(number)


def first_period(definition: LeaderboardDefinition, now: Millis) -> Period:
    """The period in which a leaderboard begins: the regular one of this moment, which may have begun before it."""
    return _period(definition, stored_text(definition), 1, previous_reset(definition.reset, now), now)


def following(period: Period, text: JsonText, starts_at: Millis) -> Period:
    """The period after another one; it begins with the definition in `text`."""
    return _period(_definition(text), text, period.number + 1, starts_at, starts_at)


def _period(
    definition: LeaderboardDefinition, text: JsonText, number: int, starts_at: Millis, moment: Millis
) -> Period:
    return Period(
        period_id=period_id_of(definition.key, number),
        leaderboard_key=definition.key,
        number=number,
        starts_at=starts_at,
        ends_at=next_reset(definition.reset, moment),
        definition=text,
    )


def brought_up(
    period: Period, text: JsonText, now: Millis, *, regular: bool = True
) -> tuple[tuple[Period, ...], Period]:
    """The periods that have ended by now, closed, and the one that is open; new ones begin with the definition in `text`.

    Without `regular` none is made up between the stored one and the present.
    """
    ended: list[Period] = []
    while period.ends_at is not None and period.ends_at <= now:
        ended.append(evolve(period, status="closed", closed_at=now))
        here = regular and len(ended) < _MOST_MADE_UP
        starts_at = period.ends_at if here else max(period.ends_at, previous_reset(_definition(text).reset, now))
        period = following(period, text, starts_at)
    return tuple(ended), period


# -- operations -----------------------------------------------------------------------------------------------------------


def find_present(unit: Unit, leaderboard_key: str) -> Present | None:
    """A leaderboard at this moment; `None` where the game does not declare it."""
    return find_all_present(unit, (leaderboard_key,))[0]


def find_all_present(unit: Unit, leaderboard_keys: Sequence[str]) -> list[Present | None]:
    """Several leaderboards, each as `find_present` gives it."""
    leaderboards, newest = unit.tx.read_lists(
        (Get(LEADERBOARDS, (key,)) for key in leaderboard_keys), map(_newest_read, leaderboard_keys)
    )
    return [_present(one, periods, unit.now) for one, periods in zip(leaderboards, newest, strict=True)]


def present_reads(leaderboard_keys: Sequence[str]) -> list[Read[Any]]:
    """What `find_all_present` reads, for whoever asks for something else with it."""
    rows: list[Read[Any]] = [Get(LEADERBOARDS, (key,)) for key in leaderboard_keys]
    return [*rows, *map(_newest_read, leaderboard_keys)]


def _newest_read(leaderboard_key: str) -> Scan[Period]:
    """The read of the present period and the one before it, whose numbers need not be known for it."""
    return Scan(_PERIODS_OF_LEADERBOARD, (leaderboard_key,), reverse=True, limit=2)


def _present(leaderboard: SharedLeaderboard | None, newest: Sequence[Period], now: Millis) -> Present | None:
    stored = {period.number: period for period in newest}
    if leaderboard is None or leaderboard.declared is None or leaderboard.number not in stored:
        return None
    ended, period = brought_up(stored[leaderboard.number], leaderboard.declared, now)
    return Present(leaderboard, ended, period, stored.get(leaderboard.number - 1))


def present(unit: Unit, leaderboard_key: str) -> Present:
    """A leaderboard at this moment. Raises `LeaderboardNotFound`."""
    found = find_present(unit, leaderboard_key)
    if found is None:
        raise LeaderboardNotFound.of(leaderboard_key)
    return found


def previous(seen: Present) -> Period:
    """The period before the present one. Raises `LeaderboardPeriodNotFound`."""
    found = seen.ended[-1] if seen.ended else seen.before
    if found is None:
        raise LeaderboardPeriodNotFound
    return found

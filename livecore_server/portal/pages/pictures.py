"""Pictures as data for SVG elements: bars whose heights or widths follow some values.

What is drawn is counted from one page of a list, so that a picture costs the same however large a game is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from livecore.kernel.time import DAY, HOUR, Millis, Timestamp, wire_time

_WIDTH: Final = 600
_HEIGHT: Final = 120
_FEWEST: Final = 12
"""With fewer bars the picture is not filled, so that no bar is a block."""
_DAYS: Final = 30
"""How many days a picture by the day has."""
_SEEN: Final = (
    ("in the last hour", HOUR),
    ("in the last 24 hours", DAY),
    ("in the last 7 days", 7 * DAY),
    ("in the last 30 days", 30 * DAY),
)
"""How long ago players were seen: what each span is called, and its length; of those that fit the first counts."""


@attrs.frozen
class Bar:
    """One bar, in the units of the picture."""

    x: float
    y: float
    width: float
    height: float
    label: str
    value: int


@attrs.frozen
class Bars:
    """A picture of bars; the table beside it has the same values, so it is no loss not to see it."""

    width: int
    height: int
    most: int
    bars: tuple[Bar, ...]


def bars(values: Sequence[tuple[str, int]]) -> Bars | None:
    """The picture of these values, or nothing where there is nothing to see."""
    most = max((value for _, value in values), default=0)
    if most <= 0 or len(values) < 2:
        return None
    step = _WIDTH / max(len(values), _FEWEST)
    drawn = []
    for number, (label, value) in enumerate(values):
        height = round(max(value, 0) / most * _HEIGHT, 1)
        drawn.append(Bar(round(number * step, 1), _HEIGHT - height, round(step * 0.8, 1), height, label, value))
    return Bars(_WIDTH, _HEIGHT, most, tuple(drawn))


@attrs.frozen
class RowBar:
    """A bar that lies in its row of a table, `width` in hundredths of the widest."""

    label: str
    value: int
    width: int


def by_last_seen(players: Sequence[Mapping[str, Any]], now: Millis) -> tuple[RowBar, ...]:
    """How many of these players are online, and when the others were seen last; each counts once."""
    counts = Counter(_seen(player, now) for player in players)
    most = max(counts.values(), default=0) or 1
    labels = ("online now", *(label for label, _ in _SEEN), "longer ago")
    return tuple(RowBar(label, counts[label], round(counts[label] / most * 100)) for label in labels)


def _seen(player: Mapping[str, Any], now: Millis) -> str:
    if player["online"]:
        return "online now"
    ago = now - Timestamp.parse(player["lastSeenAt"])
    return next((label for label, within in _SEEN if ago <= within), "longer ago")


def by_day(times: Sequence[str], now: Millis, *, and_more: bool = False) -> tuple[tuple[str, int], ...]:
    """How many of these times are on each of the last thirty days, today included.

    With `and_more` there are earlier ones that are not among them: what is counted begins after the day of the earliest,
    of which some may be missing.
    """
    counts = Counter(time[:10] for time in times)
    days = (wire_time(now - back * DAY)[:10] for back in reversed(range(_DAYS)))
    after = min(counts, default="") if and_more else ""
    return tuple((day, counts[day]) for day in days if day > after)

"""Events and their windows as they are stored: an event keeps its declaration, a window the one with which it opened."""

from __future__ import annotations

import json
from typing import Literal, cast

from livecore.events.definition import EventDefinition
from livecore.kernel.errors import Json
from livecore.kernel.ids import derived_id
from livecore.kernel.remembered import remembered
from livecore.kernel.storage.records import JsonText
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import decode
from livecore.leaderboards.boards import Leaderboard, board_id_of


@record
class CompetitionEvent:
    """An event that a game declares, or declared once, in one environment; `declared` is empty while it does not.

    `since` is when the schedule was declared: windows that were over by then never open. `opened_until` is when the last
    window that has opened was to end: the next one begins then or later.
    """

    event_key: str
    event_id: str
    declared: JsonText | None
    since: Millis
    opened_until: Millis = 0


@record
class EventWindow:
    """One window that has opened; `definition` is the event as it was declared then, with this window as its schedule.

    While it is `closing`, nothing of it changes any more but by its close, and the next window of the event may open.
    """

    window_id: str
    event_key: str
    event_id: str
    status: Literal["active", "closing", "closed"]
    starts_at: Millis
    ends_at: Millis
    opened_at: Millis
    closed_at: Millis | None = None
    definition: JsonText


EVENTS = Table("competition_events", CompetitionEvent, key=("event_key",))
EVENTS_BY_KEY = EVENTS.index("by_key", order=("event_key",))

WINDOWS = Table("event_windows", EventWindow, key=("window_id",))
WINDOWS_OF_EVENT = WINDOWS.index("of_event", prefix=("event_key",), order=("starts_at",))


def declared(event: CompetitionEvent) -> EventDefinition | None:
    """The event as the game declares it, or `None` where it does no more."""
    return None if event.declared is None else definition_in(event.declared)


def definition_of(window: EventWindow) -> EventDefinition:
    """The event as it was declared when the window opened."""
    return definition_in(window.definition)


@remembered(32 * 1024 * 1024)
def definition_in(text: str) -> EventDefinition:
    """An event as it was declared, from its stored text."""
    return decode(EventDefinition, cast(Json, json.loads(text)))


def window_id_of(unit: Unit, event: CompetitionEvent, starts_at: Millis) -> str:
    """The id of the window of an event that begins at a moment."""
    return derived_id("win", starts_at, unit.scope.id, event.event_id, str(starts_at))


def board_id_in(unit: Unit, window_id: str, starts_at: Millis, segment: str | None = None) -> str:
    """The id of the board of a window that begins at a moment, or of a segment of it."""
    return board_id_of(unit.scope.id, starts_at, window_id, *(() if segment is None else (segment,)))


def is_over(unit: Unit, window: EventWindow) -> bool:
    """Whether nothing of a window changes any more but by its close: its time is over, whether due work has run or not."""
    return window.status != "active" or unit.now >= window.ends_at


def new_board(unit: Unit, window: EventWindow, definition: EventDefinition, segment: str | None = None) -> Leaderboard:
    """A board of a window, or of a segment of it, as it begins; the caller stores it."""
    return Leaderboard(
        board_id=board_id_in(unit, window.window_id, window.starts_at, segment),
        kind="event",
        key=window.event_key,
        name=definition.name,
        order=definition.order,
        event_id=window.event_id,
        window_id=window.window_id,
        segment=segment,
        starts_at=window.starts_at,
        ends_at=window.ends_at,
    )

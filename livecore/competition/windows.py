"""Windows of events: each opens and closes once, in order, by due work, and keeps the definition with which it opened.

An event has one row and at most one piece of due work, which opens its next window; so a schedule without end costs no rows
ahead of time. After downtime the windows that were missed open and close one after another, each once. Whoever needs a
window within the moment before that work has run opens it. A window's id is derived from its event and its beginning, and
is therefore known before the window is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, cast

from livecore.competition.config import CompetitionConfig, competition_config
from livecore.competition.event_config import EventDefinition, Schedule, ScheduledWindow
from livecore.competition.schedule import Span, first_span
from livecore.kernel.checks import compact
from livecore.kernel.config import Config
from livecore.kernel.ids import derived_id
from livecore.kernel.jobs import Cursor, Job
from livecore.kernel.records import JsonText, evolve, record
from livecore.kernel.shapes import Timestamp
from livecore.kernel.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.unit import Unit
from livecore.kernel.wire import encode
from livecore.webhooks.catalog.windows import WindowClosed, WindowOpened

__all__ = [
    "CLOSE",
    "EVENTS",
    "OPEN",
    "WINDOWS",
    "WINDOWS_OF_EVENT",
    "CompetitionEvent",
    "EventWindow",
    "objections",
    "open_due",
    "prepare",
    "window_now",
]


# -- records --------------------------------------------------------------------------------------------------------------


@record
class CompetitionEvent:
    """An event that a game declares, or declared once, in one environment; `schedule` is empty while it does not.

    `since` is when the schedule was declared: windows that were over by then never open. `opened_until` is when the last
    window that has opened was to end: the next one begins then or later.
    """

    event_key: str
    event_id: str
    schedule: JsonText | None
    since: Millis
    opened_until: Millis = 0


@record
class EventWindow:
    """One window that has opened; `definition` is the event as it was declared then, with this window as its schedule."""

    window_id: str
    event_key: str
    event_id: str
    status: Literal["active", "closed"]
    starts_at: Millis
    ends_at: Millis
    opened_at: Millis
    closed_at: Millis | None = None
    definition: JsonText


EVENTS = Table("competition_events", CompetitionEvent, key=("event_key",))
EVENTS_BY_KEY = EVENTS.index("by_key", order=("event_key",))
WINDOWS = Table("event_windows", EventWindow, key=("window_id",))
WINDOWS_OF_EVENT = WINDOWS.index("of_event", prefix=("event_key",), order=("starts_at",))

OPEN: Final = "competition.open"
"""Due work: open the next window of the event whose key it is about."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def next_span(event: CompetitionEvent, schedule: Schedule) -> Span | None:
    """The next window of an event to open."""
    return first_span(schedule, ending_after=event.since, starting_from=event.opened_until)


def window_id_of(unit: Unit, event: CompetitionEvent, starts_at: Millis) -> str:
    """The id of the window of an event that begins at a moment."""
    return derived_id("win", starts_at, unit.scope.id, event.event_id, str(starts_at))


# -- operations -----------------------------------------------------------------------------------------------------------


def window_now(unit: Unit, definition: EventDefinition) -> EventWindow | None:
    """The window of an event that is open at this moment. One that is due to open, and has not, is given as it will be."""
    event = unit.tx.get(EVENTS, definition.key)
    if event is None:
        return None
    newest = newest_window(unit, definition.key)
    if newest is not None and newest.starts_at <= unit.now < newest.ends_at:
        return newest if newest.status == "active" else None
    span = next_span(event, definition.schedule)
    return _new_window(unit, event, definition, span) if span is not None and span.contains(unit.now) else None


def newest_window(unit: Unit, event_key: str) -> EventWindow | None:
    """The window of an event that opened last."""
    return next(iter(unit.tx.scan(WINDOWS_OF_EVENT, event_key, reverse=True, limit=1)), None)


def open_due(unit: Unit, event_key: str) -> None:
    """Open the next window of an event, if it has begun, and schedule the one after it."""
    event = unit.tx.get(EVENTS, event_key)
    definition = competition_config(unit).event(event_key)
    if event is None or definition is None:
        unit.cancel(OPEN, event_key)
        return
    span = next_span(event, definition.schedule)
    if span is not None and span.starts_at <= unit.now:
        event = _open(unit, event, definition, span)
    _schedule_next(unit, event, definition)


def _open(unit: Unit, event: CompetitionEvent, definition: EventDefinition, span: Span) -> CompetitionEvent:
    window = _new_window(unit, event, definition, span)
    unit.tx.insert(WINDOWS, window)
    opened = evolve(event, opened_until=span.ends_at)
    unit.tx.put(EVENTS, opened)
    CLOSE.start_at(unit, window.ends_at, window.window_id)
    unit.emit(
        WindowOpened(
            event_window_id=window.window_id,
            event_id=window.event_id,
            event_key=window.event_key,
            status="active",
            starts_at=Timestamp(window.starts_at),
            ends_at=Timestamp(window.ends_at),
            opened_at=Timestamp(window.opened_at),
        )
    )
    return opened


def _new_window(unit: Unit, event: CompetitionEvent, definition: EventDefinition, span: Span) -> EventWindow:
    return EventWindow(
        window_id=window_id_of(unit, event, span.starts_at),
        event_key=event.event_key,
        event_id=event.event_id,
        status="active",
        starts_at=span.starts_at,
        ends_at=span.ends_at,
        opened_at=unit.now,
        definition=JsonText(compact(encode(evolve(definition, schedule=_schedule_of(span))))),
    )


def _schedule_of(span: Span) -> Schedule:
    """A schedule of this span alone: a window has no use for the thousand others that its event may have."""
    window = ScheduledWindow(starts_at=Timestamp(span.starts_at), ends_at=Timestamp(span.ends_at))
    return Schedule(windows=(window,))


def _schedule_next(unit: Unit, event: CompetitionEvent, definition: EventDefinition) -> None:
    span = next_span(event, definition.schedule)
    if span is None:
        unit.cancel(OPEN, event.event_key)
    else:
        unit.schedule(OPEN, event.event_key, span.starts_at)


def _close(unit: Unit, window_id: str, _: Cursor) -> Cursor | None:
    window = unit.tx.get(WINDOWS, window_id)
    if window is None or window.status == "closed":
        return None
    unit.tx.put(WINDOWS, evolve(window, status="closed", closed_at=unit.now))
    unit.emit(
        WindowClosed(
            event_window_id=window.window_id,
            event_id=window.event_id,
            event_key=window.event_key,
            status="closed",
            starts_at=Timestamp(window.starts_at),
            ends_at=Timestamp(window.ends_at),
            closed_at=Timestamp(unit.now),
        )
    )
    return None


CLOSE: Final = Job("competition.close", _close)
"""Closes the window whose id it is about."""


def prepare(unit: Unit) -> None:
    """Bring the events of a scope up to the configuration: rows for new ones, and when the next window of each opens."""
    declared = {definition.key: definition for definition in competition_config(unit).events}
    for event in unit.tx.scan(EVENTS_BY_KEY):
        if event.event_key not in declared and event.schedule is not None:
            unit.tx.put(EVENTS, evolve(event, schedule=None))
            unit.cancel(OPEN, event.event_key)
    for definition in declared.values():
        schedule = JsonText(compact(encode(definition.schedule)))
        event = unit.tx.get(EVENTS, definition.key) or CompetitionEvent(
            event_key=definition.key, event_id=unit.new_id("evn"), schedule=None, since=unit.now
        )
        if event.schedule != schedule:
            event = evolve(event, schedule=schedule, since=unit.now)
            unit.tx.put(EVENTS, event)
        _schedule_next(unit, event, definition)


def objections(unit: Unit, wanted: Config) -> Iterator[str]:
    """Why a configuration cannot replace the present one: it lacks an event of which a window is open."""
    declared = {definition.key for definition in cast(CompetitionConfig, wanted).events}
    for definition in competition_config(unit).events:
        if definition.key not in declared and (window := window_now(unit, definition)) is not None:
            until = Timestamp(window.ends_at).wire
            yield f"the event '{definition.key}' has a window in {unit.scope.environment} that is open until {until}"

"""Windows of events: each opens and closes once, in order, by due work, and keeps the definition with which it opened.

An event has one row and at most one piece of due work, which opens its next window; so a schedule without end costs no rows
ahead of time. The row holds the event as the game declares it. Only `prepare` writes it, so due work that runs in a process
with an earlier configuration opens what is declared now. After downtime the windows that were missed open and close, each
once, and one opens only when the one before it is over: its close may still be under way. A window's id is derived from
its event and its beginning, and is therefore known before the window is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from livecore.events.config import EventsConfig, events_config
from livecore.events.definition import EventDefinition, Schedule, ScheduledWindow
from livecore.events.format import formats_of
from livecore.events.refusals import EventNotActive, EventNotFound
from livecore.events.schedule import Span, first_span
from livecore.events.webhook_events import WindowOpened
from livecore.events.window_records import (
    EVENTS,
    EVENTS_BY_KEY,
    WINDOWS,
    WINDOWS_OF_EVENT,
    CompetitionEvent,
    EventWindow,
    declared,
    definition_of,
    window_id_of,
)
from livecore.kernel.ids import moment_of
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import encode
from livecore.kernel.wire.checks import compact
from livecore.kernel.wire.config import Config
from livecore.leaderboards.boards import BOARDS, Leaderboard

# -- records --------------------------------------------------------------------------------------------------------------


OPEN: Final = "competition.open"
"""Due work: open the next window of the event whose key it is about."""
CLOSE: Final = "competition.close"
"""Due work: close the window whose id it is about (`livecore.events.window_closing`)."""
_AGAIN: Final[Millis] = 1_000
_MOST_OF_A_REQUEST: Final = 20
"""How many windows that were missed a request opens before the one that it needs."""
_MOST_MADE_UP: Final = 1_000
"""How many windows that were missed open at once when the schedule changes; of more than that the rest never open."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def next_span(event: CompetitionEvent, schedule: Schedule) -> Span | None:
    """The next window of an event to open."""
    return first_span(schedule, ending_after=event.since, starting_from=event.opened_until)


# -- operations -----------------------------------------------------------------------------------------------------------


def due_board(unit: Unit, board_id: str) -> Leaderboard | None:
    """The empty board with this id of a window that is due to open and has not, because lists name it."""
    for event in unit.tx.scan(EVENTS_BY_KEY):
        definition = declared(event)
        span = None if definition is None else _span_due(event, definition, unit.now)
        if definition is None or span is None:
            continue
        window = _window(unit, event, definition, span)
        found = next((one for one in _boards(unit, window, definition) if one.board_id == board_id), None)
        if found is not None:
            return found
    return None


def _boards(unit: Unit, window: EventWindow, definition: EventDefinition) -> Iterator[Leaderboard]:
    """The boards that a window has from its opening on."""
    for one in formats_of(unit, definition):
        yield from one.boards(unit, window, definition)


def require_declared(unit: Unit, event_key: str) -> tuple[CompetitionEvent, EventDefinition]:
    """The event with this key and its declaration. Raises `EventNotFound` where the game declares none.

    Its newest window is asked for as well, because whoever asks for the event goes on to that.
    """
    unit.tx.read_together(Get(EVENTS, (event_key,)), newest_window_read(event_key))
    found = _declared_now(unit, event_key)
    if found is None:
        raise EventNotFound.of(event_key)
    return found


def not_active(unit: Unit, event_key: str) -> EventNotActive:
    """The refusal of what needs an open window of an event: it says when the next one begins."""
    at = stamp(_next_start(unit, event_key))
    return EventNotActive(next_window_starts_at=None if at is None else at.wire)


def _declared_now(unit: Unit, event_key: str) -> tuple[CompetitionEvent, EventDefinition] | None:
    """The event with this key and its declaration; `None` where the game declares none."""
    event = unit.tx.get(EVENTS, event_key)
    definition = None if event is None else declared(event)
    return None if event is None or definition is None else (event, definition)


def span_now(unit: Unit, event_key: str) -> Span | None:
    """The time of the window of an event that is open at this moment, or is due to open and has not."""
    event, newest = unit.tx.read_together(Get(EVENTS, (event_key,)), newest_window_read(event_key))
    return None if event is None else span_at(event, next(iter(newest), None), unit.now)


def span_at(event: CompetitionEvent, newest: EventWindow | None, now: Millis) -> Span | None:
    """`span_now` of an event of which the window that opened last is known."""
    definition = declared(event)
    if definition is None:
        return None
    if newest is not None and newest.starts_at <= now < newest.ends_at:
        return Span(newest.starts_at, newest.ends_at) if newest.status == "active" else None
    return _span_due(event, definition, now)


def _span_due(event: CompetitionEvent, definition: EventDefinition, now: Millis) -> Span | None:
    # Of the windows that were missed, the one that is open now need not be the next to open.
    since = max(event.since, now)
    span = first_span(definition.schedule, ending_after=since, starting_from=event.opened_until)
    return span if span is not None and span.contains(now) else None


def window_now(unit: Unit, event_key: str) -> tuple[str, EventDefinition] | None:
    """The id and the definition of the window that is open, or is due to open and has not; it is not opened for that."""
    event, found = unit.tx.read_together(Get(EVENTS, (event_key,)), newest_window_read(event_key))
    newest = next(iter(found), None)
    definition = None if event is None else declared(event)
    span = None if event is None else span_at(event, newest, unit.now)
    if event is None or definition is None or span is None:
        return None
    if newest is not None and span == Span(newest.starts_at, newest.ends_at):
        return newest.window_id, definition_of(newest)
    return window_id_of(unit, event, span.starts_at), definition


def named_window(unit: Unit, event_key: str, window_id: str) -> Span | None:
    """The time of the window of an event with this id, one that has begun or one that is still to come."""
    window = unit.tx.get(WINDOWS, window_id)
    if window is not None:
        return Span(window.starts_at, window.ends_at) if window.event_key == event_key else None
    found = _declared_now(unit, event_key)
    starts_at = moment_of(window_id)
    if found is None or starts_at is None:
        return None
    event, definition = found
    span = first_span(
        definition.schedule, ending_after=max(event.since, unit.now), starting_from=max(event.opened_until, starts_at)
    )
    known = span is not None and window_id_of(unit, event, span.starts_at) == window_id
    return span if known else None


def newest_window(unit: Unit, event_key: str) -> EventWindow | None:
    """The window of an event that opened last."""
    return next(iter(unit.tx.scanned(newest_window_read(event_key))), None)


def newest_window_read(event_key: str) -> Scan[EventWindow]:
    """The read of `newest_window`, which gives one window or none."""
    return Scan(WINDOWS_OF_EVENT, (event_key,), reverse=True, limit=1)


def open_window(unit: Unit, event_key: str) -> EventWindow | None:
    """The window of an event that is open at this moment. Opens it where its due work has not run yet.

    `None` also where so many windows were missed that only due work, which opens one after another, comes to it.
    """
    newest = newest_window(unit, event_key)
    if newest is not None and newest.status == "active" and newest.starts_at <= unit.now < newest.ends_at:
        return newest
    found = _declared_now(unit, event_key)
    if found is None:
        return None
    event, definition = found
    spans = _spans_to_now(event, definition, unit.now)
    if not spans:
        return None
    # The windows that were missed come first, each over as soon as it is open.
    for span in spans:
        if newest is not None and newest.status == "active":
            unit.tx.put(WINDOWS, evolve(newest, status="closing"))
        event, newest = _open(unit, event, definition, span)
    _schedule_next(unit, event, definition)
    return newest


def _spans_to_now(event: CompetitionEvent, definition: EventDefinition, now: Millis) -> list[Span]:
    """The windows to open up to the one that is open now; none where too many were missed."""
    spans: list[Span] = []
    opened_until = event.opened_until
    while len(spans) < _MOST_OF_A_REQUEST:
        span = first_span(definition.schedule, ending_after=event.since, starting_from=opened_until)
        if span is None or span.starts_at > now:
            return []
        spans.append(span)
        if span.contains(now):
            return spans
        opened_until = span.ends_at
    return []


def _next_start(unit: Unit, event_key: str) -> Millis | None:
    """When the next window of an event begins; `None` where there is none to come."""
    span = next_window_span(unit, event_key)
    return None if span is None else span.starts_at


def next_window_span(unit: Unit, event_key: str) -> Span | None:
    """The time of the next window of an event that has not begun."""
    event = unit.tx.get(EVENTS, event_key)
    return None if event is None else next_span_at(event, unit.now)


def next_span_at(event: CompetitionEvent, now: Millis) -> Span | None:
    """The time of the next window of this event that has not begun."""
    definition = declared(event)
    if definition is None:
        return None
    return first_span(definition.schedule, ending_after=now, starting_from=max(event.opened_until, now + 1))


def open_due(unit: Unit, event_key: str) -> None:
    """Open the next window of an event, if it has begun and the one before it is over, and schedule the one after it."""
    found = _declared_now(unit, event_key)
    if found is None:
        unit.cancel(OPEN, event_key)
        return
    event, definition = found
    span = next_span(event, definition.schedule)
    if span is not None and span.starts_at <= unit.now:
        newest = newest_window(unit, event_key)
        if newest is not None and newest.status == "active":
            # It is past its end, and closes as soon as its own work runs, which calls this again.
            unit.schedule(OPEN, event_key, unit.now + _AGAIN)
            return
        event, _ = _open(unit, event, definition, span)
    _schedule_next(unit, event, definition)


def _open(
    unit: Unit, event: CompetitionEvent, definition: EventDefinition, span: Span
) -> tuple[CompetitionEvent, EventWindow]:
    window = unit.tx.insert(WINDOWS, _window(unit, event, definition, span))
    opened = evolve(event, opened_until=span.ends_at)
    unit.tx.put(EVENTS, opened)
    for board in _boards(unit, window, definition):
        unit.tx.insert(BOARDS, board)
    unit.schedule(CLOSE, window.window_id, window.ends_at)
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
    return opened, window


def _window(unit: Unit, event: CompetitionEvent, definition: EventDefinition, span: Span) -> EventWindow:
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


def prepare(unit: Unit) -> None:
    """Bring the events of a scope up to the configuration: rows for new ones, and when the next window of each opens."""
    wanted = {definition.key: definition for definition in events_config(unit).events}
    events = {event.event_key: event for event in unit.tx.scan(EVENTS_BY_KEY)}
    for event in events.values():
        if event.event_key not in wanted and event.declared is not None:
            unit.tx.put(EVENTS, evolve(event, declared=None))
            unit.cancel(OPEN, event.event_key)
    scheduled = unit.tx.read_all(Get(DUE, (OPEN, key)) for key in wanted)
    for definition, work in zip(wanted.values(), scheduled, strict=True):
        text = JsonText(compact(encode(definition)))
        event = events.get(definition.key) or CompetitionEvent(
            event_key=definition.key, event_id=unit.new_id("evn"), declared=None, since=unit.now
        )
        if event.declared != text:
            event = _redeclared(unit, event, definition, text)
            unit.tx.put(EVENTS, event)
            _schedule_next(unit, event, definition)
        elif work is None:
            _schedule_next(unit, event, definition)


def _redeclared(unit: Unit, event: CompetitionEvent, definition: EventDefinition, text: JsonText) -> CompetitionEvent:
    """The row with another declaration. Windows that have begun, and are not open yet, open with the one before it."""
    before = declared(event)
    if before is None:
        return evolve(event, declared=text, since=unit.now)
    for _ in range(_MOST_MADE_UP):
        span = next_span(event, before.schedule)
        if span is None or span.starts_at > unit.now:
            break
        event, _ = _open(unit, event, before, span)
    # With the same schedule, windows of which there were too many still open later.
    return evolve(event, declared=text, since=event.since if before.schedule == definition.schedule else unit.now)


def objections(unit: Unit, wanted: Config) -> Iterator[str]:
    """Why a configuration cannot replace the present one: it lacks an event of which a window is open."""
    kept = {definition.key for definition in cast(EventsConfig, wanted).events}
    lacking = [event for event in unit.tx.scan(EVENTS_BY_KEY) if event.event_key not in kept]
    newest = unit.tx.read_all(newest_window_read(event.event_key) for event in lacking)
    for event, found in zip(lacking, newest, strict=True):
        span = span_at(event, next(iter(found), None), unit.now)
        if span is not None:
            until = Timestamp(span.ends_at).wire
            yield f"the event '{event.event_key}' has a window in {unit.scope.environment} that is open until {until}"

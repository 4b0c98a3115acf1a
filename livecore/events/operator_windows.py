"""Events and their windows as the studio's members see them: all of them, with what goes on in each.

A window has a row once it has opened. Those that are still to come are computed from the schedule of the event, of which
there may be no end; so a list begins with the next ten of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, get_args

from livecore.events.attempt_records import IN_WINDOW, Status
from livecore.events.config import events_config
from livecore.events.definition import EventDefinition
from livecore.events.format import formats_of, members_of_window, members_shown
from livecore.events.listing import Declared, event_shown, events_found
from livecore.events.operator_rows import (
    AttemptCounts,
    EventGiven,
    EventsGiven,
    GetEvent,
    GetWindow,
    LeaderboardsOfWindow,
    ListAllEvents,
    ListLeaderboardsOfWindow,
    ListWindows,
    OperatorEventRow,
    WindowGiven,
    WindowInDetail,
    WindowRow,
    WindowsPage,
    WindowStatus,
)
from livecore.events.refusals import EventNotFound, EventWindowNotFound
from livecore.events.schedule import Span, first_span
from livecore.events.window_records import (
    EVENTS,
    WINDOWS,
    WINDOWS_OF_EVENT,
    CompetitionEvent,
    EventWindow,
    board_id_in,
    declared,
    definition_of,
    window_id_of,
)
from livecore.events.windows import named_window, newest_window, newest_window_read, require_declared, span_at
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of, unpack
from livecore.kernel.storage.reads import Count, Get
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value
from livecore.kernel.wire.shapes import fields_of
from livecore.leaderboards.boards import BOARDS_OF_WINDOW, BY_RANK, Leaderboard
from livecore.leaderboards.participants import board_row

_MOST_TO_COME: Final = 10
"""How many windows that are still to come a list has."""


@keyword_value
class Window:
    """A window of an event, opened or still to come."""

    window_id: str
    event_id: str
    event_key: str
    status: WindowStatus
    starts_at: Millis
    ends_at: Millis
    opened_at: Millis | None = None
    closed_at: Millis | None = None
    definition: EventDefinition

    @property
    def position(self) -> Key:
        """Its place among the windows of the event."""
        return self.starts_at, self.window_id


# -- events ---------------------------------------------------------------------------------------------------------------


def list_events(unit: Unit, _: ListAllEvents) -> EventsGiven:
    """The events of the game, in the order of its configuration."""
    return EventsGiven(events=_event_rows(unit, events_found(unit, events_config(unit).events)))


def get_event(unit: Unit, args: GetEvent) -> EventGiven:
    """One event. Raises `EventNotFound` where the game does not declare it."""
    event, definition = require_declared(unit, args.event_key)
    found = Declared(event, newest_window(unit, args.event_key), definition)
    return EventGiven(event=_event_rows(unit, [found])[0])


def _event_rows(unit: Unit, events: Sequence[Declared]) -> tuple[OperatorEventRow, ...]:
    shown = [event_shown(unit, found) for found in events]
    counts = [count for row in shown if row.window for count in _counts_of_attempts(row.window.event_window_id)]
    counted = _counted(unit, counts)
    return tuple(
        OperatorEventRow(
            **fields_of(row),
            boards_by=found.definition.boards_by,  # type: ignore[arg-type] # the formats name no others
            segment=found.definition.board.segment,
            attempts=None if row.window is None else _attempts(counted, row.window.event_window_id),
        )
        for row, found in zip(shown, events, strict=True)
    )


# -- what is counted ------------------------------------------------------------------------------------------------------


def _counted(unit: Unit, counts: Sequence[Count]) -> dict[Count, int]:
    return dict(zip(counts, unit.tx.read_all(counts), strict=True))


def _counts_of_attempts(window_id: str) -> list[Count]:
    return [Count(IN_WINDOW, (window_id, status)) for status in get_args(Status)]


def _attempts(counted: Mapping[Count, int], window_id: str) -> AttemptCounts:
    return AttemptCounts(**{str(count.prefix[1]): counted[count] for count in _counts_of_attempts(window_id)})


# -- windows --------------------------------------------------------------------------------------------------------------


class OfWindow(Protocol):
    """A request about a window of an event."""

    @property
    def event_key(self) -> str:
        """The key of the event."""

    @property
    def window_id(self) -> str:
        """The id of the window."""


def require_window(unit: Unit, event_key: str, window_id: str) -> Window:
    """The window of an event with this id, also of one that the game does not declare any more.

    Raises `EventNotFound` and `EventWindowNotFound`.
    """
    event = unit.tx.get(EVENTS, event_key)
    if event is None:
        raise EventNotFound.of(event_key)
    stored = unit.tx.get(WINDOWS, window_id)
    if stored is not None and stored.event_key == event_key:
        return _opened(unit, stored)
    span, definition = named_window(unit, event_key, window_id), declared(event)
    if span is None or definition is None:
        raise EventWindowNotFound.of(window_id)
    return _planned(unit, event, definition, span)


def _opened(unit: Unit, window: EventWindow) -> Window:
    over = window.status == "active" and unit.now >= window.ends_at
    return Window(
        window_id=window.window_id,
        event_id=window.event_id,
        event_key=window.event_key,
        status="closing" if over else window.status,
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        opened_at=window.opened_at,
        closed_at=window.closed_at,
        definition=definition_of(window),
    )


def _planned(unit: Unit, event: CompetitionEvent, definition: EventDefinition, span: Span) -> Window:
    """A window without a row: one that is still to come, or that is due to open and has not."""
    return Window(
        window_id=window_id_of(unit, event, span.starts_at),
        event_id=event.event_id,
        event_key=event.event_key,
        status="active" if span.contains(unit.now) else "scheduled",
        starts_at=span.starts_at,
        ends_at=span.ends_at,
        definition=definition,
    )


def list_windows(unit: Unit, args: ListWindows) -> WindowsPage:
    """The windows of an event, the latest first. Raises `EventNotFound`, `ValidationFailed` for a cursor that is none."""
    page = page_by_time(args)
    event, newest, found = unit.tx.read_together(
        Get(EVENTS, (args.event_key,)),
        newest_window_read(args.event_key),
        page.newest(WINDOWS_OF_EVENT, args.event_key),
    )
    if event is None:
        raise EventNotFound.of(args.event_key)
    opened = [_opened(unit, window) for window in found]
    due = span_at(event, next(iter(newest), None), unit.now)
    to_come = [window for window in _to_come(unit, event, due) if page.beyond is None or window.position < page.beyond]
    listed = sorted((*to_come, *opened), key=lambda window: window.position, reverse=True)
    shown, cursor = page_of(listed[: page.reach], page, lambda window: window.position)
    return WindowsPage(windows=tuple(_row(unit, window) for window in shown), next_cursor=cursor)


def _to_come(unit: Unit, event: CompetitionEvent, due: Span | None) -> Iterator[Window]:
    """The next windows that have no row yet, the nearest first; `due` is that of this moment, opened or not."""
    definition = declared(event)
    if definition is None:
        return
    if due is not None and unit.tx.get(WINDOWS, window_id_of(unit, event, due.starts_at)) is None:
        yield _planned(unit, event, definition, due)
    starting_from = max(event.opened_until, unit.now + 1)
    for _ in range(_MOST_TO_COME):
        span = first_span(definition.schedule, ending_after=unit.now, starting_from=starting_from)
        if span is None:
            return
        yield _planned(unit, event, definition, span)
        starting_from = span.ends_at


def _row(unit: Unit, window: Window) -> WindowRow:
    definition = window.definition
    by_window = definition.boards_by == "window"
    return WindowRow(
        event_window_id=window.window_id,
        event_id=window.event_id,
        event_key=window.event_key,
        status=window.status,
        starts_at=Timestamp(window.starts_at),
        ends_at=Timestamp(window.ends_at),
        opened_at=stamp(window.opened_at),
        closed_at=stamp(window.closed_at),
        boards_by=definition.boards_by,  # type: ignore[arg-type] # the formats name no others
        leaderboard_id=board_id_in(unit, window.window_id, window.starts_at) if by_window else None,
        **members_of_window(unit, window.window_id, definition),
        **members_shown(unit, definition),
    )


def get_window(unit: Unit, args: GetWindow) -> WindowGiven:
    """One window of an event, with how much goes on in it. Raises `EventNotFound` and `EventWindowNotFound`."""
    window = require_window(unit, args.event_key, args.window_id)
    definition, window_id = window.definition, window.window_id
    formats = formats_of(unit, definition)
    counts = [*_counts_of_attempts(window_id), *(count for one in formats for count in one.counts(window_id))]
    counted = _counted(unit, counts)
    further: dict[str, Any] = {"lobbies": None, "team_count": None}
    for one in formats:
        further.update(one.counted(window_id, counted))
    return WindowGiven(
        window=WindowInDetail(
            **fields_of(_row(unit, window)),
            attempts=_attempts(counted, window_id),
            **further,
        )
    )


# -- the leaderboards of a window -----------------------------------------------------------------------------------------


def list_leaderboards_of_window(unit: Unit, args: ListLeaderboardsOfWindow) -> LeaderboardsOfWindow:
    """The leaderboards of a window that has opened, by their ids; before that there are none.

    Raises `ValidationFailed` for a cursor that is none, `EventNotFound` and `EventWindowNotFound`.
    """
    page = PageRequest(args.limit, unpack(args.cursor, (str,)))
    window = require_window(unit, args.event_key, args.window_id)
    found = unit.tx.scan(BOARDS_OF_WINDOW, window.window_id, after=page.beyond, limit=page.reach)
    boards, cursor = page_of(found, page, BOARDS_OF_WINDOW.position_of)
    sizes = _sizes(unit, boards)
    rows = tuple(board_row(board, size) for board, size in zip(boards, sizes, strict=True))
    return LeaderboardsOfWindow(leaderboards=rows, next_cursor=cursor)


def _sizes(unit: Unit, boards: Sequence[Leaderboard]) -> list[int]:
    """How many entries each board has; those of a board that is not final are counted."""
    open_ones = [board.board_id for board in boards if board.entry_count is None]
    counted = dict(zip(open_ones, unit.tx.read_all(Count(BY_RANK, (board_id,)) for board_id in open_ones), strict=True))
    return [counted[board.board_id] if board.entry_count is None else board.entry_count for board in boards]

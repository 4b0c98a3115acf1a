"""The events of the game as a player sees them."""

from __future__ import annotations

from collections.abc import Sequence

from livecore.events.attempt_records import Attempt
from livecore.events.attempts import newest_at_event_read, rows, running_read
from livecore.events.config import events_config
from livecore.events.definition import EventDefinition
from livecore.events.format import members_of_window, members_shown
from livecore.events.rows import EventRow, EventShown, EventsList, EventWindowRow, ListEvents, NextWindowRow
from livecore.events.schedule import Span
from livecore.events.window_records import (
    EVENTS,
    CompetitionEvent,
    EventWindow,
    board_id_in,
    definition_of,
    window_id_of,
)
from livecore.events.windows import newest_window_read, next_span_at, span_at
from livecore.kernel.storage.reads import Get
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.kernel.wire.shapes import ABSENT, fields_of


@value
class Declared:
    """An event that the game declares: its row, the window that opened last, and how it is declared now."""

    event: CompetitionEvent
    newest: EventWindow | None
    definition: EventDefinition


def list_events(unit: Unit, _: ListEvents) -> EventsList:
    """The events of the game, in the order of its configuration; to the player with their newest attempt in each window."""
    # The client key names no player; with the player's secret, the unit's actor is that player.
    own = unit.player_id if unit.actor.ref and unit.actor.ref == unit.player_id else None
    found, attempts = _found(unit, events_config(unit).events, own)
    shown = [event_shown(unit, one) for one in found]
    if own is None:
        return EventsList(events=tuple(EventRow(**fields_of(one), attempt=ABSENT) for one in shown))
    in_windows = [None if one.window is None else attempts.get(one.window.event_window_id) for one in shown]
    started = [attempt for attempt in in_windows if attempt is not None]
    row_of = dict(zip((attempt.window_id for attempt in started), rows(unit, started), strict=True))
    return EventsList(
        events=tuple(
            EventRow(**fields_of(one), attempt=None if attempt is None else row_of[attempt.window_id])
            for one, attempt in zip(shown, in_windows, strict=True)
        )
    )


def events_found(unit: Unit, definitions: Sequence[EventDefinition]) -> list[Declared]:
    """Those of the events that the game declares which have rows."""
    found, _ = _found(unit, definitions, None)
    return found


def _found(
    unit: Unit, definitions: Sequence[EventDefinition], own: str | None
) -> tuple[list[Declared], dict[str, Attempt]]:
    """The events that have rows, and by the window which attempt of a player each of them shows."""
    keys = [definition.key for definition in definitions]
    events, newest, attempts = unit.tx.read_lists(
        (Get(EVENTS, (key,)) for key in keys),
        map(newest_window_read, keys),
        () if own is None else (*(newest_at_event_read(own, key) for key in keys), running_read(own)),
    )
    found = [
        Declared(event, next(iter(windows), None), definition)
        for event, windows, definition in zip(events, newest, definitions, strict=True)
        if event is not None
    ]
    # The one in progress comes last, and is shown.
    return found, {attempt.window_id: attempt for one in attempts for attempt in one}


def event_shown(unit: Unit, found: Declared) -> EventShown:
    """What everybody sees of an event."""
    event, newest = found.event, found.newest
    span, following = span_at(event, newest, unit.now), next_span_at(event, unit.now)
    # An open window keeps the definition with which it opened.
    opened = newest is not None and span == Span(newest.starts_at, newest.ends_at)
    definition = definition_of(newest) if newest is not None and opened else found.definition
    window = None if span is None else _window_row(unit, event, definition, span)
    return EventShown(
        event_id=event.event_id,
        event_key=event.event_key,
        name=definition.name,
        status="active" if window is not None else "ended" if following is None else "scheduled",
        window=window,
        next_window=None if following is None else _next_row(unit, event, following),
        metrics=definition.metrics,
        score=definition.score_metric.key,
        order=definition.order,
        target=definition.target,
        attempt_duration_seconds=definition.attempts.duration_seconds,
        max_attempts=definition.attempts.max_per_window,
        entry_cost=definition.entry_cost,
        milestones=definition.milestones,
        completion_rewards=definition.completion_rewards,
        rank_rewards=definition.rank_rewards,
        **members_shown(unit, definition),
    )


def _window_row(unit: Unit, event: CompetitionEvent, definition: EventDefinition, span: Span) -> EventWindowRow:
    window_id = window_id_of(unit, event, span.starts_at)
    by_window = definition.boards_by == "window"
    return EventWindowRow(
        event_window_id=window_id,
        starts_at=Timestamp(span.starts_at),
        ends_at=Timestamp(span.ends_at),
        leaderboard_id=board_id_in(unit, window_id, span.starts_at) if by_window else None,
        **members_of_window(unit, window_id, definition),
    )


def _next_row(unit: Unit, event: CompetitionEvent, span: Span) -> NextWindowRow:
    return NextWindowRow(
        event_window_id=window_id_of(unit, event, span.starts_at),
        starts_at=Timestamp(span.starts_at),
        ends_at=Timestamp(span.ends_at),
    )

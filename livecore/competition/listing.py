"""The events of the game as a player sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from livecore.competition.attempts import Attempt, newest_at_event, newest_at_event_ahead, row, row_ahead, running
from livecore.competition.config import competition_config
from livecore.competition.event_config import EventDefinition
from livecore.competition.event_rows import (
    AttemptRow,
    EventLobbyRow,
    EventRow,
    EventShown,
    EventsList,
    EventTeamsRow,
    EventWindowRow,
    ListEvents,
    NextWindowRow,
)
from livecore.competition.schedule import Span
from livecore.competition.windows import (
    EVENTS,
    CompetitionEvent,
    board_id_in,
    definition_of,
    newest_window,
    newest_window_ahead,
    next_window_span,
    span_now,
    team_board_id_in,
    window_id_of,
)
from livecore.kernel.reads import Get
from livecore.kernel.shapes import ABSENT, Absent, Timestamp, fields_of
from livecore.kernel.store import Wanted
from livecore.kernel.unit import Unit

__all__ = ["event_ahead", "event_shown", "list_events"]


def list_events(unit: Unit, _: ListEvents) -> EventsList:
    """The events of the game, in the order of its configuration; to the player with their newest attempt in each window."""
    # The client key names no player; with the player's secret, the unit's actor is that player.
    own = unit.player_id if unit.actor.ref and unit.actor.ref == unit.player_id else None
    keys = [definition.key for definition in competition_config(unit).events]
    unit.tx.prefetch(chain.from_iterable(event_ahead(key, own) for key in keys))
    found = ((unit.tx.get(EVENTS, definition.key), definition) for definition in competition_config(unit).events)
    under_way = {} if own is None else running(unit, own)
    unit.tx.prefetch(chain.from_iterable(row_ahead(attempt) for attempt in under_way.values()))
    rows = (_event_row(unit, event, definition, own, under_way) for event, definition in found if event is not None)
    return EventsList(events=tuple(rows))


def event_ahead(event_key: str, own: str | None = None) -> Iterator[Wanted]:
    """The reads of one event, so that those of all events come at once."""
    yield Get(EVENTS, (event_key,))
    yield newest_window_ahead(event_key)
    if own is not None:
        yield from newest_at_event_ahead(own, event_key)


def _event_row(
    unit: Unit,
    event: CompetitionEvent,
    declared: EventDefinition,
    own: str | None,
    under_way: Mapping[str, Attempt],
) -> EventRow:
    shown = event_shown(unit, event, declared)
    attempt = ABSENT if own is None else _attempt_row(unit, own, event, shown.window, under_way)
    return EventRow(**fields_of(shown), attempt=attempt)


def event_shown(unit: Unit, event: CompetitionEvent, declared: EventDefinition) -> EventShown:
    """What everybody sees of an event."""
    span, following = span_now(unit, event.event_key), next_window_span(unit, event.event_key)
    definition = _definition_now(unit, event.event_key, span, declared)
    window = None if span is None else _window_row(unit, event, definition, span)
    teams = definition.teams
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
        lobby=None if definition.lobby is None else EventLobbyRow(capacity=definition.lobby.capacity),
        teams=None if teams is None else EventTeamsRow(formation=teams.formation, size=teams.seats),
    )


def _definition_now(unit: Unit, event_key: str, span: Span | None, declared: EventDefinition) -> EventDefinition:
    """An open window keeps the definition with which it opened."""
    window = None if span is None else newest_window(unit, event_key)
    return definition_of(window) if window is not None and span == Span(window.starts_at, window.ends_at) else declared


def _window_row(unit: Unit, event: CompetitionEvent, definition: EventDefinition, span: Span) -> EventWindowRow:
    window_id = window_id_of(unit, event, span.starts_at)
    by_window = definition.boards_by == "window"
    return EventWindowRow(
        event_window_id=window_id,
        starts_at=Timestamp(span.starts_at),
        ends_at=Timestamp(span.ends_at),
        leaderboard_id=board_id_in(unit, window_id, span.starts_at) if by_window else None,
        team_leaderboard_id=team_board_id_in(unit, window_id) if definition.ranks_teams else None,
    )


def _next_row(unit: Unit, event: CompetitionEvent, span: Span) -> NextWindowRow:
    return NextWindowRow(
        event_window_id=window_id_of(unit, event, span.starts_at),
        starts_at=Timestamp(span.starts_at),
        ends_at=Timestamp(span.ends_at),
    )


def _attempt_row(
    unit: Unit,
    player_id: str,
    event: CompetitionEvent,
    window: EventWindowRow | None,
    under_way: Mapping[str, Attempt],
) -> AttemptRow | None | Absent:
    if window is None:
        return None
    attempt = under_way.get(window.event_window_id) or newest_at_event(unit, player_id, event.event_key)
    return row(unit, attempt) if attempt is not None and attempt.window_id == window.event_window_id else None

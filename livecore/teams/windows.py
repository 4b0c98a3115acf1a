"""The window that a request about teams is for, and the rules that its teams have.

A window that is open has the rules with which it opened. A roster can also be written for a window that is still to come;
until that opens, its rules are those that the game declares now.
"""

from __future__ import annotations

from collections.abc import Sequence

from livecore.events.definition import EventDefinition
from livecore.events.definition_rows import Formation
from livecore.events.refusals import EventNotFound, EventWindowNotFound
from livecore.events.schedule import Span
from livecore.events.window_records import EVENTS, WINDOWS, EventWindow, declared, definition_of, window_id_of
from livecore.events.windows import (
    named_window,
    next_window_span,
    not_active,
    open_window,
    require_declared,
    span_now,
    window_now,
)
from livecore.kernel.ids import moment_of
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value
from livecore.teams.config import TEAM_RULES, TeamRules
from livecore.teams.refusals import WrongFormation
from livecore.teams.team import Team


@keyword_value
class TeamWindow:
    """A window of an event whose teams a request is about."""

    window_id: str
    event_key: str
    event_id: str
    span: Span
    opened: bool
    definition: EventDefinition
    rules: TeamRules


def _rules(definition: EventDefinition, formations: tuple[Formation, ...]) -> TeamRules:
    rules = TEAM_RULES.of(definition)
    if rules is None or rules.formation not in formations:
        raise WrongFormation(formation=None if rules is None else rules.formation)
    return rules


# -- what players do ------------------------------------------------------------------------------------------------------


def open_team_window(unit: Unit, event_key: str, *formations: Formation) -> TeamWindow:
    """The open window of an event, to change teams in it.

    Raises `EventNotFound`, `EventNotActive`, and `WrongFormation` where its teams are formed in another way.
    """
    event, _ = require_declared(unit, event_key)
    window = open_window(unit, event_key)
    if window is None:
        raise not_active(unit, event_key)
    definition = definition_of(window)
    return TeamWindow(
        window_id=window.window_id,
        event_key=event_key,
        event_id=event.event_id,
        span=Span(window.starts_at, window.ends_at),
        opened=True,
        definition=definition,
        rules=_rules(definition, formations),
    )


def team_window_to_read(unit: Unit, event_key: str, *formations: Formation) -> tuple[str, TeamRules]:
    """The id of the open window of an event, and the rules of its teams, to read them. Raises as `open_team_window` does."""
    require_declared(unit, event_key)
    found = window_now(unit, event_key)
    if found is None:
        raise not_active(unit, event_key)
    window_id, definition = found
    return window_id, _rules(definition, formations)


# -- what the studio's backend does ---------------------------------------------------------------------------------------


def window_to_read(unit: Unit, event_key: str) -> str:
    """The id of the open window. Raises `EventNotFound` and `EventNotActive`."""
    if unit.tx.get(EVENTS, event_key) is None:
        raise EventNotFound.of(event_key)
    found = window_now(unit, event_key)
    if found is None:
        raise not_active(unit, event_key)
    return found[0]


def window_of_roster(unit: Unit, event_key: str, window_id: str | None) -> TeamWindow:
    """The window that a roster is for: the one that is named, else the open one, else the next.

    Raises `EventNotFound`, `EventWindowNotFound`, `EventNotActive` where it is over or there is none, and `WrongFormation`.
    """
    event, definition = require_declared(unit, event_key)
    span = None if window_id is None else named_window(unit, event_key, window_id)
    if window_id is not None and span is None:
        raise EventWindowNotFound.of(window_id)
    at_present = span_now(unit, event_key)
    opened = None if window_id is None else unit.tx.get(WINDOWS, window_id)
    if opened is not None and span != at_present:
        # It is over, or the clock was set back to before its beginning.
        raise not_active(unit, event_key)
    if at_present is not None and span in (None, at_present):
        return open_team_window(unit, event_key, "external")
    span = next_window_span(unit, event_key) if span is None else span
    if span is None or span.starts_at <= unit.now:
        raise not_active(unit, event_key)
    return TeamWindow(
        window_id=window_id_of(unit, event, span.starts_at),
        event_key=event_key,
        event_id=event.event_id,
        span=span,
        opened=False,
        definition=definition,
        rules=_rules(definition, ("external",)),
    )


# -- what a team has ------------------------------------------------------------------------------------------------------


def window_read(team: Team) -> Get[EventWindow]:
    """The read of a team's window, which has a row from its opening on."""
    return Get(WINDOWS, (team.window_id,))


def definitions_in(
    unit: Unit, teams: Sequence[Team], windows: Sequence[EventWindow | None]
) -> list[EventDefinition | None]:
    """The event as it is in the window of each of these teams, given the rows of these windows.

    `None` where the game does not declare it before the window has opened.
    """
    to_come = dict.fromkeys(team.event_key for team, window in zip(teams, windows, strict=True) if window is None)
    found = unit.tx.read_all(Get(EVENTS, (event_key,)) for event_key in to_come)
    present = {event.event_key: declared(event) for event in found if event is not None}
    return [
        present.get(team.event_key) if window is None else definition_of(window)
        for team, window in zip(teams, windows, strict=True)
    ]


def rules_in(unit: Unit, team: Team) -> TeamRules | None:
    """The rules of a team; `None` where the event has no teams any more before its window has opened."""
    (definition,) = definitions_in(unit, (team,), (window_read(team).made_by(unit.tx),))
    return None if definition is None else TEAM_RULES.of(definition)


def has_opened(unit: Unit, team: Team, window: EventWindow | None) -> bool:
    """Whether the team's window has opened, given its row, or is due to."""
    begins_at = moment_of(team.window_id)
    return window is not None or (begins_at is not None and begins_at <= unit.now)

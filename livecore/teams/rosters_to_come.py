"""Rosters for windows that are still to come, and the configurations that would not keep to them.

A roster is accepted by the rules that the game declares then. So a configuration that would open the window otherwise is
refused as long as somebody is on the roster, as one is that removes an event whose window is open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from livecore.events.config import EventsConfig
from livecore.events.definition import EventDefinition
from livecore.events.schedule import first_span
from livecore.events.window_records import EVENTS_BY_KEY
from livecore.kernel.ids import first_id, moment_of
from livecore.kernel.storage.reads import Scan
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.config import Config
from livecore.teams.config import TEAM_RULES
from livecore.teams.team import AHEAD, Team


def objections(unit: Unit, wanted: Config) -> Iterator[str]:
    """Why a configuration cannot replace the present one: rosters would not fit it. The first one of each event is named."""
    events = unit.tx.scan(EVENTS_BY_KEY)
    later = (first_id("win", unit.now + 1),)
    to_come = unit.tx.read_all(Scan(AHEAD, (event.event_key,), start=later) for event in events)
    for event, teams in zip(events, to_come, strict=True):
        definition = cast(EventsConfig, wanted).event(event.event_key)
        for team in teams:
            begins_at = moment_of(team.window_id) or 0
            fault = _fault(definition, team, begins_at, unit.now) if team.members else None
            if fault is not None:
                yield (
                    f"the event '{event.event_key}' has a roster of {team.members} for its window in "
                    f"{unit.scope.environment} from {Timestamp(begins_at).wire}, and {fault}; empty the roster first"
                )
                break


def _fault(definition: EventDefinition | None, team: Team, begins_at: Millis, now: Millis) -> str | None:
    if definition is None:
        return "the event is not declared any more"
    rules = TEAM_RULES.of(definition)
    if rules is None or rules.formation != team.formation:
        return "its teams are formed in another way"
    if team.members > rules.seats.max:
        return f"a team has at most {rules.seats.max} members"
    span = first_span(definition.schedule, ending_after=now, starting_from=begins_at)
    return None if span is not None and span.starts_at == begins_at else "the schedule has no such window"

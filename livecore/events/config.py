"""The events' part of a game's configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final

from livecore.economy.config import EconomyConfig
from livecore.economy.entries import faults_of_entries
from livecore.economy.rows import RewardEntry
from livecore.events.definition import LEAST_PERIOD_SECONDS, EventDefinition, Schedule, format_parts
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.config import Fault, declared_twice, section
from livecore.kernel.wire.config_mending import Undeclared
from livecore.kernel.wire.shapes import Items
from livecore.leaderboards.config import LeaderboardsConfig, faults_of_rank_rewards, faults_of_validators
from livecore.leaderboards.definition import LeaderboardDefinition


@section
class EventsConfig(EconomyConfig):
    """The events' part of the configuration."""

    events: Annotated[tuple[EventDefinition, ...], Items(0, 500)] = ()

    def event(self, key: str) -> EventDefinition | None:
        """The event with this key."""
        return self._events_by_key.get(key)

    @cached_property
    def _events_by_key(self) -> dict[str, EventDefinition]:
        return {event.key: event for event in self.events}


events_config: Final[Callable[[Unit], EventsConfig]] = attrgetter("config")
"""The events' part of a unit's configuration."""


# -- contradictions -------------------------------------------------------------------------------------------------------


def faults_of(config: EventsConfig) -> Iterator[Fault]:
    """The contradictions in the events, and in what they feed."""
    yield from declared_twice("events", (event.key for event in config.events))
    for index, event in enumerate(config.events):
        yield from _faults_of_event(config, event, f"events[{index}]")
    if isinstance(config, LeaderboardsConfig):
        yield from _faults_of_feeding(config, config.leaderboards)


def _faults_of_feeding(config: EventsConfig, boards: Sequence[LeaderboardDefinition]) -> Iterator[Fault]:
    """The contradictions between events and the leaderboards that they feed."""
    for index, board in enumerate(boards):
        event = None if board.event is None else config.event(board.event)
        if board.source != "event" or board.event is None:
            continue
        if event is None:
            yield f"leaderboards[{index}].event", Undeclared("events", (event.key for event in config.events))
        elif board.aggregation == "sum" and event.score_metric.aggregation != "sum":
            yield (
                f"leaderboards[{index}].aggregation",
                f"would add each value of '{event.score_metric.key}' again, which is no sum",
            )


def _faults_of_event(config: EventsConfig, event: EventDefinition, path: str) -> Iterator[Fault]:
    metrics = [metric.key for metric in event.metrics]
    yield from _faults_of_schedule(event.schedule, f"{path}.schedule")
    yield from declared_twice(f"{path}.metrics", metrics)
    if event.score is not None and event.score not in metrics:
        yield f"{path}.score", Undeclared("metrics", metrics)
    yield from _faults_of_goals(event, path)
    yield from _faults_of_cost(config, event.entry_cost, f"{path}.entryCost")
    yield from declared_twice(f"{path}.milestones", (milestone.key for milestone in event.milestones))
    for index, milestone in enumerate(event.milestones):
        yield from faults_of_entries(config, milestone.entries, f"{path}.milestones[{index}].entries")
    yield from faults_of_entries(config, event.completion_rewards, f"{path}.completionRewards")
    yield from faults_of_rank_rewards(config, event.rank_rewards, f"{path}.rankRewards")
    yield from faults_of_validators(event.validators, f"{path}.validators", metrics)
    yield from _faults_of_boards_by(event, path)
    for part in format_parts():
        yield from part.faults(config, event, path)


def _faults_of_boards_by(event: EventDefinition, path: str) -> Iterator[Fault]:
    if event.board.by == "segment" and event.board.segment is None:
        yield f"{path}.board.segment", "is required where the leaderboard is by segment"
    if event.board.by != "segment" and event.board.segment is not None:
        yield f"{path}.board.segment", "has a meaning only where the leaderboard is by segment"


def _faults_of_goals(event: EventDefinition, path: str) -> Iterator[Fault]:
    """Scores that no attempt can reach."""
    if event.score_metric.aggregation != "sum" or event.order != "asc":
        return
    goals = {f"{path}.milestones[{index}].threshold": found.threshold for index, found in enumerate(event.milestones)}
    for where, goal in {f"{path}.target": event.target, **goals}.items():
        if goal is not None and goal < 0:
            yield where, f"is never reached: '{event.score_metric.key}' is a sum, which is never below 0"


def _faults_of_schedule(schedule: Schedule, path: str) -> Iterator[Fault]:
    recurring = (schedule.starts_at, schedule.every_seconds, schedule.duration_seconds)
    if schedule.every_seconds is not None and schedule.every_seconds < LEAST_PERIOD_SECONDS:
        yield f"{path}.everySeconds", f"must be at least {LEAST_PERIOD_SECONDS}: each window costs rows and work"
    if schedule.windows is not None:
        if any(field is not None for field in (*recurring, schedule.until)):
            yield path, "has a list of windows and also says when they recur: give one of the two"
        before = None
        for index in sorted(range(len(schedule.windows)), key=lambda at: schedule.windows[at].starts_at):  # type: ignore[index] # a list
            window = schedule.windows[index]
            if window.ends_at <= window.starts_at:
                yield f"{path}.windows[{index}].endsAt", "must be later than 'startsAt'"
            if before is not None and window.starts_at < before:
                yield f"{path}.windows[{index}].startsAt", "overlaps with another window"
            before = window.ends_at if before is None else max(before, window.ends_at)
    elif None in recurring:
        yield path, "must have 'windows', or 'startsAt', 'everySeconds' and 'durationSeconds'"
    elif schedule.duration_seconds > schedule.every_seconds:  # type: ignore[operator] # neither is None
        yield f"{path}.durationSeconds", "must be at most 'everySeconds', or else windows overlap"
    elif schedule.until is not None and schedule.until <= schedule.starts_at:  # type: ignore[operator] # neither is None
        yield f"{path}.until", "must be later than 'startsAt'"


def _faults_of_cost(config: EconomyConfig, cost: Sequence[RewardEntry], path: str) -> Iterator[Fault]:
    yield from faults_of_entries(config, cost, path)
    for index, entry in enumerate(cost):
        if entry.type == "crate":
            yield f"{path}[{index}].type", "cannot be part of a cost"
            continue
        key = config.economy_key(entry.resource_key) if entry.type == "currency" else None
        if not config.platform_managed and not (key is not None and key.kind == "progression"):
            yield (
                f"{path}[{index}]",
                "costs what the studio manages itself; only progression can be charged, or set economyMode to 'platform'",
            )
        if entry.parameters:
            yield f"{path}[{index}].parameters", "cannot be part of a cost"

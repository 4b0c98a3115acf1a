"""The competition's part of a game's configuration: events and shared leaderboards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final

from livecore.competition.board_config import LeaderboardDefinition
from livecore.competition.definition_rows import RankReward
from livecore.competition.event_config import LEAST_PERIOD_SECONDS, EventDefinition, Schedule, Validator
from livecore.competition.validators import BUILT_IN, KINDS
from livecore.economy.config import EconomyConfig
from livecore.economy.entries import faults_of_entries
from livecore.economy.rows import RewardEntry
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.config import Fault, Undeclared, declared_twice, section
from livecore.kernel.wire.shapes import Items
from livecore.lobbies.config import faults_of_lobby, faults_of_session
from livecore.teams.config import faults_of_teams

__all__ = ["CompetitionConfig", "competition_config", "faults_of"]


@section
class CompetitionConfig(EconomyConfig):
    """The competition's part of the configuration."""

    events: Annotated[tuple[EventDefinition, ...], Items(0, 500)] = ()
    leaderboards: Annotated[tuple[LeaderboardDefinition, ...], Items(0, 500)] = ()

    def event(self, key: str) -> EventDefinition | None:
        """The event with this key."""
        return self._events_by_key.get(key)

    def leaderboard(self, key: str) -> LeaderboardDefinition | None:
        """The shared leaderboard with this key."""
        return self._leaderboards_by_key.get(key)

    def fed_by(self, event_key: str) -> tuple[LeaderboardDefinition, ...]:
        """The shared leaderboards that the attempts of an event feed."""
        return self._boards_by_event.get(event_key, ())

    @cached_property
    def _events_by_key(self) -> dict[str, EventDefinition]:
        return {event.key: event for event in self.events}

    @cached_property
    def _leaderboards_by_key(self) -> dict[str, LeaderboardDefinition]:
        return {board.key: board for board in self.leaderboards}

    @cached_property
    def _boards_by_event(self) -> dict[str, tuple[LeaderboardDefinition, ...]]:
        fed: dict[str, tuple[LeaderboardDefinition, ...]] = {}
        for board in self.leaderboards:
            if board.source == "event" and board.event is not None:
                fed[board.event] = (*fed.get(board.event, ()), board)
        return fed


competition_config: Final[Callable[[Unit], CompetitionConfig]] = attrgetter("config")
"""The competition's part of a unit's configuration."""


# -- contradictions -------------------------------------------------------------------------------------------------------


def faults_of(config: CompetitionConfig) -> Iterator[Fault]:
    """The contradictions in the events and leaderboards."""
    yield from declared_twice("events", (event.key for event in config.events))
    for place, event in enumerate(config.events):
        yield from _faults_of_event(config, event, f"events[{place}]")
    yield from declared_twice("leaderboards", (board.key for board in config.leaderboards))
    for place, board in enumerate(config.leaderboards):
        yield from _faults_of_board(config, board, f"leaderboards[{place}]")


def _faults_of_event(config: CompetitionConfig, event: EventDefinition, path: str) -> Iterator[Fault]:
    metrics = [metric.key for metric in event.metrics]
    yield from _faults_of_schedule(event.schedule, f"{path}.schedule")
    yield from declared_twice(f"{path}.metrics", metrics)
    if event.score is not None and event.score not in metrics:
        yield f"{path}.score", Undeclared("metrics", metrics)
    yield from _faults_of_goals(event, path)
    yield from _faults_of_cost(config, event.entry_cost, f"{path}.entryCost")
    yield from declared_twice(f"{path}.milestones", (milestone.key for milestone in event.milestones))
    for place, milestone in enumerate(event.milestones):
        yield from faults_of_entries(config, milestone.entries, f"{path}.milestones[{place}].entries")
    yield from faults_of_entries(config, event.completion_rewards, f"{path}.completionRewards")
    yield from _faults_of_rank_rewards(config, event.rank_rewards, f"{path}.rankRewards")
    yield from _faults_of_validators(event.validators, f"{path}.validators", metrics)
    yield from _faults_of_boards_by(event, path)
    if event.lobby is not None:
        yield from faults_of_lobby(event.lobby, f"{path}.lobby")
    if event.session is not None:
        if event.lobby is None:
            yield f"{path}.session", "needs a 'lobby': a session is that of a lobby"
        yield from faults_of_session(event.session, has_target=event.target is not None, path=f"{path}.session")
    if event.teams is not None:
        yield from faults_of_teams(config, event.teams, f"{path}.teams")
        yield from _faults_of_rank_rewards(config, event.teams.rank_rewards, f"{path}.teams.rankRewards")


def _faults_of_boards_by(event: EventDefinition, path: str) -> Iterator[Fault]:
    if event.board.by == "segment" and event.board.segment is None:
        yield f"{path}.board.segment", "is required where the leaderboard is by segment"
    if event.board.by != "segment" and event.board.segment is not None:
        yield f"{path}.board.segment", "has a meaning only where the leaderboard is by segment"
    if event.board.by == "segment" and event.lobby is not None:
        yield f"{path}.board.by", "cannot be 'segment': an event with lobbies has a leaderboard for each lobby"
    if event.board.by == "lobby" and event.lobby is None:
        yield f"{path}.board.by", "cannot be 'lobby': the event has no 'lobby'"


def _faults_of_goals(event: EventDefinition, path: str) -> Iterator[Fault]:
    """Scores that no attempt can reach."""
    if event.score_metric.aggregation != "sum" or event.order != "asc":
        return
    goals = {f"{path}.milestones[{place}].threshold": found.threshold for place, found in enumerate(event.milestones)}
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
        for place in sorted(range(len(schedule.windows)), key=lambda at: schedule.windows[at].starts_at):  # type: ignore[index] # a list
            window = schedule.windows[place]
            if window.ends_at <= window.starts_at:
                yield f"{path}.windows[{place}].endsAt", "must be later than 'startsAt'"
            if before is not None and window.starts_at < before:
                yield f"{path}.windows[{place}].startsAt", "overlaps with another window"
            before = window.ends_at if before is None else max(before, window.ends_at)
    elif None in recurring:
        yield path, "must have 'windows', or 'startsAt', 'everySeconds' and 'durationSeconds'"
    elif schedule.duration_seconds > schedule.every_seconds:  # type: ignore[operator] # neither is None
        yield f"{path}.durationSeconds", "must be at most 'everySeconds', or else windows overlap"
    elif schedule.until is not None and schedule.until <= schedule.starts_at:  # type: ignore[operator] # neither is None
        yield f"{path}.until", "must be later than 'startsAt'"


def _faults_of_cost(config: EconomyConfig, cost: Sequence[RewardEntry], path: str) -> Iterator[Fault]:
    yield from faults_of_entries(config, cost, path)
    for place, entry in enumerate(cost):
        if entry.type == "crate":
            yield f"{path}[{place}].type", "cannot be part of a cost"
            continue
        key = config.economy_key(entry.resource_key) if entry.type == "currency" else None
        if not config.platform_managed and not (key is not None and key.kind == "progression"):
            yield (
                f"{path}[{place}]",
                "costs what the studio manages itself; only progression can be charged, or set economyMode to 'platform'",
            )
        if entry.parameters:
            yield f"{path}[{place}].parameters", "cannot be part of a cost"


def _faults_of_rank_rewards(config: EconomyConfig, rewards: Sequence[RankReward], path: str) -> Iterator[Fault]:
    last = 0
    for place in sorted(range(len(rewards)), key=lambda at: (rewards[at].from_, rewards[at].to)):
        reward = rewards[place]
        if reward.to < reward.from_:
            yield f"{path}[{place}].to", "must not be smaller than 'from'"
        if reward.from_ <= last:
            yield f"{path}[{place}].from", "overlaps with the ranks of another reward"
        last = max(last, reward.to)
        yield from faults_of_entries(config, reward.entries, f"{path}[{place}].entries")


def _faults_of_validators(validators: Sequence[Validator], path: str, metrics: Iterable[str] | None) -> Iterator[Fault]:
    """`metrics` are those of an event; a shared leaderboard has none."""
    yield from declared_twice(path, (validator.key for validator in validators))
    for place, validator in enumerate(validators):
        here = f"{path}[{place}]"
        if validator.metric is not None and metrics is None:
            yield f"{here}.metric", "has no meaning on a leaderboard, whose only value is the score"
        elif validator.metric is not None and validator.metric not in (metrics or ()):
            yield f"{here}.metric", Undeclared("metrics", metrics or ())
        yield from _faults_of_limits(validator, here)


def _faults_of_limits(validator: Validator, path: str) -> Iterator[Fault]:
    bounds = {"min": validator.min, "max": validator.max}
    if validator.kind not in KINDS:
        yield f"{path}.kind", f"must be one of {', '.join(map(repr, KINDS))}"
        return
    if validator.kind not in BUILT_IN:
        return
    if validator.kind != "range":
        if validator.limit is None:
            yield f"{path}.limit", f"is required for the kind '{validator.kind}'"
        for name in (name for name, bound in bounds.items() if bound is not None):
            yield f"{path}.{name}", "has a meaning only for the kind 'range'"
        return
    if validator.limit is not None:
        yield f"{path}.limit", "has no meaning for the kind 'range', which has 'min' and 'max'"
    if validator.min is None and validator.max is None:
        yield path, "must have 'min' or 'max'"
    elif validator.min is not None and validator.max is not None and validator.max < validator.min:
        yield f"{path}.max", "must not be smaller than 'min'"


def _faults_of_board(config: CompetitionConfig, board: LeaderboardDefinition, path: str) -> Iterator[Fault]:
    if board.source == "event":
        event = None if board.event is None else config.event(board.event)
        if board.event is None:
            yield f"{path}.event", "is required where an event feeds the leaderboard"
        elif event is None:
            yield f"{path}.event", Undeclared("events", (event.key for event in config.events))
        elif board.aggregation == "sum" and event.score_metric.aggregation != "sum":
            yield f"{path}.aggregation", f"would add each value of '{event.score_metric.key}' again, which is no sum"
    elif board.event is not None:
        yield f"{path}.event", "has a meaning only where 'source' is 'event'"
    yield from _faults_of_validators(board.validators, f"{path}.validators", None)
    yield from _faults_of_rank_rewards(config, board.rank_rewards, f"{path}.rankRewards")
    yield from declared_twice(f"{path}.divisions", (division.key for division in board.divisions))
    for place, division in enumerate(board.divisions):
        yield from _faults_of_rank_rewards(config, division.rank_rewards, f"{path}.divisions[{place}].rankRewards")
    if board.cohort_size is not None and not board.divisions:
        yield f"{path}.cohortSize", "has a meaning only with divisions"

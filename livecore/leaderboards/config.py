"""The leaderboards' part of a game's configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final

from livecore.economy.config import EconomyConfig
from livecore.economy.entries import faults_of_entries
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.config import Fault, declared_twice, section
from livecore.kernel.wire.config_mending import Undeclared
from livecore.kernel.wire.shapes import Items
from livecore.leaderboards.definition import LeaderboardDefinition, Validator
from livecore.leaderboards.definition_rows import RankReward
from livecore.leaderboards.validators import BUILT_IN, KINDS


@section
class LeaderboardsConfig(EconomyConfig):
    """The leaderboards' part of the configuration."""

    leaderboards: Annotated[tuple[LeaderboardDefinition, ...], Items(0, 500)] = ()

    def leaderboard(self, key: str) -> LeaderboardDefinition | None:
        """The shared leaderboard with this key."""
        return self._leaderboards_by_key.get(key)

    def fed_by(self, event_key: str) -> tuple[str, ...]:
        """The keys of the shared leaderboards that the attempts of an event feed."""
        return self._keys_by_event.get(event_key, ())

    @cached_property
    def _leaderboards_by_key(self) -> dict[str, LeaderboardDefinition]:
        return {board.key: board for board in self.leaderboards}

    @cached_property
    def _keys_by_event(self) -> dict[str, tuple[str, ...]]:
        fed: dict[str, tuple[str, ...]] = {}
        for board in self.leaderboards:
            if board.source == "event" and board.event is not None:
                fed[board.event] = (*fed.get(board.event, ()), board.key)
        return fed


leaderboards_config: Final[Callable[[Unit], LeaderboardsConfig]] = attrgetter("config")
"""The leaderboards' part of a unit's configuration."""


# -- contradictions -------------------------------------------------------------------------------------------------------


def faults_of(config: LeaderboardsConfig) -> Iterator[Fault]:
    """The contradictions in the leaderboards."""
    yield from declared_twice("leaderboards", (board.key for board in config.leaderboards))
    for index, board in enumerate(config.leaderboards):
        yield from _faults_of_board(config, board, f"leaderboards[{index}]")


def _faults_of_board(config: EconomyConfig, board: LeaderboardDefinition, path: str) -> Iterator[Fault]:
    if board.source == "event" and board.event is None:
        yield f"{path}.event", "is required where an event feeds the leaderboard"
    if board.source != "event" and board.event is not None:
        yield f"{path}.event", "has a meaning only where 'source' is 'event'"
    yield from faults_of_validators(board.validators, f"{path}.validators", None)
    yield from faults_of_rank_rewards(config, board.rank_rewards, f"{path}.rankRewards")
    yield from declared_twice(f"{path}.divisions", (division.key for division in board.divisions))
    for index, division in enumerate(board.divisions):
        yield from faults_of_rank_rewards(config, division.rank_rewards, f"{path}.divisions[{index}].rankRewards")
    if board.cohort_size is not None and not board.divisions:
        yield f"{path}.cohortSize", "has a meaning only with divisions"


def faults_of_rank_rewards(config: EconomyConfig, rewards: Sequence[RankReward], path: str) -> Iterator[Fault]:
    """The contradictions in what the ranks of a board win."""
    last = 0
    for index in sorted(range(len(rewards)), key=lambda at: (rewards[at].from_, rewards[at].to)):
        reward = rewards[index]
        if reward.to < reward.from_:
            yield f"{path}[{index}].to", "must not be smaller than 'from'"
        if reward.from_ <= last:
            yield f"{path}[{index}].from", "overlaps with the ranks of another reward"
        last = max(last, reward.to)
        yield from faults_of_entries(config, reward.entries, f"{path}[{index}].entries")


def faults_of_validators(validators: Sequence[Validator], path: str, metrics: Iterable[str] | None) -> Iterator[Fault]:
    """The contradictions in validators; `metrics` are those of an event, and a shared leaderboard has none."""
    yield from declared_twice(path, (validator.key for validator in validators))
    for index, validator in enumerate(validators):
        here = f"{path}[{index}]"
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

"""What a configuration lets players do: read once, so that nobody asks for what the game does not have."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median_high
from typing import Final, Literal, TypeAlias

import attrs

from livecore.api.configuration.game_config import GameConfig
from livecore.economy.rows import RewardEntry
from livecore.events.definition import EventDefinition
from livecore.kernel.time import SECOND, Millis
from livecore.leaderboards.definition import LeaderboardDefinition, Validator
from livecore.lobbies.config import LOBBY_RULES, triggers_of
from livecore.simulation.population import Population
from livecore.social.config import GiftResource
from livecore.teams.config import TEAM_RULES

Format: TypeAlias = Literal["solo", "lobby", "open", "partner", "external"]
_USUAL_SCALE: Final = 100
_BEST, _WORST = 1.1, 0.1


@attrs.frozen(eq=False)
class PlayedEvent:
    """One event, as a player looks at it."""

    definition: EventDefinition
    format: Format
    scale: int
    """A score that is far for a beginner: the target, the farthest milestone, or a usual number."""
    validators: tuple[Validator, ...]
    """Those that judge the score, also on the leaderboards that it feeds."""
    cost: tuple[RewardEntry, ...]
    """What starting takes."""
    pace: float
    """About how many seconds a player has between two reports."""

    @property
    def key(self) -> str:
        """The event's key."""
        return self.definition.key

    @property
    def sums(self) -> bool:
        """Whether what is reported is added."""
        return self.definition.score_metric.aggregation == "sum"

    def value(self, skill: float, luck: float) -> int:
        """What a player reports next, by skill and luck from 0 to 1."""
        well = (0.3 + 0.7 * luck) * (0.2 + 0.6 * skill)
        if self.definition.order == "asc":
            well = (0.3 + 0.7 * luck) * (0.8 - 0.6 * skill)
            return max(1, round(self.scale * (well if self.sums else 0.6 + 2 * well)))
        return max(1, round(self.scale * (well if self.sums else _WORST + (_BEST - _WORST) * min(1.0, well * 1.5))))

    def honest(self, value: int, score: int, elapsed: Millis) -> int:
        """The value, kept within the limits of the validators where the score is `score`, `elapsed` after the start."""
        for validator in self.validators:
            limit = validator.limit or 0
            if validator.kind == "max_step":
                value = min(value, limit if self.sums else score + limit)
            elif validator.kind == "max_rate":
                most = limit * max(elapsed // SECOND, 1)
                value = min(value, most - score if self.sums else most)
            elif validator.kind == "range":
                most = value if validator.max is None else validator.max - (score if self.sums else 0)
                value = max(min(value, most), validator.min or 0)
        return max(value, 0) if self.sums else value

    def unbelievable(self, score: int) -> int | None:
        """A value that a validator finds wrong; `None` where there is none."""
        for validator in self.validators:
            if validator.kind in ("max_step", "max_rate") and validator.limit is not None:
                return score * (not self.sums) + (validator.limit + 1) * 1_000
            if validator.kind == "range" and validator.max is not None:
                return validator.max + 1
        return None


@attrs.frozen(eq=False)
class PlayedGame:
    """A configuration and a population, as a virtual player looks at them."""

    config: GameConfig
    population: Population
    events: dict[str, PlayedEvent]
    gifts: tuple[GiftResource, ...]
    boards: tuple[LeaderboardDefinition, ...]
    """Shared leaderboards that take scores from the client."""
    context_keys: tuple[str, ...]
    """Keys of the player context by which players meet or are ranked."""

    @classmethod
    def of(cls, config: GameConfig, population: Population) -> PlayedGame:
        """Look at a configuration."""
        scores = population.scores or {}
        events = {event.key: _played(config, event, scores.get(event.key)) for event in config.events}
        keys = {key for event in events.values() for key in _context_keys(event.definition)} - {"country"}
        return cls(
            config=config,
            population=population,
            events=events,
            gifts=config.gifting.resources if config.gifting.enabled else (),
            boards=tuple(board for board in config.leaderboards if board.source == "client"),
            context_keys=tuple(sorted(keys)),
        )

    @property
    def managed(self) -> bool:
        """Whether the service manages wallets and inventories."""
        return self.config.platform_managed

    def limit(self, board: LeaderboardDefinition) -> int | None:
        """The largest score that a board's validators let pass at once."""
        limits = [
            one.limit for one in board.validators if one.kind in ("max_step", "max_rate") and one.limit is not None
        ]
        limits += [one.max for one in board.validators if one.kind == "range" and one.max is not None]
        return min(limits, default=None)


def usual_score(event: EventDefinition) -> int:
    """What a player of middling skill scores in an event of which nothing else is known: its middle threshold."""
    goals = [milestone.threshold for milestone in event.milestones]
    goals += [] if event.target is None else [event.target]
    teams = TEAM_RULES.of(event)
    if not goals and teams is not None and teams.goal is not None:
        goals = [teams.goal.target if teams.goal.per_member else teams.goal.target // teams.seats.max]
    return median_high(map(abs, goals)) or _USUAL_SCALE if goals else _USUAL_SCALE


def _played(config: GameConfig, event: EventDefinition, score: int | None) -> PlayedEvent:
    fed = [board for board in config.leaderboards if board.source == "event" and board.event == event.key]
    judging = [one for one in event.validators if one.metric in (None, event.score_metric.key)]
    elapsed = [
        trigger.value for trigger in triggers_of(event) if trigger.type == "elapsed" and trigger.value is not None
    ]
    lasts = min([*elapsed, *filter(None, (event.attempts.duration_seconds,)), 900])
    return PlayedEvent(
        definition=event,
        format=_format(event),
        scale=score or usual_score(event),
        validators=(*judging, *(one for board in fed for one in board.validators)),
        cost=event.entry_cost if config.platform_managed else (),
        pace=max(lasts / 4, 1.0),
    )


def _format(event: EventDefinition) -> Format:
    teams = TEAM_RULES.of(event)
    if teams is not None:
        return teams.formation
    return "solo" if LOBBY_RULES.of(event) is None else "lobby"


def _context_keys(event: EventDefinition) -> Iterator[str]:
    lobby = LOBBY_RULES.of(event)
    yield from () if lobby is None else lobby.match_by
    if event.board.by == "segment" and event.board.segment is not None:
        yield event.board.segment

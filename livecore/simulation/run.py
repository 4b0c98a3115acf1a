"""One run of a simulation from its plan, as a function: the same plan gives the same `Observed` in every process."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, cast

import attrs

from livecore.api.configuration.game_config import load_config
from livecore.journal.lines import Header
from livecore.kernel.time import DAY, Timestamp
from livecore.kernel.wire.config_text import read_text
from livecore.simulation.game import usual_score
from livecore.simulation.observed import Day, Observed
from livecore.simulation.observing.observer import Observer
from livecore.simulation.population import Population, default_population, load_population, require_fit
from livecore.simulation.season import ENVIRONMENT, FLUSH_SECONDS, play_season
from livecore.version import VERSION
from livecore.world import Command


@attrs.frozen
class Plan:
    """What one run plays. Texts stand for the files, so that a plan can be sent to another process."""

    config: str
    population: str | None
    """`None`: the default population for the configuration."""
    players: int
    days: int
    seed: int
    start: Timestamp
    idle: bool = False
    """With one request more at the end of the first day, which reads nothing and changes nothing."""
    usual_of: str | None = None
    """The configuration whose default population plays, where it is another one: two variants need the same players."""


class _IdleObserver(Observer):
    def day_ended(self, day: Day) -> None:
        super().day_ended(day)
        if day == 0:
            self.world.server.call("ping")


def population_of(plan: Plan) -> Population:
    """The population of a plan. Raises `ValidationFailed` for one that is not valid, or does not fit the configuration."""
    config = load_config(plan.config)
    usual = config if plan.usual_of is None else load_config(plan.usual_of)
    population = default_population(usual) if plan.population is None else load_population(plan.population)
    require_fit(population, usual)
    # A threshold that is moved makes nobody play better: both variants are played with the scores of the first one.
    scores = {event.key: usual_score(event) for event in (*config.events, *usual.events)}
    known = {event.key for event in config.events}
    scores = {key: score for key, score in {**scores, **(population.scores or {})}.items() if key in known}
    population = cast(Population, attrs.evolve(cast(Any, population), scores=scores or None))
    require_fit(population, config)
    return population


def header_of(plan: Plan) -> Header:
    """The first line of a journal of a plan."""
    config = read_text(plan.config)
    assert isinstance(config, dict)  # noqa: S101 - it is a configuration
    return Header(
        version=VERSION,
        seed=plan.seed,
        start=plan.start,
        environment=ENVIRONMENT,
        flush_seconds=FLUSH_SECONDS,
        population_digest=None if plan.population is None else sha256(plan.population.encode()).hexdigest(),
        config=config,
    )


def end_of(plan: Plan) -> Timestamp:
    """When a plan is over."""
    return Timestamp(plan.start + plan.days * DAY)


def run(
    plan: Plan,
    progress: Callable[[float], None] = lambda _: None,
    on_command: Callable[[Command], None] | None = None,
) -> Observed:
    """Play a plan; `progress` is told again and again how many days are over, and `on_command` of each request."""
    config, population = load_config(plan.config), population_of(plan)
    counts = dict.fromkeys(population.traits(), 0)
    observed = Observed(seed=plan.seed, players=plan.players, days=plan.days, start=plan.start.wire, behaviours=counts)
    observer = (_IdleObserver if plan.idle else Observer)(observed)
    play_season(
        config,
        population,
        players=plan.players,
        days=plan.days,
        seed=plan.seed,
        start=plan.start,
        watch=observer,
        progress=progress,
        on_command=on_command,
    )
    return observed

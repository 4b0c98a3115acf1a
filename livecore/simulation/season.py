"""Playing a whole season: the front of the simulation.

season = play_season(config, population, players=2000, days=30, seed=1, watch=observer)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum
from typing import Final

from livecore.api.configuration.game_config import GameConfig
from livecore.kernel.entropy import derive_seed
from livecore.kernel.time import DAY, Timestamp
from livecore.simulation.backend import Backend
from livecore.simulation.behaviour import Behaviour
from livecore.simulation.community import Community
from livecore.simulation.draws import Draws
from livecore.simulation.game import PlayedGame
from livecore.simulation.playing import Playing
from livecore.simulation.population import Population, default_population, require_fit
from livecore.simulation.sessions.preset import PresetBehaviour
from livecore.simulation.watching import Nobody, Watcher
from livecore.world import Command, Emitted, World
from livecore.world.checks import MOST_FLUSH_SECONDS, require_seed
from livecore.world.game import START

ENVIRONMENT: Final = "live"
"""The environment that is played where nothing else is said."""
_GOLDEN: Final = 0.6180339887498949
"""Steps of this size, taken over and over around a circle, fill it evenly: so each behaviour soon has its share."""
FLUSH_SECONDS: Final = MOST_FLUSH_SECONDS
"""How often the world of a season writes last-seen values: as seldom as a server may be set to."""


def play_season(
    config: GameConfig,
    population: Population | None = None,
    *,
    players: int,
    days: int,
    seed: int = 0,
    start: Timestamp = START,
    environment: str = ENVIRONMENT,
    classes: Mapping[str, Behaviour] | None = None,
    progress: Callable[[float], None] = lambda _: None,
    watch: Watcher | None = None,
    on_command: Callable[[Command], None] | None = None,
) -> World:
    """Play a season; `watch` is told what happens, and `progress` how many days are over, every hour of virtual time.

    `classes` gives behaviours of one's own by the names that they have in the population; the others play as presets do.
    `on_command` is given each request, as a `World` gives it. Returns the world as it is at the end.

    Raises `ValidationFailed` where the population names what the configuration does not have, `ValueError` for numbers out
    of range, and `BehaviourMistake`.
    """
    if players < 1 or days < 1:
        raise ValueError("a season needs at least 1 player and 1 day")
    population = population or default_population(config)
    require_fit(population, config)
    behaviours = _behaviours(population, classes or {})
    watch, relay = watch or Nobody(), _Relay()
    world = World(
        config,
        seed=seed,
        start=start,
        environment=environment,
        keep_events=False,
        on_event=relay.hear,
        on_command=on_command,
        flush_seconds=FLUSH_SECONDS,
    )
    names = tuple(f"player-{number + 1}" for number in range(players))
    draws = Draws(derive_seed(require_seed(seed), "players", 0))
    community = Community(draws, {name: place for place, name in enumerate(names)}, names)
    game = PlayedGame.of(config, population)
    backend = Backend(world, game, community, watch)
    playing = Playing(world, game, community, draws, watch, backend, behaviours, end=start + days * DAY)
    _enrol(playing, population)
    watch.began(world, config, population)
    relay.pass_to(playing.heard)
    playing.run(progress)
    watch.ended(world)
    return world


class _Relay:
    """Keeps what a world emits while it is made, and then passes on what comes."""

    def __init__(self) -> None:
        self._early: list[Emitted] = []
        self._to: Callable[[Emitted], None] = self._early.append

    def hear(self, emitted: Emitted) -> None:
        self._to(emitted)

    def pass_to(self, to: Callable[[Emitted], None]) -> None:
        self._to = to
        for emitted in self._early:
            to(emitted)
        self._early.clear()


def _behaviours(population: Population, classes: Mapping[str, Behaviour]) -> dict[str, Behaviour]:
    names = [behaviour.name for behaviour in population.behaviours]
    unknown = sorted(set(classes) - set(names))
    if unknown:
        raise ValueError(f"the population has no behaviour {', '.join(unknown)}: it has {', '.join(names)}")
    preset = PresetBehaviour()
    return {name: classes.get(name, preset) for name in names}


def _enrol(playing: Playing, population: Population) -> None:
    traits = population.traits()
    shares = [behaviour.share for behaviour in population.behaviours]
    for place, name in enumerate(playing.community.names):
        behaviour = _behaviour_at(place, list(traits), shares)
        playing.enrol(name, behaviour, traits[behaviour])


def _behaviour_at(place: int, names: list[str], shares: list[float]) -> str:
    """The behaviour of the player at a place, which more players do not change."""
    at = (place + 0.5) * _GOLDEN % 1.0 * fsum(shares)
    for name, share in zip(names, shares, strict=True):
        at -= share
        if at < 0:
            return name
    return names[-1]

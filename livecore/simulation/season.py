"""Playing a whole season: the front of the simulation.

season = play_season(config, population, players=2000, days=30, seed=1, watch=observer)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from livecore.world.checks import require_seed
from livecore.world.game import START

ENVIRONMENT: Final = "live"
"""The environment that is played where nothing else is said."""
_GOLDEN: Final = 0.6180339887498949
"""Steps of this size, taken over and over around a circle, fill it evenly: so each behaviour soon has its share."""


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

    `on_command` is called with each request once it is answered, such as that of a journal's `Recorder`.

    `classes` gives behaviours of one's own by the names that they have in the population; the others play as presets do.
    Returns the world as it is at the end. Raises `ValidationFailed` where the population names what the configuration does
    not have, `ValueError` for numbers out of range, and `BehaviourMistake`.
    """
    if players < 1 or days < 1:
        raise ValueError("a season needs at least 1 player and 1 day")
    population = population or default_population(config)
    require_fit(population, config)
    traits = population.traits()
    unknown = sorted(set(classes or {}) - set(traits))
    if unknown:
        raise ValueError(f"the population has no behaviour {', '.join(unknown)}: it has {', '.join(traits)}")
    watch = watch or Nobody()
    early: list[Emitted] = []
    heard = early.append

    def relay(emitted: Emitted) -> None:
        heard(emitted)

    world = World(
        config,
        seed=seed,
        start=start,
        environment=environment,
        keep_events=False,
        on_event=relay,
        on_command=on_command,
    )
    draws = Draws(derive_seed(require_seed(seed), "players", 0))
    names = tuple(f"player-{number + 1}" for number in range(players))
    community = Community(draws, {name: place for place, name in enumerate(names)}, names)
    game = PlayedGame.of(config, population)
    preset = PresetBehaviour()
    playing = Playing(
        world=world,
        game=game,
        community=community,
        draws=draws,
        watch=watch,
        backend=Backend(world, game, community, watch),
        behaviours={name: (classes or {}).get(name, preset) for name in traits},
        end=start + days * DAY,
    )
    shares = [behaviour.share for behaviour in population.behaviours]
    for place, name in enumerate(names):
        behaviour = _behaviour_at(place, list(traits), shares)
        playing.enrol(name, behaviour, traits[behaviour])
    watch.began(world, config, population)
    heard = playing.heard
    for emitted in early:
        # From before anybody could listen: windows that were open already.
        playing.heard(emitted)
    playing.run(progress)
    watch.ended(world)
    return world


def _behaviour_at(place: int, names: list[str], shares: list[float]) -> str:
    """The behaviour of the player at a place, which more players do not change."""
    at = (place + 0.5) * _GOLDEN % 1.0 * sum(shares)
    for name, share in zip(names, shares, strict=True):
        at -= share
        if at < 0:
            return name
    return names[-1]

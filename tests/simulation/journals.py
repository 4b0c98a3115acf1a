"""Journals of small seasons, as the lines of their files."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from livecore.demo import DEMO
from livecore.journal.lines import Recorder
from livecore.journal.reading import read_journal
from livecore.kernel.errors import JsonObject
from livecore.kernel.time import DAY, Timestamp
from livecore.simulation.population import Population
from livecore.simulation.run import Plan, end_of, header_of, run
from livecore.simulation.season import play_season
from livecore.world.game import START
from tests.simulation.test_season import BUSY, MORE

BUSY_DAYS = 2


def plan(seed: int = 1, *, config: str = DEMO, players: int = 12, days: int = 2) -> Plan:
    """A season of the default population."""
    return Plan(config, None, players, days, seed, START)


@cache
def recorded(made: Plan) -> tuple[bytes, ...]:
    """The lines of the journal of a plan."""
    lines: list[bytes] = []
    recorder = Recorder(lines.append, header_of(made))
    run(made, on_command=recorder.command)
    recorder.end(end_of(made))
    return tuple(lines)


@cache
def busy(seed: int, players: int = 12, days: int = BUSY_DAYS) -> tuple[bytes, ...]:
    """The lines of the journal of a season in which everybody does everything."""
    return recorded_of(demo_text(), BUSY, seed, players, days)


def recorded_of(config: str, population: Population, seed: int, players: int, days: int) -> tuple[bytes, ...]:
    """The lines of the journal of a season."""
    lines: list[bytes] = []
    made = Plan(config, None, players, days, seed, START)
    recorder = Recorder(lines.append, header_of(made))
    world = play_season(
        read_journal(lines).config, population, players=players, days=days, seed=seed, on_command=recorder.command
    )
    assert world.now == START + days * DAY
    recorder.end(Timestamp(world.now))
    return tuple(lines)


@cache
def demo_text() -> str:
    """The demo game of `BUSY`, as a file."""
    return json.dumps(demo_data())


def demo_data() -> JsonObject:
    """The same as data."""
    data: dict[str, Any] = json.loads(DEMO)
    for section, more in MORE.items():
        data[section] += more
    data["guilds"]["maxMembers"] = 4
    return data

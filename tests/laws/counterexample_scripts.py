"""The text of a counterexample: a program over `livecore` alone, with one line for each thing that was done."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.errors import camel
from tests.laws.games import GAMES
from tests.laws.playing import Asked

OWN: Final = "own"
"""Stands for the newest secret of the player."""
COMPARED: Final = 20
"""So many answers are compared at most: the last ones."""


@attrs.frozen
class WaitedFor:
    """Time has passed."""

    milliseconds: int


@attrs.frozen
class SwitchedTo:
    """A game's gifting, and its guilds, were switched on or off."""

    game: int
    enabled: bool


Line: TypeAlias = Asked | WaitedFor | SwitchedTo

_HEAD: Final = '''\
"""{about}

Run it with the version of livecore in which it was found: it ends with an AssertionError while the fault is there.
"""

import json
import warnings

from livecore import ConfigurationAdvice, World, WorldRefused
from livecore.kernel.time import Timestamp
from livecore.world import Caller

warnings.simplefilter("ignore", ConfigurationAdvice)
CONFIGS = {{{configs}}}
START = Timestamp.parse("{start}")
worlds = {{game: World(config, seed=game, start=START) for game, config in CONFIGS.items()}}
secrets = {{}}
seen = []


def call(game, environment, name, player, /, *, with_key=None, with_secret="own", **arguments):
    """Call an operation as a player or as the studio's backend, and note the answer and the events."""
    world, (surface, _, operation) = worlds[game], name.partition(":")
    key = with_key or environment + ("_client" if surface == "sdk" else "_server")
    headers = {{"authorization": "Bearer " + world.all_keys[key]}}
    place = (game, environment, player)
    secret = secrets.get(place) if with_secret == "own" else with_secret
    if secret is not None and surface == "sdk":
        headers["x-player-secret"] = secret
    first = len(world.events)
    try:
        answer = Caller(world, surface, headers, player).call(operation, **arguments)
    except WorldRefused as refused:
        answer = {{"status": refused.status, "code": refused.code, "details": refused.details}}
    secrets[place] = answer.get("playerSecret", secrets.get(place))
    note(f"{{player}}: {{name}}", answer, world.events[first:])


def wait(milliseconds):
    """Let time pass in all worlds."""
    events = [event for world in worlds.values() for event in world.advance(seconds=milliseconds / 1000)]
    note(f"{{milliseconds}} ms pass", None, events)


def switch(game, enabled):
    """Switch gifting and guilds of a game on or off."""
    config = CONFIGS[game]
    switched = {{part: {{**config[part], "enabled": enabled}} for part in ("gifting", "guilds")}}
    worlds[game].configure({{**config, **switched}})
    note(f"gifting of {{game}}: {{enabled}}", None, [])


def note(what, answer, events):
    told = [[event.environment, event.kind, event.data] for event in events]
    seen.append(json.loads(json.dumps([what, answer, told])))


def show(faulty):
    """Print the last answers, and fail while they are those to which the law objected."""
    for what, answer, events in seen[-len(faulty) :]:
        print(what, "->", json.dumps(answer))
        for event in events:
            print("   ", *event[:2], json.dumps(event[2]))
    assert seen[-len(faulty) :] != faulty, "the law does not hold: these are the answers to which it objects"


'''


def script_of(lines: Sequence[Line], key_names: Mapping[str, str], start: str, about: str) -> str:
    """A program that does the same; `key_names` has the name of each API key by its text."""
    games = sorted({game for line in lines if (game := _game_of(line)) is not None}) or [0]
    configs = ", ".join(f"{game}: json.loads(r'''{json.dumps(GAMES[game], indent=1)}''')" for game in games)
    head = _HEAD.format(about=about, configs=configs, start=start)
    return head + "".join(f"{line}\n" for line in _lines(lines, key_names))


def _game_of(line: Line) -> int | None:
    if isinstance(line, Asked):
        return line.place.game
    return line.game if isinstance(line, SwitchedTo) else None


def _lines(lines: Sequence[Line], key_names: Mapping[str, str]) -> Iterator[str]:
    for line in lines:
        if isinstance(line, WaitedFor):
            yield f"wait({line.milliseconds})"
        elif isinstance(line, SwitchedTo):
            yield f"switch({line.game}, {line.enabled})"
        else:
            yield _call(line, key_names)


def _call(asked: Asked, key_names: Mapping[str, str]) -> str:
    place, name = asked.place, asked.name
    given: dict[str, Any] = {_python_name(key): value for key, value in asked.arguments.items()}
    if asked.key is not None:
        given["idempotency_key"] = asked.key
    usual = f"{place.environment}_{'client' if name.startswith('sdk:') else 'server'}"
    if key_names[asked.api_key] != usual:
        given["with_key"] = key_names[asked.api_key]
    if name.startswith("sdk:") and asked.secret != OWN:
        given["with_secret"] = asked.secret
    parts = [repr(place.game), repr(place.environment), repr(name), repr(asked.player)]
    named = {key: value for key, value in given.items() if key.isidentifier() and not keyword.iskeyword(key)}
    parts += [f"{key}={value!r}" for key, value in named.items()]
    others = {key: value for key, value in given.items() if key not in named}
    return f"call({', '.join([*parts, *([f'**{others!r}'] if others else [])])})"


def _python_name(name: str) -> str:
    found = re.sub("([A-Z])", lambda letter: f"_{letter[0].lower()}", name)
    return found if camel(found) == name else name

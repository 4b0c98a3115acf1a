"""Checks what a program gives to a world, and says of a slip what was wrong and what there is.

These are mistakes of the program and not refusals of the service, so they raise `TypeError`, `ValueError` or `LookupError`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from math import isfinite
from typing import Final, ParamSpec, TypeVar

import attrs

from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import GameConfig, load_config, parse_config
from livecore.api.requests.arguments import external_id_of
from livecore.api.table.operation import Operation
from livecore.kernel.errors import ValidationFailed, camel
from livecore.kernel.quoting import listed, quoted
from livecore.kernel.scope import ENVIRONMENTS
from livecore.kernel.wire.config import ConfigurationAdvice

P = ParamSpec("P")
R = TypeVar("R")
E = TypeVar("E", bound=Exception)
_CALLERS: Final[Mapping[str, str]] = {
    "sdk": "a player, `world.player(…)`",
    "server": "`world.server`",
    "admin": "`world.operator(…)`",
}
_SPANS: Final = ("seconds", "minutes", "hours", "days")
_SEED_BITS: Final = 255
MOST_FLUSH_SECONDS: Final = 60
_OF_THE_CALLER: Final = 4
"""The frame of whoever called the world, counted from the one that warns."""
_PLACES: Final = ("external_id", "studio_id", "game_id", "environment")
"""Arguments of every caller that are in the path or in the query, and no fields of the operation."""


# -- what a world is made of ----------------------------------------------------------------------------------------------


def require_seed(seed: object) -> bytes:
    """The seed as bytes. Raises `TypeError` for what is no whole number, and `ValueError` for one that is too large."""
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"a world's seed must be a whole number, not {quoted(seed)}")
    if not -(2**_SEED_BITS) <= seed < 2**_SEED_BITS:
        raise ValueError(f"a world's seed must be from -2**{_SEED_BITS} to 2**{_SEED_BITS} - 1")
    return seed.to_bytes(32, "big", signed=True)


def require_environment(environment: str) -> str:
    """The name of an environment. Raises `ValueError`."""
    if environment not in ENVIRONMENTS:
        raise ValueError(f"a world's environment must be 'test' or 'live', not {quoted(environment)}")
    return environment


def require_flush_seconds(seconds: float) -> float:
    """How often last-seen values are written. Raises `ValueError` for what the server's setting may not be; 0 may be."""
    if not 0 <= seconds <= MOST_FLUSH_SECONDS:
        raise ValueError(f"a world's flush_seconds must be from 0 to {MOST_FLUSH_SECONDS}, not {quoted(seconds)}")
    return seconds


def config_of_world(config: GameConfig | Mapping[str, object] | str | None) -> GameConfig:
    """A world's configuration; warns of advice on it at the line that called the world.

    Raises `ValidationFailed` with every fault in its text, and `TypeError`.
    """
    try:
        parsed = _parsed(config)
    except ValidationFailed as fault:
        if len(fault.fields) > 1:
            lines = "".join(f"\n  {path}: {what}" for path, what in fault.fields.items())
            fault = ValidationFailed(fault.fields, f"the configuration has {len(fault.fields)} faults:{lines}")
        raise fault.bare() from None
    _warn_of_advice(parsed)
    return parsed


def _parsed(config: object) -> GameConfig:
    if config is None:
        return GameConfig()
    if isinstance(config, GameConfig):
        return config
    if isinstance(config, str) and config.removeprefix("\ufeff").lstrip().startswith("{"):
        return load_config(config)
    if isinstance(config, Mapping):
        return parse_config(dict(config))
    form = "a World takes the configuration itself, as an object or as the text of its file, and not "
    if isinstance(config, str):
        # Probably a path: a world does no I/O, so it does not read files.
        reason = f"{form}{quoted(config)}: read the file first, as in World(Path('game.json').read_text())"
        raise ValidationFailed({"": reason}, reason)
    kind = type(config).__name__
    if hasattr(config, "read_text"):
        raise TypeError(f"{form}{quoted(config)}: read the file first, as in World(path.read_text())")
    raise TypeError(f"{form}{quoted(config)}, which is of the type {kind}")


def _warn_of_advice(config: GameConfig) -> None:
    """Warn of single values that are probably not meant, in the sections that a configuration has.

    What it leaves out, and what only the backend gives or takes, is decided before production: `livecore apply` and the
    portal advise on it. A test declares as little as it needs.
    """
    defaults = vars(GameConfig())
    left_out = {camel(name) for name, value in vars(config).items() if name in defaults and value == defaults[name]}
    for path, message in AREAS.advice_on(config):
        if not path.isalpha() and path.split(".")[0].split("[")[0] not in left_out:
            warnings.warn(f"{path} {message}", ConfigurationAdvice, stacklevel=_OF_THE_CALLER)


# -- who acts, and when ---------------------------------------------------------------------------------------------------


def require_player_id(external_id: object) -> str:
    """A player's id that the service takes. Raises `TypeError` for what is no text, and `ValueError`."""
    if not isinstance(external_id, str):
        raise TypeError(f"a player's id must be a text, not {quoted(external_id)}")
    try:
        return external_id_of(external_id)
    except ValidationFailed as fault:
        raise ValueError(f"a player's id {fault.fields['externalId']}; this is {_sized(external_id)}") from None


def _sized(text: str) -> str:
    return f"{quoted(text)}, of {len(text)} characters" if text else "an empty text"


def require_self(operation_name: str, own: str | None, external_id: object) -> None:
    """Let a player act for itself only. Raises `TypeError`."""
    if external_id is not None and external_id != own:
        other = quoted(external_id)
        raise TypeError(
            f"a player acts for itself, so {operation_name} takes no external_id={other} here: "
            f"call it by world.player({other}), or by world.server where the backend may do it"
        )


def spans_by_name(advance: Callable[P, R]) -> Callable[P, R]:
    """Make a function of spans of time say which words there are, where it is called with other arguments."""

    @wraps(advance)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        words = ", ".join(f"{name}=…" for name in _SPANS)
        if len(args) > 1:
            raise TypeError(f"advance({quoted(args[1])}) does not say of what: there are {words}")
        for name, span in kwargs.items():
            if name not in _SPANS:
                raise TypeError(f"advance has no {quoted(name)}: there are {words}")
            if not isinstance(span, int | float) or isinstance(span, bool) or not isfinite(span):
                raise TypeError(f"{name} must be a number, not {quoted(span)}")
        return advance(*args, **kwargs)

    return checked


# -- what is called -------------------------------------------------------------------------------------------------------


def entry_of(operations: Mapping[str, Operation], surface: str, name: str) -> Operation:
    """The operation of a surface with this name.

    Raises `LookupError` that says whose operation it is, if it is one of another surface, and otherwise names similar ones.
    """
    entry = operations.get(f"{surface}:{name}")
    if entry is not None:
        return entry
    elsewhere = [who for other, who in _CALLERS.items() if f"{other}:{name}" in operations]
    if elsewhere:
        raise LookupError(
            f"{quoted(name)} is an operation of {' and of '.join(elsewhere)}; this is {_CALLERS.get(surface, surface)}"
        )
    names = [entry.name for entry in operations.values() if entry.surface == surface]
    raise LookupError(f"the {surface} surface has no operation {quoted(name)}{hint(name, names)}")


def hint(name: str, names: Sequence[str]) -> str:
    """The end of a message about an unknown name: those that are spelled much alike, or all."""
    near = get_close_matches(name, names, n=3)
    return f": did you mean {' or '.join(near)}?" if near else f": there are {', '.join(names)}"


def note_arguments(error: E, entry: Operation, given: Mapping[str, object]) -> E:
    """Add to what is raised for a refused call which arguments the operation takes, where it was given others."""
    known = [field.name for field in attrs.fields(entry.args)]
    unknown = [name for name in given if name not in known and name not in _PLACES]
    if unknown and getattr(error, "code", None) == ValidationFailed.code:
        takes = listed(known, len(known)) or "no arguments"
        error.add_note(f"{entry.name} has no {listed([quoted(name) for name in unknown])}; it takes {takes}")
    return error

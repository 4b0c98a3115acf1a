"""What the clients' methods look like to whoever calls them: what comes by position, and how their docstrings spell names.

By position comes what a call acts on, wherever the request carries it: the player, each variable of the path, the question
of a query that must have one, and each id in the body, of a player or of what the service made, that must be given. All else
comes by name, and so does an id that may be left out or that another one may stand for.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, cast, get_args, get_type_hints

import attrs

from livecore.api.configuration.game_config import GameConfig
from livecore.kernel.wire.parts import composed
from livecore_client import AsyncSdkClient, AsyncServerClient, SdkClient, ServerClient
from tests.client.flavours import BASE_URL
from tests.contract.expected import Route
from tests.contract.oracle import GUARDED

OF_THINGS: Final = {name for route in GUARDED for name in route.variables if name.endswith("Id")} | {"externalPlayerId"}
"""The words that are ids of players and of what the service made: some path names them."""


@cache
def clients(surface: str) -> list[object]:
    """The client of a surface in both flavours."""
    if surface == "sdk":
        return [kind(base_url=BASE_URL, api_key="k", external_player_id="anna") for kind in (SdkClient, AsyncSdkClient)]
    return [kind(base_url=BASE_URL, api_key="k") for kind in (ServerClient, AsyncServerClient)]


def found(client: object, name: str) -> Callable[..., object] | None:
    """What the client has under a name such as `gifts.send`."""
    at: Any = client
    for step in name.split("."):
        at = getattr(at, step, None)
    return cast("Callable[..., object] | None", at)


def snake(word: str) -> str:
    """A word of the wire as Python writes it."""
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", word)


def acted_on(route: Route) -> list[str]:
    """What comes by position, from the table that was written by hand."""
    whom = ["external_player_id"] if route.surface == "server" and "externalId" in route.variables else []
    asked = [word.partition(":")[0] for word in route.asks.split()]
    must = [word for word in asked if not word.endswith("?") and word not in route.variables]
    in_url = [word for word in must if not route.takes_body or word in route.query.split()]
    of_body = [word for word in must if word not in in_url and word in OF_THINGS]
    rest = [name for name in route.variables if name != "externalId"]
    return whom + [snake(word) for word in [*rest, *in_url, *of_body]]


def by_position(method: Callable[..., object]) -> list[str]:
    """The parameters that may be given without their names; all of them may also be given by name."""
    parameters = inspect.signature(method).parameters.values()
    assert {one.kind for one in parameters} <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return [one.name for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]


def test_what_a_call_acts_on_comes_by_position_and_all_else_by_name() -> None:
    """In every method, and in the one that goes through the pages of a list: nobody has to look up where the id goes."""
    wrong = []
    for route in GUARDED:
        space, _, name = route.python_name.rpartition(".")
        through = f"{space}.{re.sub('^list(?=_|$)', 'iterate', name) if name.startswith('list') else f'iterate_{name}'}"
        for client in clients(route.surface):
            method = found(client, route.python_name)
            assert method is not None, route.id
            for shown, one in ((route.python_name, method), (through, found(client, through))):
                if one is not None and by_position(one) != acted_on(route):
                    wrong.append(f"{type(client).__name__}.{shown} takes {by_position(one)}, not {acted_on(route)}")
    assert not wrong, "\n".join(wrong)


def names_of(kind: Any, seen: set[object]) -> Iterator[str]:  # noqa: ANN401 - a type, of which Python has no type
    """The names of the fields of a shape, and of all that it is made of."""
    for part in get_args(kind):
        yield from names_of(part, seen)
    if isinstance(kind, type) and attrs.has(kind) and kind not in seen:
        seen.add(kind)
        for name, hint in get_type_hints(composed(kind), include_extras=True).items():
            yield name
            yield from names_of(hint, seen)


def test_docstrings_spell_names_as_python_does() -> None:
    """`team_key`, not `teamKey`: only a name in the game's configuration, which is JSON, is spelled as it is there."""
    of_config = {re.sub("_([a-z])", lambda found: found[1].upper(), name) for name in names_of(GameConfig, set())}
    wrong, looked = [], 0
    for surface in ("sdk", "server"):
        spaces = {route.operation.rpartition(".")[0] for route in GUARDED if route.surface == surface}
        for client in clients(surface):
            for space in sorted(spaces):
                whose = getattr(client, space) if space else type(client)
                for name, method in inspect.getmembers(whose, inspect.isroutine):
                    if not name.startswith("_"):
                        looked += 1
                        spelled = re.findall(r"`([a-z]+[A-Z]\w*)`", method.__doc__ or "")
                        at = f"{type(client).__name__}.{space}.{name}"
                        wrong += [f"{at}: {one}" for one in spelled if one not in of_config]
    assert looked > 2 * len(GUARDED)
    assert not wrong, "\n".join(wrong)

"""What happens in the three worlds that every area's file has a part in: a walk, a marked life, and the matrix's scene.

An area says its part in steps, each in a phase. Within a phase no step needs what another area does, so that an area more
finds its place without a list that is kept elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Generic, Literal, TypeAlias, TypeVar, get_args

import attrs

from livecore.kernel.errors import JsonObject, camel
from livecore.world import Caller, World, WorldPlayer
from tests.worlds import Reply
from tests.worlds import ask as send

W = TypeVar("W")

_Phase: TypeAlias = Literal["arrive", "meet", "earn", "trade", "look", "part", "leave"]
"""Players arrive, become friends, are given things, pass them on, look around and part; a month later some of them leave."""
_PHASES: Final[tuple[_Phase, ...]] = get_args(_Phase)


@attrs.frozen
class Step(Generic[W]):
    """A part of a story.

    `emits` says how many events of each kind it causes, counted by hand from the specification; `then`, how many it causes
    while the month passes before the last phase.
    """

    phase: _Phase
    story: Callable[[W], None]
    emits: Mapping[str, int] = attrs.field(factory=dict)
    then: Mapping[str, int] = attrs.field(factory=dict, kw_only=True)


def in_order(areas: Mapping[str, Iterable[Step[W]]]) -> dict[str, Step[W]]:
    """The steps of all areas as they happen, named after area and story, such as `friends.meet`."""
    named = [(f"{area}.{step.story.__name__.strip('_')}", step) for area, steps in areas.items() for step in steps]
    named.sort(key=lambda pair: _PHASES.index(pair[1].phase))
    ordered = dict(named)
    assert len(ordered) == len(named), "an area has two steps of the same name"
    return ordered


# -- the walk -------------------------------------------------------------------------------------------------------------


@attrs.frozen
class Walk:
    """A world through which one walks, and its answers by operation and status."""

    world: World
    answers: dict[tuple[str, int], list[JsonObject]] = attrs.Factory(lambda: defaultdict(list))

    @property
    def server(self) -> Caller:
        """The studio's backend."""
        return self.world.server

    def player(self, name: str) -> WorldPlayer:
        """A player, who is registered when first named."""
        return self.world.player(name)

    def ask(self, caller: Caller, operation: str, **arguments: object) -> Reply:
        """Call an operation, which must be answered, and keep the answer."""
        reply = send(caller, operation, **arguments)
        assert reply.code is None, (operation, reply.refusal, reply.body)
        self.answers[f"{caller.surface}:{operation}", reply.status].append(reply.data)
        return reply


# -- the marked life ------------------------------------------------------------------------------------------------------

CORE: Final = "ZqxMarker7"
MARK: Final = f'{CORE} "Å'
"""It has what encodings change: a capital, a letter beyond ASCII, a quotation mark, a space. It is also a player's id."""


@attrs.frozen
class Life:
    """A player who is the marker all over, with a friend; every request is made under a key that has the marker's core."""

    world: World
    marked: WorldPlayer
    friend: WorldPlayer
    fields: set[tuple[str, str]] = attrs.field(factory=set)
    """Where the marker was: operation, and argument as the wire spells it."""
    operator: Caller | None = None
    """The member who does what the studio's backend would do, where members may do it."""
    _requests: list[str] = attrs.field(factory=list)

    @property
    def server(self) -> Caller:
        """The studio's backend."""
        return self.world.server

    def ask(self, caller: Caller, operation: str, **arguments: object) -> Reply:
        """Call an operation, which must be answered, under a key of its own."""
        if self.operator is not None and caller is self.server:
            caller, arguments = self._as_operator(self.operator, operation, arguments)
        entry = self.world.operations[f"{caller.surface}:{operation}"]
        self._requests.append(operation)
        given = {"idempotency_key": f"{CORE}-{len(self._requests)}", **arguments}
        reply = send(caller, operation, **given)
        assert reply.code is None, (operation, reply.refusal, reply.body)
        self.fields.update((entry.id, camel(name)) for name, value in given.items() if CORE in str(value))
        return reply

    def _as_operator(
        self, operator: Caller, operation: str, arguments: dict[str, object]
    ) -> tuple[Caller, dict[str, object]]:
        entry = self.world.operations.get(f"admin:{operation}")
        if entry is None:
            return self.server, arguments
        given = dict(arguments)
        if "externalId" not in entry.variables and "external_id" in given:
            # Where the backend's path names the player, the body of this surface does.
            given["external_player_id"] = given.pop("external_id")
        if not given.keys() <= {field.name for field in attrs.fields(entry.args)} | {"external_id"}:
            # Members name what it is about in another way: an area's own step does it.
            return self.server, arguments
        return operator, given


# -- the scene of the authorization matrix --------------------------------------------------------------------------------


@attrs.frozen
class Scene:
    """A player `me`, three more, and what the areas have put there; and keys that are not the right ones."""

    world: World
    me: WorldPlayer
    friend: WorldPlayer
    revoked: Mapping[str, str]
    rotated: Mapping[str, str]
    foreign: Mapping[str, str]
    variables: dict[str, str] = attrs.field(factory=dict)
    """What the variables of a path are in the player's own requests."""


@attrs.frozen
class Thing:
    """Something that a path names: how it comes into the scene, and, where it belongs to one player, the others' code."""

    make: Callable[[Scene], str]
    code: str | None = None

"""The law: a world that was forked, copied or saved and loaded has the same future, and the original is untouched."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any, Final, cast

import pytest

from livecore import World
from livecore.api.areas import AREAS
from livecore.api.operations import OPERATIONS
from livecore.api.requests.limits import RateLimits
from livecore.demo import DEMO
from livecore.kernel.declarations.area import Areas
from livecore.world import Emitted
from tests.world.playing import Seen, begin, moves

_WAYS: Final[dict[str, Callable[[World], World]]] = {
    "fork": World.fork,
    "deepcopy": copy.deepcopy,
    "pickle": lambda world: cast("World", pickle.loads(pickle.dumps(world))),  # noqa: S301 - our own
    "save and load": lambda world: World.load(world.save()),
}
ways = pytest.mark.parametrize("way", _WAYS.values(), ids=list(_WAYS))


def _play(world: World, seed: int, length: int) -> Seen:
    seen = Seen()
    for move in moves(seed, length):
        move(world, seen)
    return seen


def _state(world: World) -> tuple[object, ...]:
    return world.store.dump(), world.ephemeral.held(), world.draws.counts, world.now, world.events


@ways
@pytest.mark.parametrize("seed", range(3))
def test_the_future_is_the_same(way: Callable[[World], World], seed: int) -> None:
    """Equal calls have equal answers, events and rows; and what the copy does changes nothing here."""
    world = World(DEMO, seed=seed, limits=RateLimits())
    begin(world, Seen())
    _play(world, seed, 80)
    before = copy.deepcopy(world.store.dump()), world.ephemeral.held(), dict(world.draws.counts), world.now
    other = way(world)
    assert _state(other) == _state(world)
    there = _play(other, seed + 100, 80)
    assert (world.store.dump(), world.ephemeral.held(), world.draws.counts, world.now) == before
    assert _play(world, seed + 100, 80) == there
    assert _state(other) == _state(world)
    assert repr(other.store.dump()) == repr(world.store.dump())


@ways
def test_callers_are_the_copys_own(way: Callable[[World], World]) -> None:
    """A player has the secret without registering again; a caller of the original acts on the original."""
    world = World(DEMO)
    ada = world.player("ada")
    other = way(world)
    again = other.player("ada")
    assert (again.player_id, again.secret) == (ada.player_id, ada.secret)
    assert again is not ada
    other.server.wallet.credit("ada", "gold", amount=3)
    assert [player.wallet.get().balances[0].balance for player in (ada, again)] == [0, 3]
    assert other.operator().players.get("ada", limit=1).player.external_player_id == "ada"


def test_a_caller_is_copied_with_its_world() -> None:
    """Of one deep copy all parts belong together."""
    world = World(DEMO)
    here, ada = copy.deepcopy((world, world.player("ada")))
    assert ada.world is here is not world


def test_callbacks_stay_with_the_original() -> None:
    """Else it would count what happens in a future that is only tried; a fork may have one of its own."""
    heard: list[Emitted] = []
    forked: list[Emitted] = []
    world = World(DEMO, keep_events=False, on_event=heard.append)
    other = world.fork(on_event=forked.append)
    other.player("ada")
    assert (heard, [event.kind for event in forked][:1]) == ([], ["player.registered"])
    assert other.events == []


def test_another_version_is_refused() -> None:
    """It says which one has written it."""
    document = json.loads(World(DEMO).save())
    document["version"] = "0.0.7"
    with pytest.raises(ValueError, match=r"saved by livecore 0\.0\.7, and livecore .* cannot read it"):
        World.load(json.dumps(document).encode())


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"livecoreWorld": 1}', b"[" * 200_000])
def test_what_is_no_world_is_refused(data: bytes) -> None:
    """And does nothing else: it is only data."""
    with pytest.raises(ValueError, match="no saved world"):
        World.load(data)


def test_a_part_that_is_missing_is_refused() -> None:
    """A file that was cut or edited is no world with less in it."""
    document: dict[str, Any] = json.loads(World(DEMO).save())
    for name in document.keys() - {"version", "livecoreWorld"}:
        less = {key: part for key, part in document.items() if key != name}
        with pytest.raises(ValueError, match=f"no saved world.*{name}"):
            World.load(json.dumps(less).encode())


@pytest.mark.parametrize(
    "part", [{"now": float("inf")}, {"environment": "prod"}, {"game_id": "gam_other"}, {"all_keys": {}}, {"rows": []}]
)
def test_a_part_that_is_wrong_is_refused(part: dict[str, Any]) -> None:
    """By the same exception, whatever is wrong with it."""
    with pytest.raises(ValueError, match="no saved world"):
        World.load(json.dumps({**json.loads(World(DEMO).save()), **part}).encode())


def test_areas_of_ones_own_are_given_again() -> None:
    """They are code, so they are not in the bytes; a pickle, which could not say so, is refused."""
    areas = Areas(AREAS.all)
    world = World(DEMO, areas=areas, operations=OPERATIONS)
    with pytest.raises(TypeError, match="save it, and load it with them"):
        pickle.dumps(world)
    assert World.load(world.save(), areas=areas).application.areas is areas
    assert world.fork().application.areas is areas

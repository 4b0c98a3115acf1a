"""A large player takes no more memory than a small one: what grows with the history is written in bulk."""

from __future__ import annotations

import pytest

from livecore import World
from tests.player_tools.marked import game
from tests.player_tools.soundness import faults_of
from tests.programs.bench.large_players import befriend, fill, measured
from tests.worlds import total


def _cost(entries: int, operation: str, **arguments: object) -> int:
    world = World(game())
    target, source = world.player("account"), world.player("guest")
    fill(world, source, entries)
    befriend(world, source, target, 10)
    _, _, written = measured(world, operation, **arguments)
    return written


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("players.merge", {"external_id": "guest", "to_external_id": "account"}),
        ("players.erase", {"external_id": "guest"}),
    ],
)
def test_rows_written_one_by_one_do_not_grow(operation: str, arguments: dict[str, object]) -> None:
    """From thousands of entries and hundreds of grants on they are as many as for twice of both."""
    assert _cost(5_000, operation, **arguments) == _cost(10_000, operation, **arguments) < 100


def test_a_large_player_is_merged_and_erased_soundly() -> None:
    """In bulk as row by row: sums are right, and nothing is wrong afterwards."""
    world = World(game())
    target, source = world.player("account"), world.player("guest")
    fill(world, source, 3_000)
    befriend(world, source, target, 20)
    world.server.call("players.merge", external_id="guest", to_external_id="account")
    assert (total(target, "gold"), total(target, "gems")) == (1_500, 1_500)
    assert faults_of(world) == []
    world.server.call("players.erase", external_id="account")
    assert faults_of(world) == []
    assert "quest reward" not in repr(world.store.dump())

"""The portal's first page: which of a game's two environments it puts forward."""

from __future__ import annotations

import pytest

from livecore.demo import DEMO
from livecore.world import World
from tests.portal.browsing import Member


def _put_forward(owner: Member) -> list[str]:
    return [one.text.partition(" ")[0] for one in owner.open("/portal/").page.all("a", class_="button main")]


@pytest.mark.parametrize(
    ("environment", "players", "first"), [("test", 1, "Test"), ("live", 1, "Live"), ("test", 0, "Test")]
)
def test_the_environment_with_players_is_put_forward(environment: str, players: int, first: str) -> None:
    """Where all players are in Test, or nobody is anywhere yet, an empty Live is not what one wants to see."""
    world = World(DEMO, environment=environment)
    for number in range(players):
        world.player(f"player-{number}")
    assert _put_forward(Member.of(world)) == [first]

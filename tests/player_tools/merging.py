"""How the tests of merging make two players and merge them."""

from __future__ import annotations

from typing import cast

from livecore import World
from livecore.world import WorldPlayer
from tests.worlds import Reply, ask


def merge(source: WorldPlayer | str, target: WorldPlayer | str, game: World | None = None) -> Reply:
    """Ask to merge."""
    names = [one if isinstance(one, str) else str(one.external_id) for one in (source, target)]
    at = game or cast(WorldPlayer, source).world
    return ask(at.server, "players.merge", external_id=names[0], to_external_id=names[1])


def two(game: World) -> tuple[WorldPlayer, WorldPlayer]:
    """A source and a target, in this order; the target's id is the lower one in half of the tests' relations."""
    target = game.player("account")
    game.advance(seconds=1)
    return game.player("guest"), target

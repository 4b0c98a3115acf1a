"""Worlds with shared leaderboards, and short ways to play on them."""

from __future__ import annotations

from typing import Any

from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import Timestamp
from livecore.world import World, WorldPlayer
from tests.competition.games import leaderboard
from tests.worlds import Reply, ask, config

SUNDAY = Timestamp.parse("2026-01-04T12:00:00.000Z")
"""Half a day before the first Monday of the worlds here."""


def GOLD(amount: int) -> JsonObject:  # noqa: N802 - it stands for the entry in the configuration
    """A reward of gold."""
    return {"type": "currency", "resourceKey": "gold", "amount": amount}


def reward(first: int, last: int, amount: int) -> JsonObject:
    """What some ranks win."""
    return {"from": first, "to": last, "entries": [GOLD(amount)]}


def divisions(*parts: tuple[str, int, int], **rewards: list[Json]) -> list[Json]:
    """Divisions from the lowest, each with how many move up and down, some with rewards."""
    return [
        {"key": key, "promote": up, "relegate": down, "rankRewards": rewards.get(key, [])} for key, up, down in parts
    ]


def with_boards(*boards: JsonObject, start: Timestamp = SUNDAY, **fields: object) -> World:
    """A world whose game has these leaderboards."""
    return World({**config(), "leaderboards": list(boards), **fields}, start=start)


def shared(**fields: Any) -> World:  # noqa: ANN401 - JSON
    """A world with one weekly leaderboard."""
    return with_boards(leaderboard(**fields))


def score(player: WorldPlayer | str, points: int, key: str = "weekly", *, world: World | None = None) -> Reply:
    """Submit a score, as the player's client."""
    if isinstance(player, str):
        assert world is not None
        player = world.player(player)
    return ask(player, "leaderboards.submit", key=key, score=points)


def board_of(world: World, key: str = "weekly", **arguments: object) -> Reply:
    """Read a leaderboard with the client key alone."""
    return ask(world.player("reader"), "leaderboards.get", key=key, **arguments)


def shown(world: World, key: str = "weekly", **arguments: object) -> list[tuple[object, object, object]]:
    """Rank, name and score of each entry of a page."""
    return ranks(board_of(world, key, **arguments))


def ranks(reply: Reply) -> list[tuple[object, object, object]]:
    """Rank, name and score of each entry of an answer."""
    return [(row["rank"], row["externalPlayerId"], row["score"]) for row in reply.list("entries")]

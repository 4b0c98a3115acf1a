"""Short ways to play at events: starting, reporting progress, and reading what came of it."""

from __future__ import annotations

from livecore.events.attempt_records import ATTEMPTS, Attempt
from livecore.kernel.errors import JsonObject
from livecore.world import World, WorldPlayer
from tests.worlds import Reply, ask, rows_of


def gold(amount: int, **more: object) -> JsonObject:
    """A reward or a cost of gold."""
    return {"type": "currency", "resourceKey": "gold", "amount": amount, **more}  # type: ignore[dict-item] # JSON


def begin(player: WorldPlayer, event: str = "race", **more: object) -> Reply:
    """Ask to start an attempt."""
    return ask(player, "events.start", key=event, **more)


def started(player: WorldPlayer, event: str = "race", **more: object) -> str:
    """Start an attempt, which must begin; gives its id."""
    reply = begin(player, event, **more)
    assert reply.status == 201, reply.body
    return reply.text("attempt.attemptId")


def progress(player: WorldPlayer, attempt_id: object, event: str = "race", **metrics: int) -> Reply:
    """Report progress."""
    return ask(player, "events.progress", key=event, attempt_id=attempt_id, metrics=metrics)


def score(player: WorldPlayer, points: int, event: str = "race", **more: object) -> str:
    """Start an attempt and report these points; gives its id."""
    attempt_id = started(player, event, **more)
    reply = progress(player, attempt_id, event, points=points)
    assert reply.status == 200, reply.body
    return attempt_id


def board_id(world: World, event: str = "race") -> str:
    """The id of the leaderboard of the window that is open."""
    for row in ask(world.player("reader"), "events.list").list("events"):
        if row["eventKey"] == event:
            return str(row["window"]["leaderboardId"])  # type: ignore[index,call-overload] # JSON
    raise LookupError(event)


def board(world: World, id_: object, **arguments: object) -> Reply:
    """Read a leaderboard with the client key alone."""
    return ask(world.player("reader"), "leaderboards.getEvent", leaderboard_id=id_, **arguments)


def places(world: World, id_: object, **arguments: object) -> list[tuple[object, object, object]]:
    """Rank, name and score of each entry of a page."""
    rows = board(world, id_, **arguments).list("entries")
    return [(row["rank"], row["externalPlayerId"], row["score"]) for row in rows]


def attempt_row(world: World, attempt_id: str) -> Attempt:
    """An attempt as it is stored."""
    (found,) = (row for row in rows_of(world, ATTEMPTS) if row.attempt_id == attempt_id)
    return found

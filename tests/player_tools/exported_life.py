"""A world in which everything that an export shows has happened to one player, and whose webhooks wait."""

from __future__ import annotations

from typing import Any, cast

import attrs

from livecore import World
from livecore.api.requests.limits import RateLimits
from livecore.guilds.join_requests import REQUESTS
from livecore.kernel.errors import Json
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.players.player import PLAYERS
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.world import WorldPlayer
from tests.competition.games import leaderboard
from tests.contract.stories import CORE, MARK
from tests.player_tools.marked import game, lived
from tests.worlds import GIFTING, LEADERBOARDS, ask, put, rows_of

_DIVISIONS: list[Json] = [{"key": "low", "promote": 1, "relegate": 0}, {"key": "high", "promote": 0, "relegate": 1}]
_STEP: Json = {"key": "step", "kind": "max_step", "limit": 5, "verdict": "reject"}


def _full_world() -> World:
    """The game of the marked life, with divisions, validators and limits, and an endpoint for every event."""
    boards = [*LEADERBOARDS, leaderboard(divisions=_DIVISIONS, cohortSize=5, validators=[_STEP])]
    limits = RateLimits(per_minute={}, unauthenticated_per_minute=None)
    world = World(game(leaderboards=boards, gifting={**GIFTING, "dailyReceiveLimit": 100}), limits=limits)
    world.unit_of_work(
        lambda unit: add_endpoint(unit, PlainVault(), key="all", url="https://studio.example/", events=["*"])
    )
    return world


def full_life() -> World:
    """That world, after all of it."""
    world = _full_world()
    lived(world)
    ask(world.server, "players.unban", external_id=MARK)
    again = ask(world.player(MARK), "players.register", force=True, player_context={"country": "NO", "pad": CORE * 40})
    marked = world.player(MARK)
    marked = attrs.evolve(marked, headers={**marked.headers, "x-player-secret": again.text("playerSecret")})
    _go_on(world, marked)
    ask(world.server, "players.setIdentity", external_id=MARK, name=f"{MARK} again", avatar=CORE, country="SE")
    _see_in_a_country(world, marked.player_id)
    ask(world.operator(), "players.ban", external_id=MARK, reason=MARK)
    ask(world.server, "players.flagDebug", external_id=MARK, reason=MARK)
    world.flush()
    return world


def _go_on(world: World, marked: WorldPlayer) -> None:
    """What the player does after all that the areas tell: a guild of their own, a third rank, a rejected score, a block."""
    world.advance(seconds=1)
    ask(marked, "leaderboards.submit", key="weekly", score=3)
    assert ask(marked, "leaderboards.submit", key="weekly", score=90).code == "anti_cheat_rejected"
    ask(marked, "presence.heartbeat", status=CORE)
    ask(marked, "friends.block", external_player_id="fifth")
    other = world.player("other")
    ask(other, "friends.sendRequest", external_player_id=MARK)
    bought = {"store": "s", "product_id": "p", "product_type": "t", "amount_minor": 5, "currency": "EUR"}
    ask(marked, "purchases.track", transaction_id="long", metadata={"pad": CORE * 40}, **bought)
    asked = [row for row in rows_of(world, REQUESTS) if row.player_id == marked.player_id]
    guild = {"name": "Another one", "description": "Of nobody else"}
    assert ask(marked, "guilds.create", **guild).code is None
    # Whoever has a guild asks to join none; the rows of both are wanted here.
    put(world, REQUESTS, *asked)
    for place, player in enumerate((other, world.player("friend"), world.player("third"))):
        ask(player, "leaderboards.submit", key="weekly", score=5 - place % 2)
    ask(world.server, "dev.rolloverNow", leaderboard_key="weekly")
    world.advance(seconds=1)


def _see_in_a_country(world: World, player_id: str) -> None:
    (row,) = (row for row in rows_of(world, PLAYERS) if row.player_id == PlayerId(player_id))
    put(world, PLAYERS, evolve(row, country_seen="DK"))


def bundle_of(here: World, name: str = "anna", **more: object) -> dict[str, Any]:
    """A player's export."""
    return cast("dict[str, Any]", ask(here.server, "players.export", external_id=name, **more).data)


def listed(here: World, list_: str, name: str = "anna") -> list[Any]:
    """All pages of one list of a player's export."""
    rows: list[Any] = []
    cursor: Json = None
    for _ in range(200):
        more = {} if cursor is None else {"cursor": cursor}
        page = bundle_of(here, name, list_=list_, **more)
        rows += page[list_]
        cursor = page["cursors"][list_]
        assert page["truncated"][list_] is (cursor is not None)
        if cursor is None:
            return rows
    raise AssertionError("the pages do not end")

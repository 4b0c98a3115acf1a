"""The first page: the studios of the person who looks, with their games."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import attrs

from livecore_server.portal.asking import Refused
from livecore_server.portal.forms import Field
from livecore_server.portal.here import Here, games_of
from livecore_server.portal.views import Action, PreparedAction, View, WebPage

_LOOKED_AT: Final = 20
"""Of how many games of a studio the page finds out where players are; of the others it does not say."""
_STUDIO: Final = "/portal/studios/{studioId}"


async def _of_studio(here: Here, studio_id: str) -> dict[str, object]:
    studio = next(one for one in here.viewer.studios if one.studio_id == studio_id)
    here = attrs.evolve(here, places={"studioId": studio_id}, studio=studio)
    games = await games_of(here)
    looked_at = [game.game_id for game in games[:_LOOKED_AT]]
    played = await asyncio.gather(*(_played(here, game_id) for game_id in looked_at))
    return {"here": here, "games": games, "played": dict(zip(looked_at, played, strict=True))}


async def _played(here: Here, game_id: str) -> str:
    """The environment of a game that one most probably wants: the live one if it has players, else where one begins."""
    live = attrs.evolve(here, environment="live")
    try:
        found = await live.read("players.search", query={"limit": "1"}, gameId=game_id)
    except Refused:  # the page is there without it
        return "live"
    return "live" if found["players"] else "test"


async def _show_all(here: Here) -> WebPage:
    studios = [await _of_studio(here, studio.studio_id) for studio in here.viewer.studios]
    return WebPage(template="home.html", title="Games", shown={"studios": studios})


async def _show_one(here: Here) -> WebPage:
    studios = [await _of_studio(here, here.places["studioId"])]
    return WebPage(template="home.html", title="Games", shown={"studios": studios})


async def _begin_rename(here: Here) -> PreparedAction:
    studio = (await here.read("studios.get"))["studio"]
    return PreparedAction(
        says="The studio {name} is called by the new name from now on, on all pages.",
        name=studio["name"],
        fields=(Field(operation="studios.update", name="name", label="Name", value=studio["name"]),),
    )


async def _begin_make(here: Here) -> PreparedAction:
    return PreparedAction(
        says="The studio {name} has one more game. It has no keys yet: you make them on the page that follows.",
        name="" if here.studio is None else here.studio.name,
        fields=(Field(operation="games.create", name="name", label="Name", required=True),),
    )


async def _begin_delete(here: Here) -> PreparedAction:
    name = "" if here.game is None else here.game.name
    return PreparedAction(
        says="{name} is gone at once, in both environments: its keys end, and nothing reaches its players any more.",
        name=name,
        fields=(
            Field(
                operation="games.delete",
                name="confirm",
                label="Its name or id",
                hint="Type it to confirm: it cannot be undone.",
            ),
        ),
    )


def _to_games(here: Here, *_: object) -> str:
    return here.of_studio("/games")


def _to_its_keys(here: Here, _: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    return here.in_game(made["game"]["gameId"], "test", "/keys")


ROUTES: Final = (
    View("/portal/", _show_all),
    View(f"{_STUDIO}/games", _show_one, "games"),
    Action(
        path=f"{_STUDIO}/rename",
        operation="studios.update",
        title="Rename the studio",
        button="Rename the studio",
        begin=_begin_rename,
        message="studio-renamed",
        area="games",
    ),
    Action(
        path=f"{_STUDIO}/games/make",
        operation="games.create",
        title="Make a game",
        button="Make the game",
        begin=_begin_make,
        message="game-made",
        then=_to_its_keys,
        area="games",
    ),
    Action(
        path=f"{_STUDIO}/games/{{gameId}}/delete",
        operation="games.delete",
        title="Delete a game",
        button="Delete the game for ever",
        begin=_begin_delete,
        message="game-deleted",
        then=_to_games,
        grave=True,
        area="settings",
    ),
)

"""Where a request of a browser is: who looks, at which studio, game and environment, and what they may do there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import attrs

from livecore.access.roles import TEST_ONLY, permissions_of
from livecore.kernel.time import Millis
from livecore_server.portal.asking import Asking, Data, Said, admin_operation
from livecore_server.portal.navigation import NAVIGATION, Entry
from livecore_server.portal.problems import Forbidden, NotHere


@attrs.frozen
class Studio:
    """A studio of which the viewer is a member; `games` are the ids of those that the role is for, or all."""

    studio_id: str
    name: str
    role: str
    games: tuple[str, ...] | None


@attrs.frozen
class Game:
    """A game that the viewer may open."""

    game_id: str
    name: str


@attrs.frozen
class Viewer:
    """The member who is signed in."""

    member_id: str
    email: str
    name: str | None
    studios: tuple[Studio, ...]

    @property
    def called(self) -> str:
        """The person's name, or else the address."""
        return self.name or self.email


@attrs.frozen
class Here:
    """One page, for one viewer. `places` are the variables of its address, `query` the parameters."""

    asking: Asking = attrs.field(repr=False)
    viewer: Viewer
    places: Mapping[str, str]
    query: Mapping[str, str]
    environment: str
    now: Millis = 0
    """The time of the request."""
    studio: Studio | None = None
    game: Game | None = None
    games: tuple[Game, ...] = ()
    """The games of the studio that the viewer may open."""

    # -- asking

    async def read(self, name: str, /, *, query: Mapping[str, str] | None = None, **places: str) -> Data:
        """The data of an operation that reads; `places` are added to those of the address. Raises `Refused`."""
        said = await self.asking(name, {**self.places, **places}, environment=self.environment, query=query)
        return said.data

    async def read_all(self, **names: str) -> dict[str, Data]:
        """The data of several operations at once, by any names for them."""
        found = await asyncio.gather(*(self.read(name) for name in names.values()))
        return dict(zip(names, found, strict=True))

    async def find(self, name: str, of: str, /, **wanted: str) -> Data:
        """The entry with these values in a list that goes on in pages. Raises `NotHere`, and `Refused`."""
        query = {"limit": "200"}
        while True:
            page = await self.read(name, query=query)
            for entry in page[of]:
                if all(entry[field] == value for field, value in wanted.items()):
                    return dict(entry)
            if page["nextCursor"] is None:
                raise NotHere
            query["cursor"] = page["nextCursor"]

    async def write(self, name: str, body: Data) -> Said:
        """Do what an operation does; `body` may have variables of its path as well. Raises `Refused`."""
        variables = admin_operation(name).variables
        places, rest = dict(self.places), Data()
        for field, value in body.items():
            if field in variables:
                places[field] = str(value)
            else:
                rest[field] = value
        return await self.asking(name, places, environment=self.environment, body=rest)

    # -- what the viewer may do

    def may(self, name: str) -> bool:
        """Whether the viewer's role allows this operation here, in this environment."""
        permission = admin_operation(name).permission
        return permission is None or self.holds(permission)

    def holds(self, permission: str) -> bool:
        """Whether the viewer has a permission here, in this environment."""
        if permission.endswith(".read"):
            return True
        held = permissions_of("" if self.studio is None else self.studio.role)
        return permission in held or (self.environment == "test" and f"{permission}{TEST_ONLY}" in held)

    def require(self, name: str) -> None:
        """Refuse a page for an operation that the viewer's role does not allow. Raises `Forbidden`."""
        if not self.may(name):
            raise Forbidden(str(admin_operation(name).permission))

    # -- addresses

    def to(self, below: str = "", /, **query: str | None) -> str:
        """The address of a page of this studio: of the game with its environment if the page is about one."""
        return self.at(self.environment, below, **query)

    def at(self, environment: str, below: str = "", /, **query: str | None) -> str:
        """The address of a page of this game in an environment."""
        return self.in_game(self.places["gameId"], environment, below, **query)

    def in_game(self, game_id: str, environment: str, below: str = "", /, **query: str | None) -> str:
        """The address of a page of a game of this studio."""
        return self.of_studio(f"/games/{quote(game_id, safe='')}{below}", environment=environment, **query)

    def api(self, name: str, /, **places: str) -> str:
        """The address of an operation that reads, for the script of a page."""
        path = admin_operation(name).path
        for variable, value in {**self.places, **places}.items():
            path = path.replace("{" + variable + "}", quote(value, safe=""))
        return f"{path}?{urlencode({'environment': self.environment})}"

    @property
    def path(self) -> str:
        """The path of this page itself."""
        return self.asking.browser.path

    def in_place(self, **query: str | None) -> str:
        """The address of this page itself, with this set on it."""
        environment = {"environment": self.environment} if "gameId" in self.places else {}
        return _address(self.path, {**environment, **query})

    def of_studio(self, below: str = "", /, **query: str | None) -> str:
        """The address of a page of this studio."""
        return _address(f"/portal/studios/{quote(self.places['studioId'], safe='')}{below}", query)

    def of_entry(self, entry: Entry) -> str:
        """The address of an entry of the navigation."""
        return self.to(entry.below) if entry.of_game else self.of_studio(entry.below)

    def above(self, area: str, *further: tuple[str, str]) -> tuple[tuple[str, str], ...]:
        """The pages above one of an area: the area's first page, and those between."""
        entry = next(entry for entry in NAVIGATION if entry.area == area)
        return ((entry.label, self.of_entry(entry)), *further)


def _address(path: str, query: Mapping[str, str | None]) -> str:
    kept = {key: value for key, value in query.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path


async def look(asking: Asking) -> Viewer:
    """Who is signed in. Raises `Refused`."""
    data = (await asking("session.get", {})).data
    member = data["member"]
    return Viewer(
        member["memberId"],
        member["email"],
        member["name"],
        tuple(_studio(one) for one in data["studios"]),
    )


def _studio(one: Mapping[str, Any]) -> Studio:
    games = one["games"]
    return Studio(one["studioId"], one["name"], one["role"], None if games is None else tuple(games))


def enter_studio(here: Here) -> Here:
    """The same, with the studio of the address. Raises `NotHere`."""
    studio_id = here.places.get("studioId")
    if studio_id is None:
        return here
    studio = next((one for one in here.viewer.studios if one.studio_id == studio_id), None)
    if studio is None:
        raise NotHere
    return attrs.evolve(here, studio=studio)


async def enter_game(here: Here) -> Here:
    """The same, with the game of the address. Raises `NotHere`, and `Refused`."""
    game_id = here.places.get("gameId")
    if game_id is None:
        return here
    games = await games_of(here)
    game = next((one for one in games if one.game_id == game_id), None)
    if game is None:
        raise NotHere
    return attrs.evolve(here, game=game, games=games)


async def games_of(here: Here) -> tuple[Game, ...]:
    """The games of the studio that the viewer may open."""
    games: list[Game] = []
    query = {"limit": "200"}
    while True:
        page = await here.read("games.list", query=query)
        games.extend(Game(one["gameId"], one["name"]) for one in page["games"])
        if page["nextCursor"] is None:
            return tuple(games)
        query["cursor"] = page["nextCursor"]

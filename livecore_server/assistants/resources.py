"""What an assistant may read besides calling tools: documents, reference pages, and the configurations of games."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, cast
from urllib.parse import quote, unquote

import attrs

from livecore.api.assistants.tool_sets import tools_page
from livecore.api.configuration.game_config import config_schema
from livecore.api.documents.reference_pages import errors_page, events_page, permissions_page
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.wire import compact
from livecore_server.assistants.calls import Caller, Calls

_JSON: Final = "application/json"
_MARKDOWN: Final = "text/markdown"


class UnknownResource(Exception):
    """There is no resource with this address."""


class Refused(Exception):
    """The caller may not read it; `error` is what the error envelope holds."""

    def __init__(self, error: JsonObject) -> None:
        super().__init__(str(error.get("message")))
        self.error = error


@attrs.frozen
class Resource:
    """A resource, or with variables in its address a template of resources."""

    uri: str
    title: str
    about: str
    kind: str = _JSON
    """The media type of its text."""

    @property
    def name(self) -> str:
        """Its name for programs."""
        return self.uri.removeprefix("livecore://")


@attrs.frozen
class _OfGame:
    """What a tool with only a game as its argument reads, as a resource of each game."""

    template: Resource
    tool: str

    def of(self, game_id: str, name: str) -> Resource:
        """The resource of one game."""
        uri = self.template.uri.replace("{gameId}", quote(game_id, safe=""))
        return attrs.evolve(self.template, uri=uri, title=f"{self.template.title}: {name}")

    def game_id(self, uri: str) -> str | None:
        """The game's id in the address of one of these resources."""
        before, _, after = self.template.uri.partition("{gameId}")
        found = re.fullmatch(f"{re.escape(before)}([^/?#]+){re.escape(after)}", uri)
        return None if found is None else unquote(found[1])


_PAGES: Final[Sequence[tuple[Resource, Callable[[Areas], str]]]] = (
    (
        Resource("livecore://reference/errors", "Errors", "Every error code: what it means, what to do.", _MARKDOWN),
        errors_page,
    ),
    (
        Resource("livecore://reference/events", "Events", "Every kind of webhook, each with a sample.", _MARKDOWN),
        events_page,
    ),
    (
        Resource("livecore://reference/settings", "Settings", "The JSON schema of a game's configuration."),
        lambda _: compact(config_schema()),
    ),
    (
        Resource("livecore://reference/permissions", "Permissions", "What each role may do.", _MARKDOWN),
        lambda _: permissions_page(),
    ),
)
_TOOLS: Final = Resource(
    "livecore://reference/tools",
    "Tools",
    "Every tool that you may use, in the sets that are listed together.",
    _MARKDOWN,
)
_TOOL: Final = Resource(
    "livecore://tools/{name}", "Tool", "A tool in full: what is checked of its arguments, and what it answers."
)
_DOCUMENTS: Final[Sequence[tuple[Resource, str]]] = tuple(
    (
        Resource(f"livecore://openapi/{name}", f"OpenAPI {path}", f"The routes of {whom} as OpenAPI 3.1."),
        f"{path}/openapi.json",
    )
    for name, path, whom in (
        ("admin", "/admin/v1", "operators"),
        ("server", "/server/v1", "studio backends"),
        ("sdk", "/sdk/v1", "game clients"),
    )
)
_OF_GAMES: Final = (
    _OfGame(Resource("livecore://games/{gameId}", "Game", "A game of the studio."), "games_get"),
    _OfGame(
        Resource(
            "livecore://games/{gameId}/settings",
            "Settings",
            "The game's configuration: events, leaderboards, crates and everything else that it declares.",
        ),
        "settings_get",
    ),
)
"""Left out where there is no such tool, or the caller may not use it."""


class Resources:
    """Lists and reads resources, all of them as the caller may."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def templates(self, caller: Caller) -> list[Resource]:
        """The templates of resources that depend on a tool or on a game."""
        mine = self._calls.of(caller)
        return [_TOOL, *(kind.template for kind in _OF_GAMES if kind.tool in mine)]

    async def listed(self, caller: Caller, cursor: str | None) -> tuple[list[Resource], str | None]:
        """A page of resources, and the cursor of the next. Raises `Refused`, also for a cursor that is none."""
        first = [*(page for page, _ in _PAGES), _TOOLS, *(document for document, _ in _DOCUMENTS)]
        found = first if cursor is None else []
        mine = self._calls.of(caller)
        games = mine.get("games_list")
        if games is None and cursor is not None:
            raise Refused({"code": ValidationFailed.code, "message": "This list has one page."})
        if games is None:
            return found, None
        data = _data(await self._calls.use(caller, games, {} if cursor is None else {"cursor": cursor}))
        for game in cast("list[dict[str, Any]]", data["games"]):
            found += [kind.of(game["gameId"], game["name"]) for kind in _OF_GAMES if kind.tool in mine]
        following = data.get("nextCursor")
        return found, following if isinstance(following, str) else None

    async def read(self, caller: Caller, uri: str) -> tuple[str, str]:
        """The media type and the text of a resource. Raises `UnknownResource` and `Refused`."""
        for page, write in _PAGES:
            if page.uri == uri:
                return page.kind, write(self._calls.areas)
        for document, path in _DOCUMENTS:
            if document.uri == uri:
                response = await self._calls.get(caller, path)
                if response.status != 200:
                    raise Refused(json.loads(response.body)["error"])
                return document.kind, response.body.decode()
        mine = self._calls.of(caller)
        if uri == _TOOLS.uri:
            return _TOOLS.kind, tools_page(mine)
        if (name := uri.removeprefix("livecore://tools/")) in mine:
            return _TOOL.kind, compact(mine[name].in_full)
        for kind in _OF_GAMES:
            game_id, tool = kind.game_id(uri), self._calls.tools.get(kind.tool)
            if game_id is not None and tool is not None:
                data = _data(await self._calls.use(caller, tool, {"gameId": game_id}))
                return kind.template.kind, json.dumps(data, ensure_ascii=False)
        raise UnknownResource


def _data(answer: JsonObject) -> JsonObject:
    if "data" not in answer:
        raise Refused(cast("JsonObject", answer["error"]))
    return cast("JsonObject", answer["data"])

"""Calls of tools: each becomes a request of the caller's own, which goes through the same checks as any other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, cast

import attrs

from livecore.access.principals import Principal
from livecore.api.assistants.tool_sets import asked_sets, listed, sets_of, usual_sets
from livecore.api.assistants.tools import Tool, offered, request_for, tools_of
from livecore.api.requests.http import Request, Response
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore_server.http.dispatch import Dispatch


@attrs.frozen
class Caller:
    """Who sends a message: the request that brought it, the member whose personal key it carries, and what is listed."""

    request: Request
    principal: Principal
    sets: tuple[str, ...]
    """The sets of tools that are listed."""


class Calls:
    """The tools of a deployment, and what calls of them do."""

    def __init__(self, dispatch: Dispatch) -> None:
        self._dispatch = dispatch
        self.areas: Final = dispatch.application.areas
        self.tools: Final = tools_of(dispatch.application.operations)
        self.sets: Final = sets_of(self.tools.values())

    def caller(self, request: Request, principal: Principal) -> Caller:
        """Who sends a message by this request. Raises `ValidationFailed` if its address names a set that there is not."""
        return Caller(request, principal, asked_sets(request.query, self.sets) or usual_sets(principal))

    def of(self, caller: Caller) -> Mapping[str, Tool]:
        """The tools that a caller may use, by name."""
        return {name: tool for name, tool in self.tools.items() if offered(tool, caller.principal)}

    def listed(self, caller: Caller) -> list[Tool]:
        """Those of them that are listed at the address that the caller uses."""
        return listed(self.of(caller), caller.sets)

    async def use(self, caller: Caller, tool: Tool, arguments: Mapping[str, Json]) -> JsonObject:
        """The body of the operation's answer: an object with `data` or `error`."""
        try:
            request = request_for(tool, arguments, studio_id=caller.principal.studio_id, asked=caller.request)
        except ValidationFailed as refusal:
            return refusal.envelope()
        return cast("JsonObject", json.loads((await self._dispatch.ask(request)).body))

    async def get(self, caller: Caller, path: str) -> Response:
        """The response to a GET request of the caller's."""
        asked = caller.request
        headers = {"authorization": asked.headers["authorization"]}
        return await self._dispatch.ask(Request("GET", path, "", headers, b"", asked.remote, asked.countries, "mcp"))

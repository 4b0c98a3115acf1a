"""Pages about things of which little is known: whatever an answer leaves open, the page is shown, and says so in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

import attrs
import pytest

from livecore.api.http import Request, Response
from livecore.api.operation import Document, EventStream, Operation
from livecore.api.operations import OPERATIONS
from livecore.kernel.schema import Schemas
from livecore.world import World
from livecore_server.portal import Portal
from livecore_server.portal.pages import ROUTES
from tests.portal.browsing import Member
from tests.portal.studio import made_studio, places

Path = tuple[str | int, ...]
_READS: Final = [
    (re.compile(re.sub(r"\{\w+\}", "[^/]+", one.path)), one)
    for one in sorted(OPERATIONS, key=lambda one: len(one.variables))
    if one.surface == "admin" and one.method == "GET" and not {Document, EventStream} & set(one.answers.values())
]
_TOGETHER: Final[set[tuple[str, Path]]] = {
    ("leaderboards.get", ("leaderboard", "eventKey")),
    ("guilds.getOfPlayer", ("role",)),
    ("webhooks.list", ("endpoints", 0, "pauseReason")),
}
"""What is missing only together with another value: the window of an event, the guild, the time of the pause."""
_NONE: Final = re.compile(r"\b(None|null|undefined)\b")


@pytest.fixture(scope="module")
def world() -> World:
    """A studio with something on every page."""
    return made_studio()


@attrs.define
class _Changing:
    """Answers a page's questions, and then leaves out one value of one answer."""

    world: World
    seen: dict[tuple[str, Path], None] = attrs.field(factory=dict)
    """What could be left out so far."""
    left_out: tuple[str, Path] | None = None

    async def ask(self, request: Request) -> Response:
        """The world's answer, changed."""
        response = self.world.handle(request)
        operation = next((one for path, one in _READS if path.fullmatch(request.path)), None)
        if operation is None or request.method != "GET" or response.status != 200:
            return response
        answer = json.loads(response.body)
        if self.left_out is None:
            self.seen |= {(operation.name, path): None for path in _open_places(operation, answer["data"])}
        elif self.left_out[0] == operation.name:
            answer["data"] = _without(answer["data"], self.left_out[1])
        return Response(response.status, response.headers, json.dumps(answer).encode())


def _open_places(operation: Operation, data: Any) -> Iterator[Path]:  # noqa: ANN401 - an answer's JSON
    """Where an answer has a value that it need not have; of lists, in the first item."""
    schemas = Schemas(closed=False)
    (kind, *_) = operation.answers.values()
    schema = schemas.members(kind)
    yield from _places_in(schema, schemas.definitions, data)


def _places_in(schema: Any, definitions: Any, data: Any) -> Iterator[Path]:  # noqa: ANN401 - JSON
    schema = _resolved(schema, definitions)
    if isinstance(data, list) and data:
        yield from ((0, *path) for path in _places_in(schema.get("items", {}), definitions, data[0]))
    elif isinstance(data, dict):
        for name, inner in schema.get("properties", {}).items():
            if data.get(name) is None:
                continue
            if name not in schema.get("required", ()) or _takes_null(inner, definitions):
                yield (name,)
            yield from ((name, *path) for path in _places_in(inner, definitions, data[name]))


def _resolved(schema: Any, definitions: Any) -> Any:  # noqa: ANN401 - JSON
    """The shape behind references, and that beside `null`."""
    while True:
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            schema = next((one for one in schema["anyOf"] if one.get("type") != "null"), {})
        else:
            return schema


def _takes_null(schema: Any, definitions: Any) -> bool:  # noqa: ANN401 - JSON
    if "$ref" in schema:
        return _takes_null(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    kinds = schema.get("type", ())
    return "null" in kinds or any(_takes_null(one, definitions) for one in schema.get("anyOf", ()))


def _without(data: Any, path: Path) -> Any:  # noqa: ANN401 - JSON
    """The same without the value at this place, if it is there."""
    changed = found = deepcopy(data)
    for step in path[:-1]:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return changed
    if isinstance(found, dict) and path[-1] in found:
        found[str(path[-1])] = None
    return changed


@pytest.mark.parametrize("path", sorted({route.path for route in ROUTES}))
def test_a_page_is_shown_whatever_is_missing(world: World, path: str) -> None:
    """One value after the other; a page without it has no failure, and no word of a programming language."""
    changing = _Changing(world)
    owner = Member.of(world)
    member = attrs.evolve(owner, portal=Portal(world.application, changing.ask))
    address = places(world, path)
    whole = member.open(address)
    assert whole.status == 200
    wrong = {}
    for place in changing.seen.keys() - _TOGETHER:
        changing.left_out = place
        shown = member.open(address)
        words = set(_NONE.findall(shown.text)) - set(_NONE.findall(whole.text)) if shown.status == 200 else set()
        if shown.status >= 500 or words:
            wrong[place] = (shown.status, words)
    assert wrong == {}

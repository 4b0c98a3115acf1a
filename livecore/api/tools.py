"""The tools by which an assistant acts as a member of a studio, derived from the table of operations.

    tools = tools_of(OPERATIONS)
    tools["players_ban"].input_schema                                 # the arguments of the operation, as one flat object
    request_for(tools["players_ban"], {"gameId": "gam_1", "externalId": "anna"}, studio_id="std_1", asked=request)

Every operation of the operators' surface is a tool, except those that `no_tool` explains. Its name has `_` in place of the
dot. A personal key belongs to one studio, so the studio is no argument; all other variables of the path, the environment,
the query and the body are arguments side by side. A call becomes the operation's own request, with the caller's own key, so
it goes through the same checks as any request, and its refusals are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import quote, urlencode

import attrs

from livecore.access.principals import Principal
from livecore.api.arguments import base_type
from livecore.api.http import Request
from livecore.api.operation import Document, Operation
from livecore.kernel.errors import Json, JsonObject, ValidationFailed, camel
from livecore.kernel.schema import Schemas, described, is_optional
from livecore.kernel.shapes import ExternalPlayerId, Id
from livecore.kernel.wire import compact

__all__ = ["KEEPING", "Tool", "no_tool", "offered", "request_for", "tools_of"]

KEEPING: Final = frozenset(
    {
        "accept", "ack", "add", "adjust", "ban", "create", "credit", "debug", "edit", "flag", "forceClaim",
        "grant", "invite", "mark", "pause", "rename", "replay", "retry", "sample", "send", "set", "unban",
        "unflag", "unpause", "update",
    }
)  # fmt: skip
"""Names of writes, or first words of such names, that remove nothing: the write adds something, or another operation takes
it back. A write with any other name is marked as destructive, because that mistake does no harm."""
_FIRST_WORD: Final = re.compile("[a-z]+")
_STUDIO: Final = "studioId"
_KEY: Final = "idempotencyKey"
_ENVIRONMENT: Final[JsonObject] = {
    "type": "string",
    "enum": ["live", "test"],
    "default": "live",
    "description": "The environment of the game. What is done in `live` reaches real players.",
}
_ABOUT: Final[Mapping[str, str]] = {
    "gameId": "The id of the game, `gam_…`.",
    "externalId": "The player, by the studio's own id.",
    _KEY: "The name of this attempt. Repeat a call that may have failed with the same one: it takes effect only once.",
}
"""Descriptions of arguments that many tools have."""
_SENT_ON: Final = ("x-request-id", "x-svc-sdk")
"""Headers of the caller that its calls keep."""


@attrs.frozen(eq=False)
class Tool:
    """An operation as an assistant sees it."""

    name: str
    operation: Operation
    description: str
    input_schema: JsonObject
    output_schema: JsonObject

    @property
    def title(self) -> str:
        """A few words for people."""
        return self.operation.summary.rstrip(".")

    @property
    def destructive(self) -> bool:
        """Whether it removes something or cannot be taken back: every write whose name is not among `KEEPING`."""
        operation = self.operation
        if operation.destructive is not None or not operation.writes:
            return bool(operation.destructive)
        name = operation.name.rpartition(".")[2]
        return KEEPING.isdisjoint({name, *_FIRST_WORD.findall(name)[:1]})

    @property
    def idempotent(self) -> bool:
        """Whether a repetition of the same call, with the same idempotency key, has no further effect."""
        operation = self.operation
        return not operation.writes or operation.keyed or operation.derives or operation.method in ("PUT", "DELETE")


def no_tool(operation: Operation) -> str | None:
    """Why an operation is no tool, or `None` if it is one."""
    if operation.surface != "admin" or operation.credential != "member":
        return "It is not for members of a studio."
    if operation.dashboard_only is True:
        return "Only a member who is signed in may do it."
    if Document in operation.answers.values():
        return "It answers with a document, which is a resource."
    if operation.messages:
        return "It answers with a stream, which a call cannot follow."
    return None


def tools_of(operations: Iterable[Operation]) -> Mapping[str, Tool]:
    """All tools by name, in the order of the table. Raises `ValueError` if an operation cannot be one tool."""
    tools: dict[str, Tool] = {}
    for operation in operations:
        if no_tool(operation) is None:
            tool = _tool(operation)
            if tools.setdefault(tool.name, tool) is not tool:
                raise ValueError(f"two tools would be called {tool.name}")
    return tools


def offered(tool: Tool, principal: Principal) -> bool:
    """Whether a member with a personal key may use a tool somewhere: in some game or in one of its environments."""
    operation = tool.operation
    if operation.writes and principal.read_only:
        return False
    return operation.permission is None or principal.holds(operation.permission)


# -- what a tool looks like ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _tool(operation: Operation) -> Tool:
    return Tool(
        operation.name.replace(".", "_"),
        operation,
        _description(operation),
        _input_schema(operation),
        _output_schema(operation),
    )


def _description(operation: Operation) -> str:
    parts = [operation.summary, operation.description or described(operation.args)]
    if operation.dashboard_only == "live":
        parts.append(
            "In the live environment only a member who is signed in may do this, so this call is refused there."
        )
    return " ".join(filter(None, parts))


def _input_schema(operation: Operation) -> JsonObject:
    """The arguments as one flat object. Raises `ValueError` if two of them have the same name."""
    attrs.resolve_types(operation.args, include_extras=True)
    schemas = Schemas(closed=True)
    fields = {camel(field.name): field for field in attrs.fields(operation.args)}
    properties: JsonObject = {}
    required: list[Json] = []
    for name in operation.variables:
        if name != _STUDIO:
            usual = ExternalPlayerId if name == "externalId" else Id
            properties[name] = schemas.of(fields[name].type if name in fields else usual)
            required.append(name)
    if operation.takes_environment:
        if "environment" in fields:
            raise ValueError(f"{operation.id} has an argument `environment` besides the environment that it works in")
        properties["environment"] = dict(_ENVIRONMENT)
    for name, field in fields.items():
        if name not in operation.variables:
            properties[name] = schemas.field(field)
            if not is_optional(field, closed=True):
                required.append(name)
    schema: JsonObject = {"type": "object", "properties": {name: _said(name, properties[name]) for name in properties}}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return _with_definitions(schema, schemas)


def _said(name: str, schema: Json) -> Json:
    """The schema of an argument, described if it says nothing of itself."""
    if isinstance(schema, dict) and name in _ABOUT:
        return {**schema, "description": _ABOUT[name]}
    return schema


def _output_schema(operation: Operation) -> JsonObject:
    """What is under `data` in the answers of an operation."""
    schemas = Schemas(closed=False)
    kinds = list(dict.fromkeys(operation.answers.values()))
    if len(kinds) == 1:
        return _with_definitions(schemas.members(kinds[0]), schemas)
    return _with_definitions({"type": "object", "anyOf": [schemas.refer(kind) for kind in kinds]}, schemas)


def _with_definitions(schema: JsonObject, schemas: Schemas) -> JsonObject:
    return {**schema, "$defs": dict(schemas.definitions)} if schemas.definitions else schema


# -- a call ----------------------------------------------------------------------------------------------------------------


def request_for(tool: Tool, arguments: Mapping[str, Json], *, studio_id: str, asked: Request) -> Request:
    """The request of a call, by the caller of the request `asked`.

    Raises `ValidationFailed` where the arguments cannot be written as a request; the operation finds all other faults.
    """
    operation = tool.operation
    faults: dict[str, str] = {}
    rest = dict(arguments)
    path = _path(operation, rest, studio_id, faults)
    query = _query(operation, rest, faults)
    if faults:
        raise ValidationFailed(faults)
    headers = {name: asked.headers[name] for name in ("authorization", *_SENT_ON) if name in asked.headers}
    body = b""
    if operation.takes_body or rest:
        headers["content-type"] = "application/json"
        body = compact(rest).encode()
    return Request(operation.method, path, query, headers, body, asked.remote, asked.countries, "mcp")


def _path(operation: Operation, rest: dict[str, Json], studio_id: str, faults: dict[str, str]) -> str:
    """The path, with the values of its variables taken out of `rest`."""
    path = operation.path
    numbers = {camel(field.name) for field in attrs.fields(operation.args) if base_type(field.type) is int}
    for name in operation.variables:
        value = studio_id if name == _STUDIO else rest.pop(name, None)
        if name in numbers and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value:
            faults[name] = "is required" if value is None else "must be a text that is not empty"
            continue
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def _query(operation: Operation, rest: dict[str, Json], faults: dict[str, str]) -> str:
    """The query, with its parameters taken out of `rest`."""
    names = {camel(field.name) for field in attrs.fields(operation.args) if operation.place_of(field.name) == "query"}
    if operation.takes_environment:
        names.add("environment")
    if operation.method == "GET":
        # It has no body, so what is no argument at all is refused as a parameter.
        names |= rest.keys()
    else:
        names.discard(_KEY)
    pairs: list[tuple[str, str]] = []
    for name in sorted(names & rest.keys()):
        value = rest.pop(name)
        text = _text(value)
        if text is not None:
            pairs.append((name, text))
        elif value is not None:
            faults[name] = "must be a text, a number, true or false, or a list of these"
    return urlencode(pairs)


def _text(value: Json) -> str | None:
    """A value as a query writes it; nothing for `null`, and for what a query cannot write."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        texts = [_text(member) for member in value]
        return ",".join(text for text in texts if text is not None) if None not in texts else None
    return None

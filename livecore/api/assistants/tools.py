"""The tools by which an assistant acts as a member of a studio, derived from the table of operations.

    tools = tools_of(OPERATIONS)
    tools["players_ban"].input_schema                                 # the arguments of the operation, as one flat object
    request_for(tools["studios_update"], {"name": "Otters"}, studio_id="std_1", asked=request)

Every operation of the operators' surface is a tool, except those that `no_tool` explains. Its name has `_` in place of the
dot. A personal key belongs to one studio, so the studio is no argument; all other variables of the path, the environment,
the query and the body are arguments side by side. A call becomes the operation's own request, with the caller's own key, so
it goes through the same checks as any request, and its refusals are the same.

A call that changes something in an environment of a game must name it, although a request of the operators' API need not:
who forgets it would reach the players of the live game. A call that only reads has a default, which its answer names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, cast
from urllib.parse import quote, urlencode

import attrs

from livecore.access.principals import Principal
from livecore.api.assistants.tool_schemas import (
    ENVIRONMENT,
    IDEMPOTENCY_KEY,
    READ_ENVIRONMENT,
    STUDIO_ID,
    described_to_assistants,
    input_schema,
    output_schema,
    short_schema,
)
from livecore.api.requests.arguments import base_type
from livecore.api.requests.http import Request
from livecore.api.table.operation import Document, Operation
from livecore.kernel.errors import Json, JsonObject, ValidationFailed, camel
from livecore.kernel.scope import ENVIRONMENTS
from livecore.kernel.wire import compact

_SENT_ON: Final = ("x-request-id", "x-svc-sdk")
"""Headers of the caller that its calls keep."""


@attrs.frozen(eq=False)
class Tool:
    """An operation as an assistant sees it."""

    name: str
    operation: Operation
    description: str
    input_schema: JsonObject
    """The arguments, with all that is checked of them."""
    output_schema: JsonObject
    """What a call that succeeds gives, without the environment that it names."""
    short_schema: JsonObject
    """The arguments as the list of tools has them: what there is, and what must be given. The operation checks the rest."""

    @property
    def title(self) -> str:
        """A few words for people."""
        return self.operation.summary.rstrip(".")

    @property
    def idempotent(self) -> bool:
        """Whether a repetition of the same call, with the same idempotency key, has no further effect."""
        operation = self.operation
        return not operation.writes or operation.keyed or operation.derives or operation.method in ("PUT", "DELETE")

    @property
    def marks(self) -> JsonObject:
        """What is said of it to programs. It reaches nothing outside of the service, which the protocol does not presume."""
        closed: JsonObject = {"openWorldHint": False}
        if not self.operation.writes:
            return {"readOnlyHint": True, **closed}
        repeatable: JsonObject = {"idempotentHint": True} if self.idempotent else {}
        return {"readOnlyHint": False, "destructiveHint": self.operation.destructive, **repeatable, **closed}

    @property
    def in_full(self) -> JsonObject:
        """All that there is to say of it, for who asks for it by its name."""
        answer = self.output_schema
        if self.operation.takes_environment:
            shown = cast("JsonObject", answer.get("properties", {}))
            answer = {**answer, "properties": {ENVIRONMENT: {"type": "string"}, **shown}}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": answer,
            "annotations": self.marks,
        }

    def environment(self, arguments: Mapping[str, Json]) -> Json:
        """The environment that a call works in, where it works in one: a call that only reads may leave it out."""
        if not self.operation.takes_environment:
            return None
        given = arguments.get(ENVIRONMENT)
        if given is None and not self.operation.writes:
            return READ_ENVIRONMENT
        return given if given in ENVIRONMENTS else None


def no_tool(operation: Operation) -> str | None:
    """Why an operation is no tool, or `None` if it is one."""
    if operation.surface != "admin" or operation.credential != "member":
        return "It is not for members of a studio."
    if operation.dashboard_only is True:
        return "Only a member who is signed in may do it."
    if operation.shows_secret:
        return "It answers with a secret, which would stay in the conversation."
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


@lru_cache(maxsize=1024)
def _tool(operation: Operation) -> Tool:
    return Tool(
        operation.name.replace(".", "_"),
        operation,
        described_to_assistants(operation),
        input_schema(operation),
        output_schema(operation),
        short_schema(operation),
    )


# -- a call ----------------------------------------------------------------------------------------------------------------


def request_for(tool: Tool, arguments: Mapping[str, Json], *, studio_id: str, asked: Request) -> Request:
    """The request of a call, by the caller of the request `asked`.

    Raises `ValidationFailed` where the arguments cannot be written as a request; the operation finds all other faults.
    """
    operation = tool.operation
    faults: dict[str, str] = {}
    rest = dict(arguments)
    if operation.takes_environment and rest.get(ENVIRONMENT) is None:
        if operation.writes:
            faults[ENVIRONMENT] = f"is required: {' or '.join(ENVIRONMENTS)}"
        else:
            rest[ENVIRONMENT] = READ_ENVIRONMENT
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
        value = studio_id if name == STUDIO_ID else rest.pop(name, None)
        if name in numbers and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value:
            faults[name] = "is required" if value is None else "must be a text that is not empty"
            continue
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def _query(operation: Operation, rest: dict[str, Json], faults: dict[str, str]) -> str:
    """The query, with its parameters taken out of `rest`."""
    names = {
        camel(field.name) for field in attrs.fields(operation.args) if operation.location_of(field.name) == "query"
    }
    if operation.takes_environment:
        names.add(ENVIRONMENT)
    if operation.method == "GET":
        # It has no body, so what is no argument at all is refused as a parameter.
        names |= rest.keys()
    else:
        names.discard(IDEMPOTENCY_KEY)
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

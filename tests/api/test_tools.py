"""The tools of assistants are the operations of operators: all of them, with their own arguments, answers and refusals."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import parse_qsl

import attrs
import pytest
from jsonschema import Draft202012Validator

from livecore.access.member_rows import Role
from livecore.access.principals import Principal
from livecore.access.roles import ROLES, permissions_of
from livecore.api.assistants.tools import Tool, no_tool, offered, request_for, tools_of
from livecore.api.documents.examples import answer_example, argument_examples
from livecore.api.operations import OPERATIONS
from livecore.api.requests.arguments import read_arguments
from livecore.api.requests.http import Request
from livecore.api.requests.routing import Router
from livecore.api.table.admin_routes import member_read, member_write
from livecore.api.table.operation import Operation
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, Id, IdempotencyKey
from tests.access import test_operators_matrix as matrix
from tests.contract.expected import Route
from tests.contract.oracle import OPERATED, ROUTES
from tests.each import of_each

TOOLS: Final = tools_of(OPERATIONS)
ADMIN: Final = [entry for entry in OPERATIONS if entry.surface == "admin"]
ROUTE: Final = {route.id: route for route in ROUTES}
SECRETS: Final = frozenset({"secret", "playerSecret", "text", "key"})
"""Members of an answer that are secrets, as the table of expectations writes them."""
STREAMS_AND_DOCUMENTS: Final = {"admin:openapi.get"} | {route.id for route in OPERATED if route.messages}
ASKED: Final = Request("POST", "/mcp", "", {"authorization": "Bearer svc_pk_x"}, b"{}", "192.0.2.9", ("NZ", None))

each = of_each(TOOLS.values(), name=lambda tool: tool.name)


def is_tool(route: Route) -> bool:
    """Whether a route is to be a tool, by the table of expectations."""
    kept_back = route.dashboard_only is True or route.id in STREAMS_AND_DOCUMENTS or shows_secret(route)
    return route.credential != "none" and not kept_back


def shows_secret(route: Route) -> bool:
    """Whether an answer of the route has a secret in it."""
    return not SECRETS.isdisjoint(route.answers.split())


def examples(tool: Tool) -> JsonObject:
    """The arguments of an example call."""
    operation = tool.operation
    found: JsonObject = {name: "sample" for name in operation.variables if name != "studioId"}
    for place in ("path", "query", "body"):
        found |= argument_examples(operation, place)
    return {**found, "environment": "test"} if operation.takes_environment else found


@of_each(ADMIN)
def test_every_operation_of_operators_is_a_tool_or_has_a_reason_not_to_be(operation: Operation) -> None:
    """Documents, streams and secrets are none, nor what only a signed-in member may do, as the table says."""
    route = ROUTE[operation.id]
    none = not is_tool(route)
    named = [tool for tool in TOOLS.values() if tool.operation is operation]
    assert bool(named) is not none
    assert (no_tool(operation) is not None) is none
    for tool in named:
        assert tool.name == operation.name.replace(".", "_")


def test_no_other_operation_is_a_tool() -> None:
    """What players and the studio's backend may do is not for members."""
    assert {tool.operation.surface for tool in TOOLS.values()} == {"admin"}


@each
def test_a_tool_is_named_and_described_as_the_protocol_asks(tool: Tool) -> None:
    """A name that every client takes, a title, and a description that is that of the documents."""
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool.name)
    assert tool.title
    assert not tool.title.endswith(".")
    assert tool.description.startswith(tool.operation.summary)


@each
def test_the_arguments_are_those_of_the_contract(tool: Tool) -> None:
    """The variables of the path without the studio, the environment where there is one, and everything that is asked."""
    route = ROUTE[tool.operation.id]
    asked = [word.partition(":")[0] for word in f"{route.asks} {route.query}".split()]
    schema: Any = tool.input_schema
    environment = {"environment"} if tool.operation.takes_environment else set()
    assert schema["properties"].keys() == (
        {word.removesuffix("?").removesuffix("[]") for word in asked} | set(route.variables) | environment
    ) - {"studioId"}
    assert schema["additionalProperties"] is False
    assert set(route.variables) - {"studioId"} <= set(schema.get("required", []))
    short: Any = tool.short_schema
    assert short["properties"].keys() == schema["properties"].keys()
    assert short.get("required") == schema.get("required")


@each
def test_the_schemas_are_schemas_and_accept_the_examples(tool: Tool) -> None:
    """Both are valid; the example's arguments and answers, those of the documents, satisfy them."""
    Draft202012Validator.check_schema(tool.input_schema)
    Draft202012Validator.check_schema(tool.output_schema)
    Draft202012Validator.check_schema(tool.short_schema)
    assert {schema["type"] for schema in (tool.input_schema, tool.output_schema, tool.short_schema)} == {"object"}
    Draft202012Validator(tool.short_schema).validate(examples(tool))
    Draft202012Validator(tool.input_schema).validate(examples(tool))
    for status in tool.operation.answers:
        Draft202012Validator(tool.output_schema).validate(answer_example(tool.operation, status))


@each
def test_a_call_becomes_the_operations_own_request(tool: Tool) -> None:
    """By the caller's own key and address, in the studio of the key, with arguments that can be read."""
    request = request_for(tool, examples(tool), studio_id="std_mine", asked=ASKED)
    operation, values = Router(OPERATIONS).find(request.method, request.path)
    assert operation is tool.operation
    assert dict(zip(operation.variables, values, strict=True)).get("studioId", "std_mine") == "std_mine"
    assert (request.via, request.remote, request.countries) == ("mcp", "192.0.2.9", ("NZ", None))
    assert request.headers["authorization"] == "Bearer svc_pk_x"
    assert ("environment=test" in request.query) is operation.takes_environment
    read_arguments(operation, request, values)


@of_each(route for route in OPERATED if is_tool(route))
def test_a_call_does_what_the_request_does(route: Route) -> None:
    """Each tool, called by an owner in a scene, succeeds as its route does."""
    office = matrix.ready_for(route)
    here = office.here
    tool = next(tool for tool in TOOLS.values() if tool.operation.id == route.id)
    own = {variable: here.variables[f"{route.id} {variable}"] for variable in route.things}
    known = {**here.variables, **route.named, **own}
    arguments: dict[str, Json] = {name: known[name] for name in route.variables if name != "studioId"}
    arguments |= dict(parse_qsl(route.query_string))
    if route.takes_body:
        arguments |= matrix.body_of(here, route)
    if tool.operation.takes_environment:
        arguments["environment"] = "test"
    asked = Request("POST", "/mcp", "", office.key_headers("OWNER"))
    request = request_for(tool, arguments, studio_id=here.world.game.studio_id, asked=asked)
    response = here.world.application.handle(request)
    assert response.status in route.statuses, response.body


def test_which_environment_a_call_works_in_is_said() -> None:
    """What changes something must be told, and is refused otherwise; what reads has a default, which it says and sends."""
    for tool in TOOLS.values():
        given = {name: value for name, value in examples(tool).items() if name != "environment"}
        shown: Any = tool.short_schema
        if not tool.operation.takes_environment:
            assert tool.environment(given) is None, tool.name
        elif tool.operation.writes:
            assert "environment" in shown["required"], tool.name
            assert "default" not in shown["properties"]["environment"], tool.name
            for nothing in ({}, {"environment": None}):
                with pytest.raises(ValidationFailed) as refused:
                    request_for(tool, {**given, **nothing}, studio_id="std_1", asked=ASKED)
                assert refused.value.fields == {"environment": "is required: live or test"}, tool.name
                assert tool.environment({**given, **nothing}) is None, tool.name
        else:
            assert shown["properties"]["environment"]["default"] == "live", tool.name
            assert tool.environment(given) == "live", tool.name
            assert "environment=live" in request_for(tool, given, studio_id="std_1", asked=ASKED).query, tool.name
        if tool.operation.takes_environment:
            assert tool.environment({**given, "environment": "test"}) == "test", tool.name
            assert tool.environment({**given, "environment": ["test"]}) is None, tool.name


def test_what_changes_both_environments_says_so() -> None:
    """A change of a game that has no environment to name reaches the live one."""
    for tool in TOOLS.values():
        shown: Any = tool.short_schema
        both = tool.operation.writes and "gameId" in shown["properties"] and "environment" not in shown["properties"]
        assert ("It holds for both environments, `live` too." in tool.description) is both, tool.name


def test_no_answer_has_a_member_that_is_called_like_the_environment_it_is_from() -> None:
    """The result of a call says the environment beside what the operation answers."""
    for tool in TOOLS.values():
        if tool.operation.takes_environment:
            for kind in tool.operation.answers.values():
                assert "environment" not in {field.name for field in attrs.fields(kind)}, tool.name


@shape
class Odd:
    """Arguments of every kind of place."""

    thing_id: Id
    words: tuple[str, ...] | Absent = ABSENT
    most: int = 5
    sure: bool = False
    idempotency_key: IdempotencyKey | None = None


@shape
class Nothing:
    """No answer."""


def odd(method: str, name: str = "odd.thing", **further: Any) -> Operation:  # noqa: ANN401 - the fields of a row
    """An operation that only this test knows."""
    if method == "GET":
        return member_read(
            name,
            "/things/{thingId}",
            Odd,
            Nothing,
            lambda *_: Nothing(),
            permission="odd.read",
            summary="Odd.",
            **further,
        )
    return member_write(
        name, f"{method} /things/{{thingId}}", Odd, {200: Nothing}, lambda *_: Nothing(), permission="odd.do",
        summary="Odd.", **further,
    )  # fmt: skip


def only(operation: Operation) -> Tool:
    """The tool of an operation."""
    (tool,) = tools_of([operation]).values()
    return tool


def test_a_write_is_destructive_unless_its_row_says_otherwise() -> None:
    """So that who adds an operation cannot forget it; what only reads never is."""
    assert only(odd("POST")).marks["destructiveHint"] is True
    assert only(odd("POST", destructive=False)).marks["destructiveHint"] is False
    assert only(odd("GET")).marks == {"readOnlyHint": True, "openWorldHint": False}


def test_a_row_for_members_who_are_signed_in_is_no_tool() -> None:
    """Unless that holds in the live environment only, which its description says and the operation refuses."""
    assert tools_of([odd("POST", dashboard_only=True)]) == {}
    assert "only a member who is signed in" in only(odd("POST", dashboard_only="live")).description
    in_part = only(odd("POST", dashboard_only="live", dashboard_only_with=("url",)))
    assert "only a member who is signed in may give `url`" in in_part.description


def test_what_answers_a_secret_is_no_tool() -> None:
    """Of players, API keys and endpoints: it would stay in a conversation with a service that is not the studio's."""
    showing = {route.operation for route in OPERATED if shows_secret(route)}
    assert {"players.rotateSecret", "keys.create", "webhooks.create", "webhooks.rotateSecret"} <= showing
    operations = {operation.name: operation for operation in ADMIN}
    assert {name for name, operation in operations.items() if operation.shows_secret} == showing
    assert all(operation.shows_secret for operation in ADMIN if operation.reveals is not None)
    assert not any(tool.operation.shows_secret for tool in TOOLS.values())


def test_two_tools_of_one_name_are_a_mistake() -> None:
    """Which is found when the tools are made."""
    with pytest.raises(ValueError, match="odd_thing"):
        tools_of([odd("POST"), odd("DELETE")])


HOSTILE: Final = (
    "..",
    "../../../x",
    "a/b",
    "a?x=1",
    "a#b",
    "%2e%2e",
    "a%2Fb",
    "{gameId}",
    "a&b=c",
    " ",
    "ä\u202e",
    "\x00",
)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_hostile_value_stays_in_its_place(text: str) -> None:
    """No value of an argument reaches another segment, another parameter or another route."""
    tool = only(odd("GET"))
    arguments: JsonObject = {"gameId": text, "thingId": text, "words": text, "environment": text}
    request = request_for(tool, arguments, studio_id="std_mine", asked=ASKED)
    operation, values = Router([tool.operation]).find(request.method, request.path)
    assert (operation, values) == (tool.operation, ("std_mine", text, text))
    assert dict(parse_qsl(request.query, keep_blank_values=True)) == {"words": text, "environment": text}


def test_each_argument_goes_to_its_place() -> None:
    """Into the query where there is no body, as the texts of a query; the key always into the body."""
    arguments: JsonObject = {
        "gameId": "gam_1", "thingId": "t", "words": ["a", "b"], "most": 7, "sure": True, "environment": "test",
    }  # fmt: skip
    read = request_for(only(odd("GET")), arguments, studio_id="std_1", asked=ASKED)
    assert (read.path, read.body) == ("/admin/v1/studios/std_1/games/gam_1/things/t", b"")
    assert dict(parse_qsl(read.query)) == {"words": "a,b", "most": "7", "sure": "true", "environment": "test"}
    removed = request_for(only(odd("DELETE")), {**arguments, "idempotencyKey": "k"}, studio_id="std_1", asked=ASKED)
    assert json.loads(removed.body) == {"idempotencyKey": "k"}
    written = request_for(only(odd("PUT")), arguments, studio_id="std_1", asked=ASKED)
    assert json.loads(written.body) == {"words": ["a", "b"], "most": 7, "sure": True}
    assert written.query == "environment=test"


def test_what_a_query_cannot_write() -> None:
    """`null` is left out; an object is refused, and so is a missing or empty part of the path, all at once."""
    tool = only(odd("GET"))
    arguments: JsonObject = {"gameId": "g", "thingId": "t", "most": None}
    assert request_for(tool, arguments, studio_id="s", asked=ASKED).query == "environment=live"
    with pytest.raises(ValidationFailed) as refused:
        request_for(tool, {"gameId": 5, "words": {"a": 1}, "sure": [None]}, studio_id="s", asked=ASKED)
    assert refused.value.fields.keys() == {"gameId", "thingId", "words", "sure"}
    assert refused.value.fields["thingId"] == "is required"


@pytest.mark.parametrize("version", [7, "7"])
def test_a_number_in_the_path_is_a_number(version: Json) -> None:
    """What an answer gives as a number is taken as one; a text variable takes no number."""
    tool = tools_of(OPERATIONS)["settings_getVersion"]
    schema: Any = tool.input_schema["properties"]
    assert schema["version"]["type"] == "integer"
    assert request_for(tool, {"gameId": "g", "version": version}, studio_id="s", asked=ASKED).path.endswith(
        "/history/7"
    )
    refused: tuple[JsonObject, ...] = (
        {"gameId": 7, "version": 7},
        {"gameId": "g", "version": True},
        {"gameId": "g", "version": 7.5},
    )
    for wrong in refused:
        with pytest.raises(ValidationFailed):
            request_for(tool, wrong, studio_id="s", asked=ASKED)


def test_an_argument_that_there_is_not_is_refused_by_the_operation() -> None:
    """As an unknown parameter or an unknown member of the body; the studio is none either."""
    for method in ("GET", "POST", "DELETE"):
        tool = only(odd(method))
        arguments: JsonObject = {"gameId": "g", "thingId": "t", "studioId": "std_other", "extra": 1}
        arguments["environment"] = "test"
        request = request_for(tool, arguments, studio_id="std_mine", asked=ASKED)
        assert request.path.startswith("/admin/v1/studios/std_mine/")
        with pytest.raises(ValidationFailed) as refused:
            read_arguments(tool.operation, request, ("std_mine", "g", "t"))
        assert refused.value.fields.keys() == {"studioId", "extra"}


def member(role: Role, *, read_only: bool = False) -> Principal:
    """A member with a personal key."""
    return Principal("personal_key", "mbr_1", permissions=permissions_of(role), read_only=read_only)


@pytest.mark.parametrize("role", ROLES)
def test_each_role_is_offered_what_it_may(role: Role) -> None:
    """By the hand-written table of roles; what it may do in the test environment alone is offered, too."""
    for tool in TOOLS.values():
        route = ROUTE[tool.operation.id]
        assert offered(tool, member(role)) is matrix.holds(role, route.permission, "test"), tool.name
        may_read = not route.writes and matrix.holds(role, route.permission, "test")
        assert offered(tool, member(role, read_only=True)) is may_read, tool.name

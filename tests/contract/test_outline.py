"""The operations, their documents and the refusals against the outline that was written by hand."""

from __future__ import annotations

from typing import cast

import attrs

from livecore.api.areas import AREAS
from livecore.api.operations import OPERATIONS, operation
from livecore.kernel.errors import Json, JsonObject, camel
from tests.api.documents import at, described_as, refused_codes, resolved
from tests.contract.expected import DOCUMENT, STREAM, Route, generic
from tests.contract.oracle import ROUTES, ROWS, STATUS_OF
from tests.each import of_each

each_route = of_each(ROUTES)


def test_there_is_no_other_operation() -> None:
    """What the outline lacks is not served, and what it has is not forgotten."""
    assert {route.id for route in ROUTES} == {entry.id for entry in OPERATIONS}


def test_there_is_no_other_code() -> None:
    """Every code that the service knows is in the outline, with its status."""
    assert {kind.code: kind.status for kind in AREAS.refusals} == STATUS_OF


@each_route
def test_the_route_is_the_written_one(route: Route) -> None:
    """Method, path, credential and success statuses, the usual one first, and whether an answer is kept under a key."""
    entry = operation(route.id)
    assert (entry.method, entry.path, entry.credential) == (route.method, route.path, route.credential)
    assert tuple(entry.answers) == route.statuses
    assert entry.keyed is route.keyed
    assert (entry.permission, entry.dashboard_only) == (route.permission, route.dashboard_only)
    assert entry.dashboard_only_with == route.dashboard_only_with


@each_route
def test_the_arguments_are_the_written_ones(route: Route) -> None:
    """Each argument by name, whether it may be left out, and which of a write travel in the query."""
    found = {
        camel(field.name) + ("" if field.default is attrs.NOTHING else "?")
        for field in attrs.fields(operation(route.id).args)
    }
    assert found == {word.partition(":")[0] for word in route.asks.split()}
    in_query = [camel(name) for name in operation(route.id).query]
    assert in_query == route.query.split()


@each_route
def test_the_codes_are_the_written_ones(route: Route) -> None:
    """The document lists, with their statuses, the operation's own codes and those of its credential and body."""
    entry = operation(route.id)
    expected = generic(route) | route.codes
    assert set(refused_codes(entry)) == {(STATUS_OF[code], code) for code in expected}


@of_each(route for route in ROUTES if route.answers not in {DOCUMENT, STREAM})
def test_the_answers_are_the_written_ones(route: Route) -> None:
    """Every field of every object in the answer, down to the last, and whether it may be left out."""
    entry = operation(route.id)
    for status in route.statuses:
        content = at(described_as(entry), "responses", str(status), "content", "application/json")
        data = at(content, "schema", "properties", "data")
        compare(route, resolved(entry.surface, data), route.answers, "data")


@of_each(route for route in ROUTES if route.answers == STREAM)
def test_the_messages_are_the_written_ones(route: Route) -> None:
    """Every message of a stream with every field."""
    entry = operation(route.id)
    schema = at(described_as(entry), "responses", "200", "content", "text/event-stream", "schema")
    assert list(at(schema, "x-messages")) == list(route.messages)
    for name, fields in route.messages.items():
        compare(route, resolved(entry.surface, at(schema, "x-messages", name)), fields, name)


def compare(route: Route, schema: JsonObject, outline: str, path: str) -> None:
    """Hold a schema's object against its line of the outline, and the objects inside against theirs."""
    words = {word.partition(":")[0].removesuffix("?"): word for word in outline.split()}
    properties = at(schema, "properties")
    assert set(properties) == set(words), path
    optional = {name for name, word in words.items() if word.partition(":")[0].endswith("?")}
    assert set(cast("list[str]", schema.get("required", []))) == set(words) - optional, path
    for name, word in words.items():
        row = word.partition(":")[2]
        inner = member(route, properties[name], many=row.endswith("[]"))
        assert ("properties" in inner) is bool(row), f"{path}.{name}"
        if row:
            compare(route, inner, ROWS[row.removesuffix("[]")], f"{path}.{name}")


def member(route: Route, schema: Json, *, many: bool) -> JsonObject:
    """The schema of a field, through `null`, a list and a reference."""
    found = cast("JsonObject", schema)
    if "anyOf" in found:
        found = next(option for option in cast("list[JsonObject]", found["anyOf"]) if option != {"type": "null"})
    if many:
        assert found["type"] == "array"
        found = at(found, "items")
    return resolved(operation(route.id).surface, found)

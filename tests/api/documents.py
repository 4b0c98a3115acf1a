"""Ways into an OpenAPI document for tests: references followed, parts found by operation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import cast

from jsonschema import Draft202012Validator, FormatChecker

from livecore.api.openapi import document
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Operation, Surface
from livecore.kernel.errors import Json, JsonObject

SURFACES: tuple[Surface, ...] = ("sdk", "server", "admin")
DESCRIBED = [operation for operation in OPERATIONS if operation.surface in SURFACES]


@cache
def of(surface: Surface) -> JsonObject:
    """The document of a surface, not to be changed."""
    return document(surface)


def at(data: Json, *steps: str) -> JsonObject:
    """The object that lies at the end of some steps."""
    for step in steps:
        data = cast("JsonObject", data)[step]
    return cast("JsonObject", data)


def resolved(surface: Surface, part: Json) -> JsonObject:
    """A part of the document, its reference followed."""
    found = cast("JsonObject", part)
    if "$ref" in found:
        return at(of(surface), *cast("str", found["$ref"]).removeprefix("#/").split("/"))
    return found


def described_as(operation: Operation) -> JsonObject:
    """What the document says of an operation, with its answers as they stand where it refers to them."""
    described = at(of(operation.surface), "paths", operation.path, operation.method.lower())
    answers = {status: resolved(operation.surface, answer) for status, answer in at(described, "responses").items()}
    return {**described, "responses": cast("Json", answers)}


def webhooks(surface: Surface) -> dict[str, JsonObject]:
    """What the document says of each kind of event."""
    return {kind: at(entry, "post") for kind, entry in at(of(surface), "webhooks").items()}


def refused_codes(operation: Operation) -> Iterator[tuple[int, str]]:
    """Status and code of every refusal that the document lists for an operation."""
    for status, answer in at(described_as(operation), "responses").items():
        content = at(answer, "content").get("application/json", {})
        yield from ((int(status), code) for code in at(at(content).get("examples", {})))


def validate(surface: Surface, schema: Json, value: Json) -> None:
    """Check a value against a schema of the document. Raises `jsonschema.ValidationError`."""
    whole = {**cast("JsonObject", schema), "components": of(surface)["components"]}
    Draft202012Validator(whole, format_checker=FormatChecker()).validate(value)

"""What is said of a tool: its description, its arguments in full and in short, and its answer.

The list of tools is read by an assistant before it does anything, and stays in its context. So the list has the arguments in
short: their names and types, the values of an enumeration, defaults, and which must be given. What else is checked of them,
patterns and lengths, a refusal names when it is needed, and who asks for a tool by its name gets it in full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import attrs

from livecore.api.table.operation import Operation
from livecore.kernel.errors import Json, JsonObject, camel
from livecore.kernel.scope import ENVIRONMENTS
from livecore.kernel.wire.schema import Schemas, described, is_optional, without_null
from livecore.kernel.wire.shapes import ExternalPlayerId, Id

STUDIO_ID: Final = "studioId"
"""The variable of a path that is no argument: a personal key belongs to one studio."""
IDEMPOTENCY_KEY: Final = "idempotencyKey"
ENVIRONMENT: Final = "environment"
READ_ENVIRONMENT: Final = "live"
"""The environment that a call reads if it names none."""
_ENVIRONMENT: Final[JsonObject] = {
    "type": "string",
    "enum": list(ENVIRONMENTS),
    "description": "The environment of the game. What is done in `live` reaches real players.",
}
_ABOUT: Final[Mapping[str, str]] = {
    "gameId": "The id of the game, `gam_…`.",
    "externalId": "The player, by the studio's own id.",
    "config": "The whole configuration; livecore://reference/settings has its schema.",
    IDEMPOTENCY_KEY: "The name of this attempt. Repeat a call that may have failed with the same one: it takes effect only "
    "once.",
}
"""Descriptions of arguments that many tools have."""
_KEPT: Final = frozenset({"type", "enum", "const", "properties", "required", "items", "anyOf", "default"})
"""The keywords of a short schema."""


def described_to_assistants(operation: Operation) -> str:
    """What a tool does, and where it does it if that is not an argument."""
    parts = [operation.summary, operation.description or described(operation.args)]
    if operation.dashboard_only == "live" and operation.dashboard_only_with:
        named = " and ".join(f"`{name}`" for name in operation.dashboard_only_with)
        parts.append(f"In `live` only a member who is signed in may give {named}, so a call with it is refused there.")
    elif operation.dashboard_only == "live":
        parts.append("In `live` only a member who is signed in may do this, so this call is refused there.")
    if operation.writes and "gameId" in operation.variables and ENVIRONMENT not in _properties_of(operation):
        parts.append("It holds for both environments, `live` too.")
    return " ".join(filter(None, parts))


def input_schema(operation: Operation) -> JsonObject:
    """The arguments as one flat object. Raises `ValueError` if two of them have the same name."""
    schemas = Schemas(closed=True)
    properties = _arguments(operation, schemas.of, schemas.field)
    said = {name: _said(name, schema) for name, schema in properties.items()}
    return _with_definitions({**_object(operation, said), "additionalProperties": False}, schemas)


def short_schema(operation: Operation) -> JsonObject:
    """The arguments with what a caller has to know to name them all."""
    schemas = Schemas(closed=True)

    def field(one: attrs.Attribute[Any]) -> JsonObject:
        schema = schemas.field(one)
        # What may be left out need not be written as `null`, unless that says something else.
        return without_null(schema) if one.default is None else schema

    properties = _arguments(operation, schemas.of, field)
    short = {name: _short(schema, schemas.definitions) for name, schema in properties.items()}
    if "config" in short:
        short["config"] = _said("config", {"type": "object"})
    return _object(operation, short)


def output_schema(operation: Operation) -> JsonObject:
    """What is under `data` in the answers of an operation."""
    schemas = Schemas(closed=False)
    kinds = list(dict.fromkeys(operation.answers.values()))
    if len(kinds) == 1:
        return _with_definitions(schemas.members(kinds[0]), schemas)
    return _with_definitions({"type": "object", "anyOf": [schemas.refer(kind) for kind in kinds]}, schemas)


# -- arguments ------------------------------------------------------------------------------------------------------------


def _properties_of(operation: Operation) -> list[str]:
    """The names of all arguments: the path's variables, the environment where it is one, and the others."""
    names = [name for name in operation.variables if name != STUDIO_ID]
    fields = [camel(field.name) for field in attrs.fields(operation.args)]
    if operation.takes_environment:
        if ENVIRONMENT in fields:
            raise ValueError(f"{operation.id} has an argument `environment` besides the environment that it works in")
        names.append(ENVIRONMENT)
    return [*names, *(name for name in fields if name not in operation.variables)]


def _arguments(
    operation: Operation, of: Callable[[Any], JsonObject], field: Callable[[attrs.Attribute[Any]], JsonObject]
) -> dict[str, JsonObject]:
    """The schema of each argument."""
    attrs.resolve_types(operation.args, include_extras=True)
    fields = {camel(one.name): one for one in attrs.fields(operation.args)}
    found: dict[str, JsonObject] = {}
    for name in _properties_of(operation):
        if name == ENVIRONMENT and operation.takes_environment:
            found[name] = _ENVIRONMENT if operation.writes else {**_ENVIRONMENT, "default": READ_ENVIRONMENT}
        elif name in operation.variables:
            usual = ExternalPlayerId if name == "externalId" else Id
            found[name] = of(fields[name].type if name in fields else usual)
        else:
            found[name] = field(fields[name])
    return found


def _object(operation: Operation, properties: Mapping[str, Json]) -> JsonObject:
    fields = {camel(one.name): one for one in attrs.fields(operation.args)}
    required: list[Json] = []
    for name in properties:
        if name == ENVIRONMENT and operation.takes_environment:
            must = operation.writes
        else:
            must = name in operation.variables or not is_optional(fields[name], closed=True)
        if must:
            required.append(name)
    schema: JsonObject = {"type": "object", "properties": dict(properties)}
    return {**schema, "required": required} if required else schema


def _said(name: str, schema: JsonObject) -> Json:
    """The schema of an argument, described if it says nothing of itself."""
    return {**schema, "description": _ABOUT[name]} if name in _ABOUT else schema


def _short(schema: Json, definitions: Mapping[str, JsonObject]) -> Json:
    """A schema with the keywords of a short one, and with the definitions in the place of the references to them."""
    if isinstance(schema, list):
        return [_short(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _short(definitions[str(schema["$ref"]).rpartition("/")[2]], definitions)
    made: JsonObject = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            parts = cast("JsonObject", value)
            made[keyword] = {name: _short(part, definitions) for name, part in parts.items()}
        elif keyword in _KEPT:
            made[keyword] = value if keyword in {"default", "enum", "const"} else _short(value, definitions)
    return made


def _with_definitions(schema: JsonObject, schemas: Schemas) -> JsonObject:
    return {**schema, "$defs": dict(schemas.definitions)} if schemas.definitions else schema

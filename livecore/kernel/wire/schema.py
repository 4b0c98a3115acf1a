"""JSON Schema (2020-12) of any shape, generated from the same declarations that reading and writing use.

    Schemas(closed=True).of(SendGift)      # a request: unknown members are refused, defaults are shown
    Schemas(closed=False).of(GiftRow)      # an answer: a reader ignores members that it does not know

Every shape becomes a named definition, described by its docstring, and is referred to by name. A schema cannot express
everything: the descriptions say that lengths count composed characters, and how large an object may be as JSON.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin

import attrs

from livecore.kernel.characters import LINE_PATTERN, LINES_PATTERN, NAME_PATTERN
from livecore.kernel.errors import Json, JsonObject, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import encode
from livecore.kernel.wire.parts import composed
from livecore.kernel.wire.shapes import ABSENT, Absent, Int, Items, Members, ObjectSize, ReadLater, Text

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
OPEN: Final = "x-extensible-enum"
"""The keyword for the values that a text has today. It forbids no other value; tools that do not know it ignore it."""
_WIRE_INSTANT: Final = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"
_LEAVES: Final[dict[object, JsonObject]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    object: {},
}


def described(kind: type) -> str:
    """The docstring of a shape, each paragraph as one line, or the empty text."""
    text = kind.__dict__.get("__doc__") or ""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n")).strip()


def is_optional(field: attrs.Attribute[Any], *, closed: bool) -> bool:
    """Whether a field may be missing: in a request where it has a default, in an answer where it may be left out."""
    return field.default is not attrs.NOTHING if closed else field.default is ABSENT


def without_null(schema: JsonObject) -> JsonObject:
    """The schema of the same value where `null` cannot be written, as in a query."""
    options = schema.get("anyOf")
    if isinstance(options, list):
        (kept,) = (option for option in options if option != {"type": "null"})
        return cast("JsonObject", kept)
    kind = schema.get("type")
    if isinstance(kind, list):
        return {**schema, "type": next(name for name in kind if name != "null")}
    return schema


class Schemas:
    """Generates schemas and collects the definitions that they refer to.

    `closed` schemas describe what the service reads strictly (requests, configuration), open schemas what it writes. A
    later release may add members and enumeration values to what it writes, so a reader must not reject unknown ones.
    `suffix` ends the names of the definitions, so that one document can hold closed and open definitions of the same shape.
    """

    def __init__(self, *, closed: bool, refer: str = "#/$defs/", suffix: str = "") -> None:
        self.closed = closed
        self.definitions: dict[str, JsonObject] = {}
        self._refer = refer
        self._suffix = suffix
        self._owners: dict[str, type] = {}

    def of(self, kind: Any) -> JsonObject:  # noqa: ANN401 - type expressions have no common type
        """The schema of a type as it stands in a shape's field."""
        origin, parts = get_origin(kind), get_args(kind)
        if origin is Annotated:
            later = next((rule.kind for rule in parts[1:] if isinstance(rule, ReadLater)), None)
            if later is not None:
                return self.refer(later)
            return self._constrained(self.of(parts[0]), parts[1:])
        if origin in {Union, UnionType}:
            return self._union(parts)
        if origin is Literal:
            return _enumeration(parts, closed=self.closed)
        if origin is tuple:
            return {"type": "array", "items": self.of(parts[0])}
        if origin is dict:
            members = self.of(parts[1])
            return {"type": "object", "additionalProperties": members or True}
        return self._simple(kind)

    def refer(self, kind: type, name: str | None = None) -> JsonObject:
        """A reference to a shape's definition, which is generated at the first reference."""
        name = name or kind.__name__ + self._suffix
        if self._owners.setdefault(name, kind) is not kind:
            raise ValueError(f"two shapes would be called {name}")
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self.members(kind)
        return {"$ref": f"{self._refer}{name}"}

    def part(self, kind: type, only: frozenset[str], further: JsonObject) -> JsonObject:
        """A reference to the definition of some fields of a shape, such as the fields of a request that are in its body.

        `further` holds further members of the definition.
        """
        schema = {**self.members(kind, only), **further}
        if self.definitions.setdefault(kind.__name__, schema) != schema:
            raise ValueError(f"{kind.__name__} is used in two ways")
        return {"$ref": f"{self._refer}{kind.__name__}"}

    def members(self, kind: type, only: frozenset[str] | None = None) -> JsonObject:
        """The schema of a shape as an object, of all its fields or of those named in `only`."""
        kind = composed(kind)
        attrs.resolve_types(kind, include_extras=True)
        fields = [field for field in attrs.fields(kind) if only is None or field.name in only]
        schema: JsonObject = {"type": "object"}
        if text := described(kind):
            schema["description"] = text
        schema["properties"] = {camel(field.name): self.field(field) for field in fields}
        required: list[Json] = [camel(field.name) for field in fields if not is_optional(field, closed=self.closed)]
        if required:
            schema["required"] = required
        if self.closed:
            schema["additionalProperties"] = False
        return schema

    def field(self, field: attrs.Attribute[Any]) -> JsonObject:
        """The schema of one field, in a request with its default."""
        schema = self.of(field.type)
        shown = not any(field.default is nothing for nothing in (attrs.NOTHING, ABSENT, None))
        return {**schema, "default": _default(field.default)} if self.closed and shown else schema

    def _simple(self, kind: Any) -> JsonObject:  # noqa: ANN401 - type expressions have no common type
        if kind is Timestamp:
            return self._timestamp()
        if kind in _LEAVES:
            return dict(_LEAVES[kind])
        return self.refer(kind)

    def _timestamp(self) -> JsonObject:
        """An instant: any that can be read in a request, and in an answer exactly as it is written, which stands once."""
        schema: JsonObject = {"type": "string", "format": "date-time"}
        if self.closed:
            return schema
        name = f"Timestamp{self._suffix}"
        self.definitions[name] = {**schema, "pattern": _WIRE_INSTANT}
        return {"$ref": f"{self._refer}{name}"}

    def _union(self, parts: tuple[Any, ...]) -> JsonObject:
        present = [part for part in parts if part is not NoneType and part is not Absent]
        schemas = [self.of(part) for part in present]
        schema: JsonObject = schemas[0] if len(schemas) == 1 else {"anyOf": cast("list[Json]", schemas)}
        return _nullable(schema) if NoneType in parts else schema

    @staticmethod
    def _constrained(schema: JsonObject, rules: tuple[object, ...]) -> JsonObject:
        for rule in rules:
            schema = {**schema, **_constraint(rule)}
        return schema


def _default(value: object) -> Json:
    return [_default(member) for member in value] if isinstance(value, tuple) else encode(value)


def _nullable(schema: JsonObject) -> JsonObject:
    kind = schema.get("type")
    if isinstance(kind, str) and not {"enum", "const"} & schema.keys():
        return {**schema, "type": [kind, "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _enumeration(values: tuple[Any, ...], *, closed: bool) -> JsonObject:
    leaf = dict(_LEAVES[type(values[0])])
    if not closed and isinstance(values[0], str):
        return {**leaf, OPEN: list(values)}
    return {**leaf, "const": values[0]} if len(values) == 1 else {**leaf, "enum": list(values)}


def _constraint(rule: object) -> JsonObject:
    """What a constraint adds to a schema: a keyword, or a description where no keyword can express it."""
    if isinstance(rule, Text):
        return _text(rule)
    if isinstance(rule, Int):
        if rule.clamp:
            return {"description": f"A number outside {rule.least} to {rule.most} is moved to the nearest bound."}
        nonzero: JsonObject = {"not": {"const": 0}} if rule.not_zero else {}
        least = rule.least if rule.least_new is None else rule.least_new
        return {"minimum": least, "maximum": rule.most, **nonzero}
    if isinstance(rule, Items):
        unique: JsonObject = {"uniqueItems": True} if rule.unique else {}
        return {"minItems": rule.least, "maxItems": rule.most, **unique}
    if isinstance(rule, Members):
        return {"minProperties": rule.least, "maxProperties": rule.most}
    if isinstance(rule, ObjectSize):
        return {"description": f"A free-form object of at most {rule.most_bytes} bytes as compact JSON."}
    return {}


def _text(rule: Text) -> JsonObject:
    schema: JsonObject = {"minLength": rule.least, "maxLength": rule.most}
    schema["pattern"] = f"^(?:{rule.pattern})$" if rule.pattern else _pattern(rule)
    if rule.name:
        schema["description"] = "One character is visible, none is a control, format or bidirectional character."
    if rule.hint:
        schema["description"] = f"It {rule.hint}."
    return schema


def _pattern(rule: Text) -> str:
    if rule.name:
        return NAME_PATTERN
    return LINES_PATTERN if rule.lines else LINE_PATTERN

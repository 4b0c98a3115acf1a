"""Schemas in words, and the other pieces of which the pages of the reference are made."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import cast

from livecore.kernel.characters import LINES_PATTERN, NAME_PATTERN
from livecore.kernel.errors import Json, JsonObject, Refusal
from livecore.kernel.wire.schema import OPEN

LONG = 30
"""How many lines of an example a page shows at once; a longer one opens when the reader asks for it."""


# -- pieces of a page -----------------------------------------------------------------------------------------------------


def example(value: Json, name: str = "the example") -> list[str]:
    """Data as a block of JSON; a long one is closed at first."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    block = ["```json", text, "```", ""]
    if text.count("\n") < LONG:
        return block
    return ["<details>", f"<summary>Show {name}</summary>", "", *block, "</details>", ""]


def messages(content: JsonObject) -> list[str]:
    """The messages of a stream, each with its name and its data, laid out to be read."""
    lines: list[str] = []
    for name, shown in cast("dict[str, dict[str, JsonObject]]", content["examples"]).items():
        lines += [f"The data of `{name}`:", "", *example(json.loads(str(shown["value"]["data"])))]
    return lines


def contents(folder: str, pages: Iterable[str]) -> list[str]:
    """The pages below a page, for the navigation; the page itself lists what is on them."""
    return ["```{toctree}", ":hidden:", ":maxdepth: 1", "", *(f"{folder}/{page}" for page in pages), "```", ""]


def code_link(kind: type[Refusal]) -> str:
    """A code that leads to its section."""
    return f"[`{kind.code}`](#error-{kind.code.replace('_', '-')})"


def first_sentence(text: str) -> str:
    """The beginning of a description, for a list."""
    return text.partition("\n")[0].partition(". ")[0].rstrip(".:") + "."


# -- fields ---------------------------------------------------------------------------------------------------------------


def fields_of(schema: JsonObject, *about: str) -> list[str]:
    """A line for each field of an object that somebody writes; `about` says where a request has it."""
    needed = cast("list[str]", schema.get("required", []))
    members = cast("dict[str, JsonObject]", schema["properties"])
    return [field(name, part, *about, *required(name in needed)) for name, part in members.items()]


def required(needed: object) -> list[str]:
    """The mark of a field that must be given."""
    return ["required"] if needed else []


def field(name: str, schema: JsonObject, *about: str) -> str:
    """The line of a field: its name and what is to be known of it, what it holds, and what it is if left out."""
    default = f"; by default `{json.dumps(schema['default'])}`" if "default" in schema else ""
    if isinstance(schema.get("default"), dict):
        default = "; it has defaults of its own"
    known = f" ({', '.join(about)})" if about else ""
    return f"- `{name}`{known}: {kind_of(schema)}{default}"


# -- schemas in words -----------------------------------------------------------------------------------------------------


def kind_of(schema: JsonObject) -> str:
    """A schema in words: what may be written there."""
    if "$ref" in schema:
        return f"[{name_of(schema)}](#shape-{name_of(schema).lower()})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if isinstance(schema.get("type"), list):
        kinds = (
            kind_of({**schema, "type": name}) if name != "null" else "null"
            for name in cast("list[str]", schema["type"])
        )
        return either(kinds)
    for values in ("enum", OPEN):
        if values in schema:
            return ", ".join(f"`{value}`" for value in cast("list[str]", schema[values]))
    if "anyOf" in schema:
        return either(kind_of(option) for option in cast("list[JsonObject]", schema["anyOf"]))
    kind = schema.get("type", "any")
    return {"array": array, "integer": integer, "string": string, "object": mapping}.get(str(kind), plain)(schema)


def either(kinds: Iterable[str]) -> str:
    """Alternatives, with a comma between them where one of them has commas of its own."""
    found = list(kinds)
    return (", or " if any("," in kind for kind in found) else " or ").join(found)


def plain(schema: JsonObject) -> str:
    """A type by its name."""
    return str(schema.get("type", "any"))


def array(schema: JsonObject) -> str:
    """A list, and how long it may be."""
    most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
    return f"list of {kind_of(cast('JsonObject', schema['items']))}{most}"


def integer(schema: JsonObject) -> str:
    """An integer and its bounds."""
    if "minimum" not in schema:
        return "integer"
    bounds = [bound(cast("int", schema[name])) for name in ("minimum", "maximum")]
    return f"integer, {bounds[0]} to {bounds[1]}"


def bound(value: int) -> str:
    """A number as people write it."""
    for power in (53, 63):
        if abs(value) in {2**power, 2**power - 1}:
            return f"{'-' if value < 0 else ''}2^{power}" + (" - 1" if value == 2**power - 1 else "")
    return str(value)


def string(schema: JsonObject) -> str:
    """A string, an instant, and how long it may be."""
    if schema.get("format") == "date-time":
        return "timestamp"
    if "maxLength" not in schema:
        return "string"
    further = {LINES_PATTERN: ", in one or several lines", NAME_PATTERN: ", one of them visible"}
    least, most = schema["minLength"], schema["maxLength"]
    length = f"string, {most if least == most else f'{least} to {most}'} characters"
    return length + further.get(cast("str", schema["pattern"]), "")


def mapping(schema: JsonObject) -> str:
    """An object, free or from names to values of one sort."""
    members = schema.get("additionalProperties")
    return f"object of {kind_of(members)}" if isinstance(members, dict) and members else "object"


def name_of(schema: JsonObject) -> str:
    """The name of the definition that a schema refers to."""
    return str(schema["$ref"]).rpartition("/")[2]

"""JSON Schema of shapes: it says what reading says, and the configuration's schema is complete in itself."""

from __future__ import annotations

from typing import Annotated, Literal, cast

import pytest
from jsonschema import Draft202012Validator

from livecore.api.configuration.game_config import GameConfig, config_schema, parse_config
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import decode
from livecore.kernel.wire.schema import Schemas, described, without_null
from livecore.kernel.wire.shapes import ABSENT, Absent, Int, Items, Text


@shape
class Inner:
    """A member."""

    key: Annotated[str, Text(1, 3, r"[a-z]+")]
    count: Annotated[int, Int(1, 5)] = 2


@shape
class Outer:
    """A shape with one field of each sort.

    Its second paragraph
    has two lines.
    """

    name: Annotated[str, Text(1, 4)]
    state: Literal["on", "off"] = "on"
    always: Literal[True] = True
    note: str | None = None
    left_out: int | Absent = ABSENT
    both: str | None | Absent = ABSENT
    inner: Inner | None = None
    members: Annotated[tuple[Inner, ...], Items(0, 2)] = ()
    numbers: dict[str, int] = {}  # noqa: RUF012 - attrs shapes hold class-level defaults
    clamped: Annotated[int, Int(1, 3, clamp=True)] = 1
    at: Timestamp | None = None
    rate: float = 1.0


def whole(kind: type, *, closed: bool) -> JsonObject:
    """A schema that stands by itself."""
    schemas = Schemas(closed=closed)
    return {**schemas.refer(kind), "$defs": cast("Json", schemas.definitions)}


GOOD: list[JsonObject] = [
    {"name": "abcd"},
    {"name": "a", "state": "off", "always": True, "note": None, "leftOut": 3, "both": None},
    {"name": "a", "inner": None, "members": [{"key": "abc"}, {"key": "a", "count": 5}]},
    {"name": "a", "numbers": {"x": 1}, "clamped": 99, "at": "2026-01-31T09:30:00.000Z", "rate": 2},
    {"name": "a", "leftOut": 1.0},
]
BAD: list[JsonObject] = [
    {},
    {"name": ""},
    {"name": "abcde"},
    {"name": "a\x07"},
    {"name": None},
    {"name": "a", "state": "between"},
    {"name": "a", "always": False},
    {"name": "a", "leftOut": None},
    {"name": "a", "leftOut": True},
    {"name": "a", "leftOut": 1.5},
    {"name": "a", "inner": {"key": "ABC"}},
    {"name": "a", "inner": {"key": "a", "count": 6}},
    {"name": "a", "members": [{"key": "a"}] * 3},
    {"name": "a", "numbers": {"x": "1"}},
    {"name": "a", "surprise": 1},
]


@pytest.mark.parametrize("data", GOOD)
def test_what_is_read_is_valid(data: JsonObject) -> None:
    """The schema of a request allows what reading allows."""
    decode(Outer, data)
    Draft202012Validator(whole(Outer, closed=True)).validate(data)


@pytest.mark.parametrize("data", BAD)
def test_what_is_refused_is_invalid(data: JsonObject) -> None:
    """The schema of a request forbids what reading refuses."""
    with pytest.raises(ValidationFailed):
        decode(Outer, data)
    assert not Draft202012Validator(whole(Outer, closed=True)).is_valid(data)


def test_answers_are_open_and_complete() -> None:
    """An answer may gain members, and only what can be left out is optional; its instants have three decimals."""
    schema = whole(Outer, closed=False)
    definition = cast("JsonObject", cast("JsonObject", schema["$defs"])["Outer"])
    assert "additionalProperties" not in definition
    everything = {"name", "state", "always", "note", "leftOut", "both", "inner", "members", "numbers", "clamped", "at"}
    assert set(cast("list[str]", definition["required"])) == (everything | {"rate"}) - {"leftOut", "both"}
    properties = cast("dict[str, JsonObject]", definition["properties"])
    assert not any("default" in member for member in properties.values())
    instant = Draft202012Validator({**properties["at"], "$defs": schema["$defs"]})
    assert instant.is_valid("2026-01-31T09:30:00.000Z")
    assert not instant.is_valid("2026-01-31T09:30:00Z")


def test_defaults_are_shown_where_something_is_read() -> None:
    """Whoever writes a request or a configuration sees what leaving a field out means."""
    properties = cast("dict[str, JsonObject]", Schemas(closed=True).members(Outer)["properties"])
    shown = {name: member["default"] for name, member in properties.items() if "default" in member}
    assert shown == {"state": "on", "always": True, "members": [], "numbers": {}, "clamped": 1, "rate": 1.0}


def test_a_name_belongs_to_one_shape() -> None:
    """Two shapes of one name in a document would silently be one."""

    @shape
    class Inner:
        """Another member."""

    schemas = Schemas(closed=True)
    schemas.refer(globals()["Inner"])
    with pytest.raises(ValueError, match="two shapes"):
        schemas.refer(Inner)
    with pytest.raises(ValueError, match="two ways"):
        schemas.part(globals()["Inner"], frozenset({"key"}), {})


def test_docstrings_become_paragraphs() -> None:
    """Line breaks of the source are not the reader's."""
    assert described(Outer) == "A shape with one field of each sort.\n\nIts second paragraph has two lines."


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"], "minLength": 1}, {"type": "string", "minLength": 1}),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, {"enum": ["a"]}),
        ({"type": "integer"}, {"type": "integer"}),
    ],
)
def test_a_query_knows_no_null(schema: JsonObject, expected: JsonObject) -> None:
    """A parameter that may be `null` inside is documented as what can be written in an address."""
    assert without_null(schema) == expected


# -- the configuration ----------------------------------------------------------------------------------------------------

CONFIG: JsonObject = {
    "$schema": "https://example.com/game-config.schema.json",
    "name": "Demo",
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency", "public": True}, {"key": "xp", "kind": "progression"}],
    "items": [{"key": "potion", "name": "Potion", "parameters": {"level": 1}}],
    "gifting": {
        "enabled": True,
        "dailySendLimit": None,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
    "social": {"maxFriends": 500},
    "exchangeRates": {"EUR": "1.08"},
}
FAULTS: list[JsonObject] = [
    {"surprise": 1},
    {"economyMode": "both"},
    {"economy": [{"kind": "currency"}]},
    {"gifting": {"cooldownSeconds": -1}},
    {"gifting": {"resources": [{"type": "xp", "key": "gold", "maxAmount": 1}]}},
    {"exchangeRates": {"euro": "1.08"}},
    {"exchangeRates": {"EUR": "a lot"}},
    {"exchangeRates": {"EUR": 1.08}},
    {"platforms": ["a", "a"]},
    {"identityPool": {"firstWords": []}},
]


def test_the_configuration_schema_is_a_schema() -> None:
    """Editors can load it, and it needs no other file."""
    schema = config_schema()
    Draft202012Validator.check_schema(schema)
    assert "#/$defs/" in str(schema)
    assert "#/components" not in str(schema)
    assert config_schema() == schema


def test_a_whole_configuration_is_valid() -> None:
    """The example of the documentation passes both the schema and the loader."""
    Draft202012Validator(config_schema()).validate(CONFIG)
    parse_config({name: value for name, value in CONFIG.items() if name != "$schema"})


@pytest.mark.parametrize("data", FAULTS)
def test_the_configuration_schema_refuses_what_the_loader_refuses(data: JsonObject) -> None:
    """An editor underlines what the server would refuse."""
    with pytest.raises(ValidationFailed):
        parse_config(data)
    assert not Draft202012Validator(config_schema()).is_valid(data)


def test_the_defaults_of_the_configuration_are_valid() -> None:
    """What the schema shows as defaults is what an empty file means."""
    properties = cast("dict[str, JsonObject]", config_schema()["properties"])
    defaults = {name: member["default"] for name, member in properties.items() if "default" in member}
    assert parse_config(defaults) == GameConfig()

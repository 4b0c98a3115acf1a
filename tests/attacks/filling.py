"""Requests of every operation that writes, each field filled to its limit with texts that take the most memory.

The fields are read from the operations' own shapes, so an operation or a field more is filled by itself. A text is as long
as it may be and has one character beyond Unicode's basic plane, for which Python keeps four bytes for each of its
characters; a free-form object holds one such text. Where only certain values make sense, such as the key of a resource, the
documents' example is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import attrs

from livecore.api.documents.examples import argument_examples
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Operation
from livecore.kernel.errors import Json, JsonObject, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.wire.shapes import Absent, Items, NamesPlayer, ObjectSize, ReadLater, Text

_WIDE: Final = "\U0001f3ae"
_ONE_OF_TWO: Final = frozenset({"friendCode"})
"""What is given in place of something else: the other of the two is filled."""
_MOST_MEMBERS: Final = 2
"""How many members of a list are filled: a body has a limit of its own."""
_ENDINGS: Final = frozenset({
    "players.ban", "players.erase", "players.merge", "players.rotateSecret", "dev.endWindow", "dev.rolloverNow",
    "guilds.disband", "guilds.leave", "friends.block",
})  # fmt: skip
"""What would end the players, guilds, friendships and windows that the others write about."""


@attrs.frozen
class Field:
    """A field of a request that a caller fills: its operation and its place, such as `entries.parameters`."""

    operation: str
    name: str


def filling_operations() -> list[Operation]:
    """Every operation of games and their backends that takes a body, but for the endings."""
    return [
        entry
        for entry in OPERATIONS
        if entry.surface in {"sdk", "server"}
        and entry.method in {"POST", "PUT", "PATCH"}
        and entry.name not in _ENDINGS
    ]


def filled(entry: Operation, number: int, other: str) -> JsonObject:
    """The body of the request with this number; `other` is a player whom it may name."""
    example = argument_examples(entry, "body")
    return {
        name: _value(kind, number, other, example.get(name))
        for name, kind in _fields(entry.args, entry)
        if name not in _ONE_OF_TWO
    }


def filled_fields(entry: Operation) -> Iterator[Field]:
    """The fields that are filled with long texts."""
    for name, kind in _fields(entry.args, entry):
        for path in _long(kind, name):
            yield Field(entry.name, path)


def _fields(shape: type, entry: Operation | None = None) -> Iterator[tuple[str, Any]]:
    held: Any = shape
    attrs.resolve_types(held, include_extras=True)
    for field in attrs.fields(held):
        if entry is None or entry.location_of(field.name) == "body":
            yield camel(field.name), field.type


def _parts(kind: Any) -> tuple[Any, list[Any]]:  # noqa: ANN401 - type expressions have no common type
    """The type without what may be left out, and its constraints."""
    if get_origin(kind) is Annotated:
        base, *rules = get_args(kind)
        inner, more = _parts(base)
        return inner, [*rules, *more]
    if get_origin(kind) in (Union, UnionType):
        present = [part for part in get_args(kind) if part is not NoneType and part is not Absent]
        return _parts(present[0])
    return kind, []


def _rule(rules: list[Any], kind: type) -> Any:  # noqa: ANN401 - whatever the rule is
    return next((rule for rule in rules if isinstance(rule, kind)), None)


def _value(kind: Any, number: int, other: str, usual: Json) -> Json:  # noqa: ANN401 - as above
    base, rules = _parts(kind)
    later = _rule(rules, ReadLater)
    if later is not None:
        base = later.kind
    if (size := _rule(rules, ObjectSize)) is not None:
        return {"a": _text(number, min(size.most_bytes, 16 * 1024) - len('{"a":""}') - len(_WIDE.encode()) + 1)}
    if _rule(rules, NamesPlayer) is not None:
        return other
    if base is Timestamp:
        return None  # now, or never: an example's instant is over
    if (text := _rule(rules, Text)) is not None:
        return _of_text(text, number, usual)
    if get_origin(base) is tuple:
        most = min(_rule(rules, Items).most if _rule(rules, Items) else 1, _MOST_MEMBERS)
        given = usual if isinstance(usual, list) and usual else [None]
        return [_value(get_args(base)[0], number + at, f"{other}{'+' * at}", given[0]) for at in range(most)]
    if attrs.has(base):
        example: Mapping[str, Json] = usual if isinstance(usual, dict) else {}
        return {name: _value(held, number, other, example.get(name)) for name, held in _fields(base)}
    if get_origin(base) is Literal:
        return usual if usual is not None else get_args(base)[0]
    plain: dict[object, Json] = {bool: False, int: _MOST_MEMBERS, str: "x"}
    return usual if usual is not None else plain.get(base)


def _of_text(text: Text, number: int, usual: Json) -> Json:
    if text.pattern is None:
        return _text(number, text.most)
    if text.most >= 255:  # a key of the request, of printable ASCII
        return f"{number:08}".ljust(text.most, "k")
    return usual


def _text(number: int, most: int) -> str:
    """A text that no other request has."""
    start = f"{number:08}"[: max(0, most - 1)]
    return start + "x" * (most - len(start) - 1) + _WIDE


def _long(kind: Any, name: str) -> Iterator[str]:  # noqa: ANN401 - as above
    base, rules = _parts(kind)
    later = _rule(rules, ReadLater)
    text = _rule(rules, Text)
    if later is not None:
        base, rules, text = later.kind, [], None
    if _rule(rules, ObjectSize) is not None or (text is not None and (text.pattern is None or text.most >= 255)):
        yield name
    elif get_origin(base) is tuple:
        yield from _long(get_args(base)[0], name)
    elif attrs.has(base):
        for inner, held in _fields(base):
            yield from _long(held, f"{name}.{inner}")

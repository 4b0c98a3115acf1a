"""What an area of operations calls by one name has one type: what was read under a name can be sent under it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import attrs

from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Operation
from livecore.kernel.wire.shapes import Absent

EXCEPTIONS: Final = {
    ("attempts", "limit"): "a page has a limit, and a validator that rejected a report has one",
    ("deliveries", "status"): "a delivery has a state, and its attempts have the status of an answer over HTTP",
    ("events", "metrics"): "an event lists the metrics that it has, and an attempt has a value of each",
    ("friends", "progression"): "keys are asked for, and their values are answered",
    ("leaderboards", "limit"): "a page has a limit, and a validator that rejected a score has one",
    ("guilds", "player"): "a list is filtered by the id of a player, and a row shows the player",
    ("players", "limit"): "a page has a limit, and a validator that rejected a report has one, which an export shows",
}
"""Names with two types in one area, each with its reason."""


def types_of(kind: Any) -> set[str]:  # noqa: ANN401 - type expressions have no common type
    """The JSON types of a field, without what says that it may be missing."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return types_of(parts[0])
    if origin in {Union, UnionType}:
        return {one for part in parts if part not in {NoneType, Absent} for one in types_of(part)}
    if origin is Literal:
        return {type(value).__name__ for value in parts}
    if origin is tuple:
        return {"list"}
    return {"object"} if origin is dict or attrs.has(kind) else {kind.__name__}


def fields_of(shape: type) -> Iterator[tuple[str, Any]]:
    """The fields of a shape, with their types."""
    attrs.resolve_types(shape, include_extras=True)
    for field in attrs.fields(shape):
        yield field.name, field.type


def shapes_in(kind: Any, seen: set[type]) -> Iterator[type]:  # noqa: ANN401 - type expressions have no common type
    """Every shape in a type, at any depth, each once."""
    if get_origin(kind) is not None:
        for part in get_args(kind):
            yield from shapes_in(part, seen)
    elif isinstance(kind, type) and attrs.has(kind) and kind not in seen:
        seen.add(kind)
        yield kind
        for _, inner in fields_of(kind):
            yield from shapes_in(inner, seen)


def uses_in(operations: list[Operation]) -> dict[str, dict[str, list[str]]]:
    """For each name of an argument of the operations: its types, each with where it has it."""
    asked = {name for operation in operations for name, _ in fields_of(operation.args)}
    uses: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for operation in operations:
        answered = [shape for answer in operation.answers.values() for shape in shapes_in(answer, set())]
        for shape in (operation.args, *answered):
            for name, kind in fields_of(shape):
                if name in asked:
                    uses[name][" or ".join(sorted(types_of(kind)))].append(f"{operation.id} ({shape.__name__})")
    return uses


def test_what_is_asked_and_answered_under_one_name_has_one_type() -> None:
    """In each area of each surface, every name of an argument has one type, in arguments and answers alike."""
    areas: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for operation in OPERATIONS:
        areas[operation.surface, operation.name.partition(".")[0]].append(operation)
    found = {
        (surface, area, name): {kind: places[0] for kind, places in kinds.items()}
        for (surface, area), operations in areas.items()
        for name, kinds in uses_in(operations).items()
        if len(kinds) > 1
    }
    assert {place: kinds for place, kinds in found.items() if place[1:] not in EXCEPTIONS} == {}
    assert {place[1:] for place in found} >= EXCEPTIONS.keys()

"""Finds the players that a shape names, by the types of its fields, so that an erasure can remove the texts that name them.

Stored texts (events, answers under an idempotency key) may name any number of players. The fields that name a player have
one of the types `ExternalPlayerId`, `ShownExternalId` and `ShownPlayerId` of `livecore.kernel.wire.shapes`. For each class a
function is generated once that reads only those fields, so that storing a text needs no search through it.

The contents of a free-form object (`metadata`, `playerContext`) belong to the caller and are not searched.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import attrs

from livecore.kernel.wire.shapes import ABSENT, Absent, NamesPlayer, ReadLater

By: TypeAlias = Literal["player_id", "external_id"]
"""By which id a text names players: the service's own or the studio's."""


def mentioned(shape: Any, by: By) -> list[str]:  # noqa: ANN401 - shapes have no common type
    """The players whom a shape names by one sort of id, in the order of its fields. A player may occur twice."""
    kind: Any = type(shape)
    return mentions_of(kind, by)(shape)


@cache
def mentions_of(kind: type, by: By) -> Callable[[Any], list[str]]:
    """The function that finds the players in a shape of this class. Raises `TypeError` for a class that contains itself."""
    lines = _reading(kind, by, "shape", ())
    text = "\n ".join(["def mentions(shape):", "found = []", *lines, "return found"])
    made: dict[str, Any] = {"ABSENT": ABSENT}
    exec(text, made)  # noqa: S102 - the text is made of the class's own field names
    function: Callable[[Any], list[str]] = made["mentions"]
    return function


@cache
def most_mentions(kind: type, by: By) -> int | None:
    """How many players a shape of this class names at most; `None` where it has a list of them."""
    lines = [line.lstrip() for line in _reading(kind, by, "shape", ())]
    if any(line.startswith("for ") for line in lines):
        return None
    return sum(line.startswith("found") for line in lines)


@cache
def may_name_anybody(kind: type) -> bool:
    """Whether a shape of this class has `ReadLater` members, whose players are known only once they are read."""
    if not attrs.has(kind):
        return False
    attrs.resolve_types(kind, include_extras=True)
    return any(_is_read_later(field.type) for field in attrs.fields(kind))


def _is_read_later(kind: Any) -> bool:  # noqa: ANN401 - type expressions have no common type
    if get_origin(kind) is Annotated and any(isinstance(rule, ReadLater) for rule in kind.__metadata__):
        return True
    return may_name_anybody(kind) if isinstance(kind, type) else any(map(_is_read_later, get_args(kind)))


# -- code generation ------------------------------------------------------------------------------------------------------


def _reading(kind: Any, by: By, value: str, within: tuple[Any, ...]) -> list[str]:  # noqa: ANN401 - as above
    """Statements that add to `found` the players in `value`, an expression of the type `kind`; none if the type has none."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        if any(isinstance(rule, NamesPlayer) and rule.by == by for rule in parts[1:]):
            return [f"found.append({value})"]
        return _reading(parts[0], by, value, within)
    if origin in {Union, UnionType}:
        return _reading_option(parts, by, value, within)
    if origin is tuple:
        member = f"m{len(within)}_{value.count('.')}"
        return _block(f"for {member} in {value}:", _reading(parts[0], by, member, within))
    if not attrs.has(kind):
        return []
    if kind in within:
        raise TypeError(f"{kind.__name__} holds itself, so whom it names cannot be told from its class")
    attrs.resolve_types(kind, include_extras=True)
    return [
        line
        for field in attrs.fields(kind)
        for line in _reading(field.type, by, f"{value}.{field.name}", (*within, kind))
    ]


def _reading_option(parts: tuple[Any, ...], by: By, value: str, within: tuple[Any, ...]) -> list[str]:
    nothing = {NoneType: "None", Absent: "ABSENT"}
    present = [part for part in parts if part not in nothing]
    if len(present) != 1:
        raise TypeError(f"{value} is of several types, so whom it names cannot be told from its class")
    conditions = [f"{value} is not {nothing[part]}" for part in parts if part in nothing]
    return _block(f"if {' and '.join(conditions)}:", _reading(present[0], by, value, within))


def _block(head: str, lines: list[str]) -> list[str]:
    return [head, *(f" {line}" for line in lines)] if lines else []

"""What the shape of an operation's arguments says of one of them, so that no form says it again."""

from __future__ import annotations

import re
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin

import attrs

from livecore.kernel.errors import camel
from livecore.kernel.wire.shapes import Absent, Int, Text
from livecore_server.portal.asking import admin_operation

Kind: TypeAlias = Literal["text", "email", "url", "number", "textarea", "select", "checkbox", "checkboxes", "json"]
"""How a value is typed."""
Missing: TypeAlias = Literal["left out", "null"]
"""What an empty field is: not in the body, or null."""
_NAME: Final = re.compile(r"[A-Za-z]\w*")


@attrs.frozen
class Argument:
    """How a value is typed, whether there must be one, and what it may be."""

    kind: Kind = "text"
    required: bool = True
    missing: Missing = "left out"
    most: int | None = None
    """The greatest number of characters."""
    values: tuple[str, ...] = ()
    """The only values that it may have."""


@cache
def argument_of(operation: str, path: str) -> Argument:
    """What is said of the argument at a path such as `entries[0].amount`. Raises `LookupError`."""
    kind: Any = admin_operation(operation).args
    field: attrs.Attribute[Any] | None = None
    rules, nullable = tuple[object, ...](), False
    for name in _NAME.findall(path):
        if get_origin(kind) is tuple:
            kind = get_args(kind)[0]
        attrs.resolve_types(kind, include_extras=True)
        field = {camel(field.name): field for field in attrs.fields(kind)}[name]
        kind, rules, nullable = _bare(field.type)
    if field is None:
        raise LookupError(path)
    text = next((rule for rule in rules if isinstance(rule, Text)), None)
    return Argument(
        kind=_kind_of(kind, text, rules),
        required=field.default is attrs.NOTHING and not nullable,
        missing="null" if nullable and field.default is not None else "left out",
        most=None if text is None else text.most,
        values=get_args(kind) if get_origin(kind) is Literal else (),
    )


def _bare(kind: Any) -> tuple[Any, tuple[object, ...], bool]:  # noqa: ANN401 - type expressions have no common type
    """A type without what may stand in its place, the constraints on it, and whether it may be null."""
    parts = get_args(kind)
    if get_origin(kind) is Annotated:
        bare, rules, nullable = _bare(parts[0])
        return bare, (*rules, *parts[1:]), nullable
    if get_origin(kind) in {Union, UnionType}:
        present = next(part for part in parts if part is not NoneType and part is not Absent)
        bare, rules, nullable = _bare(present)
        return bare, rules, nullable or NoneType in parts
    return kind, (), False


def _kind_of(kind: Any, text: Text | None, rules: tuple[object, ...]) -> Kind:  # noqa: ANN401 - as above
    origin = get_origin(kind)
    if origin is Literal:
        return "select"
    if origin is tuple:
        return "checkboxes"
    if origin is dict:
        return "json"
    if kind is bool:
        return "checkbox"
    if any(isinstance(rule, Int) for rule in rules):
        return "number"
    return "textarea" if text is not None and text.lines else "text"

"""The free JSON and the long texts in a request's arguments: what a client may fill as it likes, and what is stored.

They are found by the rules of the operation's shape, so that a new operation cannot be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Final, get_args, get_origin

import attrs

from livecore.api.table.operation import Operation
from livecore.kernel.wire import compact
from livecore.kernel.wire.shapes import ObjectSize, Text

_LONG_TEXT: Final = 200
"""A text that may have so many characters is a long one: gift messages, reasons, descriptions, pictures."""


@lru_cache(maxsize=512)
def stored_fields(operation: Operation) -> tuple[str, ...]:
    """The fields of a client's operation that hold free JSON or a long text; none of other operations."""
    if operation.surface != "sdk" or not operation.writes:
        return ()
    attrs.resolve_types(operation.args, include_extras=True)
    fields = attrs.fields(operation.args)
    return tuple(
        field.name for field in fields if field.name != "idempotency_key" and any(map(_is_long, _rules_in(field.type)))
    )


def stored_bytes_of(operation: Operation, arguments: object) -> int:
    """How many bytes of free JSON and long texts are in the arguments of an operation."""
    size = 0
    for name in stored_fields(operation):
        value = getattr(arguments, name)
        if isinstance(value, str | dict):
            size += _size(value)
    return size


def _rules_in(kind: Any) -> Iterator[object]:  # noqa: ANN401 - type expressions have no common type
    if get_origin(kind) is Annotated:
        first, *rules = get_args(kind)
        yield from rules
        yield from _rules_in(first)
    elif get_origin(kind) is not dict:
        for part in get_args(kind):
            yield from _rules_in(part)


def _is_long(rule: object) -> bool:
    return isinstance(rule, ObjectSize) or (isinstance(rule, Text) and rule.most >= _LONG_TEXT)


def _size(value: str | dict[str, Any]) -> int:
    text = value if isinstance(value, str) else compact(value)
    return len(text.encode())

"""What a single value from the wire must be: the leaves of JSON, and the constraints that shapes put on them.

`1.0` is an integer and `true` is not. Constrained text holds no control characters. A wrong value raises a `Fault` with a
message for the sender; `livecore.kernel.wire` adds the path of the value within the request.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from livecore.kernel.characters import (
    CONTROL_CHARACTER,
    STRAY_CHARACTER,
    has_format_characters,
    shows_something,
)
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import Timestamp
from livecore.kernel.wire.shapes import Int, Items, Members, ObjectSize, Text

_LONGEST_DECOMPOSITION: Final = 4
"""How many code points one composed character may be sent as. Composing hostile text takes quadratic time."""
_UNFIT: Final = {
    False: "must not hold control characters",
    True: "must not hold control characters other than line breaks and tabs",
}


class Fault(ValueError):
    """One field's fault, with a message for the sender."""


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


def compact(value: Json) -> str:
    """`value` as JSON without spaces, non-ASCII characters as themselves."""
    return _COMPACT.encode(value)


# -- leaves ---------------------------------------------------------------------------------------------------------------


def _text(value: object, _: object = None) -> str:
    if not isinstance(value, str):
        raise Fault("must be a string")
    return value


def _integer(value: object, _: object = None) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Fault("must be an integer")
    return int(value)


def _boolean(value: object, _: object = None) -> bool:
    if not isinstance(value, bool):
        raise Fault("must be true or false")
    return value


def _number(value: object, _: object = None) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault("must be a number")
    return float(value)


def _timestamp(value: object, _: object = None) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    try:
        return Timestamp.parse(_text(value))
    except (ValueError, OverflowError):
        raise Fault("must be an ISO 8601 timestamp such as 2026-01-31T09:30:00.000Z") from None


def json_object(value: object) -> JsonObject:
    """`value`, which must be a JSON object. Raises `Fault`."""
    if not isinstance(value, dict):
        raise Fault("must be a JSON object")
    return cast(JsonObject, value)


def _nothing(value: object, _: object) -> None:
    if value is not None:
        raise Fault("must be null: this release has no other value for it")


LEAVES: Final[tuple[tuple[type, Callable[[object, object], object]], ...]] = (
    (str, _text),
    (int, _integer),
    (bool, _boolean),
    (float, _number),
    (Timestamp, _timestamp),
    (type(None), _nothing),
)
"""How each kind of leaf is read; each function raises `Fault`. The second argument is the kind, which cattrs passes."""


# -- constraints ----------------------------------------------------------------------------------------------------------


def _check_text(rule: Text) -> Callable[[str], str]:
    pattern = re.compile(rule.pattern) if rule.pattern else None
    unfit = STRAY_CHARACTER if rule.lines else CONTROL_CHARACTER

    def check(value: str) -> str:
        if rule.name and not value.isascii():
            if len(value) > rule.most * _LONGEST_DECOMPOSITION:
                raise Fault(rule.hint or f"must have {rule.least} to {rule.most} characters")
            value = unicodedata.normalize("NFC", value)
        if not rule.least <= len(value) <= rule.most:
            raise Fault(rule.hint or f"must have {rule.least} to {rule.most} characters")
        if unfit.search(value):
            raise Fault(rule.hint or _UNFIT[rule.lines])
        if rule.name:
            _check_name(value)
        if pattern is not None and pattern.fullmatch(value) is None:
            raise Fault(rule.hint or "does not have the documented form")
        return value

    return check


def _check_name(value: str) -> None:
    if has_format_characters(value):
        raise Fault("must not hold format or bidirectional characters")
    if not shows_something(value):
        raise Fault("must hold a visible character")


def _check_int(rule: Int) -> Callable[[int], int]:
    def check(value: int) -> int:
        if rule.clamp:
            return min(max(value, rule.least), rule.most)
        if not rule.least <= value <= rule.most:
            raise Fault(f"must be from {rule.least} to {rule.most}")
        if rule.not_zero and value == 0:
            raise Fault("must not be 0")
        return value

    return check


def _check_items(rule: Items) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    def check(value: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(value) < rule.least:
            raise Fault(f"must have {rule.least} to {rule.most} members")
        if rule.unique and len(set(value)) != len(value):
            raise Fault("must not name the same member twice")
        return value

    return check


def _check_members(rule: Members) -> Callable[[JsonObject], JsonObject]:
    def check(value: JsonObject) -> JsonObject:
        if not rule.least <= len(value) <= rule.most:
            raise Fault(f"must have {rule.least} to {rule.most} members")
        return value

    return check


def _check_object(rule: ObjectSize) -> Callable[[JsonObject], JsonObject]:
    def check(value: JsonObject) -> JsonObject:
        if len(compact(value).encode()) > rule.most_bytes:
            raise Fault(f"must be at most {rule.most_bytes} bytes as JSON")
        return value

    return check


_CHECKS: dict[type, Callable[[Any], Callable[[Any], Any]]] = {
    Text: _check_text,
    Int: _check_int,
    Items: _check_items,
    Members: _check_members,
    ObjectSize: _check_object,
}


def checks_of(rules: Iterable[object]) -> list[Callable[[Any], Any]]:
    """The checks of a value's constraints, in their order; each returns the value or raises `Fault`."""
    return [_CHECKS[type(rule)](rule) for rule in rules if type(rule) in _CHECKS]

"""What an argument must be, in words for whoever wrote the call, with the limits that this release knows."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import attrs

from livecore.kernel.time import Timestamp
from livecore.kernel.wire.shapes import MAX_AMOUNT, Absent, Int, Items, ReadLater, Text

__all__ = ["expected", "seen"]

_LONGEST_SEEN: Final = 40
_PLAIN: Final[dict[Any, str]] = {
    str: "text",
    int: "an integer",
    bool: "True or False",
    float: "a number",
    Timestamp: "a datetime with a time zone",
    NoneType: "None",
}


def expected(kind: Any) -> str:  # noqa: ANN401 - type expressions have no common type
    """What a field of this type holds: `an integer from 1 to 100`, `a list of 1 to 50 RewardEntry`."""
    if get_origin(kind) in (Union, UnionType):
        parts = [expected(part) for part in get_args(kind) if part is not NoneType and part != Absent]
        return " or ".join([*parts, *(["None"] if NoneType in get_args(kind) else [])])
    base, rules = _parted(kind)
    if get_origin(base) is Literal:
        return "one of " + ", ".join(map(repr, get_args(base)))
    if get_origin(base) is tuple:
        limits = next((f"{rule.least} to {rule.most} " for rule in rules if isinstance(rule, Items)), "")
        return f"a list of {limits}{_members(get_args(base)[0])}"
    if get_origin(base) is dict:
        inner = _parted(get_args(base)[1])[0]
        return f"a dict of {_members(inner)}" if inner in (int, str, bool) else "a dict"
    if attrs.has(base):
        return f"a {base.__name__}, or a dict with {', '.join(field.name for field in attrs.fields(base))}"
    return _PLAIN.get(base, "JSON") + next(filter(None, map(_limits, rules)), "")


def _parted(kind: Any) -> tuple[Any, list[Any]]:  # noqa: ANN401 - as above
    if get_origin(kind) is not Annotated:
        return kind, []
    base, *rules = get_args(kind)
    later = next((rule.kind for rule in rules if isinstance(rule, ReadLater)), None)
    return later or base, rules


def _members(kind: Any) -> str:  # noqa: ANN401 - as above
    base = _parted(kind)[0]
    if attrs.has(base):
        return base.__name__
    return {str: "texts", int: "integers", bool: "truth values"}.get(base, "values")


def _limits(rule: object) -> str:
    if isinstance(rule, Int) and not rule.clamp:
        if rule.least == -MAX_AMOUNT:
            return "" if rule.most == MAX_AMOUNT else f" of at most {rule.most}"
        return f" from {rule.least} to {rule.most}"
    return f" of {rule.least} to {rule.most} characters" if isinstance(rule, Text) else ""


def seen(value: object) -> str:
    """What was given instead: the value itself where it is short, and otherwise its type."""
    if value is None or isinstance(value, bool | int | float | str):
        text = repr(value)
        if len(text) <= _LONGEST_SEEN:
            return text
    return type(value).__name__

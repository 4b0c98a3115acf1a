"""Reads bodies as strict JSON.

Python's reader is too lenient for a service: it accepts NaN and Infinity, keeps the last of duplicate keys, accepts lone
surrogates and nests as deep as the stack. Each of these is `MalformedJson` here.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from livecore.kernel.errors import Json, MalformedJson

DEEPEST: Final = 64
"""How deep arrays and objects may be nested."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A string, also one without an end. The pattern never backtracks, so hostile text costs no more."""
_WHITESPACE: Final = b" \t\r\n"
_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_OTHER_THAN_BRACKETS: Final = bytes(set(range(256)) - set(b"{[]}"))
_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}|\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedJson("The body names the same member of an object twice.")
    return found


def _constant(name: str) -> None:
    raise MalformedJson(f"{name} is not a JSON number.")


def _integer(digits: str) -> int:
    if len(digits) > 40:
        raise MalformedJson("The body holds an integer of more than 40 digits.")
    return int(digits)


def _float(digits: str) -> float:
    """A number with a fraction or an exponent; `1.0` is the integer 1, so that it also has the fingerprint of 1."""
    value = float(digits)
    if value.is_integer() and abs(value) <= 2**53:
        return int(value)
    if value in (float("inf"), float("-inf")):
        raise MalformedJson("The body holds a number that is too large.")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_float)


def _check_structure(body: bytes, most_values: int) -> None:
    """Refuse too many values and too deep nesting before parsing.

    The number of values is 1, plus 1 for each comma, plus 1 for each list or object with members. The count takes no Python
    step for each value, because a hostile body can have as many values as bytes.
    """
    if body.count(b",") + body.count(b"[") + body.count(b"{") < min(DEEPEST, most_values):
        return
    # Each string is a value or the name of one.
    marks, strings = _STRING.subn(b"0", body, count=2 * most_values + 1)
    marks = marks.translate(None, _WHITESPACE)
    commas = marks.count(b",")
    # Count the commas first: they reveal most hostile bodies, and a further count takes as long as everything above.
    if strings > 2 * most_values or commas >= most_values or commas + _filled(marks) >= most_values:
        raise MalformedJson(f"The body holds more than {most_values} values.")
    if _too_deep(marks):
        raise MalformedJson(f"The body nests deeper than {DEEPEST} levels.")


def _filled(marks: bytes) -> int:
    """How many lists and objects have members."""
    return marks.count(b"[") + marks.count(b"{") - marks.count(b"[]") - marks.count(b"{}")


def _too_deep(marks: bytes) -> bool:
    """Whether arrays and objects nest deeper than allowed; the decoder finds unmatched brackets."""
    nest = marks.translate(_BRACKETS, _OTHER_THAN_BRACKETS)
    for _ in range(DEEPEST):
        outer = nest.replace(b"[]", b"")
        if len(outer) == len(nest):
            return False
        nest = outer
    return b"[]" in nest


def _lone_surrogate(value: Json) -> bool:
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return any(_lone_surrogate(key) or _lone_surrogate(member) for key, member in value.items())
    return isinstance(value, list) and any(_lone_surrogate(member) for member in value)


def read_json(body: bytes, *, most_values: int) -> Json:
    """The value of a body with at most `most_values` values in it, itself included. Raises `MalformedJson`."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    _check_structure(body, most_values)
    try:
        value: Json = _DECODER.decode(text)
    except (ValueError, RecursionError) as fault:
        raise MalformedJson(f"The body is not valid JSON: {fault}") from None
    if _SURROGATE.search(text) and _lone_surrogate(value):
        raise MalformedJson("The body holds a lone surrogate.")
    return value

"""Reading bodies: JSON of the strict kind.

Python's reader is lenient where a service must not be: it takes NaN and Infinity, keeps the last of doubled keys, lets lone
surrogates through and nests as deep as the stack. Each of these is `MalformedJson` here.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from livecore.kernel.errors import Json, MalformedJson

__all__ = ["DEEPEST", "read_json"]

DEEPEST: Final = 64
"""How many arrays and objects may lie inside each other."""

_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{\]}]', re.DOTALL)
"""A string, also one without an end, or a bracket outside of strings. It never turns back, so hostile text costs no more."""
_MEMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"?|,|[\[{](?:[ \t\r\n]*+[\]}])?+', re.DOTALL)
"""A string as above, a comma outside of strings, or the beginning of an array or object; of an empty one, all of it."""
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


def _too_deep(text: str) -> bool:
    """Whether arrays and objects nest deeper than allowed; brackets inside strings do not count."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = 0
    for piece in _MARK.finditer(text):
        mark = piece[0]
        if mark in "[{":
            depth += 1
            if depth > DEEPEST:
                return True
        elif mark in "]}":
            depth -= 1
    return False


def _too_many(text: str, most: int) -> bool:
    """Whether there are more values than `most`: the whole, and one for each comma and each list or object with members."""
    if text.count(",") + text.count("[") + text.count("{") < most:
        return False
    values = 1
    for piece in _MEMBER.finditer(text):
        if piece[0] in {",", "[", "{"}:
            values += 1
            if values > most:
                return True
    return values > most


def _lone_surrogate(value: Json) -> bool:
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return any(_lone_surrogate(key) or _lone_surrogate(member) for key, member in value.items())
    return isinstance(value, list) and any(_lone_surrogate(member) for member in value)


def read_json(body: bytes, *, most_values: int) -> Json:
    """The value that a body holds, with at most so many values in it, itself included. Raises `MalformedJson`."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    if _too_many(text, most_values):
        raise MalformedJson(f"The body holds more than {most_values} values.")
    if _too_deep(text):
        raise MalformedJson(f"The body nests deeper than {DEEPEST} levels.")
    try:
        value: Json = _DECODER.decode(text)
    except (ValueError, RecursionError) as fault:
        raise MalformedJson(f"The body is not valid JSON: {fault}") from None
    if _SURROGATE.search(text) and _lone_surrogate(value):
        raise MalformedJson("The body holds a lone surrogate.")
    return value

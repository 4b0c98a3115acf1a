"""Checks what a program passes to a method before it is sent, so that a mistake is named where it was made.

Types and shapes are checked strictly: a text is no number, a `datetime` has a time zone, a row has its fields and no others.
A fault names the argument by its path in Python's spelling (`entries[0].resource_key`) and what was expected, with the
limits of this release.

Limits and enumerations themselves are left to the service, which always has the last word. A game that was released a
year ago must be able to use a value that its service has learned since, or an amount whose limit was raised: a client that
refused those would have to be released again. Beside types, only what no release can accept is refused: what JSON or a path
cannot hold.

A dict is taken for a row where all its names are fields of the row, spelled as the wire or as Python spells them. A text is
taken for a moment where the wire writes moments so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

import attrs

from livecore.errors.families import InvalidArgument
from livecore.kernel.errors import camel, snake
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import encode
from livecore.kernel.wire.exact import is_exact_request
from livecore.kernel.wire.shapes import ABSENT, Absent, ReadLater
from livecore.surfaces.expectations import expected, seen

__all__ = ["checked"]

T = TypeVar("T")
Found = dict[str, str]
"""What is wrong, by the path of the argument."""

_MOST_SHOWN: Final = 10
_DEEPEST: Final = 64
"""How deep JSON may be nested, as the service reads it."""
_VARIABLE: Final = re.compile(r"\{(\w+)\}")
_UNSAFE: Final = re.compile(r"[/\x00-\x1f\x7f-\x9f]")
_CARRIED: Final = "must be text that UTF-8 can carry"


def checked(arguments: T, path: str, player: str | None = None) -> T:
    """The shape `arguments`, with dicts that stand for rows made into rows.

    `path` is the template of the operation's path, and `player` whom the caller named for its `{externalId}`. Raises
    `InvalidArgument`, which names each argument at fault and what was expected.
    """
    found: Found = {}
    if player is not None:
        _take_leaf(str, player, "external_player_id", found, str)
    kind: Any = type(arguments)
    if not is_exact_request(kind)(arguments):
        arguments = _row(kind, arguments, "", found)
    for name in _variables(path):
        value = player if name == "external_id" else getattr(arguments, name)
        argument = "external_player_id" if name == "external_id" else name
        if isinstance(value, str) and argument not in found and (value in {"", ".", ".."} or _UNSAFE.search(value)):
            found[argument] = "must not be empty, '.', '..', or hold '/' or control characters"
    if found:
        raise InvalidArgument(_sentence(found))
    return arguments


@lru_cache(maxsize=1024)
def _variables(path: str) -> tuple[str, ...]:
    return tuple(snake(name) for name in _VARIABLE.findall(path))


def _sentence(found: Found) -> str:
    faults = [f"{path} {reason}" for path, reason in found.items()]
    more = f"; and {len(faults) - _MOST_SHOWN} more" if len(faults) > _MOST_SHOWN else ""
    return "; ".join(faults[:_MOST_SHOWN]) + more


# -- values by their types ------------------------------------------------------------------------------------------------


def _take(kind: Any, value: Any, path: str, found: Found) -> Any:  # noqa: ANN401 - any type and its value
    """`value` as a shape holds it; what is wrong with it is added to `found`."""
    options = list(_alternatives(kind))
    if value is None and NoneType in options:
        return None
    if value is ABSENT and Absent in options:
        return ABSENT
    parts = [part for part in options if part is not NoneType and part != Absent]
    # A field that may be of several types has no rule that could be checked without the service.
    return _take_part(parts[0], value, path, found, kind) if len(parts) == 1 else value


def _alternatives(kind: Any) -> Iterator[Any]:  # noqa: ANN401 - type expressions have no common type
    if get_origin(kind) in (Union, UnionType):
        for part in get_args(kind):
            yield from _alternatives(part)
    else:
        yield kind


def _take_part(kind: Any, value: Any, path: str, found: Found, declared: Any) -> Any:  # noqa: ANN401 - as above
    base = kind
    if get_origin(kind) is Annotated:
        base, *rules = get_args(kind)
        later = next((rule.kind for rule in rules if isinstance(rule, ReadLater)), None)
        if later is not None:
            return _take_for_later(later, value, path, found)
    origin = get_origin(base)
    if origin is tuple:
        return _take_members(get_args(base)[0], value, path, found, declared)
    if origin is dict:
        return _take_object(get_args(base)[1], value, path, found, declared)
    if attrs.has(base):
        return _take_row(base, value, path, found, declared)
    return _take_leaf(base, value, path, found, declared)


def _take_members(inner: Any, value: Any, path: str, found: Found, declared: Any) -> Any:  # noqa: ANN401 - as above
    if not isinstance(value, list | tuple):
        found[path] = f"must be {expected(declared)}, not {seen(value)}"
        return value
    return tuple(_take(inner, member, f"{path}[{place}]", found) for place, member in enumerate(value))


def _take_object(inner: Any, value: Any, path: str, found: Found, declared: Any) -> Any:  # noqa: ANN401 - as above
    if not isinstance(value, Mapping):
        found[path] = f"must be {expected(declared)}, not {seen(value)}"
        return value
    if inner in (int, str, bool) or get_origin(inner) is Annotated:
        if not _has_texts_as_names(value, path, found):
            return value
        return {name: _take(inner, member, f"{path}[{name!r}]", found) for name, member in value.items()}
    return _take_json(value, path, found)


def _take_leaf(kind: Any, value: Any, path: str, found: Found, declared: Any) -> Any:  # noqa: ANN401 - as above
    if kind is Timestamp:
        return _take_moment(value, path, found, declared)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is NoneType or not isinstance(value, _LEAVES[get_origin(kind) or kind]) or _is_odd(kind, value):
        found[path] = f"must be {expected(declared)}, not {seen(value)}"
    elif isinstance(value, str) and not _is_carried(value):
        found[path] = _CARRIED
    return value


_LEAVES: Final[Mapping[Any, Any]] = {str: str, int: int, bool: bool, float: int | float, Literal: str | int}
"""The types of the values for each type of a field: an enumeration may have a value that this release does not know."""


def _is_odd(kind: Any, value: Any) -> bool:  # noqa: ANN401 - as above
    """Whether a value has a type that Python takes for another: a truth value is no number, and NaN is no JSON."""
    if get_origin(kind) is Literal:
        return type(value) not in {type(option) for option in get_args(kind)} and not isinstance(value, str)
    if isinstance(value, bool):
        return kind is not bool
    return isinstance(value, float) and not isfinite(value)


def _is_carried(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _take_moment(value: Any, path: str, found: Found, declared: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, datetime) and value.tzinfo is None:
        # A guessed zone could change the moment.
        found[path] = "needs a time zone: use datetime(…, tzinfo=UTC)"
        return value
    try:
        if isinstance(value, datetime):
            return Timestamp.of(value)
        if isinstance(value, str):
            return Timestamp.parse(value)
    except (ValueError, OverflowError):
        pass
    found[path] = f"must be {expected(declared)}, not {seen(value)}"
    return value


# -- rows -----------------------------------------------------------------------------------------------------------------


def _take_row(kind: type, value: Any, path: str, found: Found, declared: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, kind):
        return _row(kind, value, path, found)
    if isinstance(value, Mapping):
        return _row_from(kind, value, path, found)
    found[path] = f"must be {expected(declared)}, not {seen(value)}"
    return value


def _row(kind: type, row: Any, path: str, found: Found) -> Any:  # noqa: ANN401 - any shape
    """A shape with each field checked; a field that has its default is not looked at, because it is not sent."""
    attrs.resolve_types(kind, include_extras=True)
    changes = {}
    for field in attrs.fields(kind):
        value = getattr(row, field.name)
        if value is not field.default:
            taken = _take(field.type, value, f"{path}.{field.name}" if path else field.name, found)
            if taken is not value:
                changes[field.name] = taken
    return attrs.evolve(row, **changes) if changes else row


def _row_from(kind: type, members: Mapping[Any, Any], path: str, found: Found) -> Any:  # noqa: ANN401 - any shape
    """A row from a dict, whose names are those of the fields, as the wire or as Python spells them."""
    attrs.resolve_types(kind, include_extras=True)
    fields = {field.name: field for field in attrs.fields(kind)}
    names = {camel(name): name for name in fields} | {name: name for name in fields}
    faults = len(found)
    values: dict[str, Any] = {}
    for given, member in members.items():
        name = names.get(given)
        if name is None:
            found[f"{path}.{given}"] = f"is no field of {kind.__name__}, which has {', '.join(fields)}"
        elif name in values:
            found[f"{path}.{name}"] = "is given twice, in both spellings"
        else:
            values[name] = _take(fields[name].type, member, f"{path}.{name}", found)
    for name, field in fields.items():
        if field.default is attrs.NOTHING and name not in values:
            found[f"{path}.{name}"] = f"is required: {expected(field.type)}"
    return members if len(found) > faults else kind(**values)


def _take_for_later(kind: type, value: Any, path: str, found: Found) -> Any:  # noqa: ANN401 - as above
    """A row that the service reads by itself, in its form on the wire: a dict that is no such row fails there, alone."""
    if isinstance(value, Mapping):
        fields = {field.name for field in attrs.fields(kind)}
        return _take_json({camel(name) if name in fields else name: value[name] for name in value}, path, found)
    faults = len(found)
    row = _take_row(kind, value, path, found, kind)
    return encode(row) if len(found) == faults else value


# -- free-form JSON -------------------------------------------------------------------------------------------------------


def _take_json(value: Any, path: str, found: Found, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON
    """Plain JSON data, of which tuples and mappings are made."""
    if depth > _DEEPEST:
        found[path] = f"is nested more than {_DEEPEST} deep"
    elif isinstance(value, Mapping):
        if _has_texts_as_names(value, path, found):
            return {name: _take_json(member, f"{path}[{name!r}]", found, depth + 1) for name, member in value.items()}
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return [_take_json(member, f"{path}[{place}]", found, depth + 1) for place, member in enumerate(value)]
    elif isinstance(value, str):
        if not _is_carried(value):
            found[path] = _CARRIED
    elif isinstance(value, float) and not isfinite(value):
        found[path] = f"must be a number that JSON can hold, not {value}"
    elif value is not None and not isinstance(value, int | float):
        found[path] = f"must be JSON (text, number, True, False, None, list or dict), not {seen(value)}"
    return value


def _has_texts_as_names(members: Mapping[Any, Any], path: str, found: Found) -> bool:
    odd = [name for name in members if not isinstance(name, str) or not _is_carried(name)]
    if odd:
        found[path] = f"must have text as names, not {seen(odd[0])}"
    return not odd

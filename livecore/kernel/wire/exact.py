"""Whether a shape that a program has built is already, part for part, what reading its JSON would give.

A call that stays in one process needs no JSON: where a shape is *exact*, it is taken as it is. Every other one (a value of
another type, out of range, in another spelling) goes through `livecore.kernel.wire`, which has the last word. So a check
here may be too strict and must not be too lenient: what it accepts, reading accepts too, without changing anything.

Objects with free names are copied, because whoever gave or gets one may change it later; free-form ones in a request are
never exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

import attrs

from livecore.kernel.errors import Json
from livecore.kernel.time import MAX_MILLIS, Timestamp
from livecore.kernel.wire import decode_lenient, encode
from livecore.kernel.wire.checks import Fault, checks_of
from livecore.kernel.wire.shapes import ABSENT, Absent, Comma, Items, Members, ReadLater, Text

T = TypeVar("T")
Check = Callable[[Any], bool]

MOST_BYTES_OF_INTEGER: Final = 40
_MOST_INTEGER: Final = 10**39
"""Bodies hold integers of at most 40 characters."""
_LONGEST_TEXT: Final = 4096
_LONGEST_LIST: Final = 100
"""Longer texts without a rule, and longer lists, are not exact, so that an exact shape has a largest size."""
_LONGEST_NAME: Final = 64
_BYTES_OF_CHARACTER: Final = 6
_OF_A_MEMBER: Final = 4
"""Quotation marks, a colon and a comma."""


def _surrogate_free(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _never(_: object) -> bool:
    return False


def _is_text(value: object) -> bool:
    return type(value) is str and len(value) <= _LONGEST_TEXT and _surrogate_free(value)


def _is_integer(value: object) -> bool:
    return type(value) is int and -_MOST_INTEGER < value < _MOST_INTEGER


def _is_instant(value: object) -> bool:
    return type(value) is Timestamp and 0 <= value <= MAX_MILLIS


_STRICT: Final[dict[Any, Check]] = {
    str: _is_text,
    int: _is_integer,
    bool: lambda value: type(value) is bool,
    Timestamp: _is_instant,
    NoneType: lambda value: value is None,
}
_PLAIN: Final = frozenset({str, int, float, bool, NoneType})


def _parts(kind: Any) -> tuple[Any, ...]:  # noqa: ANN401 - type expressions have no common type
    return tuple(part for part in get_args(kind) if part is not Absent and part is not NoneType)


def _is_union(kind: Any) -> bool:  # noqa: ANN401 - type expressions have no common type
    return get_origin(kind) in (Union, UnionType)


# -- requests -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def is_exact_request(kind: type) -> Check:
    """The check of arguments in the shape `kind`: each field has its default, or a value that keeps all rules."""
    attrs.resolve_types(kind, include_extras=True)
    # A field that has its default is not sent, so no rule is asked about it.
    return _compiled(kind, [(field.name, (field.default,), _strict(field.type)) for field in attrs.fields(kind)])


def _compiled(kind: type, fields: Iterable[tuple[str, tuple[object, ...], Check | frozenset[type]]]) -> Check:
    """The check of a shape by its fields: each may be one of some objects, and must pass a check or have one of some types.

    It is one expression, which takes a fraction of the time of a loop: every call in a world passes two of them.
    """
    known: dict[str, Any] = {"kind": kind}
    tests = ["type(value) is kind"]
    for at, (name, objects, fits) in enumerate(fields):
        options = []
        for index, one in enumerate(objects):
            known[f"object_{at}_{index}"] = one
            options.append(f"value.{name} is object_{at}_{index}")
        known[f"fits_{at}"] = fits
        options.append(
            f"type(value.{name}) in fits_{at}" if isinstance(fits, frozenset) else f"fits_{at}(value.{name})"
        )
        tests.append(f"({' or '.join(options)})")
    exec(f"def check(value): return {' and '.join(tests)}", known)  # noqa: S102 - the text has only the fields' names
    check: Check = known["check"]
    return check


def _strict(kind: Any) -> Check:  # noqa: ANN401 - type expressions have no common type
    origin = get_origin(kind)
    if kind in _STRICT:
        return _STRICT[kind]
    if origin is Annotated:
        return _strict_annotated(kind)
    if origin is Literal:
        allowed = frozenset((type(option), option) for option in get_args(kind))
        return lambda value: isinstance(value, str | int) and (type(value), value) in allowed
    if _is_union(kind):
        parts = _parts(kind)
        return _or_nothing(kind, _strict(parts[0])) if len(parts) == 1 else _never
    if origin is tuple:
        member = _strict(get_args(kind)[0])
        return lambda value: type(value) is tuple and len(value) <= _LONGEST_LIST and all(map(member, value))
    if origin is dict:
        return _strict_members(get_args(kind)[1])
    return _strict_nested(kind) if attrs.has(kind) else _never


def _or_nothing(kind: Any, inner: Check) -> Check:  # noqa: ANN401 - type expressions have no common type
    return (lambda value: value is None or inner(value)) if NoneType in get_args(kind) else inner


def _strict_members(inner: Any) -> Check:  # noqa: ANN401 - type expressions have no common type
    """The check of an object with free names, whose members are all of one kind."""
    if inner not in (int, str, bool) and get_origin(inner) is not Annotated:
        return _never
    member = _strict(inner)

    def check(value: Any) -> bool:  # noqa: ANN401 - any object
        if type(value) is not dict or len(value) > _LONGEST_LIST:
            return False
        for name, one in value.items():
            if type(name) is not str or len(name) > _LONGEST_NAME or not _surrogate_free(name) or not member(one):
                return False
        return True

    return check


def _strict_nested(kind: type) -> Check:
    """As `is_exact_request`, where all fields but absent ones are sent."""
    attrs.resolve_types(kind, include_extras=True)
    return _compiled(kind, [(field.name, _may_be_absent(field), _strict(field.type)) for field in attrs.fields(kind)])


def _may_be_absent(field: attrs.Attribute[Any]) -> tuple[object, ...]:
    return (ABSENT,) if field.default is ABSENT else ()


def _strict_annotated(kind: Any) -> Check:  # noqa: ANN401 - type expressions have no common type
    base, *rules = get_args(kind)
    # A list with commas is one text on the way.
    if any(isinstance(rule, ReadLater | Comma) for rule in rules):
        return _never
    # The rules of a text find lone surrogates and have a length.
    bounded = base is str and any(isinstance(rule, Text) for rule in rules)
    inner: Check = (lambda value: type(value) is str) if bounded else _strict(base)
    most = next((rule.most for rule in rules if isinstance(rule, Items)), None)
    checks = checks_of(rules)

    def check(value: Any) -> bool:  # noqa: ANN401 - any object
        if not inner(value) or (most is not None and len(value) > most):
            return False
        try:
            for rule in checks:
                if rule(value) is not value:
                    return False
        except Fault:
            return False
        return True

    return check


@lru_cache(maxsize=1024)
def most_bytes_of(kind: Any) -> int:  # noqa: ANN401 - type expressions have no common type
    """How many bytes of JSON an exact value of this type can have at most."""
    origin = get_origin(kind)
    if origin is Annotated:
        base, *rules = get_args(kind)
        most = next((rule.most for rule in rules if isinstance(rule, Text)), None)
        if base is str and most is not None:
            return most * _BYTES_OF_CHARACTER + 2
        items = next((rule.most for rule in rules if isinstance(rule, Items | Members)), _LONGEST_LIST)
        return _most_bytes_of_members(base, min(items, _LONGEST_LIST)) if get_origin(base) else most_bytes_of(base)
    if origin is Literal:
        return max(len(str(option)) for option in get_args(kind)) * _BYTES_OF_CHARACTER + 2
    if origin in (tuple, dict):
        return _most_bytes_of_members(kind, _LONGEST_LIST)
    if _is_union(kind):
        return max((most_bytes_of(part) for part in get_args(kind)), default=0)
    if attrs.has(kind):
        attrs.resolve_types(kind, include_extras=True)
        fields = attrs.fields(kind)
        return 2 + sum(len(field.name) + _OF_A_MEMBER + most_bytes_of(field.type) for field in fields)
    return _LONGEST_TEXT * _BYTES_OF_CHARACTER + 2 if kind is str else MOST_BYTES_OF_INTEGER


def _most_bytes_of_members(kind: Any, most: int) -> int:  # noqa: ANN401 - type expressions have no common type
    if get_origin(kind) is tuple:
        return most * (most_bytes_of(get_args(kind)[0]) + 1) + 2
    if get_origin(kind) is dict:
        named = _LONGEST_NAME * _BYTES_OF_CHARACTER + _OF_A_MEMBER
        return most * (named + most_bytes_of(get_args(kind)[1])) + 2
    return most_bytes_of(kind)


# -- answers --------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _exact_answer(kind: Any) -> Check:  # noqa: ANN401 - type expressions have no common type
    """The check of an answer, or a part of one: its types are those that a reader gives. Answers need keep no rules."""
    if not attrs.has(kind):
        return _lenient(kind)
    attrs.resolve_types(kind, include_extras=True)
    fields = []
    for field in attrs.fields(kind):
        types = _leaf_types(field.type)
        fields.append((field.name, _may_be_absent(field), _exact_answer(field.type) if types is None else types))
    return _compiled(kind, fields)


def _leaf_types(kind: Any) -> frozenset[type] | None:  # noqa: ANN401 - type expressions have no common type
    """The types of an answer's text, number, instant, truth value, enumeration or nothing; `None` for what has parts."""
    if get_origin(kind) is Annotated:
        base, *rules = get_args(kind)
        return None if any(isinstance(rule, ReadLater) for rule in rules) else _leaf_types(base)
    if get_origin(kind) is Literal:
        return frozenset(type(option) for option in get_args(kind))
    if _is_union(kind):
        parts = _parts(kind)
        inner = _leaf_types(parts[0]) if len(parts) == 1 else None
        return None if inner is None else inner | ({NoneType} if NoneType in get_args(kind) else frozenset())
    return frozenset({kind}) if kind in _STRICT else None


def _lenient(kind: Any) -> Check:  # noqa: ANN401 - type expressions have no common type
    types = _leaf_types(kind)
    if types is not None:
        return lambda value: type(value) in types
    if get_origin(kind) is tuple:
        member = _exact_answer(get_args(kind)[0])
        return lambda value: type(value) is tuple and all(map(member, value))
    if get_origin(kind) is Annotated:
        base, *rules = get_args(kind)
        return _never if any(isinstance(rule, ReadLater) for rule in rules) else _lenient(base)
    if get_origin(kind) is dict:
        return _is_plain_object
    parts = _parts(kind) if _is_union(kind) else ()
    return _or_nothing(kind, _exact_answer(parts[0])) if len(parts) == 1 else _never


def _is_plain_object(value: Any) -> bool:  # noqa: ANN401 - any object
    return type(value) is dict and _is_plain(value)


def _is_plain(value: Any) -> bool:  # noqa: ANN401 - any object
    kind = type(value)
    if kind is dict:
        return all(type(name) is str and _is_plain(member) for name, member in value.items())
    return all(map(_is_plain, value)) if kind is list else kind in _PLAIN


# -- rows that share nothing ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def owned(kind: Any) -> Callable[[Any], Any] | None:  # noqa: ANN401 - type expressions have no common type
    """What makes an exact value of this type independent of other holders; `None` where nothing in it can change."""
    if get_origin(kind) is Annotated:
        return owned(get_args(kind)[0])
    if get_origin(kind) is dict:
        return _copied_leaves if get_args(kind)[1] in _STRICT else _copied_object
    if get_origin(kind) is tuple:
        member = owned(get_args(kind)[0])
        return None if member is None else (lambda value: tuple(map(member, value)) if type(value) is tuple else value)
    if _is_union(kind):
        return next((found for found in map(owned, _parts(kind)) if found is not None), None)
    return _owned_shape(kind) if attrs.has(kind) else None


def _owned_shape(kind: type) -> Callable[[Any], Any] | None:
    attrs.resolve_types(kind, include_extras=True)
    fields = [(field.name, owned(field.type)) for field in attrs.fields(kind)]
    if all(take is None for _, take in fields):
        return None
    known: dict[str, Any] = {"kind": kind, "new": kind.__new__}
    lines = ["def copied(value):", " if type(value) is not kind: return value", " fresh = new(kind)"]
    for at, (name, take) in enumerate(fields):
        known[f"take_{at}"] = take
        lines.append(f" fresh.{name} = value.{name}" if take is None else f" fresh.{name} = take_{at}(value.{name})")
    exec("\n".join([*lines, " return fresh"]), known)  # noqa: S102 - the text has only the fields' names
    copied: Callable[[Any], Any] = known["copied"]
    return copied


def _copied_object(value: Any) -> Any:  # noqa: ANN401 - any object
    return plain_copy(value) if type(value) is dict else value


def _copied_leaves(value: Any) -> Any:  # noqa: ANN401 - any object
    return dict(value) if type(value) is dict else value


def row_of(kind: type[T], data: object) -> T:
    """An answer as the row that a client would read from its JSON."""
    shape: Any = kind
    if _exact_answer(shape)(data):
        take = owned(shape)
        row: T = data if take is None else take(data)  # type: ignore[assignment] # it has been checked
        return row
    return decode_lenient(kind, plain_copy(encode(data)))


def plain_copy(value: Json) -> Json:
    """JSON data that shares nothing with `value`, as it would be read from its text."""
    if isinstance(value, dict):
        return {str(name): plain_copy(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain_copy(member) for member in value]
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    return int(value) if isinstance(value, int) else str(value)

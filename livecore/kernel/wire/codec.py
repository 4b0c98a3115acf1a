"""Conversion between shapes and JSON: strict reading that reports all faults at once, and writing with the wire's names.

Reading is cattrs with the leaves and constraints of `livecore.kernel.wire.checks`; unknown members are faults, and one
`ValidationFailed` holds every fault under its path (`entries[2].amount`). Writing is cattrs' generated functions.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

import attrs
from cattrs import BaseValidationError, ClassValidationError, Converter
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.fns import identity
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from livecore.kernel.errors import Json, ValidationFailed, camel
from livecore.kernel.time import Timestamp, wire_time
from livecore.kernel.wire.checks import LEAVES, Fault, checks_of, json_object
from livecore.kernel.wire.parts import LEFT_OUT, composed, takes_parts
from livecore.kernel.wire.shapes import ABSENT, Absent, Comma, Items, ReadLater

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]
INTEGER_TEXT = re.compile(r"-?[0-9]{1,19}")
"""An integer as a query parameter writes it."""
UNKNOWN_FIELD = "is not a known field"
"""What is wrong with a member that a shape does not have."""
_MOST_UNKNOWN = 100
"""How many unknown fields of one object are reported, so that an answer cannot become larger than its request."""


# -- cattrs ---------------------------------------------------------------------------------------------------------------


def _is_annotated(kind: Any) -> bool:
    return get_origin(kind) is Annotated


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _is_literal(kind: Any) -> bool:
    return get_origin(kind) is Literal


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_dict(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is dict


def _without_absent(kind: Any) -> tuple[Any, ...]:
    return tuple(part for part in get_args(kind) if part is not Absent and part is not type(None))


class _Wire:
    """Reading and writing of shapes. With `strict`, unknown members and values are faults; otherwise they are accepted."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.converter = converter = Converter(detailed_validation=True)
        for kind, hook in LEAVES:
            converter.register_structure_hook(kind, hook)
        converter.register_structure_hook_factory(_is_dict, self._dict)
        converter.register_structure_hook_factory(_is_tuple, self._tuple)
        converter.register_structure_hook_factory(_is_literal, self._literal)
        converter.register_structure_hook_factory(_is_union, self._union)
        converter.register_structure_hook_factory(_is_annotated, self._annotated)
        converter.register_structure_hook_factory(attrs.has, self._structure_shape)
        converter.register_unstructure_hook(Timestamp, wire_time)
        converter.register_unstructure_hook_func(_is_dict, identity)
        converter.register_unstructure_hook_factory(_is_union, self._unstructure_union)
        converter.register_unstructure_hook_factory(_is_tuple, self._unstructure_tuple)
        converter.register_unstructure_hook_factory(_is_annotated, lambda kind: self._unstructure(get_args(kind)[0]))
        converter.register_unstructure_hook_factory(attrs.has, self._unstructure_shape)

    # reading

    def _hook(self, kind: Any) -> Hook:
        hook: Hook = self.converter.get_structure_hook(kind)
        return hook

    def _dict(self, kind: Any) -> Hook:
        inner = get_args(kind)[1]
        if inner not in (int, str, bool) and not _is_annotated(inner):
            return lambda value, _: json_object(value)
        hook = self._hook(inner)

        def structure(value: Any, _: Any) -> Any:
            read: dict[str, Any] = {}
            faults: list[Exception] = []
            for name, member in json_object(value).items():
                try:
                    read[name] = hook(member, inner)
                except Fault as fault:
                    faults.append(_At(f".{name}", fault))
            if faults:
                raise _Many(faults)
            return read

        return structure

    def _tuple(self, kind: Any) -> Hook:
        inner = get_args(kind)[0]
        hook = self._hook(inner)

        def structure(value: Any, _: Any) -> Any:
            if not isinstance(value, list | tuple):
                raise Fault("must be a list")
            members: list[Any] = []
            faults: list[Exception] = []
            for index, member in enumerate(value):
                try:
                    members.append(hook(member, inner))
                except (Fault, BaseValidationError) as fault:
                    faults.append(_At(f"[{index}]", fault))
            if faults:
                raise _Many(faults)
            return tuple(members)

        return structure

    def _literal(self, kind: Any) -> Hook:
        allowed = get_args(kind)
        types = frozenset(map(type, allowed))

        def structure(value: Any, _: Any) -> Any:
            if value in allowed and type(value) in types:
                return value
            if not self.strict and isinstance(value, str):
                return value
            raise Fault("must be one of " + ", ".join(map(repr, allowed)))

        return structure

    def _union(self, kind: Any) -> Hook:
        parts = _without_absent(kind)
        nullable = type(None) in get_args(kind)
        if len(parts) != 1:
            return lambda value, _: value
        (inner,) = parts
        hook = self._hook(inner)

        def structure(value: Any, _: Any) -> Any:
            if value is None and nullable:
                return None
            return hook(value, inner)

        return structure

    def _annotated(self, kind: Any) -> Hook:
        base, *rules = get_args(kind)
        if any(isinstance(rule, ReadLater) for rule in rules):
            return lambda value, _: value
        hook = self._hook(base)
        if not self.strict:
            return lambda value, _: hook(value, base)
        split = _splitter(base) if any(isinstance(rule, Comma) for rule in rules) else None
        items = next((rule for rule in rules if isinstance(rule, Items)), None)
        checks = checks_of(rules)

        def structure(value: Any, _: Any) -> Any:
            if split is not None and isinstance(value, str):
                value = split(value)
            # Check the length before the members: each of a million bad members would be a fault of its own.
            if items is not None and isinstance(value, list | tuple) and len(value) > items.most:
                raise Fault(f"must have {items.least} to {items.most} members")
            value = hook(value, base)
            for check in checks:
                value = check(value)
            return value

        return structure

    def _structure_shape(self, kind: Any) -> Hook:
        if takes_parts(kind):
            return lambda value, _: self._hook(composed(kind))(value, composed(kind))
        attrs.resolve_types(kind, include_extras=True)
        overrides: Any = {field.name: override(rename=camel(field.name)) for field in attrs.fields(kind)}
        inner = cast(
            Hook,
            make_dict_structure_fn(
                kind,
                self.converter,
                _cattrs_forbid_extra_keys=self.strict,
                _cattrs_detailed_validation=True,
                **overrides,
            ),
        )

        def structure(value: Any, target: Any) -> Any:
            return inner(json_object(value), target)

        return structure

    # writing

    def _unstructure(self, kind: Any) -> Callable[[Any], Any]:
        hook: Callable[[Any], Any] = self.converter.get_unstructure_hook(kind, cache_result=False)
        return hook

    def _unstructure_union(self, kind: Any) -> Callable[[Any], Any]:
        parts = _without_absent(kind)
        # cattrs writes a field without any call if its hook is cattrs' own `identity`.
        if len(parts) != 1 or parts[0] in (str, int, bool) or _is_literal(parts[0]):
            return identity
        hook = self._unstructure(parts[0])
        return identity if hook is identity else lambda value: None if value is None else hook(value)

    def _unstructure_tuple(self, kind: Any) -> Callable[[Any], Any]:
        hook = self._unstructure(get_args(kind)[0])
        return lambda value: [hook(member) for member in value]

    def _unstructure_shape(self, kind: Any) -> Callable[[Any], Any]:
        if not takes_parts(kind):
            return self._unstructure_fields(kind)
        alone = self._unstructure_fields(kind)
        return lambda value: alone(value) if type(value) is kind else self._of_type(type(value))(value)

    def _of_type(self, kind: type) -> Callable[[Any], Any]:
        hook: Callable[[Any], Any] = self.converter.get_unstructure_hook(kind)
        return hook

    def _unstructure_fields(self, kind: Any) -> Callable[[Any], Any]:
        attrs.resolve_types(kind, include_extras=True)
        overrides: Any = {
            field.name: override(
                rename=camel(field.name), omit_if_default=field.default is ABSENT or field.metadata.get(LEFT_OUT, False)
            )
            for field in attrs.fields(kind)
        }
        return cast(Callable[[Any], Any], make_dict_unstructure_fn(kind, self.converter, **overrides))


def _is_left_out(field: attrs.Attribute[Any]) -> bool:
    """Whether a field with its default is not written."""
    return field.default is ABSENT or field.metadata.get(LEFT_OUT, False)


def _splitter(kind: Any) -> Callable[[str], list[Any]]:
    """Splits a text at its commas into the JSON values that a list of this type expects; other parts stay texts."""
    member = get_args(kind)[0]
    if (get_args(member)[0] if _is_annotated(member) else member) is not int:
        return lambda text: [part for part in text.split(",") if part]
    return lambda text: [int(part) if INTEGER_TEXT.fullmatch(part) else part for part in text.split(",") if part]


# -- faults ---------------------------------------------------------------------------------------------------------------


class _At(Fault):
    """A fault somewhere below a member of a list or of an object."""

    def __init__(self, step: str, fault: Exception) -> None:
        super().__init__(step)
        self.step = step
        self.fault = fault


class _Many(Fault):
    """Several members' faults."""

    def __init__(self, faults: list[Exception]) -> None:
        super().__init__("has faults")
        self.faults = faults


def _gather(fault: BaseException, path: str, found: dict[str, str]) -> None:
    """Add a fault, or every fault inside it, to `found` under its path, and remove its traceback.

    The frames of a fault refer to the list of faults. So without this the fault and all data read would form a cycle.
    """
    fault.__cause__ = fault.__context__ = fault.__traceback__ = None
    for inner, step in _inside(fault):
        _gather(inner, f"{path}{step}" if step.startswith(("[", ".")) else _join(path, step), found)
    if isinstance(fault, ForbiddenExtraKeysError):
        unknown = heapq.nsmallest(_MOST_UNKNOWN, fault.extra_fields)
        found.update({_join(path, name): UNKNOWN_FIELD for name in unknown})
    elif isinstance(fault, KeyError):
        found[path] = "is required"
    elif not isinstance(fault, _Many | _At | BaseValidationError):
        found[path or "body"] = str(fault)


def _inside(fault: BaseException) -> Sequence[tuple[BaseException, str]]:
    """The faults inside a fault, each with its step of the path."""
    if isinstance(fault, _Many):
        return [(one, "") for one in fault.faults]
    if isinstance(fault, _At):
        return [(fault.fault, fault.step)]
    if isinstance(fault, ClassValidationError):
        named, rest = fault.group_exceptions()
        return [(one, camel(note.name)) for one, note in named] + [(one, "") for one in rest]
    if isinstance(fault, BaseValidationError):
        return [(one, "") for one in fault.exceptions]
    return []


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name


_STRICT = _Wire(strict=True)
_LENIENT = _Wire(strict=False)


@lru_cache(maxsize=1024)
def _encoder(kind: Any) -> Callable[[Any], Any]:
    return _STRICT._unstructure(kind)  # noqa: SLF001 - the same module's own class


@lru_cache(maxsize=1024)
def is_closed(kind: Any) -> bool:
    """Whether a shape holds no fractions and no free-form objects.

    JSON writers differ in how they write fractions and very large integers; all else they write byte for byte the same.
    """
    if attrs.has(kind):
        attrs.resolve_types(kind, include_extras=True)
        return all(is_closed(field.type) for field in attrs.fields(kind))
    if get_origin(kind) is Annotated:
        return is_closed(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return True
    if get_args(kind):
        return all(is_closed(part) for part in get_args(kind) if part is not Ellipsis)
    return kind in (str, int, bool, Timestamp, type(None))


def encode(value: object) -> Json:
    """A shape as JSON data with the wire's names."""
    kind: Any = type(value)
    return cast(Json, _encoder(kind)(value))


def decode(kind: type[T], data: Mapping[str, Any] | Json) -> T:
    """Read `data` strictly as the shape `kind`.

    Raises `ValidationFailed` with every fault: wrong types, values out of range, missing and unknown fields.
    """
    try:
        return _STRICT.converter.structure(data, kind)
    except (BaseValidationError, Fault, KeyError) as fault:
        found: dict[str, str] = {}
        _gather(fault, "", found)
        raise ValidationFailed(found) from None


def decode_lenient(kind: type[T], data: Json) -> T:
    """Read an answer as the shape `kind`: unknown fields are ignored, unknown enumeration values pass through.

    Raises `ValidationFailed` where a field that the shape needs is missing or of another type.
    """
    try:
        return _LENIENT.converter.structure(data, kind)
    except (BaseValidationError, Fault, KeyError) as fault:
        found: dict[str, str] = {}
        _gather(fault, "", found)
        raise ValidationFailed(found) from None

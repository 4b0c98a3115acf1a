"""Finds contradictions in a configuration that cannot be read everywhere, so that all its faults come in one pass.

What cannot be read is replaced by a value of the right shape, and the checks between fields run on the rest. A fault is left
out where it may only follow from what was put in:

- it lies at a replaced place, around one or beside one;
- it says that something is not declared in a list of which a part could not be read;
- it is not there when other values are put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, TypeVar, Union, cast, get_args, get_origin

import attrs

from livecore.kernel.errors import Json, ValidationFailed, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import decode
from livecore.kernel.wire.parts import composed
from livecore.kernel.wire.shapes import Absent, Int, Items, Text

C = TypeVar("C")
PathPart: TypeAlias = "str | int"
"""The name of a member, or the place of an entry."""
_STEP: Final = re.compile(r"\[([0-9]{1,9})\]|([^.\[\]]+)")
_DAYS: Final = ("1970-01-01T00:00:00.000Z", "9998-12-31T00:00:00.000Z")
_LONGEST_NAME: Final = 64
_MOST_COMPARED: Final = 1000
"""With how many names one is compared."""


class Undeclared(str):
    """What is wrong with a reference: nothing of its name is declared in `section`, where there are `known`."""

    __slots__ = ("known", "section")

    def __new__(cls, section: str, known: Iterable[str]) -> Self:
        """The message."""
        made = super().__new__(cls, f"is not declared in '{section}'")
        made.section = section
        made.known = tuple(known)
        return made

    section: str
    known: tuple[str, ...]


def faults_beside(
    kind: type[C], data: Json, unread: Mapping[str, str], faults_of: Callable[[C], Iterable[tuple[str, str]]]
) -> dict[str, str]:
    """The contradictions in what can be read of a configuration, of which `unread` says by path what cannot."""
    if not isinstance(data, dict):
        return {}
    # A name such as `[` has no steps. It is unknown, so nothing is put in for it.
    steps = [steps for steps in map(steps_of, unread) if steps]
    found = []
    for high in (False, True):
        try:
            filled = decode(kind, _filled(kind, data, steps, high=high))
        except (ValidationFailed, LookupError, TypeError):
            # The place of a fault cannot be found by its path, or nothing fits there.
            return {}
        found.append(dict(faults_of(filled)))
    low, other = found
    doubt = _Doubt.of(kind, steps)
    return {path: what for path, what in low.items() if path in other and not doubt.covers(path, what)}


@attrs.frozen
class _Doubt:
    """What may only follow from the values that were put in, in sets: a configuration can have many thousand faults."""

    places: frozenset[tuple[PathPart, ...]]
    """Where values were put in."""
    around: frozenset[tuple[PathPart, ...]]
    """What holds such a place, directly or not."""
    beside: frozenset[tuple[PathPart, ...]]
    """The objects of which a member was put in."""
    sections: frozenset[str]
    """The lists in which something may be declared that could not be read."""

    @classmethod
    def of(cls, kind: type, unread: Sequence[tuple[PathPart, ...]]) -> _Doubt:
        """Of the places that could not be read."""
        places = frozenset(place for place in unread if _kind_at(kind, place) is not None)
        return cls(
            places=places,
            around=frozenset(place[:end] for place in places for end in range(len(place))),
            beside=frozenset(place[:-1] for place in places if isinstance(place[-1], str)),
            sections=frozenset(section for place in unread for section in _unsure(kind, place)),
        )

    def covers(self, path: str, what: str) -> bool:
        """Whether a fault may only follow from what was put in."""
        if isinstance(what, Undeclared) and what.section in self.sections:
            return True
        here = steps_of(path)
        if here in self.around or any(here[:end] in self.places for end in range(1, len(here) + 1)):
            return True
        return not isinstance(what, Undeclared) and here[:-1] in self.beside


def _unsure(kind: Any, place: tuple[PathPart, ...]) -> Sequence[str]:  # noqa: ANN401 - any type expression
    """The lists in which something may be declared that could not be read at a place."""
    named = [step for step in place if isinstance(step, str)]
    if _kind_at(kind, place) is None:
        # It may be the misspelled name of a list.
        return similar(named[-1], members_at(kind, place[:-1]), most=3) if named else ()
    return named[-2:-1] if place[-1] == "key" else named[-1:]


# -- places ---------------------------------------------------------------------------------------------------------------


def steps_of(path: str) -> tuple[PathPart, ...]:
    """A path such as `events[2].target` in steps: `("events", 2, "target")`."""
    return tuple(int(place) if place else name for place, name in _STEP.findall(path))


def value_at(data: Json, steps: Iterable[PathPart]) -> Json:
    """What stands at a place. Raises `LookupError`, and `TypeError`, where there is no such place."""
    for step in steps:
        data = cast(Any, data)[step]
    return data


def members_at(kind: type, steps: Iterable[PathPart]) -> tuple[str, ...]:
    """The names of the members that an object at a place may have."""
    return tuple(_fields(_kind_at(kind, steps)))


def similar(name: str, names: Collection[str], *, most: int = 1) -> list[str]:
    """Of the names that there are, those that are spelled most like an unknown one; none where there are too many."""
    return get_close_matches(name[:_LONGEST_NAME], names, n=most) if len(names) <= _MOST_COMPARED else []


def _bare(kind: Any) -> Any:  # noqa: ANN401 - as above
    """A type without its constraints and without `null`."""
    while get_origin(kind) in (Annotated, Union, UnionType):
        parts = get_args(kind)
        kind = parts[0] if get_origin(kind) is Annotated else next(filter(_is_value, parts))
    return kind


def _is_value(kind: object) -> bool:
    return kind is not type(None) and kind is not Absent


def _fields(kind: Any) -> Mapping[str, attrs.Attribute[Any]]:  # noqa: ANN401 - as above
    composition: Any = composed(_bare(kind))
    return _fields_of(composition)


@lru_cache(maxsize=1024)
def _fields_of(kind: Any) -> Mapping[str, attrs.Attribute[Any]]:  # noqa: ANN401 - as above
    if not (isinstance(kind, type) and attrs.has(kind)):
        return {}
    attrs.resolve_types(kind, include_extras=True)
    return {camel(field.name): field for field in attrs.fields(kind)}


def _kind_at(kind: Any, steps: Iterable[PathPart]) -> Any:  # noqa: ANN401 - as above
    """The type of what stands at a place; `None` for what has no place in the shape."""
    for step in steps:
        fields, bare = _fields(kind), _bare(kind)
        if step in fields:
            kind = fields[str(step)].type
        elif get_origin(bare) is tuple:
            kind = get_args(bare)[0]
        elif get_origin(bare) is dict:
            kind = get_args(bare)[1]
        else:
            return None
    return kind


# -- what is put in -------------------------------------------------------------------------------------------------------


def _filled(kind: Any, data: Json, unread: Iterable[tuple[PathPart, ...]], *, high: bool) -> Json:  # noqa: ANN401 - as above
    """A copy of the data without unknown members, and with a value of the right shape at each place that cannot be read."""
    copied = _known(kind, data)
    for number, place in enumerate(unread):
        *above, last = place
        wanted = _kind_at(kind, place)
        if wanted is None:
            continue
        holder: Any = value_at(copied, above)
        field = _fields(_kind_at(kind, above)).get(str(last))
        if field is not None and field.default is not attrs.NOTHING and not high:
            holder.pop(last, None)
        else:
            holder[last] = _some(wanted, number, high=high)
    return copied


def _known(kind: Any, data: Json) -> Json:  # noqa: ANN401 - as above
    """A copy of the data without the members that its shape does not have."""
    bare, fields = _bare(kind), _fields(kind)
    if fields and isinstance(data, dict):
        return {name: _known(fields[name].type, member) for name, member in data.items() if name in fields}
    if get_origin(bare) is tuple and isinstance(data, list | tuple):
        return [_known(get_args(bare)[0], member) for member in data]
    return dict(data) if isinstance(data, dict) else data


def _some(kind: Any, number: int, *, high: bool) -> Json:  # noqa: ANN401 - as above
    """A value of a type: one of the smallest, or one of the largest."""
    rules = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    bare = _bare(kind)
    if get_origin(kind) in (Union, UnionType):
        if type(None) in get_args(kind) and not high:
            return None
        return _some(next(filter(_is_value, get_args(kind))), number, high=high)
    if _fields(bare):
        required = {name: field.type for name, field in _fields(bare).items() if field.default is attrs.NOTHING}
        return {name: _some(inner, number, high=high) for name, inner in required.items()}
    if get_origin(bare) is tuple:
        least = next((rule.least for rule in rules if isinstance(rule, Items)), 0)
        return [_some(get_args(bare)[0], number + place, high=high) for place in range(least)]
    if get_origin(bare) is Literal:
        return cast(Json, get_args(bare)[-1 if high else 0])
    return _leaf(bare, rules, number, high=high)


def _leaf(bare: object, rules: tuple[object, ...], number: int, *, high: bool) -> Json:
    if bare is int:
        limits = next((rule for rule in rules if isinstance(rule, Int)), Int(0, 1))
        return limits.most if high else limits.least
    if bare is str:
        longest = next((rule.most for rule in rules if isinstance(rule, Text)), 64)
        return f"unread-{number}"[:longest]
    if bare is Timestamp:
        return _DAYS[high]
    return high if bare is bool else 0.0 if bare is float else {}

"""Strict reading of a configuration: each fault names the path of the field and the key of its list entry.

This module knows no area. Each area declares its own part as a subclass of `Config` in its `config.py`, with a function
that checks fields against each other; `livecore.api.configuration.game_config` combines the parts.

    @section
    class CommerceConfig(Config):
        purchases: PurchaseLimits = PurchaseLimits()

A unit of work carries the whole as a `Config`; an area's `..._config(unit)` is the same object as the area's part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final, Generic, TypeAlias, TypeVar, dataclass_transform

import attrs

from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.quoting import quoted, there_are
from livecore.kernel.wire import UNKNOWN_FIELD, decode
from livecore.kernel.wire.config_mending import Undeclared, faults_beside, members_at, similar, steps_of, value_at
from livecore.kernel.wire.config_text import named_twice, read_text
from livecore.kernel.wire.shapes import Text

S = TypeVar("S")

if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(attrs.field,))
    def section(cls: type[S]) -> type[S]:  # noqa: ARG001 - for type checkers
        """Declare a part of the configuration."""
        raise AssertionError

else:

    def section(cls):  # noqa: ANN001, ANN201 - typed above
        """Declare a part of the configuration: a shape that can be inherited beside others, and that can cache values."""
        # Classes with slots cannot be combined by inheritance, and cannot hold a cached property.
        return attrs.define(cls, kw_only=True, slots=False, eq=True, order=False)


Fault: TypeAlias = tuple[str, str]
"""The path of a field, and what is wrong there."""
Advice: TypeAlias = tuple[str, str]
"""The path of a field, and in one sentence why its value is probably not meant. A configuration is never refused for it."""
Name = Annotated[str, Text(1, 100)]
"""The display name of something that the configuration declares."""


class ConfigurationAdvice(UserWarning):
    """What is allowed in a configuration and probably not meant; a `World` warns of it, with the path of the field."""


@section
class Config:
    """The base of every configuration; areas add their parts."""

    name: Name = "Untitled game"


C = TypeVar("C", bound=Config)


def _as_it_is(_: str, text: str) -> str:
    return text


@attrs.frozen
class ConfigReader(Generic[C]):
    """Reads one kind of configuration from JSON."""

    kind: type[C]
    faults: tuple[Callable[[C], Iterable[Fault]], ...] = ()
    """Finds contradictions between fields that are each valid."""
    in_words: Callable[[str, str], str] = _as_it_is
    """Gives the message for a field that cannot be read, from its path and the usual message."""

    def parse(self, data: Json) -> C:
        """Read a configuration from JSON data; the member `$schema`, which editors add, is ignored.

        Raises `ValidationFailed`, whose `details.fields` maps the path of each fault to what is wrong, all at once.
        """
        if isinstance(data, dict) and isinstance(data.get("$schema"), str):
            data = {name: member for name, member in data.items() if name != "$schema"}
        try:
            config = decode(self.kind, data)
        except ValidationFailed as fault:
            in_words = {path: self.in_words(path, text) for path, text in fault.fields.items()}
            beside = faults_beside(self.kind, data, fault.fields, self._contradictions)
            raise self._explained({**beside, **in_words}, data) from None
        faults = dict(self._contradictions(config))
        if faults:
            raise self._explained(faults, data)
        return config

    def _contradictions(self, config: C) -> Iterator[Fault]:
        return (fault for faults_of in self.faults for fault in faults_of(config))

    def _explained(self, faults: Mapping[str, str], data: Json) -> ValidationFailed:
        """The faults in the order of the configuration, each with what stands there and what was probably meant."""
        known: dict[int, dict[str, int]] = {}
        paths = sorted(faults, key=lambda path: _order(path, data, known))
        explained = {
            path: _explained(self.kind, path, faults[path], data, hinted=number < _MOST_HINTS)
            for number, path in enumerate(paths)
        }
        return ValidationFailed(explained)

    def load(self, text: str) -> C:
        """Read a configuration from the text of its file; see `parse`."""
        data = read_text(text)
        doubled = named_twice(data)
        try:
            config = self.parse(data)
        except ValidationFailed as fault:
            raise ValidationFailed({**doubled, **fault.fields}) if doubled else fault from None
        if doubled:
            raise self._explained(doubled, data)
        return config

    def stored(self, text: str) -> C:
        """A configuration from its stored text. It was checked when it was stored, and is not checked again."""
        return decode(self.kind, json.loads(text))


def declared_twice(path: str, keys: Iterable[str]) -> Iterator[Fault]:
    """A fault for each entry of a list whose key an entry before it has."""
    seen: set[str] = set()
    for index, key in enumerate(keys):
        if key in seen:
            yield f"{path}[{index}].key", "is declared twice"
        seen.add(key)


_LONGEST_VALUE: Final = 40
_MOST_HINTS: Final = 50
"""How many faults of a configuration say what was probably meant."""


def _order(path: str, data: Json, known: dict[int, dict[str, int]]) -> tuple[int, ...]:
    """Where a path stands in the data; what is missing stands behind the members of its object.

    `known` keeps the places of the members of each object, by the object's identity.
    """
    here, order = data, []
    for step in steps_of(path):
        at = step if isinstance(step, int) else 0
        if isinstance(here, dict):
            if id(here) not in known:
                known[id(here)] = {name: number for number, name in enumerate(here)}
            at = known[id(here)].get(str(step), len(here))
        order.append(at)
        here = _value(here, (step,))
    return tuple(order)


def _explained(kind: type[Config], path: str, what: str, data: Json, *, hinted: bool) -> str:
    """What is wrong at a path, with the value, the key of the list entry that it is in, and what was probably meant."""
    *above, last = steps_of(path) or ("",)
    value, key = _value(data, (*above, last)), _entry_key(path, data)
    hint = ""
    if what == UNKNOWN_FIELD:
        hint = _hint(str(last), members_at(kind, above)) if hinted else ""
    elif isinstance(what, Undeclared):
        hint = _hint(str(value), what.known) if hinted else ""
        what = f"{what}; it is {quoted(value, _LONGEST_VALUE)}"
    elif what.startswith("must ") and _is_present(data, (*above, last)):
        what = f"{what}; it is {_shown(value)}"
    return f"{what}{key}{hint}"


def _hint(name: str, names: Collection[str]) -> str:
    if not names:
        return ""
    near = similar(name, names)
    if near:
        return f". Did you mean {quoted(near[0])}?"
    known = there_are(names)
    return f". {known[0].upper()}{known[1:]}"


def _shown(value: Json) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return quoted(value, _LONGEST_VALUE)


def _is_present(data: Json, steps: Iterable[str | int]) -> bool:
    try:
        value_at(data, steps)
    except (LookupError, TypeError):
        return False
    return True


def _value(data: Json, steps: tuple[str | int, ...]) -> Json:
    return value_at(data, steps) if _is_present(data, steps) else None


def _entry_key(path: str, data: Json) -> str:
    """The key of the list entry that a path passes through, so that a long file is easy to search."""
    here, found = data, ""
    for step in steps_of(path):
        here = _value(here, (step,))
        if isinstance(step, int) and isinstance(here, dict) and isinstance(here.get("key"), str):
            found = f" (the entry with key {here['key']!r})"
    return found

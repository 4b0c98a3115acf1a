"""Strict reading of a configuration: each fault names the path of the field and the key of its list entry.

This module knows no area. Each area declares its own part as a subclass of `Config` in its `config.py`, with a function
that checks fields against each other; `livecore.api.game_config` combines the parts.

    @section
    class CommerceConfig(Config):
        purchases: PurchaseLimits = PurchaseLimits()

A unit of work carries the whole as a `Config`; an area's `..._config(unit)` is the same object as the area's part.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Generic, TypeAlias, TypeVar

import attrs

from livecore.kernel.config_text import named_twice, read_text
from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.shapes import Text
from livecore.kernel.wire import decode

if TYPE_CHECKING:
    from livecore.kernel.values import keyword_value as section
else:

    def section(cls):  # noqa: ANN001, ANN201 - typed above
        """Declare a part of the configuration: a shape that can be inherited beside others, and that can cache values."""
        # Classes with slots cannot be combined by inheritance, and cannot hold a cached property.
        return attrs.define(cls, kw_only=True, slots=False, eq=True, order=False)


__all__ = ["Advice", "Config", "ConfigReader", "Fault", "Name", "declared_twice", "section"]

Fault: TypeAlias = tuple[str, str]
"""The path of a field, and what is wrong there."""
Advice: TypeAlias = tuple[str, str]
"""The path of a field, and in one sentence why its value is probably not meant. A configuration is never refused for it."""
Name = Annotated[str, Text(1, 100)]
"""The display name of something that the configuration declares."""


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
            raise _with_keys(ValidationFailed(in_words), data) from None
        faults = dict(fault for faults_of in self.faults for fault in faults_of(config))
        if faults:
            raise _with_keys(ValidationFailed(faults), data)
        return config

    def load(self, text: str) -> C:
        """Read a configuration from the text of its file; see `parse`."""
        data = read_text(text)
        doubled = named_twice(data)
        if doubled:
            raise _with_keys(ValidationFailed(doubled), data)
        return self.parse(data)

    def stored(self, text: str) -> C:
        """A configuration from its stored text. It was checked when it was stored, and is not checked again."""
        return decode(self.kind, json.loads(text))


def declared_twice(path: str, keys: Iterable[str]) -> Iterator[Fault]:
    """A fault for each entry of a list whose key an entry before it has."""
    seen: set[str] = set()
    for place, key in enumerate(keys):
        if key in seen:
            yield f"{path}[{place}].key", "is declared twice"
        seen.add(key)


def _with_keys(fault: ValidationFailed, data: Json) -> ValidationFailed:
    """Add to each path the key of the list entry it passes through, so that a long file is easy to search."""
    return ValidationFailed({path: f"{text}{_entry_key(path, data)}" for path, text in fault.fields.items()})


def _entry_key(path: str, data: Json) -> str:
    here: Json = data
    found = ""
    for name, place in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if name and isinstance(here, dict):
            here = here.get(name)
        elif place and isinstance(here, list) and int(place) < len(here):
            here = here[int(place)]
            if isinstance(here, dict) and isinstance(here.get("key"), str):
                found = f" (the entry with key {here['key']!r})"
        else:
            break
    return found

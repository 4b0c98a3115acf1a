"""Reading a configuration: strictly, and with faults that name the path of the field and the key of the entry it is in.

Nothing here knows what a game declares. Each area declares its own part as a class of fields over `Config`, in its
`config.py`, with a function that finds what fields demand of each other; `livecore.api.game_config` puts the parts together.

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
        """Declare a part of the configuration: a shape that can stand beside others under one class, and keep lookups."""
        # Classes with slots of their own cannot be put together, nor hold a cached property.
        return attrs.define(cls, kw_only=True, slots=False, eq=True, order=False)


__all__ = ["Config", "ConfigReader", "Fault", "Name", "declared_twice", "section"]

Fault: TypeAlias = tuple[str, str]
"""The path of a field, and what is wrong there."""
Name = Annotated[str, Text(1, 100)]
"""What people call something that the configuration declares."""


@section
class Config:
    """What every configuration has; areas add their parts."""

    name: Name = "Untitled game"


C = TypeVar("C", bound=Config)


def _as_it_is(_: str, text: str) -> str:
    return text


@attrs.frozen
class ConfigReader(Generic[C]):
    """Reads one kind of configuration from JSON."""

    kind: type[C]
    faults: tuple[Callable[[C], Iterable[Fault]], ...] = ()
    """What could never work, although each field is as it must be."""
    in_words: Callable[[str, str], str] = _as_it_is
    """What to say of a field that cannot be read, given its path and what is usually said."""

    def parse(self, data: Json) -> C:
        """Read a configuration from JSON data; the name of its schema, which editors put there, is passed over.

        Raises `ValidationFailed`, whose `details.fields` maps the path of each fault to what is wrong, all at once.
        """
        if isinstance(data, dict) and isinstance(data.get("$schema"), str):
            data = {name: member for name, member in data.items() if name != "$schema"}
        try:
            config = decode(self.kind, data)
        except ValidationFailed as fault:
            told = {path: self.in_words(path, text) for path, text in fault.fields.items()}
            raise _with_keys(ValidationFailed(told), data) from None
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
        """A configuration that was read before, from the text that was kept of it: it held then, and is not judged again."""
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

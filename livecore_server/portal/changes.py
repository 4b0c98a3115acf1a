"""What is different between two states, as lines that people can read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

_NOTHING: Final = object()


def changes(before: object, after: object) -> list[tuple[str, str, str]]:
    """The members that differ: where, before, after; an empty text stands where there was or is nothing."""
    old = dict(_leaves("", before)) if before is not None else {}
    new = dict(_leaves("", after)) if after is not None else {}
    places = [*old, *(place for place in new if place not in old)]
    return [
        (place, _written(old.get(place, _NOTHING)), _written(new.get(place, _NOTHING)))
        for place in places
        if old.get(place, _NOTHING) != new.get(place, _NOTHING)
    ]


def _leaves(place: str, value: Any) -> Iterator[tuple[str, object]]:  # noqa: ANN401 - JSON
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from _leaves(f"{place}.{name}" if place else str(name), member)
    elif isinstance(value, list) and value:
        for number, member in enumerate(value):
            yield from _leaves(f"{place}[{number}]", member)
    else:
        yield place, value


def _written(value: object) -> str:
    if value is _NOTHING:
        return ""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)

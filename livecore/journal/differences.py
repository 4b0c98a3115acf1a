"""The difference of two values of JSON as lines for people: the path of each member that differs, with both values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from livecore.kernel.errors import Json

_LONGEST: Final = 100
_MOST_LINES: Final = 20


def differences(before: Json, after: Json) -> list[str]:
    """A line for each member that differs, such as `data.grant.entries[0].amount: 20 → 25`; at most 20 of them."""
    found = [f"{path or 'all of it'}: {shown}" for path, shown in _differences(before, after, "")]
    more = len(found) - _MOST_LINES
    return found if more <= 0 else [*found[:_MOST_LINES], f"and {more} more"]


def _differences(before: Json, after: Json, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            inner = f"{path}.{name}" if path else name
            if name not in after:
                yield inner, f"{_short(before[name])} → (nothing)"
            elif name not in before:
                yield inner, f"(nothing) → {_short(after[name])}"
            else:
                yield from _differences(before[name], after[name], inner)
    elif isinstance(before, list) and isinstance(after, list):
        for place in range(max(len(before), len(after))):
            inner = f"{path}[{place}]"
            if place >= len(after):
                yield inner, f"{_short(before[place])} → (nothing)"
            elif place >= len(before):
                yield inner, f"(nothing) → {_short(after[place])}"
            else:
                yield from _differences(before[place], after[place], inner)
    elif type(before) is not type(after) or before != after:
        yield path, f"{_short(before)} → {_short(after)}"


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

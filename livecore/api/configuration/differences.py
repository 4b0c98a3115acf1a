"""The differences between two configurations, line by line.

    ~ gifting.cooldownSeconds: 86400 -> 3600
    + items[potion]: {"key":"potion","name":"Potion"}
    + events[race].target: 5
    + events[race].metrics[0]: {"key":"score","aggregation":"sum"}
    - economy[gems]

What is new and long, such as an event, has a line for each of its parts that says something; `null` and empty lists do
not. Its lists are numbered as in faults.
Members of a list are identified by their `key`, windows of a schedule by their beginning and rewards for ranks by the first
rank, so moving one is no change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from livecore.kernel.errors import Json
from livecore.kernel.wire import compact

_NAMING: Final = ("key", "startsAt", "from")
"""The fields that identify a member of a list."""
_LONGEST_VALUE: Final = 80


def differences(before: Json, after: Json) -> list[str]:
    """The lines, in the order of the configuration; none when nothing changes."""
    return list(_walk("", before, after))


def _walk(path: str, before: Json, after: Json) -> Iterator[str]:
    if before == after:
        return
    old, new = _members(before), _members(after)
    if old is None or new is None:
        yield from _replaced(path, before, after)
        return
    keyed = isinstance(before, list)
    for name in [*old, *(name for name in new if name not in old)]:
        place = f"{path}[{name}]" if keyed else f"{path}.{name}".lstrip(".")
        if name not in new:
            yield f"- {place}"
        elif name not in old:
            yield from _added(place, new[name])
        else:
            yield from _walk(place, old[name], new[name])


def _replaced(path: str, before: Json, after: Json) -> Iterator[str]:
    line = f"~ {path}: {compact(before)} -> {compact(after)}"
    if len(line) <= len(path) + 2 * _LONGEST_VALUE or not isinstance(before, list | dict | None):
        yield line
    elif isinstance(before, list) and isinstance(after, list):
        yield from (f"- {path}[{number}]" for number in range(len(after), len(before)))
        for number, member in enumerate(after):
            if number >= len(before):
                yield from _added(f"{path}[{number}]", member)
            else:
                yield from _walk(f"{path}[{number}]", before[number], member)
    else:
        if before is not None:
            yield f"- {path}"
        if after is not None:
            yield from _added(path, after)


def _added(path: str, value: Json) -> Iterator[str]:
    shown = compact(value)
    parts = dict(enumerate(value)) if isinstance(value, list) else value
    if not isinstance(parts, dict) or not parts or len(shown) <= _LONGEST_VALUE:
        yield f"+ {path}: {shown}"
        return
    for name, part in parts.items():
        if part is not None and part != []:
            yield from _added(f"{path}[{name}]" if isinstance(name, int) else f"{path}.{name}", part)


def _members(value: Json) -> dict[str, Json] | None:
    """An object's members, or a list's by what names them; `None` for what has no parts to compare."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return None
    named: dict[str, Json] = {}
    for member in value:
        field = next((field for field in _NAMING if isinstance(member, dict) and field in member), None)
        if field is None or not isinstance(member, dict):
            return None
        kind = member.get("type")
        named[f"{kind}:{member[field]}" if isinstance(kind, str) else str(member[field])] = member
    return named

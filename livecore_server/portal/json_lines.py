"""On which line of a JSON text its places stand, so that a fault in a long text can be found."""

from __future__ import annotations

import json
import re
from typing import Final, TypeAlias

import attrs

PathPart: TypeAlias = "str | int"
"""The name of a member, or the number of an entry."""
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_FIRST_STEP: Final = re.compile(r"\[(\d{1,9})\]|\.?([^.\[\]]+)")


@attrs.frozen(eq=False)
class Place:
    """A value of a text. It does not know its path: those of all places may be much longer together than the text."""

    line: int
    inner: dict[PathPart, Place] = attrs.field(factory=dict)
    """The places in it."""


@attrs.define(eq=False)
class _Holder:
    """An object or a list that is being read."""

    place: Place
    number: int | None
    """The number of the next entry of a list; `None` in an object."""
    named: Place | None = None
    """The member that is being read, once it has its name."""


def places_of(text: str) -> Place:
    """The whole of a valid JSON text, with all places in it; lines are counted from 1."""
    root = Place(1)
    holders: list[_Holder] = []
    line, read = 1, 0
    for token in _TOKEN.finditer(text):
        line, read = line + text.count("\n", read, token.start()), token.start()
        if token[0] in "}]":
            holders.pop()
        elif token[0] == ",":
            _go_on(holders[-1])
        elif token[0] != ":":
            _read(token[0], holders, root, line)
    return root


def line_of(path: str, root: Place) -> int:
    """The line of a path; where there is no such place, as of what is missing, that of the nearest one around it."""
    place, rest = root, path
    while rest:
        # A name may have dots and brackets, which the last step of a path shows as they are.
        last = place.inner.get(rest.removeprefix("."))
        if last is not None:
            return last.line
        step = _FIRST_STEP.match(rest)
        inner = place.inner.get(int(step[1]) if step[1] else step[2]) if step else None
        if step is None or inner is None:
            break
        place, rest = inner, rest[step.end() :]
    return place.line


def _go_on(holder: _Holder) -> None:
    if holder.number is not None:
        holder.number += 1
    holder.named = None


def _read(word: str, holders: list[_Holder], root: Place, line: int) -> None:
    around = holders[-1] if holders else None
    if around is None:
        place = root
    elif around.number is not None:
        place = around.place.inner[around.number] = Place(line)
    elif around.named is not None:
        place = around.named
    else:
        around.named = around.place.inner[str(json.loads(word))] = Place(line)
        return
    if word in "{[":
        holders.append(_Holder(place, 0 if word == "[" else None))

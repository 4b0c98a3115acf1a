"""On which line of a JSON text its places stand, so that a fault in a long text can be found."""

from __future__ import annotations

import json
import re
from typing import Final

import attrs

__all__ = ["line_of", "lines_of"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_LAST_STEP: Final = re.compile(r"(\.[^.\[\]]*|\[\d+\])$")


@attrs.define
class _Holder:
    """An object or a list that is being read."""

    path: str
    place: int | None
    """The place of the next entry of a list; `None` in an object."""
    name: str | None = None
    """The name of the member that is being read."""

    @property
    def present(self) -> str:
        """The path of what is being read in it."""
        if self.place is not None:
            return f"{self.path}[{self.place}]"
        return f"{self.path}.{self.name}" if self.path else str(self.name)


def lines_of(text: str) -> dict[str, int]:
    """The line of each place of a valid JSON text by its path; lines are counted from 1. The whole has the path ``""``."""
    found = {"": 1}
    holders: list[_Holder] = []
    line, read = 1, 0
    for token in _TOKEN.finditer(text):
        line, read = line + text.count("\n", read, token.start()), token.start()
        if token[0] in "}]":
            holders.pop()
        elif token[0] == ",":
            _go_on(holders[-1])
        elif token[0] != ":":
            _read(token[0], holders, found, line)
    return found


def line_of(path: str, lines: dict[str, int]) -> int:
    """The line of a path; where there is no such place, as of what is missing, that of the nearest one around it."""
    while path not in lines:
        around = _LAST_STEP.sub("", path)
        path = "" if around == path else around
    return lines[path]


def _go_on(holder: _Holder) -> None:
    if holder.place is not None:
        holder.place += 1
    holder.name = None


def _read(word: str, holders: list[_Holder], found: dict[str, int], line: int) -> None:
    inner = holders[-1] if holders else None
    if inner is not None and inner.place is None and inner.name is None:
        inner.name = str(json.loads(word))
        found[inner.present] = line
        return
    path = "" if inner is None else inner.present
    if inner is not None and inner.place is not None:
        found[path] = line
    if word in "{[":
        holders.append(_Holder(path, 0 if word == "[" else None))

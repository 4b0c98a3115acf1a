"""Notices as texts of bounded length, for the transport between processes.

A text names the process that sent it, so that this process ignores its own, and holds as many notices as fit. Or it says
that notices of this process were lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice

_LOST = "lost"


@attrs.frozen
class Received:
    """The contents of a text: notices of a process, or that some of them were lost."""

    source: str
    notices: Sequence[Notice]
    lost: bool


def texts_of(source: str, notices: Sequence[Notice], most_bytes: int) -> Iterator[str]:
    """The notices in their order, in texts of at most `most_bytes`; each single notice is shorter than that."""
    parts: list[str] = []
    length = 0
    for notice in notices:
        # Only ASCII, so that a character is a byte.
        part = json.dumps([notice.scope.id, notice.topic, notice.payload], separators=(",", ":"))
        if parts and length + len(part) + 1 > most_bytes - _ROOM:
            yield _text(source, parts)
            parts, length = [], 0
        parts.append(part)
        length += len(part) + 1
    if parts:
        yield _text(source, parts)


_ROOM = 64
"""The bytes of a text besides its notices."""


def _text(source: str, parts: list[str]) -> str:
    return f'["{source}",[{",".join(parts)}]]'


def lost_text(source: str) -> str:
    """The text which says that notices of this process were lost."""
    return f'["{source}","{_LOST}"]'


def parse_text(text: str) -> Received | None:
    """The contents of a text, or `None` for a foreign text."""
    try:
        source, said = json.loads(text)
        if said == _LOST:
            return Received(source, (), lost=True)
        return Received(
            source, [Notice(Scope.parse(scope), topic, payload) for scope, topic, payload in said], lost=False
        )
    except (ValueError, TypeError, AttributeError):
        return None

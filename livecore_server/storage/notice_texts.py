"""Notices as texts of bounded length, for whatever carries them from one process to others.

A text names the process that it comes from, so that this one leaves its own aside, and holds as many notices as fit; or it
says that notices of this process have been lost on the way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import attrs

from livecore.kernel.notices import Notice
from livecore.kernel.scope import Scope

__all__ = ["Heard", "heard_in", "lost_text", "texts_of"]

_LOST = "lost"


@attrs.frozen
class Heard:
    """What a text says: notices of a process, or that some of them were lost."""

    source: str
    notices: Sequence[Notice]
    lost: bool


def texts_of(source: str, notices: Sequence[Notice], most_bytes: int) -> Iterator[str]:
    """The notices in their order, in texts of at most so many bytes; each notice alone is shorter than that."""
    parts: list[str] = []
    length = 0
    for notice in notices:
        # ASCII alone, so that a character is a byte.
        part = json.dumps([notice.scope.id, notice.topic, notice.payload], separators=(",", ":"))
        if parts and length + len(part) + 1 > most_bytes - _ROOM:
            yield _text(source, parts)
            parts, length = [], 0
        parts.append(part)
        length += len(part) + 1
    if parts:
        yield _text(source, parts)


_ROOM = 64
"""What a text needs besides its notices."""


def _text(source: str, parts: list[str]) -> str:
    return f'["{source}",[{",".join(parts)}]]'


def lost_text(source: str) -> str:
    """The text which says that notices of this process were lost."""
    return f'["{source}","{_LOST}"]'


def heard_in(text: str) -> Heard | None:
    """What a text says, or `None`: it is none of ours."""
    try:
        source, said = json.loads(text)
        if said == _LOST:
            return Heard(source, (), lost=True)
        return Heard(source, [Notice(Scope.parse(scope), topic, payload) for scope, topic, payload in said], lost=False)
    except (ValueError, TypeError, AttributeError):
        return None

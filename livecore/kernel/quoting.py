"""Quotes what a caller said, for a message to people: printable, and never long, whatever it was.

Messages are shown in terminals, logs and pages, so control characters, characters that change the direction of writing and
lone surrogates are written as their escapes, and a long text is cut.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Final

_LONGEST: Final = 80
_MOST: Final = 10
_MARGIN: Final = 2


def bounded(text: str, longest: int = _LONGEST) -> str:
    """A text without quotes: its unprintable characters escaped, and cut at `longest` characters."""
    # An escape is longer than its character, so what is cut away before cannot be needed.
    head = text[: longest + 1]
    if not head.isprintable():
        head = "".join(character if character.isprintable() else repr(character)[1:-1] for character in head)
    return head if len(head) <= longest else f"{head[: longest - 1]}…"


def quoted(value: object, longest: int = _LONGEST) -> str:
    """What a caller gave, in quotes if it is a text: unprintable characters escaped, and cut at `longest` characters."""
    if isinstance(value, str):
        return f"'{bounded(value, longest - _MARGIN)}'"
    return bounded(repr(value), longest)


def listed(names: Collection[str], most: int = _MOST) -> str:
    """The first names in their order with commas, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(bounded(name) for name in islice(names, most)) + more


def there_are(names: Collection[str]) -> str:
    """The end of a message about an unknown name: the first ten of those that there are."""
    return f"there are {listed(names)}" if len(names) > 1 else f"there is {listed(names) or 'none'}"

"""What stands on a page that no person wrote and none can read: values as Python or JavaScript writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from tests.portal.browsing import Element, Shown

_OF_A_PROGRAM: Final = re.compile(
    r"\b(?:None|True|False|null|undefined)\b|[{\[]'|\('[^']*',|\bobject at 0x|\bobject>|\bABSENT\b"
)
_VERBATIM: Final = frozenset({"code", "del", "ins", "pre", "script", "textarea"})
"""Elements that show what a program reads, such as settings and their changes, as it stands."""


def of_a_program(shown: Shown) -> list[str]:
    """The texts on a page, or in its attributes that are read aloud, that a program has written."""
    if not _OF_A_PROGRAM.search(unescape(shown.html)):
        return []  # Reading the elements takes longer than making the page.
    return [text for text in _texts(shown.page) if _OF_A_PROGRAM.search(text)]


def _texts(element: Element) -> Iterator[str]:
    for name in ("alt", "aria-label", "placeholder", "title"):
        yield element.attributes.get(name, "")
    for child in element.children:
        if isinstance(child, str):
            yield " ".join(child.split())
        elif child.tag not in _VERBATIM:
            yield from _texts(child)

"""Tasks and tutorials are written in plain words, as a reader whose second language is English reads them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.pages import PAGES, ROOT

PLAIN: Final = [
    page
    for page in PAGES
    if page.parent.name == "how-to" or page.relative_to(ROOT).as_posix() in {"README.md", "docs/tutorial.md"}
]
UNUSUAL: Final = re.compile(r"\b(anew|afresh|hears of|is no member|none of the other)\b")
STARTING: Final = re.compile(r"(?:^|[.:;]\s+|\|\s+)(?:Who (?:is|was)|Whoever)\b(?![^.|]*\?)", re.MULTILINE)
"""A sentence whose subject is a clause: its reader knows only at the end of it who does something."""
QUOTED: Final = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.name)
def test_the_words_are_plain(page: Path) -> None:
    """None of the words that stopped readers, and no sentence that begins with `Who is` or `Whoever`."""
    text = QUOTED.sub("", page.read_text("utf-8"))
    assert [found.group() for pattern in (UNUSUAL, STARTING) for found in pattern.finditer(text)] == []

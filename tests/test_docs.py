"""The documentation's Python runs: the blocks of a page, in order, are one program, and its assertions hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def python_of(page: Path) -> str:
    """The Python blocks of a page as one text, each at the lines where it stands, so that a traceback points there."""
    text = page.read_text("utf-8")
    lines = [""] * (text.count("\n") + 1)
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        first = text.count("\n", 0, block.start(1))
        for offset, line in enumerate(block.group(1).splitlines()):
            lines[first + offset] = line
    return "\n".join(lines)


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAMS = {page.relative_to(ROOT).as_posix(): python_of(page) for page in PAGES if python_of(page).strip()}


@pytest.mark.parametrize("page", sorted(PROGRAMS))
def test_the_python_of_a_page_runs(page: str) -> None:
    """A reader can paste what a page shows, from its beginning to its end."""
    exec(compile(PROGRAMS[page], page, "exec"), {"__name__": "__main__"})  # noqa: S102 - our own pages, as a reader would

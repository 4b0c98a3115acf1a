"""The pages of the documentation as programs: the Python blocks of a page, in order, are one.

A page's program runs in an empty directory. Pages that call a server say which game it has: their own JSON block, or the one
that `livecore dev` makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from livecore_client import SdkClient, ServerClient

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> Iterator[re.Match[str]]:
    """The fenced blocks of a page that are in this language."""
    return re.finditer(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def _python_of(page: Path) -> str:
    """The Python blocks of a page as one text, each at the lines where it stands, so that a traceback points there."""
    text = page.read_text("utf-8")
    lines = [""] * (text.count("\n") + 1)
    for block in blocks(page, "python"):
        first = text.count("\n", 0, block.start(1))
        for offset, line in enumerate(block.group(1).splitlines()):
            lines[first + offset] = line
    return "\n".join(lines)


PROGRAMS: Final = {page.relative_to(ROOT).as_posix(): _python_of(page) for page in PAGES if _python_of(page).strip()}
CALLING: Final = {
    page
    for page, program in PROGRAMS.items()
    if re.search(r"(Server|Sdk)Client\(", program) and "LocalTransport" not in program
}
"""The pages that call a server."""
DEVELOPING: Final = sorted(page for page in CALLING if not any(blocks(ROOT / page, "json")))
"""Those of them that have no game of their own."""


def run(page: str) -> None:
    """Run the program of a page in the current directory."""
    for block in blocks(ROOT / page, "json"):
        Path("game.json").write_text(block.group(1), "utf-8")
        break
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(PROGRAMS[page], page, "exec"), names)  # noqa: S102 - our own pages, as a reader would
    for client in names.values():
        if isinstance(client, SdkClient | ServerClient):
            client.close()

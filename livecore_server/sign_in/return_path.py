"""Where a sign-in returns to: a page of the portal, and never another host."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

HOME: Final = "/portal/"
"""Where a sign-in leads to by default; every other place is below it."""
_LONGEST_PATH: Final = 1_000


def local_path(text: str | None) -> str:
    """Where to go after a sign-in: `text` if it is a path of the portal, else the portal's first page.

    A browser reads `//` and backslashes as the beginning of another host, and takes dot segments out of a path also where
    they are percent-encoded. So none of them passes, and nothing that is not plain ASCII.
    """
    if text is None or len(text) > _LONGEST_PATH or not text.isascii() or not text.isprintable():
        return HOME
    path = text.partition("#")[0].partition("?")[0]
    plain = unquote(path)
    odd = "\\" in text or " " in text or "\\" in plain or "//" in plain or "//" in path
    if odd or not path.startswith(HOME) or any(part in (".", "..") for part in plain.split("/")):
        return HOME
    return text

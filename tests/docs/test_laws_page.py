"""The page of laws names every test of a law, and only files that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs/laws.md").read_text("utf-8")
NAMED: Final = set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE))


def test_every_law_is_on_the_page() -> None:
    """Each test in the folders of laws, and each elsewhere whose docstring begins with a law."""
    laws = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py") if _is_law(path)}
    assert len(laws) > 30
    assert laws - NAMED == set()


def _is_law(path: Path) -> bool:
    if path.parent.name == "laws":
        return True
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return re.match(r"The laws?\b", said) is not None


def test_every_named_file_exists() -> None:
    """And the tables name no file twice."""
    assert sorted(name for name in NAMED if not (ROOT / name).is_file()) == []
    rows = [re.findall(r"`(tests/[\w/]+\.py)`", line) for line in PAGE.splitlines() if line.startswith("|")]
    listed = [name for row in rows for name in row]
    assert len(listed) == len(set(listed))


def test_each_row_states_a_law_and_its_test() -> None:
    """In a sentence or two, and with a test."""
    for line in PAGE.splitlines():
        if line.startswith("| ") and not line.startswith("| Law"):
            law, tests = (cell.strip() for cell in line.strip("|").split("|"))
            assert law.endswith("."), law
            assert law.count(". ") <= 1, law
            assert re.fullmatch(r"`tests/[\w/]+\.py`(, `tests/[\w/]+\.py`)*", tests), tests

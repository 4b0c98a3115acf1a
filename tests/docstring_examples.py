"""The examples that stand in docstrings, as modules that can be type-checked and run.

A block that is indented by four blanks and is Python is an example; a table or a picture is not Python. The names that an
example presumes come from `tests/docstring_contexts.py`. An example that waits becomes a coroutine.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from tests.docstring_contexts import CONTEXTS

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("livecore", "livecore_server", "livecore_client")
_LIKE_CODE: Final = re.compile(
    r"^\s*(@\w+(\(.*\))?$|((async )?(def|with|for)|class|while|case|if) .*:|import |from \S+ import |"
    r"[\w.]+(: \w+)? = |[\w.]+\(.*\)$)",
    re.MULTILINE,
)
"""What a line of a table does not begin with: a block that has one and is no Python is an example with a mistake."""


@attrs.frozen
class Example:
    """One example: the file and the name of what has the docstring, which of its examples it is, and its text."""

    path: str
    owner: str
    number: int
    text: str

    @property
    def place(self) -> str:
        """Where it stands, as `CONTEXTS` names it."""
        return f"{self.path}:{self.owner}" + (f":{self.number}" if self.number > 1 else "")

    @property
    def module(self) -> str:
        """The name of the module that it becomes."""
        return re.sub(r"\W", "_", self.place.removesuffix(".py"))

    @property
    def waits(self) -> bool:
        """Whether it has to stand in a coroutine."""
        return bool(re.search(r"^\s*(async (with|for)\b|.*\bawait )", self.text, re.MULTILINE))

    @property
    def source(self) -> str:
        """The module: the names that it presumes, and the example itself."""
        text = self.text
        if self.waits:
            text = "async def example() -> None:\n" + textwrap.indent(text, "    ")
        return f"from __future__ import annotations\n\n{textwrap.dedent(CONTEXTS.get(self.place, ''))}\n{text}\n"


def blocks_in(docstring: str) -> Iterator[str]:
    """The indented blocks of a docstring that has been cleaned."""
    for block in re.findall(r"(?:^    .*\n(?:\s*\n(?=    ))?)+", docstring + "\n", re.MULTILINE):
        yield textwrap.dedent(block).strip("\n")


def looks_like_code(block: str) -> bool:
    """Whether a block has a line that no table would have."""
    return _LIKE_CODE.search(block) is not None


def is_python(block: str) -> bool:
    """Whether a block can be parsed."""
    try:
        ast.parse(block)
    except SyntaxError:
        return False
    return True


def _examples_in(path: Path) -> Iterator[Example]:
    """The examples of a file, and what looks like one and cannot be parsed."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found = [one for one in blocks_in(inspect.cleandoc(ast.get_docstring(node) or "")) if _is_example(one)]
            owner = getattr(node, "name", "")
            for number, block in enumerate(found, 1):
                yield Example(path.relative_to(ROOT).as_posix(), owner, number, block)


def _is_example(block: str) -> bool:
    return is_python(block) or looks_like_code(block)


EXAMPLES: Final = tuple(
    example for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")) for example in _examples_in(path)
)
"""Every example of the three packages."""

"""The documentation's Python runs: the blocks of a page, in order, are one program, and its assertions hold.

The pages that call a server are run by `tests/proofs/docs`. The commands that pages show exist, with every option that they
are given.
"""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from livecore_client._settings import ENVIRONMENT
from tests.commands_shown import require_command
from tests.pages import CALLING, DEVELOPING, PAGES, PROGRAMS, ROOT, blocks, run

WIDTH = 96
"""How many characters of code stand side by side on a built page; `docs/conf.py` sets their size."""


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != ROOT], ids=lambda page: page.name)
def test_code_fits_its_box(page: Path) -> None:
    """No line of code is so long that the built page would cut it off and have its reader scroll sideways."""
    for block in blocks(page, r"\w+"):
        for line in block.group(1).splitlines():
            assert len(line) <= WIDTH, line


def paragraphs(page: Path) -> list[str]:
    """The running text of a page as it is read, each paragraph, list item and cell for itself."""
    settings = MdParserConfig(
        enable_extensions=set(runpy.run_path(str(ROOT / "docs/conf.py"))["myst_enable_extensions"])
    )
    tokens = create_md_parser(settings, RendererHTML).parse(page.read_text("utf-8"))
    return [token.content for token in tokens if token.type == "inline"]


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != ROOT], ids=lambda page: page.name)
def test_lists_are_lists(page: Path) -> None:
    """A term and its meaning, and numbered steps, are read as lists, not as text with colons and numbers in it."""
    texts = paragraphs(page)
    assert [text for text in texts if re.search(r"^: ", text, re.MULTILINE)] == []
    assert [text for text in texts if re.search(r"[;.,]\s(\d{1,2})\. [a-z].*[;.,]\s\d{1,2}\. ", text, re.DOTALL)] == []


def commands_of(page: Path) -> Iterator[list[str]]:
    """What follows `livecore` in each command of a page's console blocks."""
    for block in blocks(page, "console"):
        whole = block.group(1).replace("\\\n", " ")
        for line in re.findall(r"^\$ (.*)", whole, re.MULTILINE):
            for part in re.split(r"&&|\||;", line.partition("  #")[0]):
                words = shlex.split(part)
                if words[:1] == ["sudo"]:
                    words = words[3:]  # sudo -u livecore
                while words and "=" in words[0]:
                    words = words[1:]  # a variable
                if words and Path(words[0]).name == "livecore":
                    yield words[1:]


COMMANDS = [
    pytest.param(words, id=f"{page.relative_to(ROOT).as_posix()}: {' '.join(words)}")
    for page in PAGES
    for words in commands_of(page)
]


@pytest.fixture(autouse=True)
def _empty_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where a reader begins: no files, and no variables but those that the page speaks of."""
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", sorted(PROGRAMS.keys() - CALLING))
def test_the_python_of_a_page_runs(page: str) -> None:
    """A reader can paste what a page shows, from its beginning to its end."""
    run(page)


@pytest.mark.parametrize("page", DEVELOPING)
def test_a_page_says_which_game_it_presumes(page: str) -> None:
    """It names the command that makes it."""
    assert "`livecore dev`" in (ROOT / page).read_text("utf-8")


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_that_a_page_shows_exists(words: list[str]) -> None:
    """The command line has the command, and the command has every option."""
    require_command(words)


def test_the_clients_environment_is_documented() -> None:
    """The page on the clients has every environment variable that they read, with what it means, and no other."""
    page = (ROOT / "docs" / "how-to" / "use-the-client.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(LIVECORE_\w+)` \| (.*?) \|$", page, re.MULTILINE))
    assert rows == dict(ENVIRONMENT)


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == ROOT], ids=lambda page: page.name)
def test_what_a_page_of_the_root_leads_to_is_there(page: Path) -> None:
    """The files that README and CONTRIBUTING link to, and the pictures that they show. Sphinx checks the other pages."""
    text = page.read_text("utf-8")
    named = re.findall(r"\]\((?!http)([^)#]+)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_promise_of_security_names_its_tests() -> None:
    """And they are there: a promise that nothing shows is none."""
    rows = [line for line in (ROOT / "docs" / "security.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    promises = [row for row in rows if not row.startswith("| Promise ")]
    assert len(promises) > 20
    assert [row for row in promises if "`tests/" not in row.split(" | ")[-1]] == []
    named = [name for row in promises for name in re.findall(r"`(tests/[^`]+)`", row)]
    assert [name for name in named if not (ROOT / name).is_file()] == []

"""The documentation's Python runs: the blocks of a page, in order, are one program, and its assertions hold.

A page's program runs in an empty directory. Where a page speaks of `LIVECORE_BASE_URL`, there is a server with the game of
the page's own JSON block, or else the demo game, and the environment that the page tells its reader to set. The commands
that pages show exist, with every option that they are given.
"""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from examples.own_server import own_server
from livecore.demo import DEMO
from livecore_client import SdkClient, ServerClient
from livecore_client._settings import ENVIRONMENT
from tests.commands_shown import require_command

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

WIDTH = 96
"""How many characters of code stand side by side on a built page; `docs/conf.py` sets their size."""


def blocks(page: Path, language: str) -> Iterator[re.Match[str]]:
    """The fenced blocks of a page that are in this language."""
    return re.finditer(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != ROOT], ids=lambda page: page.name)
def test_code_fits_its_box(page: Path) -> None:
    """No line of code is so long that the built page would cut it off and have its reader scroll sideways."""
    for block in blocks(page, r"\w+"):
        for line in block.group(1).splitlines():
            assert len(line) <= WIDTH, line


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != ROOT], ids=lambda page: page.name)
def test_definitions_are_lists(page: Path) -> None:
    """What is written as a term and its meaning is read as that, and not as a paragraph that begins with a colon."""
    settings = MdParserConfig(
        enable_extensions=set(runpy.run_path(str(ROOT / "docs/conf.py"))["myst_enable_extensions"])
    )
    tokens = create_md_parser(settings, RendererHTML).parse(page.read_text("utf-8"))
    stray = [
        token.content for token in tokens if re.search(r"^: ", token.content, re.MULTILINE) and token.type == "inline"
    ]
    assert not stray


def python_of(page: Path) -> str:
    """The Python blocks of a page as one text, each at the lines where it stands, so that a traceback points there."""
    text = page.read_text("utf-8")
    lines = [""] * (text.count("\n") + 1)
    for block in blocks(page, "python"):
        first = text.count("\n", 0, block.start(1))
        for offset, line in enumerate(block.group(1).splitlines()):
            lines[first + offset] = line
    return "\n".join(lines)


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


PROGRAMS = {page.relative_to(ROOT).as_posix(): python_of(page) for page in PAGES if python_of(page).strip()}
COMMANDS = [
    pytest.param(words, id=f"{page.relative_to(ROOT).as_posix()}: {' '.join(words)}")
    for page in PAGES
    for words in commands_of(page)
]


@contextmanager
def surroundings(page: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server and the environment that a page presumes, if it does."""
    if "LIVECORE_BASE_URL" not in (ROOT / page).read_text("utf-8"):
        yield
        return
    games = [block.group(1) for block in blocks(ROOT / page, "json")]
    with own_server(games[0] if games else DEMO) as server:
        monkeypatch.setenv("LIVECORE_BASE_URL", server.base_url)
        monkeypatch.setenv("LIVECORE_API_KEY", server.client_key)
        monkeypatch.setenv("STUDIO_KEY", server.server_key)
        yield


@pytest.mark.parametrize("page", sorted(PROGRAMS))
def test_the_python_of_a_page_runs(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A reader can paste what a page shows, from its beginning to its end."""
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    for block in blocks(ROOT / page, "json"):
        Path("game.json").write_text(block.group(1), "utf-8")
        break
    with surroundings(page, monkeypatch):
        names: dict[str, object] = {"__name__": "__main__"}
        exec(compile(PROGRAMS[page], page, "exec"), names)  # noqa: S102 - our own pages, as a reader would
        for client in names.values():
            if isinstance(client, SdkClient | ServerClient):
                client.close()


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_that_a_page_shows_exists(words: list[str]) -> None:
    """The command line has the command, and the command has every option."""
    require_command(words)


def test_the_clients_environment_is_documented() -> None:
    """The page on the clients has every environment variable that they read, with what it means, and no other."""
    page = (ROOT / "docs" / "how-to" / "use-the-client.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(LIVECORE_\w+)` \| (.*?) \|$", page, re.MULTILINE))
    assert rows == dict(ENVIRONMENT)

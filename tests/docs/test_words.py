"""Pages, references and messages are written in plain words, as a reader whose second language is English reads them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.api.configuration.game_config import config_schema
from livecore.api.openapi import document
from tests.each import of_each
from tests.pages import PAGES, ROOT

UNUSUAL: Final = re.compile(
    r"\b(anew|afresh|hears? of|is no member|none of the other|floors?|short memory|small readings|stands?|stood"
    r"|whoever|(?:the|their|its|of|within|out of) reach)\b",
    re.IGNORECASE,
)
STARTING: Final = re.compile(r"(?:^|[.:;]\s+|\|\s+)Who (?:is|was)\b(?![^.|]*\?)", re.MULTILINE)
"""A sentence whose subject is a clause: its reader knows only at the end of it who does something."""
FOR_DEVELOPERS: Final = {"CONTRIBUTING.md"}
SHOWN: Final = re.compile(r"^```.*?^```|`[^`]*`|^Answers \d+: Who is signed in", re.DOTALL | re.MULTILINE)
"""Code, and the names of what a row is."""
TEMPLATES: Final = sorted((ROOT / "livecore_server" / "portal" / "templates").glob("*.html"))
MODULES: Final = [
    path for name in ("livecore", "livecore_server", "livecore_client") for path in sorted((ROOT / name).rglob("*.py"))
]


def faults_of(text: str) -> list[str]:
    """The words of a text that stop its reader."""
    plain = SHOWN.sub("", text)
    return [found.group() for pattern in (UNUSUAL, STARTING) for found in pattern.finditer(plain)]


def name_of(path: Path) -> str:
    """A file, by its place in the repository."""
    return path.relative_to(ROOT).as_posix()


@of_each([page for page in PAGES if name_of(page) not in FOR_DEVELOPERS], name_of)
def test_the_words_of_pages_are_plain(page: Path) -> None:
    """None of the words that stopped readers: no page, the reference and the decisions included."""
    assert faults_of(page.read_text("utf-8")) == []


@of_each(TEMPLATES, name_of)
def test_the_words_of_the_portal_are_plain(template: Path) -> None:
    """What a person reads there, without the comments and the expressions of its templates."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", " ", template.read_text("utf-8"), flags=re.DOTALL)
    assert faults_of(text) == []


def texts_of(module: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings: messages, help, and the texts of operations."""
    tree = ast.parse(module.read_text("utf-8"))
    docstrings = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


@of_each(MODULES, name_of)
def test_the_words_of_messages_are_plain(module: Path) -> None:
    """Whatever a program can print, answer or log."""
    assert [fault for text in texts_of(module) for fault in faults_of(text)] == []


def described(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """The descriptions, summaries and titles within a document."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name in {"description", "summary", "title"} and isinstance(part, str):
                yield part
            else:
                yield from described(part)
    elif isinstance(value, list):
        for part in value:
            yield from described(part)


@pytest.mark.parametrize("name", ["sdk", "server", "admin", "configuration"])
def test_the_words_of_documents_are_plain(name: Any) -> None:  # noqa: ANN401 - one of the literals
    """What generated clients and editors show: the docstrings of shapes are descriptions there."""
    whole = config_schema() if name == "configuration" else document(name)
    texts = list(described(whole))
    assert len(texts) > 10
    assert [(fault, text) for text in texts for fault in faults_of(text)] == []

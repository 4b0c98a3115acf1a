"""The front page leads everybody to their tasks, and the list of tasks has a line for each of them."""

from __future__ import annotations

import re
import runpy
from typing import Final

import pytest

from tests.pages import ROOT

DOCS: Final = ROOT / "docs"
TASKS: Final = sorted(f"how-to/{page.stem}" for page in (DOCS / "how-to").glob("*.md") if page.stem != "index")
DOORS: Final = ("You make a game", "You write the studio's backend", "You run the live game and its support",
                "You operate the server")  # fmt: skip


def parts_of(page: str) -> dict[str, str]:
    """What a page has under each heading; before the first one under ''."""
    name, *rest = re.split(r"^## (.*)\n", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE)
    return {"": name, **dict(zip(rest[::2], rest[1::2], strict=True))}


def led_to(text: str) -> list[str]:
    """The pages to which a text leads, as paths below the documentation."""
    targets = re.findall(r"\{doc\}`(?:[^`<]*<)?([^`<>]+)>?`", text)
    return [target.lstrip("/") for target in targets]


def test_the_front_page_has_one_command_and_four_doors() -> None:
    """The command of the README comes first, and then a numbered list for each kind of reader, before all else."""
    parts = parts_of("index.md")
    (command,) = re.findall(r"^\$ (.*)$", parts[""], re.MULTILINE)
    assert f"\n$ {command}\n" in (ROOT / "README.md").read_text("utf-8")
    assert tuple(parts)[1:] == (*DOORS, "Understand")
    assert [door for door in DOORS if not parts[door].startswith("\n1. ")] == []


def test_each_task_is_behind_one_door() -> None:
    """On the front page and in the navigation beside it."""
    text = (DOCS / "index.md").read_text("utf-8")
    parts = parts_of("index.md")
    shown = [target for door in DOORS for target in led_to(parts[door]) if target.startswith("how-to/")]
    assert sorted(shown) == TASKS
    navigation = [line for line in text.splitlines() if line.startswith("how-to/") and line != "how-to/index"]
    assert sorted(navigation) == TASKS


def test_the_list_of_tasks_says_what_each_page_gives() -> None:
    """One line for each, behind the same doors as on the front page."""
    parts, front = parts_of("how-to/index.md"), parts_of("index.md")
    assert tuple(parts)[1:] == DOORS
    for door in DOORS:
        lines = parts[door].strip().splitlines()
        assert [line for line in lines if not re.fullmatch(r"- \{doc\}`[/\w-]+`: \S.{20,}\.", line)] == []
        listed = [target if target == "tutorial" else f"how-to/{target}" for target in led_to(parts[door])]
        assert sorted(listed) == sorted(led_to(front[door]))


def test_the_words_of_the_search_lead_to_pages() -> None:
    """Each page is there, and no two pages have the same word."""
    words: dict[str, tuple[str, ...]] = runpy.run_path(str(DOCS / "_extensions" / "reading.py"))["WORDS"]
    assert [page for page in words if not (DOCS / f"{page}.md").is_file()] == []
    every = [word for own in words.values() for word in own]
    assert sorted(set(every)) == sorted(every)


@pytest.mark.parametrize("word", ["real-time matches", "chat", "push notifications", "payment", "saved games"])
def test_what_is_not_there_is_said(word: str) -> None:
    """What people come to ask for has its row, with what to use beside it."""
    rows = [line.split("|") for line in (DOCS / "what-livecore-does-not-do.md").read_text("utf-8").splitlines()]
    (row,) = [cells for cells in rows if len(cells) == 5 and word in cells[1]]
    assert row[2].strip()
    assert row[3].strip()

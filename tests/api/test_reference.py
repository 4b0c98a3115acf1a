"""The reference pages: nothing is left out, and where a reader was sent stays where it is."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import config_schema
from livecore.api.table.operation import Operation
from livecore.kernel.errors import Refusal
from tests.api.documents import DESCRIBED
from tests.each import of_each

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference"
FOLDERS = {"sdk": "client", "server": "server", "admin": "operator"}
"""Where the operations of a surface are."""


@cache
def page(name: str) -> str:
    """The text of a page."""
    return (REFERENCE / name).read_text("utf-8")


def section(folder: str, anchor: str) -> str:
    """What stands between an anchor and the next one, on the one page of the folder that has it."""
    pages = [page(path.relative_to(REFERENCE).as_posix()) for path in (REFERENCE / folder).glob("*.md")]
    (text,) = [text for text in pages if f"\n({anchor})=\n" in text]
    return text.partition(f"\n({anchor})=\n")[2].partition("\n(")[0]


@of_each(AREAS.refusals, name=lambda kind: kind.code)
def test_every_code_has_a_page_of_its_own(kind: type[Refusal]) -> None:
    """Status, meaning, when it comes and what to do, under an anchor that follows from the code alone."""
    text = section("errors", f"error-{kind.code.replace('_', '-')}")
    assert f"## {kind.code}\n" in text
    assert f"Status: {kind.status}." in text
    assert re.search(r"^When: .+\.$", text, re.MULTILINE)
    assert kind.remedy
    assert f"What to do: {kind.remedy}" in text


@of_each(DESCRIBED)
def test_every_operation_has_its_section(entry: Operation) -> None:
    """Method and path, credential, bucket, permission, an example of each answer, and the refusals."""
    text = section(FOLDERS[entry.surface], f"operation-{entry.surface}-{entry.name.lower()}")
    assert f"{entry.method} {entry.path}\n" in text.replace(f"{entry.method}\n/", f"{entry.method} /")
    assert "Credential: " in text
    assert entry.bucket is None or f"Bucket: `{entry.bucket}`" in text
    permission = "none needed" if entry.permission is None else f"`{entry.permission}`"
    assert (f"Permission: {permission}." in text) is (entry.surface == "admin")
    assert ("Not by a personal key" in text) is bool(entry.dashboard_only)
    assert ("Not by a personal key." in text) is (entry.dashboard_only is True)
    assert all(f"Answers {status}: " in text for status in entry.answers)
    assert all(f"`{kind.code}`" in text for kind in entry.errors)


@of_each(AREAS.events, name=str)
def test_every_kind_of_event_has_its_section(kind: str) -> None:
    """A heading, and a sample delivery that is JSON."""
    text = section("events", f"event-{kind.replace('.', '-').replace('_', '-')}")
    assert f"## {kind}\n" in text
    (sample,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert json.loads(sample)["eventName"] == kind


def operations_of(surface: str) -> list[str]:
    """The anchors of the operations of a surface."""
    return [f"operation-{surface}-{entry.name.lower()}" for entry in DESCRIBED if entry.surface == surface]


@pytest.mark.parametrize(
    ("name", "anchors"),
    [
        ("errors.md", [f"error-{kind.code.replace('_', '-')}" for kind in AREAS.refusals]),
        ("events.md", [f"event-{kind.replace('.', '-').replace('_', '-')}" for kind in AREAS.events]),
        *((f"{folder}-operations.md", operations_of(surface)) for surface, folder in FOLDERS.items()),
    ],
)
def test_a_page_lists_all_that_there_is(name: str, anchors: list[str]) -> None:
    """The way to each section, whatever page it is on."""
    assert sorted(re.findall(r"^- \[`[^`]+`\]\(#([^)]+)\): \S.+$", page(name), re.MULTILINE)) == sorted(anchors)


def test_the_published_configuration_schema_is_the_code_s() -> None:
    """An editor that loads the file from the documentation checks what this release reads."""
    published = json.loads(page("game-config.schema.json"))
    assert published == config_schema()
    Draft202012Validator.check_schema(published)

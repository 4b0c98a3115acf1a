"""Which characters a text may hold: a name that people see, one line, and several lines."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.characters import LINE_PATTERN, LINES_PATTERN, NAME_PATTERN
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import decode
from livecore.kernel.wire.shapes import Reason, Text


@shape
class Texts:
    """A text of each sort."""

    name: Annotated[str, Text(1, 40, name=True)] = "Anna"
    line: Annotated[str, Text(0, 40)] = ""
    lines: Reason = "-"


def fault(**texts: str) -> str | None:
    """What is wrong with the one text given, or nothing."""
    try:
        decode(Texts, dict(texts))
    except ValidationFailed as refused:
        (said,) = refused.fields.values()
        return said
    return None


def matches(pattern: str, text: str) -> bool:
    """Whether a JSON Schema's pattern fits; its `$` is the very end, where Python's also stands before a last line break."""
    return re.search(pattern.removesuffix("$") + r"\Z", text) is not None


SHOWN: Final = (
    "Anna", "7", "-", "~ ~", " a ", "Åsa", "日本", "مريم", "नमस्ते", "e\u0301", "🎁", "⚔\ufe0f", "👋🏽", "🇸🇪", "한", "A\u3164",
)  # fmt: skip
BLANK: Final = (
    " ", "      ", "\u00a0", "\u2003\u3000", "\u2800", "\u2800\u2800 ", "\u3164", "\u115f\u1160", "\uffa0", "\u0301",
    "\u034f", "\ufe0f", "\U000e0100", "\U0001d159", "\U00013441", "\u20dd", "\ue000", "\uffff", "\U000f0000",
)  # fmt: skip
FORMAT: Final = {
    "soft hyphen": "\u00ad", "Arabic letter mark": "\u061c", "Mongolian vowel separator": "\u180e",
    "zero width space": "\u200b", "zero width non-joiner": "\u200c", "zero width joiner": "\u200d",
    "left-to-right mark": "\u200e", "right-to-left mark": "\u200f", "line separator": "\u2028",
    "paragraph separator": "\u2029", "left-to-right embedding": "\u202a", "right-to-left override": "\u202e",
    "word joiner": "\u2060", "right-to-left isolate": "\u2067", "pop isolate": "\u2069", "byte order mark": "\ufeff",
    "interlinear anchor": "\ufff9", "tag": "\U000e0061",
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_a_name_shows_something(name: str) -> None:
    """Letters of every script, numbers, punctuation and emoji, with the marks and the spaces that go with them."""
    assert fault(name=name) is None


@pytest.mark.parametrize("name", BLANK, ids=ascii)
def test_a_name_that_shows_nothing_is_refused(name: str) -> None:
    """Spaces of all widths, letters that are drawn blank, marks that stand on nothing, characters without a meaning."""
    assert fault(name=name) == "must hold a visible character"


@pytest.mark.parametrize("character", FORMAT.values(), ids=FORMAT)
def test_a_name_holds_no_format_character(character: str) -> None:
    """Neither alone nor among visible ones, where it makes two names look alike or turns the text around it."""
    for name in (character, f"An{character}na"):
        assert fault(name=name) == "must not hold format or bidirectional characters"


@pytest.mark.parametrize("character", ["\t", "\n", "\r", "\x00", "\x7f", "\u0085"], ids=ascii)
def test_control_characters(character: str) -> None:
    """A name and a line hold none; several lines hold tabs and the ends of lines."""
    assert fault(name=f"a{character}") == "must not hold control characters"
    assert fault(line=f"a{character}") == "must not hold control characters"
    allowed = character in "\t\n\r"
    refusal = None if allowed else "must not hold control characters other than line breaks and tabs"
    assert fault(lines=f"a{character}") == refusal


@given(st.text(min_size=1, max_size=40))
def test_what_is_taken_as_a_name(text: str) -> None:
    """Everything that has a character of the visible categories and none of the categories of control and format."""
    composed = unicodedata.normalize("NFC", text)
    kinds = {unicodedata.category(character) for character in composed}
    if kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"} or not any(kind[0] in "LNPS" for kind in kinds):
        assert fault(name=text) is not None
    elif kinds & {"Ll", "Lu", "Nd", "Po"}:
        assert decode(Texts, {"name": text}).name == composed


@given(st.text(max_size=40))
def test_a_schema_forbids_nothing_that_is_read(text: str) -> None:
    """The patterns of the documents are no stricter than the service; of lines they say exactly what it says."""
    allowed = {"name": fault(name=text) is None, "line": fault(line=text) is None, "lines": fault(lines=text) is None}
    found = {
        "name": matches(NAME_PATTERN, unicodedata.normalize("NFC", text)),
        "line": matches(LINE_PATTERN, text),
        "lines": matches(LINES_PATTERN, text),
    }
    assert found["line"] == allowed["line"]
    assert found["lines"] == allowed["lines"] or text == ""
    assert found["name"] or not allowed["name"]

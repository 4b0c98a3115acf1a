"""Statuses and defaults in pages are those of the code, wherever a page gives one beside a code or an option."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from livecore.api import areas  # noqa: F401 - declares the refusals of the areas
from livecore.kernel.errors import Refusal
from livecore_server.settings import SETTINGS
from tests.each import of_each
from tests.pages import PAGES, ROOT

_PAIR: Final = re.compile(r"\b(?P<first>[45]\d\d) `(?P<after>[a-z_]+)`|`(?P<before>[a-z_]+)` \((?P<last>[45]\d\d)\b")
_DEFAULT: Final = re.compile(r"`(?P<flag>--[a-z-]+)` \((?P<number>\d[\d,.]*)(?P<unit> MiB)?[^)]*\)")


def name_of(page: Path) -> str:
    """A page, by its place in the repository."""
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    """A page's prose and tables, as one line."""
    return " ".join(re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE).split())


def _refusals(base: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    for one in base.__subclasses__():
        yield one
        yield from _refusals(one)


STATUSES: Final = {one.code: one.status for one in _refusals() if one.__module__.startswith("livecore.") and one.code}
DEFAULTS: Final = {row.flag: row.default for row in SETTINGS}


@of_each(PAGES, name_of)
def test_a_status_beside_a_code_is_its_own(page: Path) -> None:
    """As in ``409 `insufficient_balance` ``; and the code is one that the service answers."""
    for found in _PAIR.finditer(text_of(page)):
        code, status = found["after"] or found["before"], found["first"] or found["last"]
        assert (code, STATUSES.get(code)) == (code, int(status))


@of_each(PAGES, name_of)
def test_a_number_beside_an_option_is_its_default(page: Path) -> None:
    """As in `--queue-seconds` (2)."""
    for found in _DEFAULT.finditer(text_of(page)):
        number = float(found["number"].replace(",", "")) * (2**20 if found["unit"] else 1)
        assert (found["flag"], DEFAULTS[found["flag"]]) == (found["flag"], number)


def test_pages_have_both() -> None:
    """Or the patterns find them no more."""
    texts = [text_of(page) for page in PAGES]
    assert len([found for text in texts for found in _PAIR.finditer(text)]) > 40
    assert len([found for text in texts for found in _DEFAULT.finditer(text)]) > 6

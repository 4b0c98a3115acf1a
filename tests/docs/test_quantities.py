"""Quantities in pages are those of the code: each time, size and count has its place there, or is an example."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal, cast

from livecore.api.openapi import document
from livecore.kernel.errors import JsonObject
from tests.docs.quantities import EXAMPLES, PLACES, value_of
from tests.each import of_each
from tests.pages import PAGES, ROOT

_SECONDS: Final = {"ms": 0.001, "second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_THOUSANDS: Final = {"kB": 1, "KB": 1, "KiB": 1, "MB": 2, "MiB": 2, "GB": 3, "GiB": 3}
_COUNTED: Final = (
    "attempts|bytes|characters|connections|deliveries|entries|keys|members|messages|players|requests|rows"
    "|secrets|streams"
)
_UP_TO_TEN: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS: Final = {word: number for number, word in enumerate(_UP_TO_TEN, 1)} | {
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90,
}  # fmt: skip
_TIMES: Final = "|".join(f"{unit}s?" for unit in _SECONDS if unit != "ms") + "|ms"
QUANTITY: Final = re.compile(
    rf"(?<![\w./:-])(?:\d[\d,]*(?:\.\d+)?\s(?:more )?(?:{_TIMES}|{'|'.join(_THOUSANDS)}|{_COUNTED})"
    rf"|(?:{'|'.join(sorted(_NUMBERS.keys() - {'one'}))})\s(?:more )?(?:{_TIMES}))\b"
)
"""A number and its unit. Numbers in words count with units of time: `two players` are those of an example."""
GENERATED: Final = ("docs/reference/", "docs/benchmarks", "docs/engines", "docs/dependencies")
"""Pages that the code writes, and those of measurements."""
SWEPT: Final = [page for page in PAGES if not page.relative_to(ROOT).as_posix().startswith(GENERATED)]


def name_of(page: Path) -> str:
    """A page, by its place in the repository."""
    return page.relative_to(ROOT).as_posix()


def quantities_of(page: Path) -> set[str]:
    """The quantities in a page's prose and tables, without its code."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {" ".join(found.group().split()) for found in QUANTITY.finditer(" ".join(text.split()))}


def meant_by(quantity: str) -> set[float]:
    """What a quantity may be in the code: a time in seconds, a size in bytes of either kind of thousands, a count."""
    words = quantity.split()
    number, unit = _NUMBERS.get(words[0]) or float(words[0].replace(",", "")), words[-1]
    if unit in _THOUSANDS:
        binary = {1024 ** _THOUSANDS[unit] * number}
        return binary if "i" in unit else binary | {1000 ** _THOUSANDS[unit] * number}
    return {number * _SECONDS.get(unit if unit == "ms" else unit.rstrip("s"), 1)}


def is_a_time(quantity: str) -> bool:
    """Whether the unit is one of time."""
    return re.fullmatch(_TIMES, quantity.rsplit(maxsplit=1)[-1]) is not None


def value_at(place: str, quantity: str) -> float:
    """The value of the code at a place; a time in seconds, whatever its unit is there."""
    module, _, expression = place.partition(":")
    if module == "schema":
        return _bound(*expression.split(":"))
    number = float(value_of(place))
    if not is_a_time(quantity) or "seconds" in expression.lower():
        return number
    return number * 86_400 if "DAYS" in expression else number / 1000


def _bound(surface: str, field: str) -> float:
    schemas = cast(
        dict[str, JsonObject], cast(JsonObject, document(cast(Literal["sdk"], surface))["components"])["schemas"]
    )
    shape, _, name = field.partition(".")
    schema = cast(dict[str, JsonObject], schemas[shape]["properties"])[name]
    options = [schema, *cast(list[JsonObject], schema.get("anyOf", []))]
    (bound,) = {
        option[key] for option in options for key in ("maximum", "maxLength", "maxItems") if option.get(key) is not None
    }
    days = 86_400 if name.endswith("Days") else 1
    return cast(float, bound) * days


@of_each(SWEPT, name_of)
def test_every_quantity_has_its_place(page: Path) -> None:
    """No page has a number with a unit that is neither the code's nor listed as an example; no list has one too many."""
    name = name_of(page)
    listed = [*PLACES.get(name, ()), *(one for one in EXAMPLES.get(name, "").split("; ") if one)]
    assert (quantities_of(page) - set(listed), set(listed) - quantities_of(page)) == (set(), set())
    assert len(listed) == len(set(listed))


@of_each([(page, *claim) for page, claims in PLACES.items() for claim in claims.items()], " ".join)
def test_a_quantity_is_that_of_the_code(claim: tuple[str, str, str]) -> None:
    """The page says what the code does."""
    _, quantity, place = claim
    assert value_at(place, quantity) in meant_by(quantity)


def test_the_lists_are_of_pages() -> None:
    """Of those that are looked at."""
    assert {*PLACES, *EXAMPLES} <= {name_of(page) for page in SWEPT}

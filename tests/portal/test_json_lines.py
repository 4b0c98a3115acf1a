"""Each place of a JSON text is found on its line."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from livecore_server.portal.json_lines import line_of, lines_of

TEXT = """{
  "name": "a \\" { [ , : b",
  "events": [
    {"key": "x"}, {
      "key": "y",
      "target": "ten"
    }
  ],
  "empty": [],
  "a": {"b": {"c": [1,
    2]}}
}"""
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.from_regex("[a-z]{1,5}", fullmatch=True), inner),
)


def test_places_are_found_on_their_lines() -> None:
    """Members by their names, entries by their numbers."""
    lines = lines_of(TEXT)
    found = {
        path: line_of(path, lines) for path in ("name", "events", "events[0].key", "events[1]", "events[1].target")
    }
    assert found == {"name": 2, "events": 3, "events[0].key": 4, "events[1]": 4, "events[1].target": 6}
    assert (line_of("empty", lines), line_of("a.b.c[0]", lines), line_of("a.b.c[1]", lines)) == (9, 10, 11)


def test_what_is_missing_is_sought_around_it() -> None:
    """The line of the object that lacks it, and of the whole at last."""
    lines = lines_of(TEXT)
    assert line_of("events[1].schedule.windows[3].endsAt", lines) == 4
    assert line_of("nothing.of[7].this", lines) == line_of("", lines) == line_of("...[[", lines) == 1


@given(_JSON)
def test_every_place_of_any_text_is_found(value: object) -> None:
    """In a text with one value on each line, places that follow each other are on lines that do not go back."""
    lines = lines_of(json.dumps(value, indent=1))
    assert list(lines.values()) == sorted(lines.values())
    assert set(lines) == set(_places("", value))


def _places(path: str, value: object) -> list[str]:
    places = [path]
    if isinstance(value, list):
        for number, inner in enumerate(value):
            places += _places(f"{path}[{number}]", inner)
    elif isinstance(value, dict):
        for name, inner in value.items():
            places += _places(f"{path}.{name}" if path else name, inner)
    return places

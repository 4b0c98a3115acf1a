"""Each place of a JSON text is found on its line."""

from __future__ import annotations

import json
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from livecore_server.portal.json_lines import Place, line_of, places_of

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
    whole = places_of(TEXT)
    found = {
        path: line_of(path, whole) for path in ("name", "events", "events[0].key", "events[1]", "events[1].target")
    }
    assert found == {"name": 2, "events": 3, "events[0].key": 4, "events[1]": 4, "events[1].target": 6}
    assert (line_of("empty", whole), line_of("a.b.c[0]", whole), line_of("a.b.c[1]", whole)) == (9, 10, 11)


def test_what_is_missing_is_sought_around_it() -> None:
    """The line of the object that lacks it, and of the whole at last."""
    whole = places_of(TEXT)
    assert line_of("events[1].schedule.windows[3].endsAt", whole) == 4
    assert line_of("nothing.of[7].this", whole) == line_of("", whole) == line_of("...[[", whole) == 1
    assert line_of(f"events[{'9' * 5000}]", whole) == 3


def test_a_name_may_look_like_a_path() -> None:
    """Of what nobody knows, the name is the last step of the path."""
    whole = places_of('{"a": {\n"b.c[0]": 1,\n"b": 2}}')
    assert (line_of("a.b.c[0]", whole), line_of("a.b", whole)) == (2, 3)


def test_a_long_name_is_kept_once() -> None:
    """Not again for each of the entries below it."""
    text = json.dumps({"k" * 10_000: [1] * 2_000})
    tracemalloc.start()
    try:
        assert line_of(f"{'k' * 10_000}[7]", places_of(text)) == 1
        assert tracemalloc.get_traced_memory()[1] < 100 * len(text)
    finally:
        tracemalloc.stop()


@given(_JSON)
def test_every_place_of_any_text_is_found(value: object) -> None:
    """In a text with one value on each line, places that follow each other are on lines that do not go back."""
    whole = places_of(json.dumps(value, indent=1))
    lines = [line_of(path, whole) for path in _paths("", value)]
    assert lines == sorted(lines)
    assert _number(whole) == len(lines)


def _paths(path: str, value: object) -> list[str]:
    paths = [path]
    if isinstance(value, list):
        for number, inner in enumerate(value):
            paths += _paths(f"{path}[{number}]", inner)
    elif isinstance(value, dict):
        for name, inner in value.items():
            paths += _paths(f"{path}.{name}" if path else name, inner)
    return paths


def _number(place: Place) -> int:
    return 1 + sum(_number(inner) for inner in place.inner.values())

"""Between shapes and JSON: what is read strictly, what leniently, every fault at its path, and what is written."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.errors import Json, ValidationFailed, camel
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire import compact, decode, decode_lenient, encode
from livecore.kernel.wire.shapes import (
    ABSENT,
    MAX_AMOUNT,
    Absent,
    Amount,
    Comma,
    ExternalPlayerId,
    Int,
    Items,
    Metadata,
    Text,
)


@shape
class Leaf:
    """A leaf."""

    leaf_name: Annotated[str, Text(1, 5)]
    amount: Amount = 1


@shape
class Tree:
    """Something of everything."""

    kind: Literal["oak", "elm"]
    leaves: Annotated[tuple[Leaf, ...], Items(0, 3)] = ()
    planted_at: Timestamp | None = None
    note: str | None | Absent = ABSENT
    is_tall: bool = False
    keys: Annotated[tuple[str, ...], Comma(), Items(0, 2, unique=True)] = ()
    clamped: Annotated[int, Int(1, 9, clamp=True)] = 5
    more: Metadata | None = None


def _faults(data: Json) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as caught:
        decode(Tree, data)
    return caught.value.fields


def test_a_shape_is_read_and_written() -> None:
    """Names are snake case in Python and camel case on the wire; what is absent is left out."""
    data: Json = {
        "kind": "oak",
        "leaves": [{"leafName": "a", "amount": 2}],
        "plantedAt": "2026-01-31T09:30:00.000Z",
        "isTall": True,
        "keys": ["x"],
        "clamped": 5,
        "more": {"deep": [{"any": None}]},
    }
    tree = decode(Tree, data)
    assert tree.leaves == (Leaf(leaf_name="a", amount=2),)
    assert tree.planted_at == Timestamp.parse("2026-01-31T09:30:00Z")
    assert tree.note is ABSENT
    assert encode(tree) == data


def test_null_and_absent_differ() -> None:
    """A field may tell `null` from being left out."""
    assert decode(Tree, {"kind": "oak", "note": None}).note is None
    assert encode(decode(Tree, {"kind": "oak", "note": None}))["note"] is None  # type: ignore[index,call-overload] # an object
    assert "note" not in encode(decode(Tree, {"kind": "oak"}))  # type: ignore[operator] # an object


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        ({}, {"kind"}),
        ({"kind": "ash"}, {"kind"}),
        ({"kind": None}, {"kind"}),
        ({"kind": "oak", "leaves": {}}, {"leaves"}),
        ({"kind": "oak", "leaves": ["x"]}, {"leaves[0]"}),
        ({"kind": "oak", "leaves": [{}, {"leafName": "", "amount": 0, "x": 1}]},
         {"leaves[0].leafName", "leaves[1].leafName", "leaves[1].amount", "leaves[1].x"}),
        ({"kind": "oak", "leaves": [{"leafName": "a"}] * 4}, {"leaves"}),
        ({"kind": "oak", "plantedAt": 5}, {"plantedAt"}),
        ({"kind": "oak", "isTall": 1}, {"isTall"}),
        ({"kind": "oak", "keys": ["a", "a"]}, {"keys"}),
        ({"kind": "oak", "keys": [1]}, {"keys[0]"}),
        ({"kind": "oak", "more": []}, {"more"}),
        ({"kind": "oak", "more": {"x": "y" * 17_000}}, {"more"}),
        ({"kind": "oak", "planted_at": None, "Kind": "oak"}, {"planted_at", "Kind"}),
        ([], {"body"}),
        ("oak", {"body"}),
    ],
)  # fmt: skip
def test_every_fault_has_its_path(data: Json, paths: set[str]) -> None:
    """All of them, and no other."""
    assert set(_faults(data)) == paths


@pytest.mark.parametrize(("given_", "read"), [(-5, 1), (0, 1), (9, 9), (10**9, 9), (3.0, 3)])
def test_clamped_integers_move_into_their_bounds(given_: float, read: int) -> None:
    """Instead of being refused."""
    assert decode(Tree, {"kind": "oak", "clamped": given_}).clamped == read


@pytest.mark.parametrize(("text", "keys"), [("a,b", ("a", "b")), ("a", ("a",)), ("", ()), ("a,,b,", ("a", "b"))])
def test_a_list_may_come_as_text_with_commas(text: str, keys: tuple[str, ...]) -> None:
    """As query parameters do."""
    assert decode(Tree, {"kind": "oak", "keys": text}).keys == keys


@given(st.integers())
def test_amounts_are_from_one_to_the_largest(number: int) -> None:
    """Nothing below, nothing above."""
    body: Json = {"leafName": "a", "amount": number}
    if 1 <= number <= MAX_AMOUNT:
        assert decode(Leaf, body).amount == number
    else:
        with pytest.raises(ValidationFailed):
            decode(Leaf, body)


@shape
class Named:
    """A player's id."""

    external_id: ExternalPlayerId


@given(st.text(max_size=140))
def test_ids_of_players(text: str) -> None:
    """1 to 128 characters, no control characters, no `/`, not `.` or `..`, no reserved beginning; byte for byte."""
    control = any(ord(character) < 0x20 or 0x7F <= ord(character) <= 0x9F for character in text)
    reserved = text.startswith(("__merged_", "__deleted_"))
    good = 1 <= len(text) <= 128 and not control and "/" not in text and text not in {".", ".."} and not reserved
    if good:
        assert decode(Named, {"externalId": text}).external_id == text
    else:
        with pytest.raises(ValidationFailed):
            decode(Named, {"externalId": text})


def test_answers_are_read_leniently() -> None:
    """Unknown fields are ignored and unknown words of an enumeration pass through; a missing field is still a fault."""
    tree = decode_lenient(Tree, {"kind": "willow", "leaves": [{"leafName": "too long", "new": 1}], "age": 5})
    assert (tree.kind, tree.leaves[0].leaf_name) == ("willow", "too long")
    with pytest.raises(ValidationFailed):
        decode_lenient(Tree, {"leaves": []})


@pytest.mark.parametrize(
    ("name", "wire"), [("a", "a"), ("friends_since", "friendsSince"), ("kind_", "kind"), ("x_y_z", "xYZ")]
)
def test_names_on_the_wire(name: str, wire: str) -> None:
    """Camel case; a trailing underscore, which Python may need, is dropped."""
    assert camel(name) == wire


def test_compact_json() -> None:
    """No spaces, characters as themselves, and no number that is none."""
    assert compact({"a": ["ä", 1.5, None]}) == '{"a":["ä",1.5,null]}'
    with pytest.raises(ValueError, match="JSON"):
        compact(float("nan"))

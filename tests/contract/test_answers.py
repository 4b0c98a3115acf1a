"""Real answers of a world against the table written by hand: every operation, every success status, every key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from livecore.kernel.errors import Json
from tests.contract.expected import DOCUMENT, STREAM, Route
from tests.contract.oracle import GUARDED, ROUTES, ROWS
from tests.contract.walk import walked

ASKED: Final = [route for route in ROUTES if route.answers not in {DOCUMENT, STREAM} and route.surface != "admin"]
FREE: Final = {
    "after", "attributes", "before", "context", "cursors", "data", "details", "lastContextSnapshot", "lobbies", "metadata",
    "metrics", "milestones", "parameters",
    "progression", "truncated", "waits", "waitsAfter",
}  # fmt: skip
"""Members whose own members are the caller's or the game's, lists of plain values, and what is empty without lobbies."""


def faults(fields: str, found: Json, path: str) -> Iterator[str]:
    """Where an object's members are not exactly the written ones; what may be absent may be, nothing else."""
    if not isinstance(found, dict):
        yield f"{path} is no object"
        return
    known = {name.partition(":")[0].rstrip("?"): name for name in fields.split()}
    yield from (f"{path}.{name} is not in the table" for name in found if name not in known)
    yield from (f"{path}.{name} is missing" for name, told in known.items() if name not in found and "?" not in told)
    for name, value in found.items():
        _, _, row = known.get(name, "").partition(":")
        if row.endswith("[]"):
            members = value if isinstance(value, list) else [None]
            for place, member in enumerate(members):
                yield from faults(ROWS[row[:-2]], member, f"{path}.{name}[{place}]")
        elif row and value is not None:
            yield from faults(ROWS[row], value, f"{path}.{name}")
        elif isinstance(value, dict | list) and name not in FREE:
            yield f"{path}.{name} is an object that the table does not spell out"


@pytest.mark.parametrize("route", ASKED, ids=lambda route: route.id)
def test_each_answer_has_exactly_the_written_fields(route: Route) -> None:
    """In every success status of the operation, which the walk has reached."""
    answers = walked().answers
    for status in route.statuses:
        found = answers[route.id, status]
        assert found, f"the walk has not seen {route.id} answer {status}"
        assert [fault for data in found for fault in faults(route.answers, data, "data")] == []


def test_no_operation_answers_with_another_status() -> None:
    """The walk has met no success status that the table does not have."""
    written = {(route.id, status) for route in ROUTES for status in route.statuses}
    assert set(walked().answers) <= written


@pytest.mark.parametrize("route", GUARDED, ids=lambda route: route.id)
def test_the_sample_answers_of_the_clients_have_exactly_the_written_fields(route: Route) -> None:
    """So that the clients are tested to read what the service answers."""
    found = [fault for call in route.calls for fault in faults(route.answers, call.answer, "data")]
    assert found == []


def _optional() -> set[str]:
    told = [name for fields in (*ROWS.values(), *(route.answers for route in ASKED)) for name in fields.split()]
    return {name.partition(":")[0].rstrip("?") for name in told if "?" in name}


def _members(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _members(member)
    elif isinstance(value, list):
        for member in value:
            yield from _members(member)


def test_the_walk_has_seen_every_optional_field() -> None:
    """Each field that may be left out was there at least once, so that its name was really compared."""
    seen = {name for found in walked().answers.values() for data in found for name in _members(data)}
    assert _optional() - seen == set()


def test_a_request_sent_holds_one_of_the_two() -> None:
    """`pending` comes with the request, `accepted` with the friend, never both."""
    for status in (200, 201):
        for data in walked().answers["sdk:friends.sendRequest", status]:
            assert set(data) == {"status", "request" if data["status"] == "pending" else "friend"}
    assert {data["status"] for data in walked().answers["sdk:friends.sendRequest", 201]} == {"pending"}


def test_the_tables_timestamps_are_timestamps() -> None:
    """Every member whose name says a time is null or reads `2026-01-31T09:30:00.000Z`."""
    wrong = [
        (operation, name, value)
        for (operation, _), found in walked().answers.items()
        for data in found
        for name, value in _leaves(data)
        if name.endswith(("At", "Until", "Time", "Since")) and value is not None and not _is_wire(value)
    ]
    assert wrong == []


def _leaves(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name, member
            yield from _leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(member)


def _is_wire(value: Json) -> bool:
    return isinstance(value, str) and len(value) == 24 and value[10] == "T" and value[19] == "." and value[23] == "Z"

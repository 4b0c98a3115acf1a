"""Attacks by bodies that are cheap to send and dear to read: what a refusal costs must not outgrow the body's length.

No clock is read: a reader that goes over the text again and again would need hours for these, and the suite gives a test two
minutes.
"""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.api.operations import OPERATIONS
from livecore.api.requests.prepared import Outcome, Prepared
from livecore.api.requests.strict_json import DEEPEST, read_json
from livecore.kernel.errors import Json, MalformedJson
from livecore.kernel.storage.store import Transaction
from tests.server.serving import Server, serving
from tests.worlds import http, world

MOST: Final = 1024 * 1024


@pytest.mark.parametrize(
    "tail",
    ['"' + '\\"' * (MOST // 3), "\\" * (MOST // 3) + '"' * (MOST // 3), '"' + "\\" * (MOST // 2)],
    ids=["escaped quotes without an end", "backslashes and quotes", "backslashes without an end"],
)
def test_strings_without_an_end_are_read_once(tail: str) -> None:
    """A body of brackets and a string that never ends is refused after one walk through it, not one for each quote."""
    body = '["' + "[" * 65 + '",' + tail
    with pytest.raises(MalformedJson):
        read_json(body.encode(), most_values=MOST)


def test_brackets_in_strings_are_still_no_nesting() -> None:
    """Brackets inside strings, after escaped quotes and backslashes too, do not count as nesting."""
    value = ["[" * 70, '"' + "{" * 70, "\\" + "[" * 70, "\\\\\\"]
    assert read_json(json.dumps(value).encode(), most_values=MOST) == value


def test_a_name_of_combining_marks_is_refused_before_it_is_composed() -> None:
    """A display name of sixty thousand bytes of accents is too long, which is seen without sorting the accents."""
    player = world().player("ada")
    name = "a" + "\u0300\u0316" * 15_000
    raw = json.dumps({"name": name}, ensure_ascii=False).encode()
    assert http(player, "PUT", "/sdk/v1/players/ada/identity", raw).fields == ["name"]


def test_a_name_may_be_sent_decomposed() -> None:
    """Forty composed characters are forty characters, also when each of them is sent in its longest form."""
    player = world().player("ada")
    reply = http(player, "PUT", "/sdk/v1/players/ada/identity", {"name": "\u1fb7" * 40})
    decomposed = http(player, "PUT", "/sdk/v1/players/ada/identity", {"name": "\u03b1\u0342\u0345" * 40})
    assert reply.status == decomposed.status == 200
    assert reply["displayIdentity"] == decomposed["displayIdentity"]


def test_a_list_that_is_too_long_is_not_read_member_by_member() -> None:
    """Forty thousand bad grant entries are one fault of the list, and not forty thousand of its members."""
    server = world().server
    body = b'{"idempotencyKey":"k","kind":"reward","entries":[' + b"{}," * 40_000 + b"{}]}"
    assert http(server, "POST", "/server/v1/players/ada/grants", body).fields == ["entries"]


def test_the_answer_to_unknown_fields_does_not_outgrow_them() -> None:
    """Of five thousand unknown fields the first hundred are named, by their names in order."""
    game = world()
    body = {f"f{number:05}": 1 for number in range(5_000, 0, -1)}
    headers = {"authorization": f"Bearer {game.keys['client']}"}
    reply = http(game, "POST", "/sdk/v1/players/ada/register", body, headers=headers)
    assert reply.fields == [f"f{number:05}" for number in range(1, 101)]


# -- how many values ------------------------------------------------------------------------------------------------------

_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('[]{}",\\ a', max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('[]{}",\\ a', max_size=3), inner, max_size=4),
    max_leaves=30,
)


def _values(value: Json) -> int:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_values, members))


@given(value=_JSON, indent=st.sampled_from([None, 1]))
def test_values_are_counted_before_they_are_made(value: Json, indent: int | None) -> None:
    """A body is read when it holds as many values as it may, and refused when it holds one more, whatever its texts hold."""
    body, count = json.dumps(value, indent=indent).encode(), _values(value)
    assert read_json(body, most_values=count) == value
    with pytest.raises(MalformedJson, match=f"more than {count - 1} values"):
        read_json(body, most_values=count - 1)


@given(kinds=st.lists(st.sampled_from("[{"), min_size=DEEPEST - 2, max_size=DEEPEST + 2), beside=_JSON)
def test_levels_are_counted_before_they_are_made(kinds: list[str], beside: Json) -> None:
    """Sixty-four levels are read and one more is refused, in whatever order lists and objects lie inside each other."""
    value: Json = 1
    for kind in reversed(kinds):
        value = [beside, value] if kind == "[" else {"a": value, "b": beside}
    body = json.dumps(value).encode()
    if _levels(value) <= DEEPEST:
        assert read_json(body, most_values=10_000) == value
    else:
        with pytest.raises(MalformedJson, match=f"deeper than {DEEPEST} levels"):
            read_json(body, most_values=10_000)


def _levels(value: Json) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(_levels, value.values() if isinstance(value, dict) else value), default=0)


def test_empty_lists_and_objects_may_have_space_inside() -> None:
    """Space within an empty list or object is no member of it."""
    assert read_json(b"[{ }, [ \n ], {\t}]", most_values=4) == [{}, [], {}]


def test_every_operation_bounds_the_values_of_a_body() -> None:
    """A client's body holds ten thousand, a backend's fifty thousand, one that moves players in a quarter of a million."""
    most = {"sdk": 10_000, "server": 50_000, "admin": 50_000}
    for entry in OPERATIONS:
        expected = 250_000 if entry.name.startswith("migrate.") else most[entry.surface]
        assert (entry.id, entry.most_body_values) == (entry.id, expected)


def test_a_body_of_more_values_is_refused() -> None:
    """Twenty thousand empty objects of a client are 400 `malformed_json`, in their place: after the key and the ban."""
    game = world()
    body = b'{"playerContext":{"a":[' + b"{}," * 20_000 + b"{}]}}"
    headers = {"authorization": f"Bearer {game.keys['client']}"}
    reply = http(game, "POST", "/sdk/v1/players/ada/register", body, headers=headers)
    assert reply.refusal == (400, "malformed_json")
    assert "10000 values" in reply.text("message")


def test_metadata_of_16_kib_has_never_too_many_values() -> None:
    """The most values that fit into a context or metadata are taken, from games and from backends."""
    game = world()
    most: Json = {"a": [0] * 8_100}
    headers = {"authorization": f"Bearer {game.keys['client']}"}
    entries: Json = [{"type": "currency", "resourceKey": "gold", "amount": 1}]
    body: Json = {"idempotencyKey": "g", "kind": "reward", "entries": entries, "metadata": most}
    assert http(game, "POST", "/sdk/v1/players/ada/register", {"playerContext": most}, headers=headers).status == 201
    assert http(game.server, "POST", "/server/v1/players/ada/grants", body).status == 201


def test_a_thousand_rows_have_never_too_many_values() -> None:
    """A thousand players with two hundred facts each move in at once."""
    rows: Json = [
        {
            "idempotencyKey": f"m{at}",
            "externalPlayerId": f"p{at}",
            "playerContext": {f"f{fact}": 1 for fact in range(200)},
        }
        for at in range(1_000)
    ]
    assert http(world().server, "POST", "/server/v1/migrate/players", {"rows": rows})["applied"] == 1_000


# -- where they are read --------------------------------------------------------------------------------------------------


def _watch(server: Server) -> tuple[list[bool], list[bool]]:
    """Where bodies are read from now on (whether on the loop's thread), and whether each unit finds its arguments read."""
    application = server.service.application
    read, run = application.read, application.run
    on_loop: list[bool] = []
    found: list[bool] = []

    def watched_read(prepared: Prepared) -> None:
        on_loop.append(threading.current_thread() is threading.main_thread())
        read(prepared)

    def watched_run(prepared: Prepared, tx: Transaction) -> Outcome:
        found.append(prepared.arguments is not None)
        return run(prepared, tx)

    application.read = watched_read  # type: ignore[method-assign] # the seam of these tests
    application.run = watched_run  # type: ignore[method-assign] # as above
    return on_loop, found


@pytest.mark.parametrize(("size", "on_loop"), [(1_000, True), (10_000, False)])
def test_bodies_are_read_before_their_batch(tmp_path: Path, size: int, *, on_loop: bool) -> None:
    """No batch waits for a body to be read, good or bad, and the loop does not wait for a long one."""

    async def attack() -> tuple[list[bool], list[bool]]:
        async with serving(tmp_path) as server:
            where, found = _watch(server)
            await server.sdk("POST", "/ann/register", {"playerContext": {"text": "x" * size}})
            await server.sdk("POST", "/bert/register", {"playerContext": "x" * size})
            return where, found

    where, found = asyncio.run(attack())
    assert where == [on_loop] * 2
    assert found
    assert all(found)

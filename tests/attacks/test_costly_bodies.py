"""Attacks by bodies that are cheap to send and dear to read: what a refusal costs must not outgrow the body's length.

No clock is read: a reader that goes over the text again and again would need hours for these, and the suite gives a test two
minutes.
"""

from __future__ import annotations

import json

import pytest

from livecore.api.strict_json import read_json
from livecore.kernel.errors import MalformedJson
from tests.worlds import http, world

MOST = 1024 * 1024


@pytest.mark.parametrize(
    "tail",
    ['"' + '\\"' * (MOST // 3), "\\" * (MOST // 3) + '"' * (MOST // 3), '"' + "\\" * (MOST // 2)],
    ids=["escaped quotes without an end", "backslashes and quotes", "backslashes without an end"],
)
def test_strings_without_an_end_are_read_once(tail: str) -> None:
    """A body of brackets and a string that never ends is refused after one walk through it, not one for each quote."""
    body = '["' + "[" * 65 + '",' + tail
    with pytest.raises(MalformedJson):
        read_json(body.encode())


def test_brackets_in_strings_are_still_no_nesting() -> None:
    """Brackets inside strings, after escaped quotes and backslashes too, do not count as nesting."""
    value = ["[" * 70, '"' + "{" * 70, "\\" + "[" * 70, "\\\\\\"]
    assert read_json(json.dumps(value).encode()) == value


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
    """A hundred thousand bad grant entries are one fault of the list, and not a hundred thousand of its members."""
    server = world().server
    body = b'{"idempotencyKey":"k","kind":"reward","entries":[' + b"{}," * 100_000 + b"{}]}"
    assert http(server, "POST", "/server/v1/players/ada/grants", body).fields == ["entries"]


def test_the_answer_to_unknown_fields_does_not_outgrow_them() -> None:
    """Of five thousand unknown fields the first hundred are named, by their names in order."""
    game = world()
    body = {f"f{number:05}": 1 for number in range(5_000, 0, -1)}
    headers = {"authorization": f"Bearer {game.keys['client']}"}
    reply = http(game, "POST", "/sdk/v1/players/ada/register", body, headers=headers)
    assert reply.fields == [f"f{number:05}" for number in range(1, 101)]

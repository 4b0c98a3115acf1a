"""Paths: ids that cannot be ids, unknown routes, wrong methods, and the one envelope of every refusal."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.api.operations import OPERATIONS
from tests.worlds import http, world

BAD_IDS: Final = {
    "encoded slash": "a%2Fb",
    "encoded slash, small": "a%2fb",
    "dot": ".",
    "two dots": "..",
    "encoded dot": "%2e",
    "encoded two dots": "%2E%2e",
    "NUL": "a%00b",
    "newline": "a%0Ab",
    "delete": "%7F",
    "C1 control character": "%C2%85",
    "129 characters": "x" * 129,
    "merged": "__merged_1__",
    "deleted": "__deleted_1__",
    "not UTF-8": "%FF",
    "surrogate": "%ED%A0%80",
}
GOOD_IDS: Final = {
    "128 characters": "x" * 128,
    "128 letters of two bytes": "%C3%A4" * 128,
    "three dots": "...",
    "space": "a%20b",
    "plus": "a+b",
    "percent": "100%25",
    "question mark": "a%3Fb",
    "encoded letters": "%61nna",
    "emoji": "%F0%9F%98%80",
    "one underscore": "_merged_1",
    "reserved word in the middle": "a__merged_",
    "colon": "steam:1",
    "case": "ANNA",
}


@pytest.mark.parametrize("kind", BAD_IDS)
def test_what_is_no_id_of_a_player(kind: str) -> None:
    """400 `validation_failed` as the acting player, as the studio's subject, and as a friend or blocked player."""
    game = world()
    anna = game.player("anna")
    bad = BAD_IDS[kind]
    for caller, method, path in (
        (anna, "GET", f"/sdk/v1/players/{bad}/profile"),
        (anna, "POST", f"/sdk/v1/players/{bad}/register"),
        (game.server, "GET", f"/server/v1/players/{bad}/friends"),
        (anna, "DELETE", f"/sdk/v1/players/anna/friends/{bad}"),
        (anna, "DELETE", f"/sdk/v1/players/anna/friends/blocks/{bad}"),
    ):
        reply = http(caller, method, path)
        assert reply.refusal == (400, "validation_failed"), path
        assert len(reply.fields) == 1


@pytest.mark.parametrize("kind", GOOD_IDS)
def test_what_may_be_an_id_of_a_player(kind: str) -> None:
    """1 to 128 characters, compared byte for byte after decoding once."""
    game = world()
    anna = game.player("anna")
    good = GOOD_IDS[kind]
    reply = http(anna, "POST", f"/sdk/v1/players/{good}/register")
    assert reply.status == (409 if kind == "encoded letters" else 201)
    assert http(anna, "POST", f"/sdk/v1/players/{good}/register").refusal == (409, "player_already_registered")


def test_a_reserved_id_in_a_body_is_refused() -> None:
    """The same rules hold where an id is named in a body."""
    anna = world().player("anna")
    for bad in ("__merged_x__", "__deleted_x__", "a/b", "..", "", "x" * 129, "a\u0000"):
        reply = http(anna, "POST", "/sdk/v1/players/anna/friends/requests", {"externalPlayerId": bad})
        assert reply.fields == ["externalPlayerId"]


@pytest.mark.parametrize("bad", ["a%2Fb", ".", "..", "a%00b", "x" * 65, "%FF", "a%20b", "🙂"])
def test_what_is_no_id_of_ours(bad: str) -> None:
    """Requests, gifts, grants, economy keys and items are named by plain words."""
    anna = world().player("anna")
    base = "/sdk/v1/players/anna"
    for path in (
        f"{base}/friends/requests/{bad}/accept",
        f"{base}/friends/gifts/{bad}/claim",
        f"{base}/grants/{bad}/claim",
    ):
        reply = http(anna, "POST", path)
        assert reply.refusal == (400, "validation_failed"), path
    reply = http(anna, "POST", f"{base}/wallet/{bad}/debit", {"amount": 1})
    assert reply.fields == ["economyKey"]
    reply = http(anna, "POST", f"{base}/inventory/{bad}/consume", {"quantity": 1})
    assert reply.fields == ["itemKey"]


@pytest.mark.parametrize(
    "path",
    [
        "/", "", "/sdk", "/sdk/v1", "/sdk/v2/players/anna/profile", "/sdk/v1/players", "/sdk/v1/players/anna",
        "/sdk/v1/players//profile", "/sdk/v1/players/anna/profile/", "//sdk/v1/players/anna/profile",
        "/SDK/v1/players/anna/profile",
        "/sdk/v1/players/anna/friends/requests/frq_1/approve", "/server/v1/players", "/admin/v1/unknown", "/%73dk/v1",
    ],
)  # fmt: skip
def test_an_unknown_route(path: str) -> None:
    """404 `route_not_found`, with a key and without one."""
    anna = world().player("anna")
    assert http(anna, "GET", path).refusal == (404, "route_not_found")
    assert http(anna.world, "POST", path).refusal == (404, "route_not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/sdk/v1/players/anna/profile", "GET"),
        ("GET", "/sdk/v1/players/anna/register", "POST"),
        ("GET", "/sdk/v1/players/anna/friends/bert", "DELETE"),
        ("PUT", "/sdk/v1/players/anna/friends/requests", "DELETE, GET, POST"),
        ("PATCH", "/sdk/v1/players/anna/friends/gifts", "DELETE, POST"),
        ("GET", "/sdk/v1/players/anna/identity", "PUT"),
        ("POST", "/server/v1/ping", "GET"),
        ("POST", "/admin/v1/health", "GET"),
        ("HEAD", "/server/v1/ping", "GET"),
        ("OPTIONS", "/server/v1/ping", "GET"),
        ("get", "/server/v1/ping", "GET"),
        ("BREW", "/server/v1/ping", "GET"),
    ],
)
def test_a_wrong_method(method: str, path: str, allowed: str) -> None:
    """405 `method_not_allowed`, with `Allow` listing the methods that there are."""
    reply = http(world(), method, path)
    assert reply.refusal == (405, "method_not_allowed")
    assert reply.header("Allow") == allowed


def test_every_refusal_has_the_envelope() -> None:
    """404, 405, 413 and 415 included: `error` with `code` and `message`, as JSON, with a request id."""
    anna = world().player("anna")
    base = "/sdk/v1/players/anna"
    replies = {
        404: http(anna, "GET", "/nowhere"),
        405: http(anna, "PATCH", f"{base}/profile"),
        413: http(anna, "PUT", f"{base}/identity", b"x" * 1_100_000),
        415: http(anna, "PUT", f"{base}/identity", b"{}", headers={"content-type": "text/plain"}),
        401: http(anna.world, "GET", f"{base}/profile"),
        400: http(anna, "PUT", f"{base}/identity", b"{"),
    }
    for status, reply in replies.items():
        assert reply.status == status
        assert list(reply.body) == ["error"]
        assert {"code", "message"} <= set(reply.body["error"]) <= {"code", "message", "details"}  # type: ignore[arg-type] # an object
        assert reply.header("Content-Type") == "application/json"
        assert reply.header("X-Request-Id")


def test_every_answer_has_the_envelope() -> None:
    """A success is an object with the single key `data`."""
    anna = world().player("anna")
    reply = http(anna, "GET", "/sdk/v1/players/anna/profile")
    assert list(reply.body) == ["data"]


def test_no_two_operations_share_a_route() -> None:
    """Method and path, with the variables' names taken out, are one operation's alone."""
    places = ["".join(part.split("{")[0] for part in f"{op.method} {op.path}".split("}")) for op in OPERATIONS]
    assert len(set(places)) == len(OPERATIONS)

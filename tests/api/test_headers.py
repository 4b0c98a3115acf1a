"""Headers of answers: request ids, deprecation as data, and content type."""

from __future__ import annotations

import re
from typing import Final

import attrs
import pytest

from livecore.api.application import Application
from livecore.api.operations import OPERATIONS, operation
from livecore.api.requests.http import Request
from livecore.api.table.operation import Deprecation, Operation
from livecore.kernel.time import Timestamp
from tests.worlds import Reply, ask, http, world

MINTED: Final = re.compile(r"req_[0-9A-Za-z]{26}")


@pytest.mark.parametrize("given", ["abc", "x" * 128, "7b1e6a3c-0000", "a b"])
def test_a_request_id_is_echoed(given: str) -> None:
    """On answers and refusals alike."""
    anna = world().player("anna")
    assert ask(anna, "friends.list", headers={"x-request-id": given}).header("X-Request-Id") == given
    assert http(anna, "GET", "/nowhere", headers={"x-request-id": given}).header("X-Request-Id") == given


@pytest.mark.parametrize("given", [None, "", "x" * 129, "a\nb", "ключ", "\x7f"])
def test_a_request_id_is_minted_otherwise(given: str | None) -> None:
    """Too long, not printable, or not there: a fresh one, different for each request."""
    anna = world().player("anna")
    ids = {
        str(http(anna, "GET", "/sdk/v1/players/anna/friends", headers={"x-request-id": given}).header("X-Request-Id"))
        for _ in range(3)
    }
    assert len(ids) == 3
    assert all(MINTED.fullmatch(text) for text in ids)


# -- deprecation ----------------------------------------------------------------------------------------------------------

SUNSET: Final = Timestamp.parse("2027-03-01T12:00:00Z")


def _deprecated(notice: Deprecation) -> tuple[Application, Request]:
    """The service with one operation deprecated, and a request for it."""
    game = world()
    old = operation("server:ping")
    operations: list[Operation] = [
        attrs.evolve(entry, deprecation=notice) if entry is old else entry for entry in OPERATIONS
    ]
    application = Application(game.store, clock=lambda: game.now, seeds=lambda: bytes(32), operations=operations)
    return application, Request("GET", "/server/v1/ping", headers=game.server.headers)


def test_a_deprecated_route_says_so() -> None:
    """`Deprecation: true` and the reason, on every answer; no date and no link where there are none."""
    application, request = _deprecated(Deprecation(reason="Use pong."))
    for headers in (request.headers, {}):
        reply = Reply(application.handle(Request("GET", "/server/v1/ping", headers=headers)))
        assert reply.status == (200 if headers else 401)
        assert reply.header("Deprecation") == "true"
        assert reply.header("X-Svc-Deprecation-Reason") == "Use pong."
        assert reply.header("Sunset") is None
        assert reply.header("Link") is None


def test_a_removal_date_and_a_successor_are_told() -> None:
    """`Sunset` as an IMF-fixdate and `Link` with `rel="successor-version"`."""
    application, request = _deprecated(Deprecation(reason="Use v2.", sunset=SUNSET, successor="/server/v2/ping"))
    reply = Reply(application.handle(request))
    assert reply.header("Sunset") == "Mon, 01 Mar 2027 12:00:00 GMT"
    assert reply.header("Link") == '</server/v2/ping>; rel="successor-version"'


def test_no_operation_is_deprecated_by_accident() -> None:
    """Other routes carry none of the headers."""
    anna = world().player("anna")
    reply = ask(anna, "friends.list")
    assert [reply.header(name) for name in ("Deprecation", "Sunset", "Link", "X-Svc-Deprecation-Reason")] == [None] * 4


def test_the_content_type_is_json() -> None:
    """For answers and refusals."""
    anna = world().player("anna")
    assert ask(anna, "friends.list").header("Content-Type") == "application/json"
    assert http(anna, "GET", "/nowhere").header("content-type") == "application/json"

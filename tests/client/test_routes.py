"""Every method against its route, as the table in `tests/contract/operations` says, and what every request carries.

The table is written by hand from the specification and the wire contract, and independent of the operations on purpose: the
two are compared in the coverage test, so neither is checked only against itself.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
import respx

from livecore.kernel.wire import encode
from livecore.version import VERSION
from tests.client.flavours import Flavour
from tests.contract.expected import Call, Route, SdkCall, ServerCall
from tests.contract.operations.access import PONG
from tests.contract.operations.economy import WALLET
from tests.contract.operations.gifts import gift
from tests.contract.operations.players import REGISTERED
from tests.contract.oracle import GUARDED

P = "/sdk/v1/players/anna"


def calls_of(surface: str) -> list[object]:
    """The calls of a surface's client, each with its route, named after the method."""
    return [
        pytest.param(route, call, id=f"{route.python_name} {call.note}".rstrip())
        for route in GUARDED
        if route.surface == surface
        for call in route.calls
    ]


def _sent(router: respx.Router) -> httpx.Request:
    """The one request that was sent."""
    (call,) = router.calls
    request: httpx.Request = call.request
    return request


def _check(request: httpx.Request, route: Route, call: Call[Any]) -> None:
    path, _, query = request.url.raw_path.decode().partition("?")
    body = call.body or ({} if route.takes_body else None)
    assert (request.method, path) == (route.method, route.path_with({"externalId": "anna", **call.at}))
    assert dict(parse_qsl(query, keep_blank_values=True)) == call.query
    assert (json.loads(request.content) if request.content else None) == body
    assert (request.headers.get("Content-Type") == "application/json") is (body is not None)
    assert ("Idempotency-Key" in request.headers) is route.writes


def _answered(router: respx.Router, route: Route, call: Call[Any]) -> None:
    router.route().respond(call.status or route.statuses[0], json={"data": call.answer})


@pytest.mark.parametrize(("route", "call"), calls_of("sdk"))
def test_sdk_method_sends_its_route_and_reads_its_answer(
    route: Route, call: SdkCall, flavour: Flavour, router: respx.Router
) -> None:
    """A method of the game's client sends exactly the documented request, and its result is the whole documented answer."""
    _answered(router, route, call)
    answer = flavour.settle(call.call(flavour.sdk(router)))
    request = _sent(router)
    _check(request, route, call)
    assert request.headers["Authorization"] == "Bearer lc_test_client_abc"
    assert request.headers.get("X-Player-Secret") == (
        "lcs_secret" if route.credential == "player" or route.recognises else None
    )
    assert encode(answer) == call.answer


@pytest.mark.parametrize(("route", "call"), calls_of("server"))
def test_server_method_sends_its_route_and_reads_its_answer(
    route: Route, call: ServerCall, flavour: Flavour, router: respx.Router
) -> None:
    """A method of the studio's client sends exactly the documented request, and never a player's secret."""
    _answered(router, route, call)
    answer = flavour.settle(call.call(flavour.server(router)))
    request = _sent(router)
    _check(request, route, call)
    assert request.headers["Authorization"] == "Bearer lc_test_server_abc"
    assert "X-Player-Secret" not in request.headers
    assert "X-Svc-Platform" not in request.headers
    assert encode(answer) == call.answer


def test_every_request_says_which_software_sends_it(flavour: Flavour, router: respx.Router) -> None:
    """The service attributes sessions by SDK, platform and build, so each request carries all three."""
    router.route().respond(json={"data": WALLET})
    flavour.settle(flavour.sdk(router, app_version="1.4.0 (88)").wallet.get())
    headers = _sent(router).headers
    assert headers["X-Svc-SDK"] == f"livecore-python/{VERSION}"
    assert headers["X-Svc-Platform"] == "linux"
    assert headers["X-Svc-App-Version"] == "1.4.0 (88)"


def test_the_studios_client_says_which_software_it_is(flavour: Flavour, router: respx.Router) -> None:
    """As above: the service shows which SDK a key was last used with."""
    router.route().respond(json={"data": PONG})
    flavour.settle(flavour.server(router).ping())
    assert _sent(router).headers["X-Svc-SDK"] == f"livecore-python/{VERSION}"


def test_registering_keeps_the_secret_for_the_calls_that_follow(flavour: Flavour, router: respx.Router) -> None:
    """After register the client acts as the player without further ado, and the game can read the secret to store it."""
    router.post(f"{P}/register").respond(201, json={"data": REGISTERED})
    router.get(f"{P}/wallet").respond(json={"data": WALLET})
    client = flavour.sdk(router, player_secret=None)
    flavour.settle(client.players.register())
    flavour.settle(client.wallet.get())
    assert client.player_secret == "lcs_new"
    assert router.calls.last.request.headers["X-Player-Secret"] == "lcs_new"


def test_a_newer_service_does_not_break_an_older_client(flavour: Flavour, router: respx.Router) -> None:
    """Fields and enumeration values that this release does not know are ignored and passed through."""
    data = {"gift": {**gift(), "status": "returned", "wrapping": "red"}}
    router.route().respond(json={"data": data, "meta": {}})
    answer = flavour.settle(flavour.sdk(router).gifts.claim("0190-1"))
    assert str(answer.gift.status) == "returned"

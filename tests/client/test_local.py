"""The transport to a service in the same process: both flavours, answers that are lost, and what arrives."""

from __future__ import annotations

import asyncio

import httpx

from livecore.api.requests.http import Request, Response
from livecore.world import World
from livecore_client import AsyncSdkClient, AsyncServerClient, LocalTransport, RetryPolicy, SdkClient, ServerClient
from tests.client.local import ADDRESS


def test_a_retry_whose_first_answer_was_lost_pays_once(world: World, server: ServerClient) -> None:
    """The reason for keeping the key: the service did it, the answer was lost, and the second try must not do it again."""
    inner = LocalTransport(world)
    lost: list[httpx.Request] = []

    def unreliable(request: httpx.Request) -> httpx.Response:
        response = inner.handle_request(request)
        if request.method == "POST" and not lost:
            lost.append(request)
            raise httpx.ReadError("reset", request=request)
        return response

    world.player("anna")
    with ServerClient(
        base_url=ADDRESS, api_key=world.keys["server"], transport=httpx.MockTransport(unreliable)
    ) as client:
        assert client.wallet.credit("anna", "gold", amount=5).balance == 5
    assert len(lost) == 1
    assert server.wallet.credit("anna", "gold", amount=1).balance == 6


def test_a_registration_whose_first_answer_was_lost_gives_its_secret_again(world: World) -> None:
    """The player is registered and has no other way in: the second try is told the secret that the first one was."""
    inner = LocalTransport(world)
    answers: list[bytes] = []

    def unreliable(request: httpx.Request) -> httpx.Response:
        response = inner.handle_request(request)
        answers.append(response.read())
        if len(answers) == 1:
            raise httpx.ReadError("reset", request=request)
        return response

    with SdkClient(
        base_url=ADDRESS, api_key=world.keys["client"], external_player_id="anna",
        transport=httpx.MockTransport(unreliable), retries=RetryPolicy(base_seconds=0),
    ) as anna:  # fmt: skip
        registered = anna.players.register()
        assert answers[0] == answers[1]
        assert anna.player_secret == registered.player_secret
        assert anna.players.get_profile().external_player_id == "anna"


def test_the_asynchronous_clients_do_the_same(world: World) -> None:
    """The other flavour through the same transport, over its own client class."""

    async def play() -> int:
        transport = LocalTransport(world)
        async with (
            AsyncSdkClient(
                base_url=ADDRESS, api_key=world.keys["client"], external_player_id="anna", transport=transport
            ) as anna,
            AsyncServerClient(base_url=ADDRESS, api_key=world.keys["server"], transport=transport) as server,
        ):
            await anna.players.register()
            await server.wallet.credit("anna", "gold", amount=7)
            return next(row.balance for row in (await anna.wallet.get()).balances if row.key == "gold")

    assert asyncio.run(play()) == 7


def test_a_request_arrives_as_it_would_over_http() -> None:
    """Raw path and query, lower-case header names, body and address: what a server hands in."""
    seen: list[Request] = []

    class Echo:
        def handle(self, request: Request) -> Response:
            """Remember the request."""
            seen.append(request)
            return Response(418, (("X-Request-Id", "r"), ("Set-Cookie", "a"), ("Set-Cookie", "b")), b"{}")

    with httpx.Client(transport=LocalTransport(Echo(), remote="198.51.100.7")) as client:
        response = client.put(f"{ADDRESS}/a%20b/%C3%B6?q=%26&q=2", headers={"X-Thing": "T"}, content=b"body")
    (request,) = seen
    assert (request.method, request.path, request.query) == ("PUT", "/a%20b/%C3%B6", "q=%26&q=2")
    assert request.headers["x-thing"] == "T"
    assert (request.body, request.remote) == (b"body", "198.51.100.7")
    assert (response.status_code, response.headers["X-Request-Id"]) == (418, "r")
    assert response.headers.get_list("Set-Cookie") == ["a", "b"]

"""What an answer says beside its data: to each thread and task that of its own last call."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading

import httpx
import pytest
import respx

from livecore.api.requests.limits import RateLimits
from livecore.world import World
from livecore_client import AsyncSdkClient, LocalTransport, RateLimit, ResponseInfo, SdkClient, ServerClient, errors
from livecore_client._responses import KEPT
from tests.client.flavours import BASE_URL, Flavour
from tests.client.local import ADDRESS, game_client
from tests.contract.operations.economy import WALLET, WALLET_CHANGE
from tests.patience import PATIENCE_SECONDS


def _answer(number: object, **headers: str) -> httpx.Response:
    return httpx.Response(200, json={"data": WALLET}, headers={"X-Request-Id": f"req_{number}", **headers})


def _id_of(info: ResponseInfo | None) -> str | None:
    return None if info is None else info.request_id


def test_a_successful_answer_says_its_request_id_rate_limit_and_attempts(
    flavour: Flavour, router: respx.Router
) -> None:
    """As the server sends them; before the first call there is none."""
    limits = {"RateLimit-Limit": "600", "RateLimit-Remaining": "598", "RateLimit-Reset": "41"}
    client = flavour.sdk(router)
    assert client.last_response is None
    router.route().mock(side_effect=[httpx.ConnectError("refused"), _answer(1, **limits)])
    flavour.settle(client.wallet.get())
    seen = flavour.last_response(client)
    assert seen == ResponseInfo(
        status=200,
        request_id="req_1",
        rate_limit=RateLimit(limit=600, remaining=598, reset_seconds=41),
        idempotency_replayed=False,
        attempts=2,
    )


def test_a_replay_is_told_from_the_first_answer(flavour: Flavour, router: respx.Router) -> None:
    """Whoever repeats a credit under its key reads that it had been made before."""
    replay = {"Idempotent-Replay": "true"}
    answers = [httpx.Response(200, json={"data": WALLET_CHANGE}, headers=headers) for headers in ({}, replay)]
    router.route().mock(side_effect=answers)
    client = flavour.server(router)
    found = []
    for _ in answers:
        flavour.settle(client.wallet.credit("anna", "gold", amount=1, idempotency_key="order 7"))
        seen = flavour.last_response(client)
        found.append((seen and seen.idempotency_replayed, seen and seen.request_id, seen and seen.rate_limit))
    assert found == [(False, None, None), (True, None, None)]


def test_a_refusal_is_an_answer_and_silence_is_none(flavour: Flavour, router: respx.Router) -> None:
    """So that nobody takes the request id of the call before for that of this one."""
    refusal = httpx.Response(404, json={"error": {"code": "x", "message": "No."}}, headers={"X-Request-Id": "req_2"})
    router.route().mock(side_effect=[_answer(1), refusal, *[httpx.ReadTimeout("slow")] * 4])
    client = flavour.sdk(router)
    flavour.settle(client.wallet.get())
    with pytest.raises(errors.NotFound):
        flavour.settle(client.wallet.get())
    seen = flavour.last_response(client)
    assert seen is not None
    assert (seen.status, seen.request_id) == (404, "req_2")
    with pytest.raises(errors.TimedOut):
        flavour.settle(client.wallet.get())
    assert flavour.last_response(client) is None


def test_what_with_options_made_says_it_to_both(flavour: Flavour, router: respx.Router) -> None:
    """What is made for one call need not be kept for its answer; two clients do not mix."""
    router.route().mock(side_effect=[_answer(1), _answer(2)])
    client, other = flavour.sdk(router), flavour.sdk(router)
    flavour.settle(client.with_options(timeout_seconds=2).wallet.get())
    flavour.settle(other.wallet.get())
    assert [_id_of(flavour.last_response(one)) for one in (client, other)] == ["req_1", "req_2"]


@pytest.mark.parametrize("value", ["", "many", "-1", "1.5", "٣"])
def test_a_rate_limit_that_is_no_number_is_none(value: str, flavour: Flavour, router: respx.Router) -> None:
    """Whatever a proxy writes, reading it never raises."""
    headers = {"RateLimit-Limit": "600", "RateLimit-Remaining": value, "RateLimit-Reset": "41"}
    raw = [(name.encode(), text.encode()) for name, text in headers.items()]
    router.route().mock(return_value=httpx.Response(200, json={"data": WALLET}, headers=raw))
    client = flavour.sdk(router)
    flavour.settle(client.wallet.get())
    seen = flavour.last_response(client)
    assert seen is not None
    assert seen.rate_limit is None


def test_each_thread_reads_its_own() -> None:
    """Two threads call at once with one client, and read after both were answered."""
    both = threading.Barrier(2)

    def answer(request: httpx.Request) -> httpx.Response:
        return _answer(request.headers["X-Trace"])

    found: dict[str, str | None] = {}
    with SdkClient(
        base_url=BASE_URL,
        api_key="k",
        external_player_id="anna",
        player_secret="s",
        transport=httpx.MockTransport(answer),
    ) as client:

        def call(name: str) -> None:
            client.with_options(headers={"X-Trace": name}).wallet.get()
            both.wait(PATIENCE_SECONDS)
            found[name] = _id_of(client.last_response)

        threads = [threading.Thread(target=call, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert client.last_response is None
    assert found == {"a": "req_a", "b": "req_b"}


def test_each_task_reads_its_own() -> None:
    """And what was called before it was made; what it calls is not told to who made it."""

    async def scenario() -> None:
        both = asyncio.Barrier(2)

        async def answer(request: httpx.Request) -> httpx.Response:
            return _answer(request.headers["X-Trace"])

        async with AsyncSdkClient(
            base_url=BASE_URL,
            api_key="k",
            external_player_id="anna",
            player_secret="s",
            transport=httpx.MockTransport(answer),
        ) as client:

            async def call(name: str) -> tuple[str | None, str | None]:
                before = _id_of(client.last_response)
                await client.with_options(headers={"X-Trace": name}).wallet.get()
                await both.wait()
                return before, _id_of(client.last_response)

            await client.with_options(headers={"X-Trace": "first"}).wallet.get()
            found = list(await asyncio.gather(call("a"), call("b")))
            assert found == [("req_first", "req_a"), ("req_first", "req_b")]
            assert _id_of(client.last_response) == "req_first"

    asyncio.run(scenario())


def test_clients_that_are_gone_are_not_kept() -> None:
    """A program that makes a client for each request does not grow."""
    for number in range(20):
        with SdkClient(
            base_url=BASE_URL,
            api_key="k",
            external_player_id="anna",
            player_secret="s",
            transport=httpx.MockTransport(lambda _, at=number: _answer(at)),
        ) as client:
            client.wallet.get()
        del client
        gc.collect()
    assert sum(one() is None for one in KEPT.get()) <= 1


def test_the_service_itself_says_these() -> None:
    """The names of the headers are the service's own: a limit, a replay and an id in a world."""
    world = World({"name": "Demo", "economyMode": "platform", "economy": [{"key": "gold", "kind": "currency"}]},
                  limits=RateLimits())  # fmt: skip
    with (
        game_client(world, "anna") as anna,
        ServerClient(base_url=ADDRESS, api_key=world.keys["server"], transport=LocalTransport(world)) as studio,
    ):
        anna.players.register()
        for replayed in (False, True):
            studio.wallet.credit("anna", "gold", amount=1, idempotency_key="order 7")
            seen = studio.last_response
            assert seen is not None
            assert seen.idempotency_replayed is replayed
            assert (seen.request_id or "").startswith("req_")
            assert seen.rate_limit is not None
            assert 0 < seen.rate_limit.remaining < seen.rate_limit.limit
            assert 1 <= seen.rate_limit.reset_seconds <= 60


def test_the_log_has_a_line_for_each_attempt_and_each_retry(
    flavour: Flavour, router: respx.Router, caplog: pytest.LogCaptureFixture
) -> None:
    """At debug and at info, so that a program that asks for nothing prints nothing; no key, secret, query or body."""
    caplog.set_level(logging.DEBUG, "livecore_client")
    busy = httpx.Response(
        429, json={"error": {"code": "rate_limited", "message": "m"}}, headers={"X-Request-Id": "req_1"}
    )
    page = httpx.Response(200, json={"data": {"gifts": [], "nextCursor": None}})
    router.route().mock(side_effect=[busy, page])
    flavour.settle(flavour.sdk(router).gifts.inbox(cursor="cursor-of-it"))
    path = "GET /sdk/v1/players/anna/friends/gifts/inbox"
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("DEBUG", f"{path} attempt 1: 429 rate_limited (request req_1) after 0.000 s"),
        ("INFO", f"{path}: 429 rate_limited (request req_1); again in 0.50 s"),
        ("DEBUG", f"{path} attempt 2: answered after 0.000 s"),
    ]

"""Between the wire and the rules: what goes wrong on our side is answered with the envelope and is found in the log."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import orjson
import pytest

from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.requests.http import Request
from livecore.api.requests.limits import RateLimits
from livecore.demo import DEMO
from livecore.kernel.errors import Overloaded, RateLimited
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import StoreConflict, Transaction, UniqueViolation
from livecore.world import World
from livecore_server.http.rate_limit_warning import BucketWatch
from tests.server.serving import Server, serving
from tests.worlds import world

T = TypeVar("T")


def fail_runs(server: Server, error: Exception) -> None:
    """Have every operation end with this exception."""

    def run(*_: object) -> Any:  # noqa: ANN401 - it never returns
        raise error

    server.service.application.run = run  # type: ignore[assignment,method-assign] # the seam of these tests


def fail_writes(server: Server, errors: list[Exception]) -> None:
    """Have the executor fail so many times before it does a request's work; the loops' work goes through."""
    write, run = server.service.executor.write, server.service.application.run

    async def failing(scope: Scope, work: Callable[[Transaction], T]) -> T:
        if errors and getattr(work, "func", None) == run:
            raise errors.pop()
        return await write(scope, work)

    server.service.executor.write = failing  # type: ignore[method-assign] # the seam of these tests


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_unexpected_exception_is_a_500_without_a_traceback(tmp_path: Path, method: str) -> None:
    """The caller gets a code and the request id; the log gets the traceback under the same id."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            secret = await server.register("ann")
            fail_runs(server, RuntimeError("the reason, for operators"))
            path = "/ann/profile" if method == "GET" else "/ann/identity"
            reply = await server.sdk(method, path, None if method == "GET" else {"name": "Ann"}, secret=secret)
            assert (reply.status, reply.code) == (500, "internal_error")
            request_id = reply.headers["x-request-id"]
            assert reply.json["error"]["details"] == {"requestId": request_id}
            assert b"the reason" not in reply.body
            log = server.log.getvalue()
            assert f"a request failed request={request_id}\n  Traceback" in log
            assert "RuntimeError: the reason, for operators" in log
            assert secret not in log

    asyncio.run(scenario())


def test_an_exception_at_the_entrance_is_a_500_as_well(tmp_path: Path) -> None:
    """Not even the routing may end a request without an answer."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:

            def prepare(*_: object) -> Any:  # noqa: ANN401 - it never returns
                raise RuntimeError

            server.service.application.prepare = prepare  # type: ignore[assignment,method-assign] # the seam of this test
            reply = await server.ask("GET", "/admin/v1/health", headers={"X-Request-Id": "mine"})
            assert (reply.status, reply.code, reply.headers["x-request-id"]) == (500, "internal_error", "mine")

    asyncio.run(scenario())


def test_an_overloaded_store_says_when_to_come_back(tmp_path: Path) -> None:
    """503 with Retry-After, which clients heed, and nothing happened."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            fail_writes(server, [Overloaded(7)])
            reply = await server.sdk("POST", "/ann/register")
            assert (reply.status, reply.code, reply.headers["retry-after"]) == (503, "overloaded", "7")
            assert (await server.sdk("POST", "/ann/register")).status == 201

    asyncio.run(scenario())


def test_a_write_that_lost_a_race_runs_again(tmp_path: Path) -> None:
    """Two units that take the same unique value are no error: the second one sees the first."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            fail_writes(server, [UniqueViolation("players", ["external_id"]), StoreConflict()])
            await server.register("ann")

    asyncio.run(scenario())


def test_a_write_that_always_loses_is_told_to_come_back(tmp_path: Path) -> None:
    """There is an end to trying again."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            fail_writes(server, [StoreConflict() for _ in range(20)])
            reply = await server.sdk("POST", "/ann/register")
            assert (reply.status, reply.code, reply.headers["retry-after"]) == (503, "overloaded", "1")

    asyncio.run(scenario())


def test_rate_limits_are_told_on_every_answer(tmp_path: Path) -> None:
    """The headers count down, and the refusal says when to come back; each player may have a count of their own."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="sdk_read=2", rate_limits_per_player=True) as server:
            ann, bob = await server.register("ann"), await server.register("bob")
            replies = [await server.sdk("GET", "/ann/profile", secret=ann) for _ in range(3)]
            assert [reply.headers["ratelimit-remaining"] for reply in replies] == ["1", "0", "0"]
            assert (replies[2].status, replies[2].code) == (429, "rate_limited")
            assert replies[2].headers["ratelimit-limit"] == "2"
            assert int(replies[2].headers["retry-after"]) >= 1
            assert (await server.sdk("GET", "/bob/profile", secret=bob)).status == 200

    asyncio.run(scenario())


def warnings_of(server: Server) -> list[str]:
    """The lines in the log that tell of a bucket."""
    return [line for line in server.log.getvalue().splitlines() if "--rate-limits-per-player" in line]


def test_a_client_bucket_that_runs_out_is_told_once(tmp_path: Path) -> None:
    """All players of a game share it: whoever runs the server hears which option and which page help."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="sdk_write=2,server_api=1") as server:
            secret = await server.register("ann")
            answers = [await server.sdk("POST", "/ann/presence", {}, secret=secret) for _ in range(4)]
            assert [answer.status for answer in answers] == [200, 429, 429, 429]
            for _ in range(2):
                await server.studio("GET", "/ping")
            (told,) = warnings_of(server)
            assert f"key {server.game.keys['test', 'client'].key.prefix} has used up sdk_write: 2 requests" in told
            assert "docs/how-to/size-a-deployment.md" in told

    asyncio.run(scenario())


def test_a_players_own_bucket_that_runs_out_is_nothing_to_warn_of(tmp_path: Path) -> None:
    """Then the limit does what it is for."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="sdk_write=2", rate_limits_per_player=True) as server:
            secret = await server.register("ann")
            answers = [await server.sdk("POST", "/ann/presence", {}, secret=secret) for _ in range(4)]
            assert 429 in [answer.status for answer in answers]
            assert warnings_of(server) == []

    asyncio.run(scenario())


def test_a_client_bucket_is_told_of_again_after_an_hour(caplog: pytest.LogCaptureFixture) -> None:
    """By key and bucket; whoever shows no key that works is not told of."""
    game = world()
    application = Application(
        game.store, clock=lambda: game.now, seeds=lambda: b"seed", limits=RateLimits(per_minute={"sdk_write": 1})
    )
    watch = BucketWatch(application.limits)

    secret = game.player("ann").secret

    def beat(key: str) -> None:
        headers = {"authorization": f"Bearer {key}", "x-player-secret": secret}
        request = Request("POST", "/sdk/v1/players/ann/presence", headers=headers)
        prepared = game.store.read(DIRECTORY, lambda tx: application.prepare(request, tx))
        if prepared.refused is None:
            with suppress(RateLimited):
                game.store.write(prepared.scope, lambda tx: application.run(prepared, tx))
        watch.refused(prepared)

    told = []
    for minutes in (0, 59, 1):
        game.advance(minutes=minutes)
        for key in ("client", "client", "server"):
            beat(game.keys[key])
        told.append(len(caplog.records))
    assert told == [1, 1, 2]


def test_without_rate_limits_there_are_no_headers(tmp_path: Path) -> None:
    """A bucket that is off says nothing."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="off") as server:
            reply = await server.sdk("POST", "/ann/register")
            assert not [name for name in reply.headers if name.startswith("ratelimit")]

    asyncio.run(scenario())


def test_strangers_are_counted_by_the_address_behind_the_proxies(tmp_path: Path) -> None:
    """Whoever knocks from one address is limited; their neighbours behind the same proxy are not."""

    async def scenario() -> None:
        async with serving(tmp_path, rate_limits="unauthenticated=1", trusted_proxies=1) as server:
            statuses = [
                (await server.ask("GET", "/nowhere", headers={"X-Forwarded-For": address})).status
                for address in ("203.0.113.9", "203.0.113.9", "198.51.100.7", "203.0.113.9, 198.51.100.8")
            ]
            assert statuses == [404, 429, 404, 404]

    asyncio.run(scenario())


def test_the_server_and_the_library_write_the_same_bytes() -> None:
    """The server's faster JSON writer is no second opinion: an application without it answers byte for byte the same."""
    worlds = [World(DEMO, seed=7), World(DEMO, seed=7)]
    for at, quick_dumps in zip(worlds, (None, orjson.dumps), strict=True):
        at.application = Application(
            at.store,
            clock=partial(getattr, at, "now"),
            seeds=at.application.seeds,
            deployment=new_deployment(ephemeral=at.ephemeral),
            limits=at.application.limits,
            quick_dumps=quick_dumps,
        )
    assert played(worlds[0]) == played(worlds[1])


def played(world: World) -> list[bytes]:
    """The bodies of a short game that has every kind of value in it."""
    ann, bob = world.player("änn"), world.player("bob 🎁")
    world.server.call("wallet.credit", external_id="änn", economy_key="gold", amount=2**53 - 1)
    ann.call("friends.sendRequest", external_player_id="bob 🎁")
    bob.call("friends.sendRequest", external_player_id="änn")
    metadata = {"é": [1.5, 1e300, -0.0, 10**20, None, True, '"\\/\u2028\x7f'], "tiny": 5e-324}
    entries = [{"type": "item", "resourceKey": "sword", "amount": 1, "parameters": metadata}]
    grant = {"kind": "reward", "entries": entries, "metadata": metadata, "idempotency_key": "g"}
    requests = [
        ann.request("players.setIdentity", name="Zoë 日本 </script>", avatar="\u2028 \u202e"),
        ann.request("gifts.send", external_player_id="bob 🎁", type="currency", resource_key="gold", amount=7,
                    message='"\\ / \u00a0'),
        world.server.request("grants.create", external_id="bob 🎁", **grant),
        bob.request("grants.listPending"), bob.request("gifts.inbox"), bob.request("friends.list"),
        ann.request("wallet.get"), ann.request("players.getProfile"), ann.request("friends.search", q="b"),
        ann.request("gifts.send", external_player_id="nobody"),
    ]  # fmt: skip
    return [world.handle(request).body for request in requests]

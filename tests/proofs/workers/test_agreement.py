"""What one worker is told, the others know; and what all of them see is done once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, closing
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from livecore.access.keys import revoke_key
from livecore.api.configuration.game_config import parse_config
from livecore.kernel.scope import DIRECTORY, Scope
from livecore_server.background.webhooks.units import first_due
from livecore_server.cli.new_games import create_game
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.crash.game import CONFIG
from tests.crash.receiver import Receiver
from tests.faults.siege import pause
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import Connection, Reply
from tests.workers.cluster import Cluster, serving_workers

_GOLD = 50
_PLAYERS = 12


@pytest.fixture
def cluster(url: str) -> Iterator[Cluster]:
    """Two workers."""
    with serving_workers(url) as running:
        yield running


async def to_each(cluster: Cluster, stack: AsyncExitStack) -> list[Connection]:
    """A connection to every worker."""
    return [await stack.enter_async_context(cluster.connect(pid)) for pid in cluster.workers.values()]


async def at_once(connections: list[Connection], request: bytes) -> list[Reply]:
    """The same request on every connection at the same moment."""
    for connection in connections:
        await connection.send(request)
    return [await connection.reply() for connection in connections]


def test_a_request_that_meets_two_workers_at_once_has_one_effect(cluster: Cluster) -> None:
    """The same idempotency key, the same answer, one of the two a replay; and the gold is there once."""

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            connections = await to_each(cluster, stack)
            secret = (await cluster.ask(cluster.register("ann"))).json["data"]["playerSecret"]
            for number in range(1, 11):
                credit = cluster.request(
                    "POST", "/server/v1/players/ann/wallet/gold/credit", {"amount": 5},
                    permission="server", Idempotency_Key=f"credit-{number}",
                )  # fmt: skip
                replies = await at_once(connections, credit)
                assert [reply.status for reply in replies] == [200, 200]
                assert replies[0].body == replies[1].body
                assert sorted(reply.headers.get("idempotent-replay", "false") for reply in replies) == ["false", "true"]
                balance = cluster.request("GET", "/sdk/v1/players/ann/wallet", X_Player_Secret=secret)
                found = [reply.body for reply in await at_once(connections, balance)]
                assert found[0] == found[1]
                assert b'"gold","kind":"currency","balance":%d}' % (5 * number) in found[0]

    asyncio.run(scenario())


def test_a_key_that_is_revoked_stops_at_once_in_every_worker(cluster: Cluster) -> None:
    """All have used it a moment ago; whoever revokes it is another process."""

    def revoke() -> None:
        key = cluster.game.keys["test", "client"].key
        with store_at(cluster.url) as store:
            store.write(DIRECTORY, lambda tx: revoke_key(tx, key.game_id, key.key_id, now_millis()))

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            connections = await to_each(cluster, stack)
            secret = (await cluster.ask(cluster.register("ann"))).json["data"]["playerSecret"]
            look = cluster.request("GET", "/sdk/v1/players/ann/profile", X_Player_Secret=secret)
            assert [reply.status for reply in await at_once(connections, look)] == [200, 200]
            await asyncio.to_thread(revoke)
            assert [reply.code for reply in await at_once(connections, look)] == ["api_key_revoked"] * 2

    asyncio.run(scenario())


def requests_counted(reply: Reply) -> float:
    """How many registrations all workers have answered."""
    return sum(
        sample.value
        for family in text_string_to_metric_families(reply.body.decode())
        for sample in family.samples
        if sample.name == "livecore_requests_total" and sample.labels["operation"] == "sdk:players.register"
    )


def test_metrics_add_up_whichever_worker_is_asked(file: str) -> None:
    """What a worker has counted others see within a second or so, and it is still there when the worker is not."""

    async def scenario(cluster: Cluster) -> None:
        async with AsyncExitStack() as stack:
            connections = await to_each(cluster, stack)
            for place, connection in enumerate(connections):
                for number in range(5):
                    await connection.send(cluster.register(f"player-{place}-{number}"))
                    assert (await connection.reply()).status == 201
            await count_to(connections[1], 10)
            await count_to(connections[0], 10)
            ready = len(cluster.log.wait("is ready as process"))
            cluster.kill(next(iter(cluster.workers.values())))
            await asyncio.to_thread(cluster.log.wait, "is ready as process", ready + 1)
            await count_to(connections[1], 10)

    async def count_to(connection: Connection, wanted: int) -> None:
        counted = 0.0
        async with asyncio.timeout(PATIENCE_SECONDS):
            while counted < wanted:
                await connection.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                counted = requests_counted(await connection.reply())
                await pause()
        assert counted == wanted

    with serving_workers(file) as cluster:
        asyncio.run(scenario(cluster))


def test_due_work_and_deliveries_that_all_workers_see_happen_once(url: str) -> None:
    """Gifts that expire give their senders' gold back once, and every event is delivered once."""
    with store_at(url, create=True) as store, closing(Receiver()) as receiver:
        game = create_game(store, parse_config(CONFIG), "Studio")
        scope = ["--game", game.game.game_id, "--environment", "test"]
        receiver.secret = str(
            livecore("webhooks", "add", "--database", url, *scope, "--url", receiver.url, "--events", "*")["secret"]
        )
        with serving_workers(url, game=game) as cluster:
            asyncio.run(expire(cluster, lambda: store.read(Scope(game.game.game_id, "test"), first_due) is None))
            assert cluster.stop() == 0
    assert livecore("check", "--database", url)["found"] == 0
    assert receiver.forged == []
    assert len(receiver.events) > 5 * _PLAYERS
    assert set(receiver.deliveries.values()) == {1}


def livecore(*arguments: str) -> dict[str, Any]:
    """Run a command that prints JSON, and give what it printed."""
    command = [sys.executable, "-m", "livecore_server", *arguments, "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


async def expire(cluster: Cluster, all_told: Callable[[], bool]) -> None:
    """Have every player send gold to the next, and wait until all of it has come back and all has been told."""
    players = [f"player-{number}" for number in range(_PLAYERS)]
    async with AsyncExitStack() as stack:
        connections = await to_each(cluster, stack)

        async def ask(place: int, request: bytes) -> Reply:
            connection = connections[place % len(connections)]
            await connection.send(request)
            reply = await connection.reply()
            assert reply.status in (200, 201), reply
            return reply

        secrets = {
            name: (await ask(place, cluster.register(name))).json["data"]["playerSecret"]
            for place, name in enumerate(players)
        }
        for place, (name, friend) in enumerate(zip(players, players[1:] + players[:1], strict=True)):
            for asking, asked in ((name, friend), (friend, name)):
                await ask(place, sdk(cluster, asking, secrets, "/friends/requests", {"externalPlayerId": asked}))
            path = f"/server/v1/players/{name}/wallet/gold/credit"
            await ask(place, cluster.request("POST", path, {"amount": _GOLD}, permission="server"))
            gift = {"externalPlayerId": friend, "type": "currency", "resourceKey": "gold", "amount": _GOLD}
            await ask(place, sdk(cluster, name, secrets, "/friends/gifts", gift))
        back = b'"gold","kind":"currency","balance":%d}' % _GOLD
        async with asyncio.timeout(PATIENCE_SECONDS):
            for place, name in enumerate(players):
                wallet = sdk(cluster, name, secrets, "/wallet")
                while back not in (await ask(place, wallet)).body:
                    await pause()
            while not all_told():
                await ask(0, cluster.request("GET", "/admin/v1/health"))
                await pause()


def sdk(cluster: Cluster, player: str, secrets: dict[str, str], path: str, body: object = None) -> bytes:
    """A player's own request: with a body something is done, without one looked up."""
    method = "GET" if body is None else "POST"
    return cluster.request(method, f"/sdk/v1/players/{player}{path}", body, X_Player_Secret=secrets[player])

"""Real workers have one ephemeral state, which outlives any of them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from tests.server.serving import Reply
from tests.workers.cluster import serving_workers

LIMIT = 10


def test_workers_count_together_and_the_death_of_one_forgets_nothing(url: str) -> None:
    """Of twice as many requests as the limit half pass; a worker that takes a dead one's place knows all of that."""

    async def scenario() -> None:
        with serving_workers(url, "--rate-limits", f"sdk_read={LIMIT}", "--flush-seconds", "60") as cluster:
            reply = await cluster.ask(cluster.register("ann"))
            secret = reply.json["data"]["playerSecret"]
            profile = cluster.request("GET", "/sdk/v1/players/ann/profile", X_Player_Secret=secret)

            def beat(**label: str) -> bytes:
                return cluster.request("POST", "/sdk/v1/players/ann/presence", label, X_Player_Secret=secret)

            async with AsyncExitStack() as stack:
                connections = [
                    await stack.enter_async_context(cluster.connect(pid)) for pid in cluster.workers.values()
                ]
                replies: list[Reply] = []
                for _ in range(LIMIT):
                    for connection in connections:
                        await connection.send(profile)
                    replies += [await connection.reply() for connection in connections]
                await connections[0].send(beat(status="here"))
                assert (await connections[0].reply()).status == 200
            assert sorted(reply.status for reply in replies) == [200] * LIMIT + [429] * LIMIT
            dead = cluster.workers[1]
            cluster.kill(dead)
            cluster.log.wait(r"worker \d+ is ready as process", 3)
            for pid in cluster.workers.values():
                async with cluster.connect(pid) as connection:
                    await connection.send(profile)
                    assert (await connection.reply()).status == 429
                    await connection.send(beat())
                    assert (await connection.reply()).json["data"]["status"] == "here"

    asyncio.run(scenario())

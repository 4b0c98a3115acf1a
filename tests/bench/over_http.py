"""The server over real sockets: four scenarios, each beside the bare handler in the same run.

(a) a list of 20 friends, (b) a friend request between fresh pairs, (c) one's own profile, (d) a gift that debits the sender,
with its claim; 32 connections, one server process, durable commits.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import attrs
import uvloop

from tests.bench import game
from tests.bench.load import Result, run_load, wire_request
from tests.bench.processes import Served, bare_handler, cpu_seconds, livecore_server

__all__ = ["TARGETS", "Row", "measure"]

FRIENDS = 20
READERS = 64
TARGETS = {"list of 20 friends": 0.25, "friend request": 0.15, "own profile": 0.50, "gift and claim": 0.15}
"""The share of the bare handler's requests a second to reach first."""


@attrs.frozen
class Row:
    """One scenario's figures; `share` is requests a second against the bare handler of the same run."""

    scenario: str
    requests: int
    per_second: float
    p50_ms: float
    p99_ms: float
    server_cpu_us: float
    share: float
    target: float | None


class _Players:
    """The players of the run, with their secrets."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.secrets: dict[str, str] = {}

    async def load(self, requests: list[bytes], keep: list[bytes] | None = None) -> Result:
        result = await run_load(self.served.address, iter(requests), keep=None if keep is None else keep.append)
        failed = {status: count for status, count in result.statuses.items() if status >= 300}
        if failed:
            raise RuntimeError(f"the measured server refused requests: {failed}")
        return result

    async def register(self, names: list[str]) -> None:
        bodies: list[bytes] = []
        await self.load([game.register(self.served.keys.client, name) for name in names], bodies)
        for body in bodies:
            data = json.loads(body)["data"]
            self.secrets[data["player"]["externalPlayerId"]] = data["playerSecret"]

    def add(self, player: str, target: str) -> bytes:
        return game.add(self.served.keys.client, player, self.secrets[player], target)


async def _befriend(players: _Players, pairs: list[tuple[str, str]]) -> None:
    await players.load([players.add(one, other) for one, other in pairs])
    await players.load([players.add(other, one) for one, other in pairs])


async def _prepare(players: _Players, count: int) -> tuple[list[str], list[tuple[str, str]], list[tuple[str, str]]]:
    readers = [f"reader-{number}" for number in range(READERS)]
    crowd = [f"friend-{number}" for number in range(FRIENDS)]
    fresh = [(f"asker-{number}", f"asked-{number}") for number in range(count)]
    givers = [(f"giver-{number}", f"taker-{number}") for number in range(READERS)]
    names = [*readers, *crowd, *(name for pair in (*fresh, *givers) for name in pair)]
    await players.register(names)
    await _befriend(players, [(reader, friend) for reader in readers for friend in crowd])
    await _befriend(players, givers)
    await players.load([game.credit(players.served.keys.server, giver, 10**9) for giver, _ in givers])
    return readers, fresh, givers


async def _gifts(players: _Players, givers: list[tuple[str, str]], count: int) -> tuple[Result, Result]:
    key, secrets = players.served.keys.client, players.secrets
    bodies: list[bytes] = []
    sends = [
        game.send_gift(key, giver, secrets[giver], taker, number)
        for number, (giver, taker) in zip(range(count), cycle(givers), strict=False)
    ]
    sent = await players.load(sends, bodies)
    claims = [
        game.claim(key, gift["player"]["externalPlayerId"], secrets[gift["player"]["externalPlayerId"]], gift["giftId"])
        for gift in (json.loads(body)["data"]["gift"] for body in bodies)
    ]
    return sent, await players.load(claims)


def _joined(one: Result, other: Result) -> Result:
    return Result(one.requests + other.requests, one.seconds + other.seconds, [*one.latencies, *other.latencies], {})


async def _bare(size: int, count: int) -> Result:
    with bare_handler(size) as address:
        request = wire_request("GET", "/", {})
        await run_load(address, iter([request] * 2_000))
        return await run_load(address, iter([request] * count))


async def _scenarios(count: int, folder: Path) -> list[Row]:
    rows: list[Row] = []
    with livecore_server(folder) as served:
        players = _Players(served)
        readers, fresh, givers = await _prepare(players, count // 4)
        key, secrets = served.keys.client, players.secrets
        sample: list[bytes] = []
        await players.load([game.friends(key, readers[0], secrets[readers[0]])], sample)
        bare = await _bare(len(sample[0]), count)
        rows.append(_row(f"bare handler, {len(sample[0])} bytes", bare, bare, 0.0, None))

        async def reads(make: object) -> Result:
            assert callable(make)
            made: Iterator[bytes] = (make(key, reader, secrets[reader]) for reader in readers)
            return await players.load(list(islice(cycle(list(made)), count)))

        async def gifts() -> Result:
            return _joined(*await _gifts(players, givers, count // 4))

        scenarios = {
            "list of 20 friends": lambda: reads(game.friends),
            "own profile": lambda: reads(game.profile),
            "friend request": lambda: players.load([players.add(one, other) for one, other in fresh]),
            "gift and claim": gifts,
        }
        for name, run in scenarios.items():
            before = cpu_seconds(served.process.pid)
            result = await run()
            cpu = (cpu_seconds(served.process.pid) - before) / result.requests * 1e6
            rows.append(_row(name, result, bare, cpu, TARGETS[name]))
    return rows


def _row(name: str, result: Result, bare: Result, cpu_us: float, target: float | None) -> Row:
    return Row(
        scenario=name,
        requests=result.requests,
        per_second=result.per_second,
        p50_ms=result.milliseconds(0.50),
        p99_ms=result.milliseconds(0.99),
        server_cpu_us=cpu_us,
        share=result.per_second / bare.per_second,
        target=target,
    )


def measure(count: int) -> list[Row]:
    """Run every scenario with about `count` requests."""
    with tempfile.TemporaryDirectory() as folder:
        loop = uvloop.new_event_loop()
        try:
            asyncio.set_event_loop(loop)
            return loop.run_until_complete(_scenarios(count, Path(folder)))
        finally:
            loop.close()

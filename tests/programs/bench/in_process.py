"""The core alone: `Application.handle` over the store in memory, without sockets or disks.

Two questions: how many requests a second on the way of a gift, and what a request costs with a million players instead of a
thousand.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Sequence

from livecore import World
from livecore.api.requests.http import Request
from livecore.world import WorldPlayer
from tests.programs.bench.figures import CoreGrowthRow
from tests.programs.bench.game import CONFIG


def _pairs(world: World, count: int, *, first: int = 0) -> list[tuple[WorldPlayer, WorldPlayer]]:
    pairs = [
        (world.player(f"giver-{number}"), world.player(f"taker-{number}")) for number in range(first, first + count)
    ]
    for giver, taker in pairs:
        giver.call("friends.sendRequest", external_player_id=taker.external_id)
        taker.call("friends.sendRequest", external_player_id=giver.external_id)
        world.server.call("wallet.credit", external_id=giver.external_id, economy_key="gold", amount=10**9)
    return pairs


def _timed(world: World, requests: list[Request]) -> tuple[float, list[bytes]]:
    handle = world.application.handle
    answers = []
    started = time.process_time()
    for request in requests:
        world.now += 1  # a request a millisecond, so that ids and places come in the order of time, as in life
        answers.append(handle(request))
    seconds = time.process_time() - started
    if any(answer.status >= 300 for answer in answers):
        raise RuntimeError("the measured application refused a request")
    return seconds, [answer.body for answer in answers]


def _gifts(world: World, pairs: list[tuple[WorldPlayer, WorldPlayer]], count: int, mark: str) -> float:
    """Processor seconds for `count` gifts and their claims, every request with an idempotency key of its own."""
    turns = [pairs[number % len(pairs)] for number in range(count)]
    sends = [
        giver.request(
            "gifts.send", external_player_id=taker.external_id, type="currency", resource_key="gold", amount=1,
            idempotency_key=f"{mark}-send-{number}",
        )
        for number, (giver, taker) in enumerate(turns)
    ]  # fmt: skip
    sending, bodies = _timed(world, sends)
    claims = [
        taker.request(
            "gifts.claim", gift_id=json.loads(body)["data"]["gift"]["giftId"], idempotency_key=f"{mark}-claim-{number}"
        )
        for number, ((_, taker), body) in enumerate(zip(turns, bodies, strict=True))
    ]
    claiming, _ = _timed(world, claims)
    return sending + claiming


def gift_path(count: int) -> float:
    """Requests a second on the way of a gift: sends that debit the sender, and claims; the best of three turns."""
    world = World(CONFIG)
    pairs = _pairs(world, 100)
    _gifts(world, pairs, 500, "warm")
    gc.collect()
    gc.freeze()
    return 2 * count / min(_gifts(world, pairs, count, f"timed-{turn}") for turn in range(3))


def growth(sizes: Sequence[int], count: int) -> list[CoreGrowthRow]:
    """What requests cost as a game grows; the players are registered through the application like any others."""
    world = World(CONFIG)
    pairs = _pairs(world, 50)
    rows: list[CoreGrowthRow] = []
    registered = 100
    for size in sizes:
        for number in range(registered, size):
            world.application.handle(
                Request(
                    "POST", f"/sdk/v1/players/crowd-{number}/register", "",
                    {"authorization": f"Bearer {world.keys['client']}"}, b"", "127.0.0.1",
                )
            )  # fmt: skip
        registered = size
        world.flush()
        profiles, _ = _timed(world, [giver.request("players.getProfile") for giver, _ in pairs] * (count // 50))
        lists, _ = _timed(world, [giver.request("friends.list") for giver, _ in pairs] * (count // 50))
        gifts = _gifts(world, pairs, count, f"size-{size}")
        each = 1e6 / (count // 50 * 50)
        rows.append(
            CoreGrowthRow(
                players=size, profile_us=profiles * each, friends_us=lists * each, gift_us=gifts * 1e6 / (2 * count)
            )
        )
    return rows

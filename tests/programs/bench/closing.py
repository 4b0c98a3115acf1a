"""The close of a large window: how long it takes until every rank is paid, and how long others wait meanwhile."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from livecore.kernel.errors import Json
from tests.programs.bench import game
from tests.programs.bench.boards import gather
from tests.programs.bench.databases import StoreName, fresh
from tests.programs.bench.due_items import due_left
from tests.programs.bench.figures import ClosingRow
from tests.programs.bench.over_http import on_quick_loop
from tests.programs.bench.players import Players
from tests.programs.bench.probe import Probe
from tests.programs.bench.processes import make_game, serve
from tests.programs.bench.scenarios import FRIENDS

_KIND: Final = "competition.close"
_READERS: Final = 64


def measure(store: StoreName, size: int) -> ClosingRow:
    """End a window with so many attempts in progress, each of whose ranks wins something. Raises `CannotRun`."""
    with fresh(store) as database:
        made = make_game(database, _config(size))
        field = gather(database, made, size, submit=False)
        with due_left(database, _KIND) as left, serve(database, made) as served:

            async def scenario() -> tuple[float, Probe]:
                players = Players(served, {runner.name: runner.secret for runner in field.runners})
                readers = [runner.name for runner in field.runners[:_READERS]]
                friends = [runner.name for runner in field.runners[_READERS : _READERS + FRIENDS]]
                await players.befriend([(reader, friend) for reader in readers for friend in friends])
                lists = [game.friends(made.client_key, reader, players.secrets[reader]) for reader in readers]
                probe, began = Probe(served.address, lists), time.perf_counter()
                await players.load([game.end_window(made.server_key)])
                # The live environment has a window of its own, which stays open.
                await asyncio.wait_for(probe.until(lambda: left() <= 1), timeout=1_800)
                return time.perf_counter() - began, probe

            seconds, probe = on_quick_loop(scenario())
            used = served.usage()
    return ClosingRow(
        store=store,
        attempts=size,
        seconds=seconds,
        list_p50_ms=probe.milliseconds(0.50),
        list_p99_ms=probe.milliseconds(0.99),
        list_max_ms=probe.milliseconds(1.0),
        server_memory_mb=used.memory_mb,
    )


def _config(size: int) -> dict[str, Json]:
    """The measured game, in which every rank wins gold."""
    reward: Json = {"from": 1, "to": size, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}]}
    return {**game.CONFIG, "events": [{**game.RACE, "rankRewards": [reward]}]}

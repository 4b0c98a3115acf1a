"""A clock that jumps, forward by a day and by a year and back again, while everybody writes.

Forward, everything that has a date comes due at once, and once. Back, what was dated ahead does not hold anything up for as
long as the jump was: due work, deliveries and rate windows go on. `moved_clock.c` sets the clock of the server's process.
"""

from __future__ import annotations

import asyncio
import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from livecore.api.areas import AREAS
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, Millis
from livecore.kernel.units.due import DUE
from livecore.webhooks.outbox import DUE as DELIVERIES_DUE
from livecore_server.operations.check import check
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.crash.attempts import Attempt
from tests.crash.books import check_acknowledged, check_conservation
from tests.crash.game import CONFIG
from tests.crash.halves import rows_of
from tests.crash.load import Load, send_all
from tests.crash.preloaded import compiled
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.faults.siege import besieged, ready, troubles, until

_DAY, _YEAR = 86_400, 365 * 86_400


class Clock:
    """The server's time of day."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.write_bytes(bytes(8))
        with file.open("r+b") as opened:
            self._seconds = mmap.mmap(opened.fileno(), 8)

    def be_ahead(self, seconds: int) -> None:
        """Be so far ahead of everybody else from now on."""
        self._seconds[:8] = struct.pack("=q", seconds)


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    """A clock that is right so far."""
    return Clock(tmp_path / "clock")


@pytest.fixture
def server(tmp_path: Path, clock: Clock, receiver: Receiver) -> Iterator[Livecore]:
    """A server with that clock, and an endpoint for everything that does not mind the date."""
    library = compiled(Path(__file__).with_name("moved_clock.c"), tmp_path)
    environment = {**os.environ, "LD_PRELOAD": str(library), "LIVECORE_CLOCK_FILE": str(clock.file)}
    server = Livecore(tmp_path, CONFIG, environment=environment)
    receiver.secret, receiver.future_seconds = server.add_endpoint(receiver.url), 2.0 * _YEAR
    yield server
    server.end()


def test_a_clock_that_jumps_under_load_loses_and_doubles_nothing(
    server: Livecore, clock: Clock, receiver: Receiver
) -> None:
    """A day and a year forward, and back each time; retries at another time have no second effect; value is conserved."""

    async def scenario(load: Load) -> None:
        for ahead in (_DAY, 0, _YEAR, 0):
            before = len(load.attempts)
            async with besieged(load) as siege:
                await siege.writes(20)
                clock.be_ahead(ahead)
                await siege.writes(40)
                assert (await ready(server))[0] == 200
            await send_all(load, [attempt for attempt in load.attempts[before:] if attempt.key and attempt.succeeded])

    server.start()
    load = Load([server], seed=3)
    asyncio.run(load.set_up())
    asyncio.run(scenario(load))
    assert not [attempt for attempt in load.attempts if attempt.unknown]
    check_sound(server, load.attempts)
    asyncio.run(until_delivered(server, receiver))
    assert server.stop() == 0
    assert sum("the clock was set back by" in line for line in troubles(server)) == 2
    assert len(troubles(server)) == 2


def check_sound(server: Livecore, attempts: list[Attempt]) -> None:
    """The database is sound, all that was acknowledged is in it, and nothing was paid twice or never."""
    with store_at(server.url) as store:
        assert check(store, [server.scope], lambda _: None).findings == []
    rows = rows_of(server.url, server.game_id)
    check_acknowledged(rows, attempts)
    check_conservation(rows, attempts)


async def until_delivered(server: Livecore, receiver: Receiver) -> None:
    """With the clock back, the server delivers everything that it knows of, however it was dated, and is at its sweeps."""
    with store_at(server.url) as store:

        async def delivered() -> bool:
            return store.read(server.scope, lambda tx: _is_up_to_date(tx, now_millis()))

        await until(delivered)
    known = {event.event_id for event in rows_of(server.url, server.game_id).tables["webhook_events"]}
    assert known <= set(receiver.events)


def _is_up_to_date(tx: Transaction, now: Millis) -> bool:
    sweeps = [tx.get(DUE, kind, "") for kind in AREAS.recurring]
    return all(work is not None and work.due_at <= now + DAY for work in sweeps) and not tx.scan(
        DELIVERIES_DUE, limit=1
    )


def test_a_clock_that_is_set_back_gives_rate_windows_back(server: Livecore, clock: Clock) -> None:
    """A window that ends in a year would be no limit, but a ban."""

    async def statuses(times: int) -> list[int]:
        headers = {"Authorization": f"Bearer {server.keys['server']}"}
        async with aiohttp.ClientSession(server.address, headers=headers) as session:
            answers = [await session.get("/server/v1/ping") for _ in range(times)]
            return [answer.status for answer in answers]

    clock.be_ahead(_YEAR)
    server.start("--rate-limits", "server_api=3")
    assert asyncio.run(statuses(4)) == [200, 200, 200, 429]
    clock.be_ahead(0)
    assert asyncio.run(statuses(4)) == [200, 200, 200, 429]


def test_what_a_wrong_clock_left_behind_is_put_right_at_the_next_start(
    server: Livecore, clock: Clock, receiver: Receiver
) -> None:
    """The server was stopped while its clock was a year ahead, and events were waiting: they are sent, and sweeps run."""

    async def write(load: Load) -> None:
        async with besieged(load) as siege:
            await siege.writes(40)

    clock.be_ahead(_YEAR)
    receiver.refusing = True
    server.start("--breaker-threshold", "1000")
    load = Load([server], seed=1)
    asyncio.run(load.set_up())
    asyncio.run(write(load))
    server.kill()
    server.wait()
    clock.be_ahead(0)
    receiver.refusing = False
    server.start()
    asyncio.run(until_delivered(server, receiver))
    check_sound(server, load.attempts)
    assert server.stop() == 0

"""PostgreSQL that goes away, comes back, hangs, or cannot be reached, while everybody writes.

Who asks meanwhile is answered 503, and soon; readiness and log say so; when the database is back, so is the server. What
was acknowledged is there, and what nobody could know has one effect once it is sent again.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.crash.game import CONFIG
from tests.crash.load import Load
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.faults.proxy import Proxy, proxy_before
from tests.faults.siege import besieged, ready, survive, troubles, until
from tests.postgres.server import OwnServer, fresh_database, own_server, ready_database

LONG = "LIVECORE_CRASH_ROUNDS" in os.environ
"""Whether to try more than the suite has the time for; `nox -s crash` does."""
CUTS = 10 if LONG else 5
HOWS = ("restarted as after a crash", "restarted fast", "its connections terminated")


@pytest.fixture(scope="module")
def database_server() -> Iterator[OwnServer]:
    """A PostgreSQL server of our own, to be stopped and restarted."""
    with own_server() as server:
        yield server


@pytest.fixture
def own_url(database_server: OwnServer) -> Iterator[str]:
    """A database of that server."""
    with fresh_database(database_server.url) as url:
        yield url


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """A proxy before a database of any server."""
    with ready_database() as url, proxy_before(url) as proxy:
        yield proxy


def served(folder: Path, receiver: Receiver, url: str) -> Livecore:
    """A game in that database, with an endpoint for everything; not serving yet."""
    server = Livecore(folder, CONFIG, url=url)
    receiver.secret = server.add_endpoint(receiver.url)
    return server


def terminate(url: str) -> None:
    """End every connection to a database but our own."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.mark.parametrize("how", HOWS if LONG else HOWS[:1])
def test_a_database_that_is_back_at_once(
    database_server: OwnServer, own_url: str, receiver: Receiver, tmp_path: Path, how: str
) -> None:
    """Under load: some may be answered 503, and nobody has to do anything."""
    steps: dict[str, Callable[[], None]] = {
        "restarted fast": lambda: database_server.restart("fast"),
        "restarted as after a crash": lambda: database_server.restart("immediate"),
        "its connections terminated": lambda: terminate(own_url),
    }

    async def scenario(load: Load) -> None:
        async with besieged(load) as siege:
            await siege.writes(60)
            await asyncio.to_thread(steps[how])
            await siege.writes(60)
            await until_ready(server)

    server = served(tmp_path, receiver, own_url)
    survive(server, receiver, scenario, unknown=0)
    check_log(server)


def test_a_database_that_is_away_for_a_while(
    database_server: OwnServer, own_url: str, receiver: Receiver, tmp_path: Path
) -> None:
    """It crashes, stays away, and comes back."""

    async def scenario(load: Load) -> None:
        async with besieged(load) as siege:
            await siege.writes(40)
            await asyncio.to_thread(database_server.stop)
            await siege.refusals(60)
            status, checks = await ready(server)
            assert (status, checks["store"]) == (503, "not writable")
            assert "none" not in await refused_operations(server)
            await asyncio.to_thread(database_server.start)
            await siege.writes(40)
            await until_ready(server)

    server = served(tmp_path, receiver, own_url)
    survive(server, receiver, scenario)
    check_log(server)


def test_connections_that_are_cut_again_and_again(proxy: Proxy, receiver: Receiver, tmp_path: Path) -> None:
    """Several times under load, wherever each of them is at that moment."""

    async def scenario(load: Load) -> None:
        async with besieged(load) as siege:
            for _ in range(CUTS):
                await siege.writes(10)
                proxy.cut()
            await siege.writes(40)
            await until_ready(server)

    server = served(tmp_path, receiver, proxy.url)
    survive(server, receiver, scenario, unknown=0)
    check_log(server)


@asynccontextmanager
async def silence(proxy: Proxy) -> AsyncIterator[None]:
    """Nothing is closed and nothing arrives."""
    proxy.be_silent()
    try:
        yield
    finally:
        proxy.speak()


@asynccontextmanager
async def lock(proxy: Proxy) -> AsyncIterator[None]:
    """The database answers nobody who needs the players."""
    async with await psycopg.AsyncConnection.connect(proxy.url) as connection:
        await connection.execute("LOCK TABLE players IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.mark.parametrize("fault", [silence, lock] if LONG else [silence])
def test_a_database_that_does_not_answer(
    proxy: Proxy, receiver: Receiver, tmp_path: Path, fault: Callable[[Proxy], AbstractAsyncContextManager[None]]
) -> None:
    """Nobody waits for longer than the bound; where nothing can be written at all, readiness says so."""

    async def scenario(load: Load) -> None:
        async with besieged(load) as siege:
            await siege.writes(40)
            async with fault(proxy):
                await siege.refusals(60)
                if fault is silence:
                    status, checks = await ready(server)
                    assert (status, checks["store"]) == (503, "not writable")
            await siege.writes(40)
            await until_ready(server)

    server = served(tmp_path, receiver, proxy.url)
    survive(server, receiver, scenario)
    check_log(server)


@pytest.mark.parametrize("reached", [True, False], ids=["the commit reached it", "the commit did not reach it"])
def test_a_commit_whose_answer_is_lost_has_one_effect(
    proxy: Proxy, receiver: Receiver, tmp_path: Path, reached: bool
) -> None:
    """It is answered 503, because nobody can know; the same request again has the effect, or finds that it had it."""
    server = served(tmp_path, receiver, proxy.url)
    mark = "in-doubt"

    async def credit(session: aiohttp.ClientSession) -> tuple[int, dict[str, Any], dict[str, str]]:
        body = {"amount": 5, "reason": mark, "idempotencyKey": "once"}
        async with session.post("/server/v1/players/ann/wallet/gold/credit", json=body) as answer:
            return answer.status, await answer.json(), dict(answer.headers)

    async def scenario() -> None:
        headers = {"Authorization": f"Bearer {server.keys['server']}"}
        async with aiohttp.ClientSession(server.address, headers=headers) as session:
            await session.post("/server/v1/players/ann/grants", json=_GRANT)  # makes the player known
            if reached:
                proxy.lose_answer_to(mark.encode())
            else:
                proxy.cut_before(mark.encode())
            asking = asyncio.create_task(credit(session))
            assert await asyncio.to_thread(proxy.marked.wait, 30)
            if reached:
                await until(entry_is_there)
                proxy.cut()
            status, body, answered = await asking
            assert (status, body["error"]["code"]) == (503, "overloaded")
            assert int(answered["Retry-After"]) >= 1
            status, body, answered = await credit(session)
            assert (status, body["data"]["balance"]) == (200, 5)
            assert ("Idempotent-Replay" in answered) is reached

    async def entry_is_there() -> bool:
        async with await psycopg.AsyncConnection.connect(proxy.url) as connection:
            found = await connection.execute("SELECT count(*) FROM ledger_entries WHERE reason = %s", (mark,))
            return await found.fetchone() == (1,)

    server.start()
    try:
        asyncio.run(scenario())
        assert asyncio.run(entry_is_there())
        assert server.stop() == 0
    finally:
        server.end()


_GRANT = {"entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}], "idempotencyKey": "hello"}


async def refused_operations(server: Livecore) -> set[str]:
    """The operations whose requests the metrics count as answered with 503."""
    async with aiohttp.ClientSession() as session, session.get(f"{server.address}/metrics") as answer:
        families = text_string_to_metric_families(await answer.text())
    samples = [sample for family in families for sample in family.samples if sample.name == "livecore_requests_total"]
    found = {sample.labels["operation"] for sample in samples if sample.labels["status"] == "503" and sample.value}
    assert found
    return found


async def until_ready(server: Livecore) -> None:
    """Readiness finds out by itself that the database is back."""

    async def is_ready() -> bool:
        return (await ready(server))[0] == 200

    await until(is_ready)


def check_log(server: Livecore) -> None:
    """Hundreds of refusals are a few lines, and none of them is a traceback."""
    told = troubles(server)
    assert len(told) <= 12, told
    assert not any("Traceback" in line for line in server.log)

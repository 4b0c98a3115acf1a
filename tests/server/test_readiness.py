"""Alive and ready are two questions: what readiness looks at, and that it comes back by itself."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.units.due import DUE
from livecore_server.metrics import Metrics
from livecore_server.readiness import Pulse, StoreWatch
from tests.patience import PATIENCE_SECONDS, let_pass
from tests.server.executing import store_of
from tests.server.serving import Server, http, serving


async def ready(server: Server) -> tuple[int, dict[str, str]]:
    """Status and checks."""
    reply = await server.ask("GET", "/admin/v1/ready")
    body = reply.json
    checks = body["data"]["checks"] if "data" in body else body["error"]["details"]["checks"]
    return reply.status, checks


def test_a_server_that_has_started_is_ready(tmp_path: Path) -> None:
    """Every check is named, and none is cached on the way."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            status, checks = await ready(server)
            assert status == 200
            loops = {"dueLoop", "flushLoop", "rankingLoop", "webhookSender", "webhookPoll"}
            assert set(checks) == {"serving", "migrations", "store"} | loops
            assert set(checks.values()) == {"ok"}
            assert (await server.ask("GET", "/admin/v1/ready")).headers["cache-control"] == "no-store"

    asyncio.run(scenario())


def test_a_stalled_loop_is_seen(tmp_path: Path) -> None:
    """A loop that has not come round for long makes the server unready; liveness does not ask that."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            pulse = next(pulse for pulse in server.service.readiness.pulses if pulse.name == "flushLoop")
            pulse.last -= 1000
            status, checks = await ready(server)
            assert (status, checks["flushLoop"]) == (503, "stalled")
            reply = await server.ask("GET", "/admin/v1/ready")
            assert (reply.code, reply.headers["retry-after"]) == ("not_ready", "1")
            assert (await server.ask("GET", "/admin/v1/health")).status == 200
            pulse.beat()
            assert (await ready(server))[0] == 200

    asyncio.run(scenario())


def test_a_pulse_is_stalled_only_after_its_time() -> None:
    """The limit itself is still in time."""
    now = [0.0]
    pulse = Pulse("loop", 30, clock=lambda: now[0])
    stalled = []
    for now[0] in (30.0, 30.1):
        stalled.append(pulse.stalled)
    pulse.beat()
    assert [*stalled, pulse.stalled] == [False, True, False]


def test_a_store_that_cannot_commit_makes_the_server_unready_until_it_can(tmp_path: Path) -> None:
    """The disk fails, then works again: nobody has to write for readiness to find out."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            connections = store_of(server.service.executor).connections
            commit = connections.commit

            def full() -> None:
                error = sqlite3.OperationalError("disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error

            connections.commit = full  # type: ignore[method-assign] # the seam of this test
            reply = await server.sdk("POST", "/ann/register")
            assert (reply.status, reply.code) == (503, "overloaded")
            assert (await ready(server)) == (503, {**(await ready(server))[1], "store": "not writable"})
            connections.commit = commit  # type: ignore[method-assign] # the same
            assert (await ready(server))[0] == 200
            await server.register("ann")

    asyncio.run(scenario())


def test_the_watch_counts_what_it_is_told() -> None:
    """Failures and commits reach the metrics."""
    metrics = Metrics()
    watch = StoreWatch(metrics)
    watch.committed(units=3, run_seconds=0.1, commit_seconds=0.2)
    watch.failed(units=2, error=OSError())
    assert watch.failing
    text = metrics.text().decode()
    assert "livecore_batch_units_sum 3.0" in text
    assert "livecore_batch_refused_units_total 2.0" in text


def test_draining_is_told_before_the_server_stops_listening(tmp_path: Path) -> None:
    """While it drains, the server still answers, with readiness at 503 and connections that close."""

    async def scenario() -> None:
        async with serving(tmp_path, drain_delay_seconds=0.2) as server, server.connect() as connection:
            await connection.send(http("GET", "/admin/v1/health"))
            await connection.reply()
            stopping = asyncio.create_task(server.service.stop())
            await asyncio.sleep(0)  # the task's first step
            status, checks = await ready(server)
            assert (status, checks["serving"]) == (503, "draining")
            await stopping
            assert await connection.closed()

    asyncio.run(scenario())


def test_each_answer_closes_its_connection_while_the_proxy_takes_notice(tmp_path: Path) -> None:
    """A proxy that keeps connections has none left when the server stops listening; until then it may open others."""

    async def scenario() -> None:
        async with serving(tmp_path, drain_delay_seconds=600) as server, server.connect() as kept:
            await kept.send(http("GET", "/admin/v1/health"))
            assert "connection" not in (await kept.reply()).headers
            stopping = asyncio.create_task(server.service.stop())
            await asyncio.sleep(0)  # the task's first step
            await kept.send(http("GET", "/admin/v1/health"))
            async with server.connect() as new:
                await new.send(http("GET", "/admin/v1/health"))
                for connection in (kept, new):
                    reply = await connection.reply()
                    assert (reply.status, reply.headers["connection"]) == (200, "close")
                    assert await connection.closed()
            assert not stopping.done()
            let_pass(600)
            await stopping

    asyncio.run(scenario())


def test_a_request_that_is_on_its_way_over_a_new_connection_is_answered(tmp_path: Path) -> None:
    """Its caller was let in before the server stopped listening. Who is let in and says nothing is not waited for."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as silent, server.connect() as connection:
            ((_, _, accepted),) = server.service._listening
            await until_true(lambda: len(accepted.connections) == 2)
            stopping = asyncio.create_task(server.service.stop())
            await asyncio.sleep(0)  # the task's first step
            await asyncio.sleep(0)  # the delay of nothing
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", server.port)
            await connection.send(http("GET", "/admin/v1/health"))
            reply = await connection.reply()
            assert (reply.status, reply.headers["connection"]) == (200, "close")
            await stopping
            assert await silent.closed()

    asyncio.run(scenario())


async def until_true(fact: Callable[[], bool]) -> None:
    """Let the loop run until the fact is there."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not fact():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0)


def test_every_game_gets_its_recurring_work_at_the_start(tmp_path: Path) -> None:
    """Also a game whose database was made by a release that knew less of it."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            game_id = server.game.game.game_id
            for environment in ("test", "live"):
                assert await server.service.executor.read(
                    Scope(game_id, environment), lambda tx: tx.get(DUE, "players.streak_sweep", "") is not None
                )

    asyncio.run(scenario())


def test_the_log_tells_of_a_failing_store_when_it_begins_once_a_minute_and_when_it_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nine hundred refusals in a minute and a half are three lines, and failures right after them none."""
    now = [0.0]
    watch = StoreWatch(Metrics(), clock=lambda: now[0])
    for tick in range(900):
        now[0] = tick / 10
        watch.failed(units=2, error=OSError("disk is full"))
    watch.committed(units=1, run_seconds=0.1, commit_seconds=0.2)
    watch.failed(units=1, error=OSError("once more"))
    watch.committed(units=1, run_seconds=0.1, commit_seconds=0.2)
    assert caplog.messages == [
        "the store fails, and requests are answered 503 until it works again: disk is full",
        "the store has failed for 60 s and refused 1204 times: disk is full",
        "the store works again after 89.9 s; it refused 1800 times",
    ]


def test_metrics_say_whether_the_store_fails_and_when_loops_came_round(tmp_path: Path) -> None:
    """So that an alert needs no readiness probe."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            service = server.service
            next(pulse for pulse in service.readiness.pulses if pulse.name == "flushLoop").last -= 1000
            service.metrics.store_failing = True
            text = (await server.ask("GET", "/metrics")).body.decode()
            assert "livecore_store_failing 1.0" in text
            assert 'livecore_loop_silent_seconds{loop="flushLoop"} 100' in text
            assert 'livecore_loop_silent_seconds{loop="dueLoop"} 0.' in text

    asyncio.run(scenario())

"""Stopping: nobody is cut off, what is only in memory is written, and the process ends with status 0."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from livecore.kernel.scope import Scope
from livecore.players.player import BY_EXTERNAL_ID
from livecore_server.storage.database import store_at
from tests.patience import PATIENCE_SECONDS
from tests.server.executing import HeldCommit, store_of
from tests.server.serving import http, make_game, serving


def test_a_request_that_is_under_way_is_answered(tmp_path: Path) -> None:
    """A write that waits for the disk when the server is told to stop still gets its answer, and then is durable."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            await server.register("ann")
            held = HeldCommit(store_of(server.service.executor))
            headers = {"Authorization": f"Bearer {server.key('client')}"}
            await connection.send(http("POST", "/sdk/v1/players/bob/register", headers=headers))
            await held.begun()
            stopping = asyncio.create_task(server.service.stop())
            await asyncio.sleep(0)  # the task's first step
            assert not stopping.done()
            held.let_go()
            reply = await connection.reply()
            assert (reply.status, reply.headers["connection"]) == (201, "close")
            await stopping
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", server.port)

    asyncio.run(scenario())


def test_a_body_that_is_still_coming_in_is_awaited(tmp_path: Path) -> None:
    """The caller has begun to speak before the server was told to stop, and is heard to the end."""

    async def scenario() -> None:
        async with serving(tmp_path) as server, server.connect() as connection:
            secret = await server.register("ann")
            headers = {"Authorization": f"Bearer {server.key('client')}", "X-Player-Secret": secret}
            headers |= {"Content-Type": "application/json", "Content-Length": "28", "Expect": "100-continue"}
            await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=headers))
            assert (await connection.reply()).status == 100
            stopping = asyncio.create_task(server.service.stop())
            await asyncio.sleep(0)  # the task's first step
            await connection.send(b'{"name":"Ann","avatar":null}')
            assert (await connection.reply()).status == 200
            await stopping

    asyncio.run(scenario())


def test_a_caller_who_never_ends_is_cut_off(tmp_path: Path) -> None:
    """There is an end to waiting: the server stops after its time, and says whom it has cut off."""

    async def scenario() -> str:
        async with serving(tmp_path, drain_seconds=0.05) as server, server.connect() as connection:
            headers = {"Authorization": f"Bearer {server.key('client')}", "Content-Type": "application/json"}
            headers |= {"Content-Length": "28", "Expect": "100-continue"}
            await connection.send(http("PUT", "/sdk/v1/players/ann/identity", headers=headers))
            assert (await connection.reply()).status == 100
            await server.service.stop()
            assert await connection.closed()
        return server.log.getvalue()

    assert "1 requests took longer than --drain-seconds and are cut off" in asyncio.run(scenario())


def test_what_is_only_in_memory_is_written_at_the_end(tmp_path: Path) -> None:
    """A heartbeat is no durable write, but a server that stops in order forgets none."""

    async def scenario() -> str:
        async with serving(tmp_path, flush_seconds=60) as server:
            secret = await server.register("ann")
            beat = await server.sdk("POST", "/ann/presence", {"status": "in the lobby"}, secret=secret)
            assert beat.status == 200
            return server.game.game.game_id

    game_id = asyncio.run(scenario())
    with store_at(f"sqlite:///{tmp_path / 'game.db'}") as store:
        ann = store.read(Scope(game_id, "test"), lambda tx: tx.find(BY_EXTERNAL_ID, "ann"))
    assert ann is not None
    assert ann.presence_status == "in the lobby"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_and_ends_the_process_with_status_0(tmp_path: Path, number: signal.Signals) -> None:
    """The console script's `serve`, as a process of its own."""
    database = f"sqlite:///{tmp_path / 'game.db'}"
    make_game(database)
    command = [sys.executable, "-m", "livecore_server", "serve", "--database", database, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "listening on http://127.0.0.1:" in process.stderr.readline()
        assert "not for production" in process.stderr.readline()
        process.send_signal(number)
        lines = process.stderr.readlines()
        assert process.wait(PATIENCE_SECONDS) == 0
    assert [line.split(" ", 1)[1].strip() for line in lines] == ["info draining", "info stopped"]


def test_a_reload_with_one_process_is_answered_in_the_log(tmp_path: Path) -> None:
    """It goes on serving, and stops in order afterwards."""
    database = f"sqlite:///{tmp_path / 'game.db'}"
    make_game(database)
    command = [sys.executable, "-m", "livecore_server", "serve", "--database", database, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        assert "not for production" in process.stderr.readline()
        process.send_signal(signal.SIGHUP)
        assert "nothing to reload with one process; use --workers 2, or restart" in process.stderr.readline()
        with urlopen(f"{address}/admin/v1/ready", timeout=PATIENCE_SECONDS) as ready:  # noqa: S310 - our own server
            assert ready.status == 200
        process.send_signal(signal.SIGTERM)
        lines = process.stderr.readlines()
        assert process.wait(PATIENCE_SECONDS) == 0
    assert [line.split(" ", 1)[1].strip() for line in lines[1:]] == ["info draining", "info stopped"]

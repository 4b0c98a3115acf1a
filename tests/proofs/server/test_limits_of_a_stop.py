"""A stop has a limit, whatever hangs: a scrape, a receiver of webhooks, a disk, a worker that somebody has stopped."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import MappingProxyType

import pytest
from aiohttp import web

from livecore.api.requests.http import Response
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY
from livecore_server import stopping
from livecore_server.http.host import Probe
from livecore_server.stopping import AFTER_DRAIN_SECONDS, STEP_SECONDS, SUPERVISED_SECONDS, StopSteps
from livecore_server.storage.host_tables import STORE_PROBES, StoreProbe
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from tests.delivery.receivers import answering, receiver, waiting_for
from tests.delivery.rig import Deployment, play
from tests.patience import PATIENCE_SECONDS
from tests.server.executing import HeldCommit, store_of
from tests.server.serving import http, make_game, serving

LONG = 3 * PATIENCE_SECONDS
"""Longer than any test waits."""


def short(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Give this step hardly any time."""
    monkeypatch.setattr(stopping, "STEP_SECONDS", MappingProxyType({**STEP_SECONDS, name: 0.05}))


@pytest.mark.parametrize("ends", [False, True])
def test_a_scrape_under_way_does_not_hold_the_drain(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ends: bool,
) -> None:
    """Neither one that never ends, nor one that ends after every request has."""
    asked, answer = asyncio.Event(), asyncio.Event()

    async def scraped(_: web.BaseRequest) -> Response:
        asked.set()
        await answer.wait()
        return Response(200, (), b"")

    monkeypatch.setattr("livecore_server.service.metrics_probe", lambda *_, **__: Probe("host:metrics", scraped))

    async def scenario() -> None:
        async with (
            serving(tmp_path, drain_seconds=600, metrics_address="127.0.0.1:0") as server,
            server.connect() as connection,
        ):
            await server.register("ann")
            port = int(server.service.addresses[1].rpartition(":")[2].partition("/")[0])
            _, scrape = await asyncio.open_connection("127.0.0.1", port)
            scrape.write(http("GET", "/metrics"))
            await asked.wait()
            held = HeldCommit(store_of(server.service.executor))
            headers = {"Authorization": f"Bearer {server.key('client')}"}
            await connection.send(http("POST", "/sdk/v1/players/bob/register", headers=headers))
            await held.begun()
            stopping = asyncio.create_task(server.service.stop())
            await asyncio.sleep(0)  # the task's first step
            held.let_go()
            assert (await connection.reply()).status == 201
            if ends:
                answer.set()
            async with asyncio.timeout(PATIENCE_SECONDS):
                assert await stopping
            scrape.close()

    asyncio.run(scenario())


def test_the_threads_of_requests_end(tmp_path: Path) -> None:
    """Those that parse long bodies and those that wait for several units, beside those of the store."""

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            secret = await server.register("ann")
            long = {"name": "Ann", "avatar": "x" * 8_000}
            assert (await server.sdk("PUT", "/ann/identity", long, secret=secret)).status in {200, 400}
            await server.service._dispatches[0]._stores.run(lambda _: None)
            names = {thread.name.rpartition("_")[0] for thread in threading.enumerate()}
            assert names >= {"livecore-read", "livecore-steps", "livecore-commit"}
            assert await server.service.stop()
            assert [thread.name for thread in threading.enumerate() if thread.name.startswith("livecore")] == []

    asyncio.run(scenario())


def test_a_receiver_that_hangs_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attempt is cut off, and is made again when its lease has expired; what follows closes in order."""
    short(monkeypatch, "ending the attempts of webhooks")

    async def scenario(made: Deployment) -> None:
        never = asyncio.Event()
        async with receiver(waiting_for(never, answering(200))) as hook, made.sender(timeout_seconds=LONG) as sender:
            await made.add(hook.url)
            await made.emit()
            sender.wake(made.scope)
            await hook.next()
            steps = StopSteps()
            await steps.take("ending the attempts of webhooks", sender.stop())
            assert steps.cut_off == ["ending the attempts of webhooks"]
            (delivery,) = made.deliveries()
            assert delivery.status == "pending"
            assert delivery.leased_until is not None
            never.set()
            async with made.sender():
                made.now += 61_000
                await made.until_all("delivered")

    play(tmp_path, scenario)


def test_a_disk_that_never_answers_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stop says that something still hangs, so that the process ends without waiting for its threads."""
    short(monkeypatch, "closing the store")

    async def scenario() -> str:
        async with serving(tmp_path, drain_seconds=0.05) as server, server.connect() as connection:
            await server.register("ann")
            held = HeldCommit(store_of(server.service.executor))
            headers = {"Authorization": f"Bearer {server.key('client')}"}
            await connection.send(http("POST", "/sdk/v1/players/bob/register", headers=headers))
            await held.begun()
            assert not await server.service.stop()
            held.let_go()
        return server.log.getvalue()

    assert "closing the store took longer than 0.05 s and is cut off" in asyncio.run(scenario())


def test_what_is_being_copied_for_a_checkpoint_does_not_hold_the_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that hangs while nobody writes: the loop goes on, so the step's limit counts there as well."""
    short(monkeypatch, "closing the store")
    hangs = threading.Event()

    async def scenario() -> list[str]:
        store = SqliteStore(tmp_path / "game.db")
        executor = SqliteExecutor(store)
        monkeypatch.setattr(store, "copy_log", lambda: hangs.wait(PATIENCE_SECONDS))
        monkeypatch.setattr(SqliteStore, "checkpoint_due", True)
        await executor.write(DIRECTORY, lambda tx: tx.put(STORE_PROBES, StoreProbe(name="start", at=1)))
        steps = StopSteps()
        await steps.take("closing the store", executor.close())
        hangs.set()
        return steps.cut_off

    assert asyncio.run(scenario()) == ["closing the store"]


def test_a_log_that_cannot_be_merged_does_not_hold_the_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last copy of the log waits for the disk as well; whoever still reads meanwhile is refused."""
    short(monkeypatch, "closing the store")
    hangs = threading.Event()

    async def scenario() -> list[str]:
        store = SqliteStore(tmp_path / "game.db")
        executor = SqliteExecutor(store)
        monkeypatch.setattr(store, "merge_log", lambda: hangs.wait(PATIENCE_SECONDS))
        steps = StopSteps()
        await steps.take("closing the store", executor.close())
        with pytest.raises(Overloaded):
            await executor.read(DIRECTORY, lambda tx: tx.get(STORE_PROBES, "start"))
        hangs.set()
        return steps.cut_off

    assert asyncio.run(scenario()) == ["closing the store"]


_WITH_A_THREAD_THAT_HANGS = """
import asyncio, os, signal, sys, threading
from livecore_server.running import run_service
from livecore_server.settings import Settings
from livecore_server.background.webhooks.guard import NameService

def hangs(*_):
    threading.Event().wait()

names = NameService(hangs)

def started(service):
    loop = asyncio.get_running_loop()
    if sys.argv[2] == "names":
        loop.create_task(names.addresses("studio.example"))
    else:
        loop.run_in_executor(None, hangs)
    loop.call_soon(os.kill, os.getpid(), signal.SIGTERM)

run_service(Settings(database=sys.argv[1], port=0), started)
"""


@pytest.mark.parametrize(("kind", "thread"), [("names", "livecore-names_0"), ("loop", "_0")])
def test_a_thread_that_hangs_does_not_hold_the_process(tmp_path: Path, kind: str, thread: str) -> None:
    """Such as one that looks up a name, which nothing can interrupt: the interpreter would wait for it."""
    url = f"sqlite:///{tmp_path}/game.db"
    make_game(url)
    command = [sys.executable, "-c", _WITH_A_THREAD_THAT_HANGS, url, kind]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert ended.returncode == 1, ended.stderr
    lines = ended.stderr.splitlines()
    assert "stopped" in lines[-2]
    said, _, names = lines[-1].rpartition(": ")
    assert said.endswith("the process ends without threads that hang")
    assert thread in names


def test_a_step_that_was_cancelled_inside_does_not_end_the_stop(caplog: pytest.LogCaptureFixture) -> None:
    """The steps after it are taken, and the log names it."""

    async def cancelled() -> None:
        raise asyncio.CancelledError

    async def scenario() -> list[str]:
        steps = StopSteps()
        await steps.take("ending the streams", cancelled())
        return steps.cut_off

    assert asyncio.run(scenario()) == []
    assert "ending the streams failed" in caplog.text


def test_the_documented_limits_are_those_of_the_code() -> None:
    """The page adds them up, and says what a service manager has to be given."""
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "restart-without-downtime.md").read_text()
    sentences = " ".join(page.split())
    rows = re.findall(r"^\| .* \| ([\d.]+) s( each)? \|$", page, re.MULTILINE)
    each = {"2.5": 2, "1": 3}
    assert sum(float(seconds) * (each[seconds] if several else 1) for seconds, several in rows) == sum(
        STEP_SECONDS.values()
    )
    assert "that is 37 seconds after the drain" in sentences
    assert AFTER_DRAIN_SECONDS <= 37
    assert "the sum of both times and 45 seconds more" in sentences
    assert SUPERVISED_SECONDS < 45

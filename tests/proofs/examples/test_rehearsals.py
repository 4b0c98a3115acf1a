"""The webhook receiver examples pass the rehearsal on sockets, each behind a server that its framework is run with."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from socketserver import ThreadingMixIn
from subprocess import DEVNULL, PIPE
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
import uvicorn
from aiohttp.test_utils import TestServer

from examples.webhook_receiver import Receiver
from examples.webhook_receivers import aiohttp_receiver, fastapi_receiver, flask_receiver
from livecore.rehearsal.answers import Exchange
from livecore.rehearsal.plan import make_plan
from livecore.rehearsal.scenario import Scenario
from livecore.rehearsal.verdict import judge
from livecore_server.operations.rehearse import rehearse
from livecore_server.system import now_millis

SECRET = "whsec_rehearsed"
ROUTE = "/livecore/webhooks"
FRAMEWORKS = ("Flask", "FastAPI", "aiohttp", "Django")
ROOT = Path(__file__).parents[3]


class _Threading(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@asynccontextmanager
async def _flask(database_path: str) -> AsyncIterator[str]:
    app = flask_receiver.create_app(database_path, [SECRET])
    server = make_server("127.0.0.1", 0, app, server_class=_Threading, handler_class=_Quiet)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{ROUTE}"
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()
        thread.join()


DJANGO = """
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server
from examples.webhook_receivers import django_receiver

class Threading(ThreadingMixIn, WSGIServer):
    daemon_threads = True

django_receiver.configure(sys.argv[1], [sys.argv[2]])
from django.core.wsgi import get_wsgi_application
server = make_server("127.0.0.1", 0, get_wsgi_application(), server_class=Threading)
print(server.server_port, flush=True)
server.serve_forever()
"""
"""In a process of its own, because Django has its settings once for a process."""


@asynccontextmanager
async def _django(database_path: str) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", DJANGO, database_path, SECRET, cwd=ROOT, stdout=PIPE, stderr=DEVNULL
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}{ROUTE}"
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def _aiohttp(database_path: str) -> AsyncIterator[str]:
    async with TestServer(aiohttp_receiver.create_app(database_path, [SECRET])) as server:
        yield str(server.make_url(ROUTE))


@asynccontextmanager
async def _fastapi(database_path: str) -> AsyncIterator[str]:
    app = fastapi_receiver.create_app(database_path, [SECRET])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listening:  # who connects before the server has started waits
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}{ROUTE}"
        finally:
            server.should_exit = True
            await task


@pytest.mark.parametrize("serving", [_flask, _fastapi, _aiohttp, _django], ids=FRAMEWORKS)
def test_an_example_passes_the_rehearsal(
    serving: Callable[[str], AbstractAsyncContextManager[str]], tmp_path: Path
) -> None:
    """Every step, and each event is stored once with its effect."""
    path = str(tmp_path / "events.db")
    plan = make_plan(Scenario(), [SECRET], seed=b"example", now=now_millis())

    async def play() -> list[Exchange]:
        async with serving(path) as url:
            return await rehearse(plan, url)

    exchanges = asyncio.run(play())
    verdict = judge(exchanges, planned=plan.deliveries, timeout_seconds=plan.timeout_seconds)
    assert verdict.findings == ()
    with closing(sqlite3.connect(path)) as database:
        stored = {row[0] for row in database.execute("SELECT id FROM event")}
        opened = dict(database.execute("SELECT player, count FROM opened_gifts"))
    right = {each.delivery.event.id: each.delivery.event for each in exchanges if each.delivery.right}
    gifts = [event.data["recipientExternalPlayerId"] for event in right.values() if event.kind == "gift.claimed"]
    assert stored == set(right)
    assert opened == Counter(gifts)


def test_the_smallest_example_passes_the_rehearsal() -> None:
    """The one with the standard library only, and in memory."""
    plan = make_plan(Scenario(), [SECRET], seed=b"smallest", now=now_millis())
    with Receiver(0, SECRET) as receiver:
        exchanges = asyncio.run(rehearse(plan, receiver.url))
    verdict = judge(exchanges, planned=plan.deliveries, timeout_seconds=plan.timeout_seconds)
    assert verdict.findings == ()
    assert set(receiver.events) == {each.delivery.event.id for each in exchanges if each.delivery.right}

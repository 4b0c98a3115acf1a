"""nginx before two servers, as `examples/deploy/nginx` configures it: a rolling restart that no client notices."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from livecore.api.maintenance import NewGame
from tests.faults.siege import pause
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database
from tests.server.serving import Connection, make_game
from tests.workers.cluster import Cluster, serving_workers

NGINX: Final = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/local/bin")
SITE: Final = Path(__file__).parents[3] / "examples" / "deploy" / "nginx" / "livecore.conf"
ROLLS: Final = 10
AT_ONCE: Final = 16
PAUSE_SECONDS: Final = 0.005

pytestmark = pytest.mark.skipif(NGINX is None, reason="there is no nginx on this machine; .ci/run installs one")

MAIN = """
daemon off;
{user}
worker_processes 2;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/livecore.conf;
}}
"""


class Servers:
    """The servers of one database, each of which can be restarted: at fixed ports, or on sockets that outlive them."""

    def __init__(self, url: str, game: NewGame, addresses: Sequence[int | socket.socket]) -> None:
        self._url = url
        self._game = game
        self._addresses = addresses
        delay_seconds = max(seconds_of("keepalive_timeout"), seconds_of("fail_timeout")) + 1
        self._options = ["--drain-delay-seconds", str(delay_seconds), "--trusted-proxies", "1"]
        self._running = [ExitStack() for _ in addresses]
        self.clusters = [self._start(place) for place in range(len(addresses))]

    def _start(self, place: int) -> Cluster:
        address = self._addresses[place]
        if isinstance(address, int):
            options = [*self._options, "--port", str(address)]
            serving = serving_workers(self._url, *options, workers=1, game=self._game)
        else:
            serving = serving_workers(self._url, *self._options, workers=1, game=self._game, hand=address)
        return self._running[place].enter_context(serving)

    def roll(self) -> None:
        """Restart one after the other, as the page about restarts says: stop, start, wait until it listens."""
        for place, cluster in enumerate(self.clusters):
            assert cluster.stop() == 0
            self._running[place].close()
            self.clusters[place] = self._start(place)

    def close(self) -> None:
        """End both."""
        for running in self._running:
            running.close()


class Clients:
    """Clients that keep their connections to nginx, read and write in turn, and try nothing twice."""

    def __init__(self, cluster: Cluster, port: int, secret: str) -> None:
        self._cluster = cluster
        self._port = port
        self._secret = secret
        self._numbers = itertools.count()
        self._enough = False
        self.answered = 0
        self.failed: list[str] = []

    async def during(self, happening: Callable[[], None]) -> None:
        """Call before, while and after something happens."""
        self._enough = False
        callers = [asyncio.create_task(self._call()) for _ in range(AT_ONCE)]
        await self._more(40)
        await asyncio.to_thread(happening)
        await self._more(40)
        self._enough = True
        await asyncio.gather(*callers)

    async def _more(self, count: int) -> None:
        wanted = self.answered + count
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.answered < wanted and not self.failed:
                await pause()

    async def _call(self) -> None:
        while not self._enough:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            connection = Connection(reader, writer)
            while not self._enough and await self._ask(connection):
                await pause(PAUSE_SECONDS)
            writer.close()

    async def _ask(self, connection: Connection) -> bool:
        """Send one request; whether the connection can be used again."""
        number = next(self._numbers)
        if number % 2:
            request, expected = self._cluster.register(f"player-{number}"), 201
        else:
            path = "/sdk/v1/players/ann/profile"
            request, expected = self._cluster.request("GET", path, X_Player_Secret=self._secret), 200
        try:
            await connection.send(request)
            reply = await connection.reply()
        except (ConnectionError, asyncio.IncompleteReadError) as fault:
            self.failed.append(f"{number}: {fault!r}")
            return False
        if reply.status != expected:
            self.failed.append(f"{number}: {reply.status} {reply.body[:200]!r}")
        self.answered += 1
        return reply.headers.get("connection") != "close"


@contextmanager
def held_ports(count: int) -> Iterator[list[int]]:
    """Ports that nobody else gets: they are bound and not listened on, which leaves them to whoever names them."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", 0))
        yield [int(one.getsockname()[1]) for one in sockets]


def seconds_of(setting: str) -> float:
    """A time of the configuration."""
    (found,) = set(re.findall(rf"\b{setting}[ =](\d+)s", SITE.read_text("utf-8")))
    return float(found)


@contextmanager
def nginx(folder: Path, port: int, servers: list[int]) -> Iterator[None]:
    """Nginx with the configuration of the examples, at other ports; for one server without the line of the second."""
    text = SITE.read_text("utf-8")
    if len(servers) == 1:
        text, left_out = re.subn(r"\n    server 127\.0\.0\.1:8788 .*;", "", text)
        assert left_out == 1
    shown = [" 80;", ":8787 ", ":8788 "][: 1 + len(servers)]
    for known, real in zip(shown, [f" 127.0.0.1:{port};", *(f":{server} " for server in servers)], strict=True):
        assert text.count(known) == 1
        text = text.replace(known, real)
    (folder / "livecore.conf").write_text(text, "utf-8")
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user), "utf-8")
    assert NGINX is not None
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]
    with (folder / "errors").open("w") as errors, subprocess.Popen(command, stderr=errors) as process:
        try:
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


async def reachable(port: int) -> None:
    """Wait until nginx answers."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await pause()
            else:
                writer.close()
                return


def restart_behind_nginx(folder: Path, servers: Servers, port: int, ports: list[int], times: int) -> None:
    """Restart them so many times, while clients go on; fails where a client or nginx noticed."""

    async def scenario() -> Clients:
        await reachable(port)
        cluster = servers.clusters[0]
        reply = await cluster.ask(cluster.register("ann"))
        clients = Clients(cluster, port, reply.json["data"]["playerSecret"])
        for _ in range(times):
            await clients.during(servers.roll)
        return clients

    try:
        with nginx(folder, port, ports):
            clients = asyncio.run(scenario())
    finally:
        servers.close()
    assert clients.failed == []
    errors = (folder / "errors").read_text("utf-8")
    assert "no live upstreams" not in errors
    assert "prematurely closed" not in errors
    assert "reset by peer" not in errors


@pytest.mark.timeout(1_800)
def test_ten_rolling_restarts_are_not_noticed(tmp_path: Path) -> None:
    """Reads and writes over kept connections, without retries: each is answered, and with what the operation answers."""
    with ready_database() as url, held_ports(3) as (port, *ports):
        restart_behind_nginx(tmp_path, Servers(url, make_game(url), ports), port, ports, ROLLS)


@pytest.mark.timeout(1_800)
def test_a_restart_on_a_socket_that_stays_is_a_wait_and_no_failure(tmp_path: Path) -> None:
    """One server on a file, as on a machine with `livecore.socket`: who calls meanwhile is answered once it is back."""
    url = f"sqlite:///{tmp_path / 'game.db'}"
    with held_ports(1) as (port,), socket.create_server(("127.0.0.1", 0)) as listening:
        servers = Servers(url, make_game(url), [listening])
        restart_behind_nginx(tmp_path, servers, port, [listening.getsockname()[1]], 2)

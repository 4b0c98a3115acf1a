"""Several workers behind one address: they come, die, are replaced and drain, and nobody who calls is refused."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from livecore.kernel.scope import Scope
from livecore.players.player import BY_EXTERNAL_ID
from livecore_server.storage.database import store_at
from tests.faults.siege import pause, until
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import Connection, make_game
from tests.workers.cluster import Cluster, serve, serving_workers

_AT_ONCE = 3
_BROKEN = (ConnectionError, asyncio.IncompleteReadError)


class Registrations:
    """Players who register from several sides at once until somebody says that it is enough."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self._cluster = cluster
        self._name = name
        self._numbers = itertools.count()
        self._enough = False
        self._wanted = 0
        self._reached = asyncio.Event()
        self.acknowledged: list[str] = []
        self.broken: list[str] = []
        """Whose connection broke, so that nobody knows."""

    async def during(self, happening: Callable[[], None]) -> None:
        """Register before, while and after something happens."""
        callers = [asyncio.create_task(self._call()) for _ in range(_AT_ONCE)]
        try:
            await self._more(20)
            await asyncio.to_thread(happening)
            await self._more(20)
            self._enough = True
            await asyncio.gather(*callers)
        finally:
            for caller in callers:
                caller.cancel()

    async def _more(self, count: int) -> None:
        self._wanted = len(self.acknowledged) + count
        self._reached.clear()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._reached.wait()

    async def _call(self) -> None:
        """Keep a connection for as long as the server does, and then open the next one."""
        while not self._enough:
            async with self._cluster.connect() as connection:
                while not self._enough and await self._register(connection):
                    await pause()  # the processes that are to come have a processor as well

    async def _register(self, connection: Connection) -> bool:
        """Register one; whether the connection can be used again."""
        player = f"{self._name}-{next(self._numbers)}"
        try:
            await connection.send(self._cluster.register(player))
            reply = await connection.reply()
        except _BROKEN:
            self.broken.append(player)
            return False
        assert reply.status == 201, reply
        self.acknowledged.append(player)
        if len(self.acknowledged) >= self._wanted:
            self._reached.set()
        return reply.headers.get("connection") != "close"


def missing(cluster: Cluster, players: list[str]) -> list[str]:
    """Who is not in the database."""
    scope = Scope(cluster.game.game.game_id, "test")
    with store_at(cluster.url) as store:
        return store.read(scope, lambda tx: [name for name in players if tx.find(BY_EXTERNAL_ID, name) is None])


async def _status_of(cluster: Cluster, pid: int) -> int:
    """What one worker answers to a write while the others stand still.

    One that is stopped in the middle of a write keeps the file's lock, and then the answer is 503: it has to go on first.
    """
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with cluster.only(pid):
                status = (await cluster.ask(cluster.register(f"met-{pid}"))).status
            if status != 503:
                return status


def test_each_worker_answers_and_all_drain_at_a_signal(file: str) -> None:
    """One port, two processes; while one stands still the other answers. SIGTERM ends all in order, with status 0."""

    async def scenario(cluster: Cluster) -> list[int]:
        return [await _status_of(cluster, pid) for pid in cluster.workers.values()]

    with serving_workers(file) as cluster:
        assert len(set(cluster.workers.values())) == 2
        assert asyncio.run(scenario(cluster)) == [201, 201]
        assert cluster.stop() == 0
        lines = cluster.log.to_the_end()
    assert sum("stopped worker=" in line for line in lines) == 2
    assert lines[-1].endswith("info stopped\n")


def test_a_second_signal_ends_all_at_once(file: str) -> None:
    """A request that never ends would be waited for: not if the operator insists."""

    async def scenario(cluster: Cluster) -> int:
        async with cluster.connect() as connection:
            head = cluster.request("PUT", "/sdk/v1/players/ann/identity", Content_Length="9", Expect="100-continue")
            await connection.send(head.replace(b"\r\n\r\n", b"\r\nContent-Type: application/json\r\n\r\n"))
            assert (await connection.reply()).status == 100
            cluster.process.send_signal(signal.SIGTERM)
            await asyncio.to_thread(cluster.log.wait, "info draining worker=")
            cluster.process.send_signal(signal.SIGTERM)
            return await asyncio.to_thread(cluster.wait)

    with serving_workers(file, "--drain-seconds", "600") as cluster:
        assert asyncio.run(scenario(cluster)) == 1
        cluster.log.to_the_end()


def test_who_connects_while_the_workers_drain_is_refused(file: str) -> None:
    """The supervisor holds the socket as well, and accepts nothing: a connection that it kept waiting would be reset."""

    async def refused(cluster: Cluster) -> bool:
        try:
            async with cluster.connect():
                return False
        except ConnectionRefusedError:
            return True

    async def scenario(cluster: Cluster) -> None:
        async with cluster.connect() as connection:
            head = cluster.request("PUT", "/sdk/v1/players/ann/identity", Content_Length="9", Expect="100-continue")
            await connection.send(head.replace(b"\r\n\r\n", b"\r\nContent-Type: application/json\r\n\r\n"))
            assert (await connection.reply()).status == 100
            cluster.process.send_signal(signal.SIGTERM)
            await until(partial(refused, cluster))

    with serving_workers(file, "--drain-seconds", "600") as cluster:
        asyncio.run(scenario(cluster))
        assert cluster.wait() == 0


def test_workers_die_and_are_replaced_under_load_and_nothing_acknowledged_is_lost(url: str) -> None:
    """Kill -9 breaks the connections of one worker and nothing else; a rolling restart, by SIGHUP, breaks none at all."""
    with serving_workers(url) as cluster:
        before = dict(cluster.workers)
        number, victim = next(iter(before.items()))

        def kill() -> None:
            cluster.kill(victim)
            cluster.log.wait("is ready as process", 3)

        killing, renewing = Registrations(cluster, "one"), Registrations(cluster, "two")
        asyncio.run(killing.during(kill))
        assert cluster.log.wait(rf"worker {number} died \(it was ended by SIGKILL\), another takes its place")
        assert len(killing.broken) <= _AT_ONCE
        asyncio.run(renewing.during(cluster.renew))
        assert renewing.broken == []
        ready = [int(match[2]) for match in cluster.log.wait(r"worker (\d+) is ready as process (\d+)")]
        assert len(set(ready)) == 5
        assert cluster.stop() == 0
        assert missing(cluster, killing.acknowledged + renewing.acknowledged) == []


def test_workers_whose_supervisor_is_killed_drain_by_themselves(file: str) -> None:
    """Nobody is left to stop them, so they stop, in order, and the database is closed."""
    with serving_workers(file) as cluster:
        assert asyncio.run(cluster.ask(cluster.register("ann"))).status == 201
        cluster.kill(cluster.process.pid)
        lines = cluster.log.to_the_end()
        assert sum("stopped worker=" in line for line in lines) == 2
        assert missing(cluster, ["ann"]) == []


def test_what_stands_in_the_way_is_one_line(file: str, tmp_path: Path) -> None:
    """The supervisor looks first, so there are not as many complaints as workers."""
    with serve(["--database", file, "--workers", "2"]) as process:
        _, told = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert told.startswith(f"livecore: there is no database {tmp_path / 'game.db'}")
    assert told.count("\n") == 1


def test_a_port_that_is_taken_is_told_of(file: str) -> None:
    """No worker is started then."""
    make_game(file)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with serve(["--database", file, "--workers", "2", "--port", str(port)]) as process:
            _, told = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert told == (
        f"livecore: cannot listen on 127.0.0.1 port {port}: Address already in use; "
        "stop the server that runs there, or take another port (--port, LIVECORE_PORT)\n"
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_a_connection_made_while_the_service_restarts_is_answered(file: str, workers: int) -> None:
    """The socket is somebody else's, as with systemd: between two servers a caller waits, and is not refused."""
    game = make_game(file)

    async def call_between(port: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        connection = Connection(reader, writer)
        with serving_workers(file, game=game, workers=workers, hand=listening) as second:
            assert second.port == port
            await connection.send(second.register("bob"))
            status = (await connection.reply()).status
            writer.close()
            return status

    with socket.create_server(("127.0.0.1", 0)) as listening:
        with serving_workers(file, game=game, workers=workers, hand=listening) as first:
            assert first.port == listening.getsockname()[1]
            assert asyncio.run(first.ask(first.register("ann"))).status == 201
            assert first.stop() == 0
        assert asyncio.run(call_between(first.port)) == 201


def test_what_is_handed_over_must_be_a_listening_socket(file: str, tmp_path: Path) -> None:
    """Anything else is told of at the start."""
    make_game(file)
    descriptor = os.open(tmp_path / "no-socket", os.O_RDWR | os.O_CREAT)
    try:
        with serve(["--database", file], environment={"LISTEN_FDS": "1"}, hand=descriptor) as process:
            _, told = process.communicate(timeout=PATIENCE_SECONDS)
    finally:
        os.close(descriptor)
    assert process.returncode == 1
    assert told.startswith("livecore: file descriptor 3 was handed over and is no socket")

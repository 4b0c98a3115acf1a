"""Notices between real processes over one database, one of which is killed; and what becomes of them on a bad day."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import attrs
import psycopg
import pytest

from livecore.kernel.storage.notices import Notice, Notices
from livecore_server.background.loops import FlushLoop
from livecore_server.metrics import Metrics
from livecore_server.readiness import StoreWatch
from livecore_server.running_store import run_store
from livecore_server.storage.database import open_store, store_at
from livecore_server.storage.notice_texts import lost_text, parse_text, texts_of
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.postgres.shared import notice_channel
from livecore_server.storage.postgres.shared.notice_channel import PostgresNotices
from livecore_server.workers.notice_sockets import WorkerNotices
from tests.notices.saying import SAID, SCOPE, TOPIC, say
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database
from tests.server.serving import make_game, serving

_COUNT = 400


@attrs.define(eq=False)
class Process:
    """A process that says so many, and what it has heard."""

    running: subprocess.Popen[str]
    lines: list[str] = attrs.field(factory=list)

    def begin(self) -> None:
        """Let it say what it has to."""
        assert self.running.stdin is not None
        self.running.stdin.write("go\n")
        self.running.stdin.flush()

    def until(self, line: str) -> None:
        """Read what it prints until this."""
        assert self.running.stdout is not None
        while not self.lines or self.lines[-1] != line:
            read = self.running.stdout.readline()
            assert read, self.lines[-3:]
            self.lines.append(read.strip())

    def rest(self) -> None:
        """End it, and read everything that is left."""
        read, _ = self.running.communicate(timeout=PATIENCE_SECONDS)
        self.lines += read.split("\n")

    def heard(self, name: str) -> list[int]:
        """The numbers that it heard of somebody."""
        return [int(line.partition(" ")[2]) for line in self.lines if line.startswith(f"{name} ")]


def test_of_three_processes_one_is_killed(url: str, tmp_path: Path) -> None:
    """The others hear each commit of the survivor once, in order; of the killed one a beginning of what it wrote."""
    (tmp_path / "shared").mkdir()
    with store_at(url, create=True):
        pass
    with ExitStack() as stack:

        def started(name: str, count: int) -> Process:
            command = [sys.executable, "-m", "tests.notices.saying", url, name, str(count), str(tmp_path / "shared")]
            pipes = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            return Process(stack.enter_context(pipes))

        survivor, victim, listener = started("a", _COUNT), started("b", 1_000_000), started("c", 0)
        everybody = (survivor, victim, listener)
        for process in everybody:
            process.until("ready")
        for process in everybody:
            process.begin()
        listener.until("b 20")  # and what is under way to the others may be lost with it
        victim.running.kill()
        victim.running.wait(PATIENCE_SECONDS)
        for process in (survivor, listener):
            process.until(f"a {_COUNT}")
            process.rest()
            assert process.heard("a") == list(range(1, _COUNT + 1))
            of_the_dead = process.heard("b")
            assert of_the_dead == list(range(1, len(of_the_dead) + 1))
            with store_at(url) as store:
                row = store.read(SCOPE, lambda tx: tx.get(SAID, "b"))
            assert row is not None
            assert len(of_the_dead) <= row.number
            assert "missed" not in process.lines[process.lines.index("ready") + 1 :]


def test_a_command_beside_the_servers_is_heard() -> None:
    """What a store alone commits, without an event loop, reaches the processes that listen."""

    async def scenario(url: str) -> None:
        executor, heard = _executor(url)
        async with asyncio.timeout(PATIENCE_SECONDS):
            running = await _listening(executor.between_processes())
            with closing(PostgresStore(url)) as command:
                await asyncio.to_thread(command.write, SCOPE, lambda tx: say(tx, "a"))
            await _until(lambda: heard == [1])
            await executor.write(SCOPE, lambda tx: say(tx, "a"))
            await _until(lambda: heard == [1, 2])
        await _end(running, executor)

    with ready_database() as url:
        asyncio.run(scenario(url))


def test_a_connection_that_breaks_is_made_again_and_everybody_is_told() -> None:
    """The server ends what listens: both processes hear that they have missed something, and then hear again."""

    async def scenario(url: str) -> None:
        (one, _), (other, heard) = _executor(url), _executor(url)
        missed: list[str] = []
        for name, executor in (("one", one), ("other", other)):
            executor.notices.subscribe(SCOPE, TOPIC, lambda _: None, missed=lambda name=name: missed.append(name))  # type: ignore[misc] # bound at once
        async with asyncio.timeout(PATIENCE_SECONDS):
            carriers = [PostgresNotices(executor._store, again_seconds=0.01) for executor in (one, other)]
            tasks = [await _listening(carrier) for carrier in carriers]
            missed.clear()
            await one.write(SCOPE, lambda tx: say(tx, "a"))
            await _until(lambda: heard == [1])
            await asyncio.to_thread(_end_listeners, url)
            while heard[-1] == 1 or set(missed) != {"one", "other"}:
                await one.write(SCOPE, lambda tx: say(tx, "a"))
                await other.write(SCOPE, lambda tx: say(tx, "b"))
                await asyncio.sleep(0)
            numbers = list(heard)
            assert numbers == sorted(set(numbers))
        for task, executor in zip(tasks, (one, other), strict=True):
            await _end(task, executor)

    with ready_database() as url:
        asyncio.run(scenario(url))


def _end_listeners(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND (query LIKE '%LISTEN%' OR query = 'SELECT 1')"
        ).fetchall()
        assert found


def test_what_waits_is_sent_before_a_process_ends() -> None:
    """A process that ends right after its last commits tells the others of them first, who miss nothing."""

    async def scenario(url: str) -> None:
        (one, _), (other, heard) = _executor(url), _executor(url)
        missed: list[str] = []
        tasks = [await _listening(executor.between_processes()) for executor in (one, other)]
        other.notices.subscribe(SCOPE, TOPIC, lambda _: None, missed=lambda: missed.append("other"))
        async with asyncio.timeout(PATIENCE_SECONDS):
            numbers = range(1, _COUNT + 1)
            one.notices.publish(
                [Notice(SCOPE, TOPIC, json.dumps({"name": "a", "number": number})) for number in numbers]
            )
            await _end(tasks[0], one)
            await _until(lambda: len(heard) == _COUNT)
        assert heard == list(numbers)
        assert missed == []
        await _end(tasks[1], other)

    with ready_database() as url:
        asyncio.run(scenario(url))


def test_the_last_commits_of_a_server_that_stops_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its loops write while it stops, the other servers of the database hear as well."""

    async def scenario(url: str) -> None:
        game, heard = make_game(url), list[Notice]()
        async with (
            serving(tmp_path, game=game, database=url) as one,
            serving(tmp_path, game=game, database=url) as other,
        ):
            other.service.executor.notices.subscribe(SCOPE, TOPIC, heard.append)

            async def flush(_: FlushLoop) -> None:
                await one.service.executor.write(SCOPE, lambda tx: say(tx, "a"))

            with monkeypatch.context() as patch:
                patch.setattr(FlushLoop, "flush", flush)
                await one.service.stop()
            async with asyncio.timeout(PATIENCE_SECONDS):
                await _until(lambda: len(heard) == 1)

    with ready_database() as url:
        asyncio.run(scenario(url))


def test_an_engine_without_listen_keeps_notices_within_the_process(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says so once, and who has subscribed here hears all that is committed here."""
    monkeypatch.setattr(notice_channel, "LISTEN", Statement(b"LISTEN TO livecore_notices"))

    async def scenario(url: str) -> None:
        executor, heard = _executor(url)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await executor.between_processes().run()
        await executor.write(SCOPE, lambda tx: say(tx, "a"))
        await asyncio.sleep(0)
        assert heard == [1]
        await executor.close()

    with ready_database() as url:
        asyncio.run(scenario(url))
    assert [record.message.partition(":")[0] for record in caplog.records] == ["this database has no LISTEN"]


def _executor(url: str) -> tuple[PostgresExecutor, list[int]]:
    """An executor, and the numbers that are heard of `a`."""
    heard: list[int] = []
    executor = run_store(open_store(url), StoreWatch(Metrics())).executor
    assert isinstance(executor, PostgresExecutor)

    def hear(notice: Notice) -> None:
        said = json.loads(notice.payload)
        if said["name"] == "a":
            heard.append(said["number"])

    executor.notices.subscribe(SCOPE, TOPIC, hear)
    return executor, heard


async def _listening(carrier: PostgresNotices | WorkerNotices) -> asyncio.Task[None]:
    task = asyncio.create_task(carrier.run())
    await carrier.listening.wait()
    return task


async def _until(fact: Callable[[], bool]) -> None:
    while not fact():  # noqa: ASYNC110 - what comes from outside sets no event of ours
        await asyncio.sleep(0)


async def _end(task: asyncio.Task[None], executor: PostgresExecutor) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await executor.close()


# -- workers on one machine


def test_a_worker_that_takes_nothing_costs_a_bounded_amount_and_is_told(tmp_path: Path) -> None:
    """It delays nobody: the others hear all, and it hears that it has missed something when it takes anything again."""

    async def scenario() -> None:
        one, other = Notices(), Notices()
        heard: list[Notice] = []
        other.subscribe(SCOPE, TOPIC, heard.append)
        carriers = [WorkerNotices(tmp_path, notices) for notices in (one, other)]
        tasks = [await _listening(carrier) for carrier in carriers]
        with _stuck(tmp_path / "notices-stuck") as stuck:
            for number in range(2_000):
                one.publish([Notice(SCOPE, TOPIC, str(number))])
                await asyncio.sleep(0)
                assert sum(len(waiting) for waiting in carriers[0]._waiting.values()) <= 2 * 256
            async with asyncio.timeout(PATIENCE_SECONDS):
                await _until(lambda: len(heard) == 2_000)
                assert [notice.payload for notice in heard] == [str(number) for number in range(2_000)]
                await _until(lambda: any(text == lost_text(carriers[0]._source) for text in _taken(stuck)))
        await _ended(tasks)

    asyncio.run(scenario())


def test_a_worker_that_ends_waits_for_one_that_is_busy(tmp_path: Path) -> None:
    """Its last texts wait for a worker that takes nothing for a moment, and arrive."""

    async def scenario() -> None:
        one = Notices()
        task = await _listening(WorkerNotices(tmp_path, one))
        with _stuck(tmp_path / "notices-stuck") as stuck:
            for number in range(100):
                one.publish([Notice(SCOPE, TOPIC, str(number))])
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.sleep(0)
            assert not task.done()
            heard: list[str] = []
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not task.done():
                    heard += _taken(stuck)
                    await asyncio.sleep(0)
            heard += _taken(stuck)
        received = [text for text in map(parse_text, heard) if text is not None]
        assert [notice.payload for text in received for notice in text.notices] == [
            str(number) for number in range(100)
        ]

    asyncio.run(scenario())


def _stuck(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    made.bind(str(path))
    return made


def _taken(taker: socket.socket) -> Iterator[str]:
    while True:
        try:
            yield taker.recv(65_536).decode()
        except BlockingIOError:
            return


def test_a_dead_worker_s_socket_is_removed(tmp_path: Path) -> None:
    """Whoever sends to it first finds that nobody is there."""

    async def scenario() -> None:
        path = tmp_path / "notices-dead"
        _stuck(path).close()
        one = Notices()
        task = await _listening(WorkerNotices(tmp_path, one))
        one.publish([Notice(SCOPE, TOPIC, "{}")])
        await asyncio.sleep(0)
        assert not path.exists()
        await _ended([task])
        assert one.relay is None

    asyncio.run(scenario())
    assert list(tmp_path.iterdir()) == []


def test_where_there_can_be_no_socket_notices_stay_in_the_worker(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A folder whose path is too long for an address: the log says so, and nothing else is different."""
    folder = tmp_path / ("f" * 120)
    folder.mkdir()
    one, heard = Notices(), list[Notice]()
    one.subscribe(SCOPE, TOPIC, heard.append)
    asyncio.run(WorkerNotices(folder, one).run())
    one.publish([Notice(SCOPE, TOPIC, "{}")])
    assert len(heard) == 1
    assert "notices stay within each worker" in caplog.text


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_texts_hold_what_was_put_in_within_their_bound() -> None:
    """Any text survives; what is none of ours is left aside."""
    many = [Notice(SCOPE, "t", json.dumps({"x": 'é\u2028"' * (number % 50)})) for number in range(300)]
    texts = list(texts_of("s", many, 7_500))
    assert len(texts) > 1
    assert max(len(text.encode()) for text in texts) <= 7_500
    read = [parse_text(text) for text in texts]
    assert [notice for heard in read if heard is not None for notice in heard.notices] == many
    assert {heard.source for heard in read if heard is not None} == {"s"}
    assert [parse_text(text) for text in ("", "[]", "5", '["s",[1]]', '["s",[["a","b"]]]')] == [None] * 5

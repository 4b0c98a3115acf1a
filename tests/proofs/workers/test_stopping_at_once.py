"""Workers that stop in the same instant leave nothing in the write-ahead log: whoever copies the file alone has everything.

SQLite merges the log for the last connection that is closed. Two processes that close theirs at once find each other's.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from livecore.kernel.scope import DIRECTORY
from livecore_server.http.listening import open_listeners
from livecore_server.settings import Settings
from livecore_server.storage.database import sqlite_path
from livecore_server.storage.host_tables import STORE_PROBES, StoreProbe
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.log_file import log_path
from livecore_server.workers.process import WorkerFailed
from livecore_server.workers.shared_folder import private_folder
from livecore_server.workers.supervisor import Supervisor
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import http, make_game
from tests.stores.tables import HEROES
from tests.workers.cluster import Cluster, Log, serve, serving_workers

_ROUNDS = 200
_WRITES = 5
_WORKER = """
import asyncio, sys
from pathlib import Path
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from livecore_server.workers.writer_lock import WriterLock
from tests.server.executing import SCOPE, add
from tests.stores.tables import HEROES

folder, name, rounds, writes = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

async def serve(number):
    lock = WriterLock(folder)
    executor = SqliteExecutor(SqliteStore(folder / "game.db", tables=[HEROES]), writer_lock=lock)
    await asyncio.gather(*(executor.write(SCOPE, add(f"{name}-{number}-{at}")) for at in range(writes)))
    print("written", flush=True)
    sys.stdin.readline()
    await executor.close()
    lock.close()
    print("closed", flush=True)
    sys.stdin.readline()

for number in range(rounds):
    asyncio.run(serve(number))
"""


@contextmanager
def worker(folder: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process that serves, stops and begins anew, each time that it is told to."""
    command = [sys.executable, "-c", _WORKER, str(folder), name, str(_ROUNDS), str(_WRITES)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def await_all(workers: list[subprocess.Popen[str]], word: str) -> None:
    """Wait until each has said so."""
    for process in workers:
        assert process.stdout is not None
        assert process.stdout.readline() == f"{word}\n"


def tell_all(workers: list[subprocess.Popen[str]]) -> None:
    """Have all go on, in the same instant."""
    for process in workers:
        assert process.stdin is not None
        process.stdin.write("\n")
    for process in workers:
        assert process.stdin is not None
        process.stdin.flush()


def test_two_workers_stop_at_once_two_hundred_times(tmp_path: Path) -> None:
    """After writes of both; then the log is empty or gone, and a copy of the file alone has every row."""
    path, alone, left = tmp_path / "game.db", tmp_path / "alone.db", []
    with closing(SqliteStore(path, tables=[HEROES])):
        pass
    with worker(tmp_path, "a") as one, worker(tmp_path, "b") as other:
        workers = [one, other]
        for number in range(_ROUNDS):
            await_all(workers, "written")
            tell_all(workers)
            await_all(workers, "closed")
            log = log_path(path)
            left.append(log.stat().st_size if log.exists() else 0)
            alone.write_bytes(path.read_bytes())
            with closing(sqlite3.connect(f"{alone.as_uri()}?immutable=1", uri=True)) as copied:
                (rows,) = copied.execute("SELECT count(*) FROM store_test_heroes").fetchone()
            assert rows == (number + 1) * 2 * _WRITES
            tell_all(workers)
    assert left == [0] * _ROUNDS


async def write_players(cluster: Cluster, count: int) -> None:
    """Register some."""
    for number in range(count):
        assert (await cluster.ask(cluster.register(f"player-{number}"))).status == 201


def back_up(url: str, target: Path) -> None:
    """Make a backup as an operator does."""
    command = [sys.executable, "-m", "livecore_server", "backup", "--database", url, str(target)]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_SECONDS)


def test_a_server_that_is_stopped_leaves_one_file(file: str, tmp_path: Path) -> None:
    """Two workers, several times, each time after writes and a backup; the last line says no more than that it stopped."""
    game, path = make_game(file), sqlite_path(file)
    for number in range(3):
        with serving_workers(file, game=game) as cluster:
            if not number:
                asyncio.run(write_players(cluster, 20))
            back_up(file, tmp_path / f"backup-{number}.db")
            assert cluster.stop() == 0
            assert cluster.log.to_the_end()[-1].endswith("info stopped\n")
        assert not log_path(path).exists()


def test_workers_that_were_killed_leave_one_file_too(file: str) -> None:
    """The supervisor merges what they could not, and says that it has killed them."""
    with serving_workers(file) as cluster:
        asyncio.run(write_players(cluster, 5))
        for pid in cluster.workers.values():
            os.kill(pid, signal.SIGSTOP)
        cluster.process.terminate()
        cluster.log.wait("draining")
        cluster.process.terminate()
        assert cluster.wait() == 1
        *_, told, last = cluster.log.to_the_end()
        assert told.endswith("warning a second signal: the workers are killed, and requests under way are cut off\n")
        assert last.endswith("info stopped\n")
    assert not log_path(sqlite_path(file)).exists()


def test_a_server_whose_workers_cannot_start_any_more_leaves_one_file(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends with their fault, after the merge of what those before them have left."""
    make_game(file)
    path, kept = sqlite_path(file), tmp_path / "kept"
    with closing(SqliteStore(path)) as store:
        store.write(DIRECTORY, lambda tx: tx.put(STORE_PROBES, StoreProbe(name="start", at=1)))
        kept.write_bytes(log_path(path).read_bytes())
        data = path.read_bytes()
    path.write_bytes(data)
    log_path(path).write_bytes(kept.read_bytes())  # as killed workers leave it

    async def fails(_: Supervisor) -> None:
        raise WorkerFailed("worker 1 could not start", 2)

    monkeypatch.setattr(Supervisor, "_serve", fails)
    settings = Settings(database=file, port=0, workers=2)
    with private_folder(tmp_path) as folder, pytest.raises(WorkerFailed):
        asyncio.run(Supervisor(settings, open_listeners(settings), folder).run())
    assert not log_path(path).exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_the_last_line_says_what_is_left_in_the_log(file: str, workers: int) -> None:
    """Because somebody else reads the file: the log has to be copied along, or merged by another start."""
    game, path = make_game(file), sqlite_path(file)
    command = ["--database", file, "--port", "0", "--workers", str(workers)]
    with serve(command) as process, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        assert process.stderr is not None
        log = Log(process.stderr)
        (listening,) = log.wait(r"listening on http://127\.0\.0\.1:(\d+)")
        reader.execute("BEGIN")
        reader.execute("SELECT 1 FROM sqlite_master").fetchone()
        asyncio.run(register_at(int(listening[1]), game.keys["test", "client"].text))
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0
        last = log.to_the_end()[-1]
    assert "warning stopped; " in last
    assert str(log_path(path)) in last


async def register_at(port: int, key: str) -> None:
    """Register somebody at a server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = http("POST", "/sdk/v1/players/ann/register", headers={"Authorization": f"Bearer {key}"})
    writer.write(request)
    assert (await reader.readline()).startswith(b"HTTP/1.1 201")
    writer.close()
    await writer.wait_closed()

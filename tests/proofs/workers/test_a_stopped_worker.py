"""A worker that somebody has stopped (SIGSTOP) while it had the writer lock: the others end, and then it is ended."""

from __future__ import annotations

import asyncio
import fcntl
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.faults.siege import pause
from tests.patience import PATIENCE_SECONDS
from tests.server.serving import Connection
from tests.workers.cluster import Cluster, serving_workers

_MOST_TRIES = 5_000
_WAITS = """
import sys, time
from pathlib import Path
from livecore_server.workers.writer_lock import WriterLock
WriterLock(Path(sys.argv[1])).attempt()
print("taken", flush=True)
time.sleep(600)
"""


def lock_file(pid: int) -> Path:
    """The file of the writer lock that this process has open."""
    links = Path(f"/proc/{pid}/fd").iterdir()
    return next(target for link in links if (target := link.readlink()).name == "writer-lock")


def is_taken(path: Path) -> bool:
    """Whether some process has the lock."""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


async def stop_with_the_lock(cluster: Cluster, pid: int, connection: Connection) -> None:
    """Have one worker write, and stop it when it has the lock."""
    path = lock_file(pid)

    async def write() -> None:
        for number in itertools.count():
            await connection.send(cluster.register(f"busy-{number}"))
            await connection.reply()

    writing = asyncio.create_task(write())
    try:
        for _ in range(_MOST_TRIES):
            await pause()
            os.kill(pid, signal.SIGSTOP)
            if is_taken(path):
                return
            os.kill(pid, signal.SIGCONT)
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    raise AssertionError("it never had the lock when it was stopped")


def test_a_stopped_worker_with_the_writer_lock_keeps_nobody(file: str) -> None:
    """Its neighbour, which waits for the lock, ends in order; the supervisor kills the stopped one, and ends with 1."""

    async def scenario(cluster: Cluster) -> None:
        (_, stopped), (number, other) = cluster.workers.items()
        async with cluster.connect(stopped) as first, cluster.connect(other) as second:
            await stop_with_the_lock(cluster, stopped, first)
            await second.send(cluster.register("waits"))
            cluster.process.terminate()
            await asyncio.to_thread(cluster.log.wait, f"info stopped worker={number}")
            assert await asyncio.to_thread(cluster.wait) == 1

    with serving_workers(file, "--drain-seconds", "0.2") as cluster:
        asyncio.run(scenario(cluster))
        lines = cluster.log.to_the_end()
    assert sum("does not end and is killed" in line for line in lines) == 1
    assert sum("info stopped worker=" in line for line in lines) == 1
    assert lines[-1].endswith("info stopped\n")


def test_a_process_ends_while_a_thread_waits_for_the_lock(tmp_path: Path) -> None:
    """Nothing can interrupt that thread, and nothing needs to."""
    folder = tmp_path / "shared"
    folder.mkdir()
    waits = f"""
import asyncio, sys
from pathlib import Path
import livecore.api
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY
from livecore_server.storage.host_tables import STORE_PROBES, StoreProbe
from livecore_server.storage.sqlite.admission import SqliteLimits
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from livecore_server.workers.writer_lock import WriterLock

async def main():
    executor = SqliteExecutor(
        SqliteStore({str(tmp_path / "game.db")!r}), writer_lock=WriterLock(Path({str(folder)!r})),
        limits=SqliteLimits(disk_seconds=0.5),
    )
    writing = asyncio.create_task(
        executor.write(DIRECTORY, lambda tx: tx.put(STORE_PROBES, StoreProbe(name="x", at=1)))
    )
    await asyncio.sleep(0.1)
    await executor.close()
    try:
        await writing
    except Overloaded:
        print("refused")

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", _WAITS, str(folder)], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "taken\n"
            ended = subprocess.run(
                [sys.executable, "-c", waits], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
            )
        finally:
            holder.kill()
    assert (ended.returncode, ended.stdout) == (0, "refused\n"), ended.stderr
